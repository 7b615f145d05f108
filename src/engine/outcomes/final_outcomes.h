// SPDX-License-Identifier: GPL-3.0-or-later
//
// All final states of a program. An engine decides one verification task; the result of a litmus test is the
// whole list: which final states there are under the model, and how many executions lead to each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "env/env.h"
#include "ir/program.h"
#include "model/memory_model.h"
#include "task/outcomes.h"

namespace fenceline::engine {

// What finds them. Where two of them end, they find the same.
enum class OutcomeEngine : uint8_t {
  kAuto,         // kExecutions where it is possible, else kSat
  kExecutions,   // the exploration of execution graphs; kSat where the program may have load buffering
  kSat,          // the solver
  kEnumeration,  // all executions one by one, without loops
};

// `observed` are property expressions of the program. Throws Unsupported for what cannot be enumerated at
// all.
LitmusOutcomes final_outcomes(const Program& program, const MemoryModel& model,
                              std::span<const ExprId> observed, Env& env,
                              OutcomeEngine engine = OutcomeEngine::kAuto);

// The states by the solver. Executions are counted by enumeration, which must find the same states; `counting` is how
// many steps that may take (a microsecond each, or less) before it is left to the solver, which is far slower at it.
LitmusOutcomes solved_outcomes(const Program& program, const MemoryModel& model,
                               std::span<const ExprId> observed, Env& env, uint64_t counting = 50'000'000);

// Why there are executions without a final state, which are not listed: some execution fails, or none ends.
// Empty if there are none. `outcomes` are those of the same program and model, and complete.
std::string executions_without_an_end(const Program& program, const MemoryModel& model,
                                      const LitmusOutcomes& outcomes, Env& env,
                                      OutcomeEngine engine = OutcomeEngine::kAuto);

}  // namespace fenceline::engine
