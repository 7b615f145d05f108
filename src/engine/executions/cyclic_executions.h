// SPDX-License-Identifier: GPL-3.0-or-later
//
// The executions that the exploration does not find: those in which program order and rf have a cycle (load buffering). A
// model that forbids them has none. On the others (ARMv8, RISC-V, Power, RMO) a formula has all executions, as in the SAT
// engine, and the queries are about those with a cycle. Most programs have none, because what a load returns decides
// about the store behind it, and that is quick to refute.
//
// An execution with idle iterations of loops is an execution without them as well, with or without the cycle; in the
// second case the exploration finds it. So the formula may leave them out although the cycle may lead through them.
#pragma once

#include <optional>
#include <string>

#include "engine/sat/unrolling.h"
#include "env/env.h"
#include "ir/edit/overlay.h"
#include "model/cat/relational.h"
#include "task/execution.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline::executions {

struct CyclicExecutions {
  enum class Answer : uint8_t {
    kNone,      // none violates the property, and nothing else is wrong with any
    kViolated,  // `execution` does
    kUnknown,   // for that reason
  };
  Answer answer = Answer::kNone;
  std::optional<Execution> execution;
  UnknownReason reason = UnknownReason::kLimit;
  std::optional<Bound> bound;
  std::string why;
  uint64_t clauses = 0;
};

// Throws Unsupported for what cannot be encoded.
CyclicExecutions check_cyclic_executions(const Task& task, const Overlay& overlay, const CatModel& axioms,
                                         Env& env);

}  // namespace fenceline::executions
