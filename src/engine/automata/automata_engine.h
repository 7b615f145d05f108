// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::automata {

std::unique_ptr<engine::Engine> make_automata_engine();

}  // namespace fenceline::automata
