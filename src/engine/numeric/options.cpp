// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/options.h"

namespace fenceline::numeric {

OptionGroup numeric_options() {
  return {
      "Numeric engine",
      {
          choice({"--domain", "D",
                  "polyhedra, octagons, differences or boxes; auto: polyhedra, then differences", kOfBoth},
                 &NumericOptions::domain,
                 {{"auto", std::nullopt},
                  {"polyhedra", NumericDomain::kPolyhedra},
                  {"octagons", NumericDomain::kOctagons},
                  {"differences", NumericDomain::kDifferences},
                  {"boxes", NumericDomain::kBoxes}}),
          whole_number({"--disjuncts", "N", "keep at most N abstract elements per partition", kOfBoth},
                       &NumericOptions::disjuncts, 1, 64),
          whole_number(
              {"--slots", "K",
               "track at most K pending stores explicitly, the others by bounds; 0: try several", kOfBoth},
              &NumericOptions::slots, 0, 16),
          word({"--invariant", "FILE", "write the invariant to FILE; the last of several is kept"},
               &NumericOptions::invariant),
          flag({"--no-confirm", "", "do not search for a counterexample if no invariant is found"},
               &NumericOptions::confirm, false),
          choice({"--arrays", "A", "expand (a variable per element), smash (one for all) or auto", kOfBoth},
                 &NumericOptions::arrays,
                 {{"auto", ArrayMode::kAuto}, {"expand", ArrayMode::kExpand}, {"smash", ArrayMode::kSmash}}),
      }};
}

}  // namespace fenceline::numeric
