// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long an engine will probably take, as it predicts itself while it runs: a hint for the schedule of a portfolio. It
// changes no answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fenceline {

enum class RuntimePrediction : uint8_t {
  kUnknown,
  kShort,  // such a run usually ends soon
  kLong,   // it rarely does
};
static_assert(std::atomic<RuntimePrediction>::is_always_lock_free);

// One for each of several engines, in memory that forked copies of this process share with it.
class SharedPredictions {
 public:
  explicit SharedPredictions(size_t count);
  ~SharedPredictions();
  SharedPredictions(const SharedPredictions&) = delete;
  SharedPredictions& operator=(const SharedPredictions&) = delete;

  // None if there is no such memory; then nothing is known of any.
  std::atomic<RuntimePrediction>* of(size_t number) { return all_.empty() ? nullptr : &all_[number]; }

 private:
  std::span<std::atomic<RuntimePrediction>> all_;
};

}  // namespace fenceline
