// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/engine.h"
#include "env/limits.h"
#include "env/options.h"
#include "env/progress.h"
#include "task/task.h"

namespace fenceline {

// The limits of the options for one question, or for several that share them. What this process and the one
// that supervises it hold already counts, and so does the time that was `spent` on the question before.
Limits limits_of(const Options& options, double spent = 0);

// Runs the engine within the limits and the user's patience (Ctrl-C). Whatever the program under test does,
// this returns. All commands ask engines through here, so what counts as an answer is decided once: a
// violation has been replayed, and an execution that ends at a limit of ours (Instruction::our_limit) says
// nothing. Throws Bug for a violation that does not replay. Precondition: the engine takes the task.
Result run_engine(const Engine& engine, const Task& task, const Options& options, Limits& limits,
                  Progress& progress);
// In a process of its own, with the limits of the options, which it keeps (app/supervised.h). What does not
// travel between processes is missing in the result (app/result_bytes.h).
Result run_engine_apart(const Engine& engine, const Task& task, const Options& options, Progress& progress);
// With the limits of the options.
Result run_engine(const Engine& engine, const Task& task, const Options& options, Progress& progress);

}  // namespace fenceline
