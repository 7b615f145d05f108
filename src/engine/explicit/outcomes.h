// SPDX-License-Identifier: GPL-3.0-or-later
//
// All final states of a program on a model: the result of a litmus test, and what the fuzzer compares.
#pragma once

#include <set>
#include <vector>

#include "env/env.h"
#include "task/task.h"

namespace fenceline::engine {

struct Outcomes {
  bool complete = false;  // no limit was reached
  // Each: all memory cells in order, then the non-temporary registers of each thread in order.
  std::set<std::vector<Value>> finals;
  bool error_reachable = false;
  bool deadlock_reachable = false;
  uint64_t states = 0;
};

// Precondition: the model has store buffers or none.
Outcomes collect_outcomes(const Program& program, const FenceSet& fences, const MemoryModel& model, Env& env);

// The same on the deferral-queue machine; deadlocks are not found. Precondition: queue_unsupported_reason() is empty.
Outcomes collect_queue_outcomes(const Program& program, const FenceSet& fences, const ReorderTable& table,
                                Env& env);

}  // namespace fenceline::engine
