// SPDX-License-Identifier: GPL-3.0-or-later
//
// All that is observable of a program on the machine: program counters, memory and registers, in every
// reachable state, without any reduction. Buffers are not observable.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "model/memory_model.h"
#include "transform/to_sc/to_sc.h"

namespace fenceline::fuzz {

struct VisibleStates {
  // Points, registers, memory: in all states, and in final ones.
  std::set<std::vector<Value>> states, finals;
  bool error = false;
  bool overflow = false;  // the reduced program's variable
  bool complete = false;  // there were no more than so many states, and no value left 64 bits
};

VisibleStates visible_states(const Program& program, const FenceSet& fences, const MemoryModel& model,
                             size_t max_states);

// The same of a reduced program on SC, as if it were the original: of its states only what the original has.
VisibleStates visible_states(const transform::ReducedProgram& reduced, const Program& original,
                             size_t max_states);

}  // namespace fenceline::fuzz
