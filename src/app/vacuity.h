// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/engine.h"
#include "env/options.h"
#include "env/progress.h"
#include "property/vacuity.h"
#include "task/task.h"

namespace fenceline {

// What the proof that the engine has found for the task says nothing about, because it never happens. None
// also if that is not known. Takes no longer than options.timeout.
std::optional<Vacuity> find_vacuity(const Engine& engine, const Task& task, const Options& options,
                                    Progress& progress);

}  // namespace fenceline
