// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>

namespace fenceline {
namespace {

uint64_t available_memory_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  uint64_t kb = 0;
  while (meminfo >> key >> kb >> unit)
    if (key == "MemAvailable:") return kb * 1024;
  return uint64_t{2} << 30;
}

}  // namespace

Limits::Limits(double seconds, uint64_t memory_bytes, uint64_t in_use, double spent)
    : seconds_(seconds),
      memory_bytes_(memory_bytes != 0 ? memory_bytes : most_memory_bytes()),
      in_use_(in_use),
      resident_before_(resident_bytes()) {
  if (seconds_ > 0)
    deadline_ =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(seconds_ - spent));
}

Limits::Limits(const Limits& whole, double seconds, uint64_t memory_bytes)
    : seconds_(whole.seconds_),
      memory_bytes_(memory_bytes),
      in_use_(0),
      resident_before_(resident_bytes()),
      deadline_(whole.deadline_),
      whole_(&whole) {
  if (seconds >= whole.seconds_left()) return;
  seconds_ = seconds;
  deadline_ =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

LimitReached Limits::poll(uint64_t bytes_in_use) {
  LimitReached reached = reached_.load(std::memory_order_relaxed);
  if (reached != LimitReached::kNone) return reached;
  if (interrupted())
    reached = LimitReached::kInterrupt;
  else if (bytes_in_use > this->memory_bytes())
    reached = LimitReached::kMemory;
  else if (seconds_ > 0 && std::chrono::steady_clock::now() >= deadline_ && !is_extended())
    reached = LimitReached::kTime;
  if (reached != LimitReached::kNone) reached_.store(reached, std::memory_order_relaxed);
  return reached;
}

bool Limits::is_extended() {
  if (!extend_) return false;
  const Extension extend = std::exchange(extend_, nullptr);
  if (!extend(memory_bytes_)) return false;
  seconds_ = whole_->seconds_;
  deadline_ = whole_->deadline_;
  return true;
}

LimitReached Limits::poll_process() {
  const uint64_t now = resident_bytes();
  return poll(now > resident_before_ ? now - resident_before_ : 0);
}

double Limits::seconds_left() const {
  if (seconds_ <= 0) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> left = deadline_ - std::chrono::steady_clock::now();
  return std::max(left.count(), 1e-3);
}

std::string Limits::describe(LimitReached reached) const {
  switch (reached) {
    case LimitReached::kNone:
      return "no limit was reached";
    case LimitReached::kTime:
      return fmt::format("the time limit of {:g} s was reached", seconds_);
    case LimitReached::kMemory:
      return fmt::format("the memory limit of {} MB was reached", memory_bytes_ >> 20);
    case LimitReached::kInterrupt:
      return "interrupted";
  }
  return "a limit was reached";
}

uint64_t peak_rss_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss);
}

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t most_memory_bytes() { return available_memory_bytes() / 5 * 4; }

}  // namespace fenceline
