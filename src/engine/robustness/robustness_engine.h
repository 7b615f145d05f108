// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::robustness {

std::unique_ptr<engine::Engine> make_robustness_engine();

}  // namespace fenceline::robustness
