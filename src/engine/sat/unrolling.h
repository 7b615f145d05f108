// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far loops are unrolled. Lazily: which loops can iterate more often than they are unrolled? These, and
// only these, get a higher bound. If there are none, the formula has all executions. All loops that can
// exceed their bounds are collected before a new formula is made, by further queries about the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/sat/formula.h"
#include "env/limits.h"

namespace fenceline::sat {

class Unrolling {
 public:
  explicit Unrolling(uint64_t largest) : largest_(largest) {}

  enum class Answer : uint8_t {
    kEnough,     // no loop exceeds its bound
    kRaised,     // some do, and have higher bounds now
    kAtLargest,  // some do, and one of them has the largest bound that is allowed; nothing has changed
    kLimit,      // not known: a limit was reached
  };

  // Precondition: the formula was made with bounds().
  Answer raise(Formula& formula, Limits& limits);

  // After kAtLargest: the loop that can exceed the largest bound, "the loop at ring.c:42".
  const std::string& unbounded_loop() const { return unbounded_loop_; }

  const LoopBounds& bounds() const { return bounds_; }
  uint32_t deepest() const { return deepest_; }

 private:
  // Every loop that can iterate once more than it is unrolled; nothing if a limit was reached.
  static std::optional<std::vector<LoopInstance>> exceeding(Formula& formula, Limits& limits);

  static std::string name_of(const LoopInstance& loop, const Formula& formula);

  uint64_t largest_;
  LoopBounds bounds_;
  uint32_t deepest_ = 1;
  std::string unbounded_loop_;
};

}  // namespace fenceline::sat
