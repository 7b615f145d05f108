// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::executions {

std::unique_ptr<engine::Engine> make_executions_engine();

}  // namespace fenceline::executions
