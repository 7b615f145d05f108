// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::engine {

// Explores every reachable state of the exact SC, TSO or PSO machine. docs/engine-explicit.md.
std::unique_ptr<Engine> make_explicit_engine();

}  // namespace fenceline::engine
