// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far loops are unrolled. Lazily: which loops can iterate more often than they are unrolled? These, and
// only these, get a higher bound. If there are none, the formula has all executions. All loops that can
// exceed their bounds are collected before a new formula is made, by further queries about the others.
//
// A loop of which the number of iterations is known (ir/analysis/iteration_counts.h) is unrolled that often, and
// that may be more than the largest bound, unless a bound below the default is asked for.
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

  // After kAtLargest: which loop can exceed the largest bound, and why: "unbounded: the loop at ring.c:42 (it
  // stores to 'n' each time)".
  const std::string& what_exceeds() const { return what_exceeds_; }

  const LoopBounds& bounds() const { return bounds_; }
  uint32_t deepest() const { return deepest_; }

 private:
  // Every loop that can iterate once more than it is unrolled; nothing if a limit was reached.
  static std::optional<std::vector<LoopInstance>> exceeding(Formula& formula, Limits& limits);

  // Where the loop is, and why it exceeds its bound.
  static std::string describe(const LoopInstance& loop, Formula& formula, Limits& limits);
  static std::string name_of(const LoopInstance& loop, const Formula& formula);

  uint64_t largest_;
  LoopBounds bounds_;
  uint32_t deepest_ = 1;
  std::string what_exceeds_;
};

}  // namespace fenceline::sat
