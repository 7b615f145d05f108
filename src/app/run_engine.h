// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/engine.h"
#include "env/options.h"
#include "env/progress.h"
#include "property/problem.h"

namespace fenceline {

// Runs the engine within the limits of the options (--timeout, --memory) and the user's patience (Ctrl-C).
// Whatever the program under test does, this returns. Precondition: the engine takes the problem.
Result run_engine(const Engine& engine, const Problem& problem, const Options& options, Progress& progress);

}  // namespace fenceline
