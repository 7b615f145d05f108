// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an engine expects of itself, said while it runs: a hint for those who let several engines share the time. It
// changes no answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fenceline {

enum class Outlook : uint8_t {
  kOpen,  // nothing is known
  kGood,  // such work is usually done soon
  kBad,   // it rarely is
};
static_assert(std::atomic<Outlook>::is_always_lock_free);

// One for each of several engines, in memory that forked copies of this process share with it.
class SharedOutlooks {
 public:
  explicit SharedOutlooks(size_t count);
  ~SharedOutlooks();
  SharedOutlooks(const SharedOutlooks&) = delete;
  SharedOutlooks& operator=(const SharedOutlooks&) = delete;

  // None if there is no such memory; then nothing is known of any.
  std::atomic<Outlook>* of(size_t number) { return all_.empty() ? nullptr : &all_[number]; }

 private:
  std::span<std::atomic<Outlook>> all_;
};

}  // namespace fenceline
