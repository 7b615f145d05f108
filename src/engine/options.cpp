// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/options.h"

namespace fenceline::engine {

OptionGroup state_space_options() {
  return {
      "State spaces",
      {
          whole_number({"--buffer-limit", "N",
                        "at most N pending stores per thread where a loop can fill store buffers without "
                        "bound; 0: no limit",
                        kOfBoth, OptionLevel::kCommon},
                       &StateSpaceOptions::buffer_limit, 0, 1'000'000),
          flag({"--no-reduction", "", "explore every interleaving"}, &StateSpaceOptions::reduction, false),
          flag({"--no-fusing", "", "make every local computation a step of its own"},
               &StateSpaceOptions::fusing, false),
          flag({"--no-liveness", "", "distinguish states by dead registers as well"},
               &StateSpaceOptions::liveness, false),
          flag({"--check-reduction", "",
                "explicit and queue engines: explore with and without reductions and compare"},
               &StateSpaceOptions::check_reduction),
      }};
}

}  // namespace fenceline::engine
