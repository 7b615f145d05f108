// SPDX-License-Identifier: GPL-3.0-or-later
//
// All options there are: the groups of all parts.
#pragma once

#include <span>

#include "env/option_group.h"

namespace fenceline::app {

std::span<const OptionGroup> option_groups();

}  // namespace fenceline::app
