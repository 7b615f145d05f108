// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/options.h"

namespace fenceline {

OptionGroup automata_options() {
  return {"Automata engine",
          {
              flag({"--no-acceleration", "", "take every round of a cycle step by step"},
                   &AutomataOptions::acceleration, false),
              flag({"--no-library", "", "accelerate the cycles through a place one by one, not together"},
                   &AutomataOptions::library, false),
              whole_number({"--widen-above", "N",
                            "give up exactness where an automaton has more than N states; 0: never"},
                           &AutomataOptions::widen_above, 0, 1'000'000),
          }};
}

}  // namespace fenceline
