// SPDX-License-Identifier: GPL-3.0-or-later
//
// Time, memory and the user's Ctrl-C. Every loop that can run long polls one Limits object; reaching a limit
// ends in `unknown` with the statistics so far, never in a crash.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace fenceline {

enum class LimitReached : uint8_t { kNone, kTime, kMemory, kInterrupt };

class Limits {
 public:
  // seconds <= 0: no time limit. memory_bytes == 0: four fifths of what the machine has available now.
  // `in_use` of these bytes are taken already, by what is not counted in poll(), and `spent` of these seconds
  // have passed.
  explicit Limits(double seconds = 0, uint64_t memory_bytes = 0, uint64_t in_use = 0, double spent = 0);

  // A part of other limits, which must outlive it: what is left of their time and at most these seconds, and
  // so many bytes. An interrupt of the whole is one of the part.
  Limits(const Limits& whole, double seconds, uint64_t memory_bytes);

  // Cheap enough for every few hundred states; callable from several threads at once. `bytes_in_use` is what
  // the caller holds itself; it is compared with the memory limit. Once a limit is reached the answer stays.
  LimitReached poll(uint64_t bytes_in_use = 0);

  // What poll() has returned.
  LimitReached reached() const { return reached_.load(std::memory_order_relaxed); }

  // For callers that cannot count what they hold, since a library holds it: the memory that the process has
  // allocated since this object was made. Queries the kernel, which takes a few microseconds.
  LimitReached poll_process();

  // Of a part: called in poll() when its time is up. True: it goes on, until a limit of the whole is reached, and may
  // have so many bytes. Precondition: one thread polls.
  using Extension = std::function<bool(uint64_t& memory_bytes)>;
  void at_deadline(Extension extend) { extend_ = std::move(extend); }

  // Async-signal-safe: for the SIGINT handler of app/.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  bool interrupted() const {
    return interrupted_.load(std::memory_order_relaxed) || (whole_ != nullptr && whole_->interrupted());
  }

  uint64_t memory_bytes() const { return memory_bytes_ > in_use_ ? memory_bytes_ - in_use_ : 0; }

  // At least a little, so that it can be a limit of its own; infinite without a time limit.
  double seconds_left() const;

  // "the time limit of 10 s was reached" and the like.
  std::string describe(LimitReached reached) const;

 private:
  bool is_extended();

  double seconds_;
  uint64_t memory_bytes_;
  uint64_t in_use_;
  uint64_t resident_before_;
  std::chrono::steady_clock::time_point deadline_;
  const Limits* whole_ = nullptr;
  Extension extend_;
  std::atomic<bool> interrupted_{false};
  std::atomic<LimitReached> reached_{LimitReached::kNone};
};

// The largest resident set of this process so far, in KiB.
uint64_t peak_rss_kb();

// The resident set of this process now; 0 if the kernel does not report it.
uint64_t resident_bytes();

// What a process may use if its user sets no limit: four fifths of what the machine has available now.
uint64_t most_memory_bytes();

}  // namespace fenceline
