// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/options.h"

namespace fenceline::automata {

OptionGroup automata_options() {
  return {
      "Automata engine",
      {
          flag({"--no-acceleration", "", "no acceleration of cycles"}, &AutomataOptions::acceleration, false),
          flag({"--no-library", "", "accelerate the cycles through a location one by one, not together"},
               &AutomataOptions::library, false),
          whole_number({"--widen-above", "N", "widen automata with more than N states; 0: never"},
                       &AutomataOptions::widen_above, 0, 1'000'000),
      }};
}

}  // namespace fenceline::automata
