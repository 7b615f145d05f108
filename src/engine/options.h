// SPDX-License-Identifier: GPL-3.0-or-later
//
// Options of the engines that search a state space.
#pragma once

#include <cstdint>

#include "env/option_group.h"

namespace fenceline::engine {

struct StateSpaceOptions {
  uint64_t buffer_limit = 8;  // pending stores per thread where buffers can grow without bound; 0: no limit
  bool reduction = true;
  bool fusing = true;
  bool liveness = true;
  bool check_reduction = false;
};

OptionGroup state_space_options();

}  // namespace fenceline::engine
