// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/options.h"

namespace fenceline {

OptionGroup sat_options() {
  constexpr uint64_t kMost = 1'000'000;
  return {
      "Sat engine",
      {
          whole_number({"--bound", "N",
                        "sat engine: unroll a loop at most N times (it stops earlier where no loop goes on)",
                        kOfCheck, OptionLevel::kCommon},
                       &SatOptions::bound, 1, kMost),
          whole_number(
              {"--bound", "N", "follow a loop for at most N rounds", kOfLitmus, OptionLevel::kCommon},
              &SatOptions::bound, 1, kMost),
          word({"--proof", "FILE",
                "write the solver's proof to FILE (DRAT) and the formula to FILE.cnf; of several the last "
                "one stays"},
               &SatOptions::proof),
      }};
}

}  // namespace fenceline
