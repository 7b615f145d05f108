// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/options.h"

namespace fenceline::sat {

OptionGroup sat_options() {
  constexpr uint64_t kMost = 1'000'000;
  return {"Sat engine",
          {
              whole_number(
                  {"--bound", "N", "sat engine: unroll a loop at most N times (fewer where that suffices)",
                   kOfCheck, OptionLevel::kCommon},
                  &SatOptions::bound, 1, kMost),
              whole_number({"--bound", "N", "unroll a loop at most N times", kOfLitmus, OptionLevel::kCommon},
                           &SatOptions::bound, 1, kMost),
              word({"--proof", "FILE",
                    "write the solver's proof to FILE (DRAT) and the formula to FILE.cnf; the last of "
                    "several is kept"},
                   &SatOptions::proof),
          }};
}

}  // namespace fenceline::sat
