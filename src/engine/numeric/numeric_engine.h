// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::numeric {

std::unique_ptr<engine::Engine> make_numeric_engine();

}  // namespace fenceline::numeric
