// SPDX-License-Identifier: GPL-3.0-or-later
//
// All final states of a program: what a litmus test is about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/numbers.h"

namespace fenceline {

// A final state, as far as it is observed.
struct LitmusState {
  std::vector<Value> values;  // one per observed expression
  // The executions that lead there: choices of the store each load reads, of the order of the stores to a
  // cell, and of choose and havoc.
  uint64_t executions = 0;
};

struct LitmusOutcomes {
  std::vector<LitmusState> states;  // all different, in any order
  std::vector<std::string> flags;   // names of the model's `flag` constraints that held in some execution
  bool complete = false;            // these are all; else `reason` says what stopped the search
  std::string reason;
  std::string engine;  // that found them
};

}  // namespace fenceline
