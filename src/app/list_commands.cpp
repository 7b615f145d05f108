// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline models` and `fenceline engines`: what there is, with a line on each.
#include <fmt/format.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "engine/portfolio/portfolio.h"
#include "model/memory_model.h"

namespace fenceline::app {

int models_command() {
  for (const MemoryModel& model : memory_models())
    print(fmt::format("{:<10}{}\n", model.name, model.summary));
  return kExitVerified;
}

int engines_command() {
  for (const auto& engine : engine::all_engines())
    print(fmt::format("{:<13}{}\n", engine->name(), engine->summary()));
  return kExitVerified;
}

}  // namespace fenceline::app
