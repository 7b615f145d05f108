// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/engine.h"
#include "env/options.h"
#include "env/progress.h"
#include "property/vacuity.h"
#include "task/task.h"

namespace fenceline::app {

// What no execution reaches, so that the engine's proof of the task is vacuous there. None also if that is not
// known. Takes no longer than options.timeout.
std::optional<Vacuity> find_vacuity(const engine::Engine& engine, const Task& task, const Options& options,
                                    Progress& progress);

}  // namespace fenceline::app
