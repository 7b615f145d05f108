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

// `observed` are property expressions of the program. Throws Unsupported for what cannot be enumerated at
// all.
// `counting` is how many steps the counting of executions may take (a microsecond each, or less) before it is
// left to the solver, which is far slower at it.
LitmusOutcomes final_outcomes(const Program& program, const MemoryModel& model,
                              std::span<const ExprId> observed, Env& env, uint64_t counting = 50'000'000);

// Why there are executions without a final state, which are not listed: some execution fails, or none ends.
// Empty if there are none. `outcomes` are those of the same program and model, and complete.
std::string executions_without_an_end(const Program& program, const MemoryModel& model,
                                      const LitmusOutcomes& outcomes, Env& env);

}  // namespace fenceline::engine
