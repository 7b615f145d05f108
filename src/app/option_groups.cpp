// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/option_groups.h"

#include <array>

#include "app/command_options.h"
#include "engine/automata/options.h"
#include "engine/coherence/options.h"
#include "engine/numeric/options.h"
#include "engine/options.h"
#include "engine/queue/options.h"
#include "engine/sat/options.h"
#include "reference/options.h"

namespace fenceline {

std::span<const OptionGroup> option_groups() {
  static const std::array groups = {common_options(),  infer_options(),       litmus_options(),
                                    reduce_options(),  state_space_options(), queue_options(),
                                    sat_options(),     coherence_options(),   automata_options(),
                                    numeric_options(), reference_options()};
  return groups;
}

}  // namespace fenceline
