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
#include "frontend/c/options.h"
#include "reference/options.h"

namespace fenceline::app {

std::span<const OptionGroup> option_groups() {
  static const std::array groups = {common_options(),
                                    frontend::compile_options(),
                                    infer_options(),
                                    litmus_options(),
                                    reduce_options(),
                                    engine::state_space_options(),
                                    engine::queue_options(),
                                    sat::sat_options(),
                                    coherence::coherence_options(),
                                    automata::automata_options(),
                                    numeric::numeric_options(),
                                    reference::reference_options()};
  return groups;
}

}  // namespace fenceline::app
