// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "env/option_group.h"

namespace fenceline::engine {

struct QueueOptions {
  bool symmetry = true;
};

OptionGroup queue_options();

}  // namespace fenceline::engine
