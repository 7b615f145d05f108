// SPDX-License-Identifier: GPL-3.0-or-later
//
// The strategies that search with propagation (synth/propagation.cpp) is compared with. The first two relax and
// restrict as it is printed: of the points that this comes up with and that nothing known decides they take the
// highest or the lowest.
#pragma once

#include <memory>
#include <string_view>

#include "synth/propagation.h"

namespace fenceline::reference {

// The point with the most fences and refinements first. Finds all minimal sets.
std::unique_ptr<synth::LatticeWalk> bfs_strategy(const synth::PropagationTask& task);
// The one with the fewest first. Finds all minimal sets.
std::unique_ptr<synth::LatticeWalk> dfs_strategy(const synth::PropagationTask& task);
// One fence after the other is taken away from all. Finds one minimal set.
std::unique_ptr<synth::LatticeWalk> descent_strategy(const synth::PropagationTask& task);

std::string_view name_of(synth::Strategy strategy);  // "prop", "bfs", "dfs", "descent"

}  // namespace fenceline::reference
