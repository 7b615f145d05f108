// SPDX-License-Identifier: GPL-3.0-or-later
//
// verify() (engine/portfolio) with the limits of the command line, and interruptible by signals.
#pragma once

#include <string>

#include "engine/portfolio/portfolio.h"
#include "env/limits.h"
#include "env/options.h"
#include "env/progress.h"

namespace fenceline::app {

// The limits of the options for one task, or for several that share them. What this process and the one that
// supervises it hold already counts, and so does the time that was `spent` on the task before.
Limits limits_of(const Options& options, double spent = 0);

// Within the limits, and until interrupted (Ctrl-C).
Verification verify_task(const Task& task, const Options& options, Limits& limits, Progress& progress,
                         engine::Schedule schedule = engine::Schedule::kSideBySide);

// By one engine, with the limits of the options.
Result verify_by(const engine::Engine& engine, const Task& task, const Options& options, Progress& progress);
// The same in a process of its own, which keeps the limits (app/supervised.h).
Result verify_isolated(const engine::Engine& engine, const Task& task, const Options& options,
                       Progress& progress);

}  // namespace fenceline::app
