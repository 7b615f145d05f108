// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference/options.h"

#include "engine/automata/options.h"
#include "engine/numeric/options.h"
#include "reference/depth_first.h"
#include "reference/paper_layout.h"

namespace fenceline::reference {

OptionGroup reference_options() {
  return {
      "Published methods",
      {
          choice({"--search", "S", "automata engine: bfs, breadth-first; dfs, depth-first as in the paper"},
                 &automata::AutomataOptions::search,
                 {{"bfs", automata::make_breadth_first}, {"dfs", make_depth_first}}),
          flag(
              {"--no-sleep-sets", "", "automata engine, --search dfs: take independent steps in every order"},
              &automata::AutomataOptions::sleep_sets, false),
          choice({"--layout", "L",
                  "numeric engine: explicit (finite data is tracked explicitly) or paper (everything is "
                  "numeric)",
                  kOfBoth},
                 &numeric::NumericOptions::layout,
                 {{"explicit", nullptr}, {"paper", decide_in_paper_layout}}),
          choice(
              {"--refine", "R",
               "numeric engine, --layout paper: record flushes at all flush positions, or at none", kOfBoth},
              &ReferenceOptions::refine, {{"all", PaperRefinement::kAll}, {"none", PaperRefinement::kNone}}),
      }};
}

}  // namespace fenceline::reference
