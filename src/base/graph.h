// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one graph algorithm that several parts need: which nodes lie on cycles.
#pragma once

#include <cstdint>
#include <vector>

namespace fenceline {

// The strongly connected components that contain a cycle: those of more than one node, and single nodes with
// an edge to themselves. graph[n] lists the successors of n. Iterative (Tarjan 1972), so that long chains of
// code do not exhaust the stack.
std::vector<std::vector<uint32_t>> cyclic_components(const std::vector<std::vector<uint32_t>>& graph);

}  // namespace fenceline
