// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/engine.h"
#include "env/env.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline::engine {

// Runs one engine within the limits. Whatever the program under test does, this returns. What counts as an
// answer is decided here, once for all: a counterexample has been checked, and one that ends at a limitation
// of Fenceline (Instruction::our_limit) says nothing. Throws Bug for a counterexample that was not checked.
// Precondition: the engine supports the task.
Result run_engine(const Engine& engine, const Task& task, Env& env);

// The same with Engine::first_look(): unknown, without a reason, if that has no answer.
Result first_look(const Engine& engine, const Task& task, Env& env);

}  // namespace fenceline::engine
