// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a search of a state space ended, whatever its states are.
#pragma once

#include <cstdint>
#include <string>

#include "env/limits.h"
#include "task/result.h"

namespace fenceline::engine {

struct SearchEnd {
  LimitReached limit = LimitReached::kNone;
  bool out_of_states = false;      // its budget of states was used up
  bool overflow = false;           // a value left 64 bits
  bool undefined_formula = false;  // the property's formula had no value somewhere

  // All states were explored: no violation found is a proof.
  bool complete() const {
    return limit == LimitReached::kNone && !out_of_states && !overflow && !undefined_formula;
  }
};

// The answer of a search that found no violation and did not explore all states. `how_far`: "after 12
// states". Precondition: it is not the budget of states that ended it.
Result incomplete_result(const SearchEnd& end, const Limits& limits, const std::string& how_far);

}  // namespace fenceline::engine
