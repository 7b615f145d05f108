// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/engine.h"

namespace fenceline::coherence {

std::unique_ptr<engine::Engine> make_coherence_engine();

}  // namespace fenceline::coherence
