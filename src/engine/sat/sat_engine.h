// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::sat {

// Encodes bounded executions and a memory model's axioms as a formula. docs/engine-sat.md.
std::unique_ptr<engine::Engine> make_sat_engine();

}  // namespace fenceline::sat
