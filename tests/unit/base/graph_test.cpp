// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cycles found by Tarjan's algorithm against the definition: two nodes share a component if each reaches the
// other.
#include "base/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"

namespace fenceline {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

std::vector<std::vector<bool>> reachability(const Graph& graph) {
  std::vector<std::vector<bool>> reaches(graph.size(), std::vector<bool>(graph.size(), false));
  for (size_t n = 0; n < graph.size(); ++n)
    for (const uint32_t m : graph[n]) reaches[n][m] = true;
  for (size_t k = 0; k < graph.size(); ++k)
    for (size_t i = 0; i < graph.size(); ++i)
      for (size_t j = 0; j < graph.size(); ++j)
        if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
  return reaches;
}

TEST(Graph, CyclicComponentsByDefinition) {
  Rng rng(7);
  for (int round = 0; round < 500; ++round) {
    Graph graph(1 + rng.below(9));
    for (auto& successors : graph)
      for (uint64_t n = rng.below(3); n > 0; --n)
        successors.push_back(static_cast<uint32_t>(rng.below(graph.size())));
    const auto reaches = reachability(graph);
    std::set<std::set<uint32_t>> expected;
    for (uint32_t n = 0; n < graph.size(); ++n) {
      if (!reaches[n][n]) continue;
      std::set<uint32_t> component;
      for (uint32_t m = 0; m < graph.size(); ++m)
        if (reaches[n][m] && reaches[m][n]) component.insert(m);
      expected.insert(component);
    }
    std::set<std::set<uint32_t>> found;
    for (const auto& component : cyclic_components(graph)) found.emplace(component.begin(), component.end());
    ASSERT_EQ(found, expected);
  }
}

TEST(Graph, LongChainsDoNotExhaustTheStack) {
  Graph graph(1'000'000);
  for (uint32_t n = 0; n + 1 < graph.size(); ++n) graph[n].push_back(n + 1);
  EXPECT_TRUE(cyclic_components(graph).empty());
  graph.back().push_back(0);
  ASSERT_EQ(cyclic_components(graph).size(), 1U);
  EXPECT_EQ(cyclic_components(graph)[0].size(), graph.size());
}

}  // namespace
}  // namespace fenceline
