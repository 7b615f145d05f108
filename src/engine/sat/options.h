// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "env/option_group.h"

namespace fenceline::sat {

struct SatOptions {
  uint64_t bound = 16;  // iterations of a loop
  std::string proof;    // a file for the solver's proof; empty: none
};

OptionGroup sat_options();

}  // namespace fenceline::sat
