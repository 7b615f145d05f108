// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::engine {

std::unique_ptr<Engine> make_enumeration_engine();

}  // namespace fenceline::engine
