// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which edges may be there together: the clauses against a search for cycles, for all assignments of the
// conditions of small graphs.
#include "sat/acyclic.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"
#include "sat/bit_matrix.h"
#include "unit/sat/testing.h"

namespace fenceline::sat {
namespace {

// What the condition of an edge is under an assignment of the inputs.
using Meaning = std::function<bool(size_t edge, uint64_t bits)>;

// The clauses must allow exactly the assignments under which the graph has no cycle.
void expect_exact(SatTesting& sat, const ConditionalGraph& graph, const std::vector<Lit>& inputs,
                  const Meaning& meaning, bool only_cycles = false) {
  ConditionalGraph encoded = graph;
  if (only_cycles) encoded.keep_cycles();
  require_acyclic(sat.circuit, encoded);
  for (uint64_t bits = 0; bits < uint64_t{1} << inputs.size(); ++bits) {
    BitMatrix there(graph.size);
    for (size_t i = 0; i < graph.edges.size(); ++i)
      if (meaning(i, bits)) there.set(graph.edges[i].from, graph.edges[i].to);
    const BitMatrix closure = there.closure();
    bool acyclic = true;
    for (size_t x = 0; x < graph.size; ++x) acyclic &= !closure.at(x, x);
    ASSERT_EQ(sat.possible(SatTesting::assigned(inputs, bits)), acyclic) << "inputs " << bits;
  }
}

bool bit(size_t edge, uint64_t bits) { return ((bits >> edge) & 1) != 0; }

TEST(acyclic, complete_graph_of_three) {
  SatTesting sat;
  const std::vector<Lit> inputs = sat.fresh(9);
  ConditionalGraph graph{3, {}};
  for (uint32_t x = 0; x < 3; ++x)
    for (uint32_t y = 0; y < 3; ++y) graph.edges.push_back({x, y, inputs[x * 3 + y]});
  expect_exact(sat, graph, inputs, bit);
}

TEST(acyclic, complete_graph_of_four_without_loops) {
  SatTesting sat;
  const std::vector<Lit> inputs = sat.fresh(12);
  ConditionalGraph graph{4, {}};
  for (uint32_t x = 0; x < 4; ++x)
    for (uint32_t y = 0; y < 4; ++y)
      if (x != y) graph.edges.push_back({x, y, inputs[graph.edges.size()]});
  expect_exact(sat, graph, inputs, bit);
}

// Conditions that are constants, shared between edges, opposite to each other; several edges between the same
// nodes.
TEST(acyclic, random_graphs) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    SatTesting sat;
    const std::vector<Lit> inputs = sat.fresh(static_cast<size_t>(rng.between(1, 7)));
    ConditionalGraph graph{static_cast<size_t>(rng.between(2, 8)), {}};
    std::vector<std::function<bool(uint64_t)>> conditions;
    const uint64_t edges = rng.below(18);
    for (uint64_t i = 0; i < edges; ++i) {
      Lit literal = constant(rng.chance(70));
      if (rng.chance(80)) {
        const size_t input = rng.below(inputs.size());
        const bool negative = rng.chance(25);
        literal = negative ? !inputs[input] : inputs[input];
        conditions.emplace_back([=](uint64_t bits) { return bit(input, bits) != negative; });
      } else {
        conditions.emplace_back([=](uint64_t) { return literal == kTrue; });
      }
      const auto from = static_cast<uint32_t>(rng.below(graph.size));
      auto to = static_cast<uint32_t>(rng.below(graph.size));
      if (from == to && rng.chance(80)) to = static_cast<uint32_t>((to + 1) % graph.size);
      graph.edges.push_back({from, to, literal});
    }
    expect_exact(
        sat, graph, inputs, [&](size_t edge, uint64_t bits) { return conditions[edge](bits); },
        rng.chance(50));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fenceline::sat
