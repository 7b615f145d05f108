// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which edges may be there together: the clauses against a search for cycles, for all assignments of the
// conditions of small graphs.
#include "sat/acyclic.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "base/rng.h"
#include "sat/bit_matrix.h"
#include "unit/sat/testing.h"

namespace fenceline::sat {
namespace {

// What the condition of an edge is under an assignment of the inputs.
using Meaning = std::function<bool(size_t edge, uint64_t bits)>;

// The clauses must allow exactly the assignments under which the graph has no cycle.
void expect_exact(SatTesting& sat, const ConditionalGraph& graph, const std::vector<Lit>& inputs,
                  const Meaning& meaning, bool only_cycles = false,
                  const std::optional<uint64_t>& most = std::nullopt) {
  ConditionalGraph encoded = graph;
  if (only_cycles) encoded.keep_cycles();
  if (most)
    require_acyclic_by(sat.circuit, encoded, *most);
  else
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

// Threads, whose edges are certain, and conditional edges between all their vertices, by every mixture of
// elimination and paths.
TEST(acyclic, threads_by_elimination_and_paths) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    SatTesting sat;
    const std::vector<Lit> inputs = sat.fresh(static_cast<size_t>(rng.between(4, 8)));
    const auto threads = static_cast<uint32_t>(rng.between(2, 3));
    const auto length = static_cast<uint32_t>(rng.between(2, 4));
    ConditionalGraph graph{size_t{threads} * length, {}};
    std::vector<std::optional<size_t>> conditions;  // nothing: certain
    for (uint32_t thread = 0; thread < threads; ++thread)
      for (uint32_t i = 0; i < length; ++i)
        for (uint32_t later = i + 1; later < length; ++later) {
          if (!rng.chance(later == i + 1 ? 80 : 20)) continue;
          graph.edges.push_back({thread * length + i, thread * length + later, kTrue});
          conditions.emplace_back();
        }
    for (size_t input = 0; input < inputs.size(); ++input)
      for (uint64_t uses = 1 + rng.below(2); uses > 0; --uses) {
        graph.edges.push_back({static_cast<uint32_t>(rng.below(graph.size)),
                               static_cast<uint32_t>(rng.below(graph.size)), inputs[input]});
        conditions.emplace_back(input);
      }
    std::vector<uint64_t> limits{0, 1, 4};
    limits.push_back(best_elimination_limit(sat.circuit, graph));
    expect_exact(
        sat, graph, inputs,
        [&](size_t edge, uint64_t bits) { return !conditions[edge] || bit(*conditions[edge], bits); },
        rng.chance(50), limits[rng.below(limits.size())]);
    if (::testing::Test::HasFailure()) return;
  }
}

// n accesses of a flag on each side, each of which can see each: what must not grow as n³.
TEST(acyclic, two_threads_take_quadratic_space) {
  const auto clauses = [](uint32_t n) {
    SatTesting sat;
    ConditionalGraph graph{size_t{2} * n, {}};
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t k = 0; k < n; ++k) {
        graph.edges.push_back({i, n + k, sat.circuit.fresh()});
        graph.edges.push_back({n + k, i, sat.circuit.fresh()});
      }
    for (uint32_t i = 0; i + 1 < n; ++i) {
      graph.edges.push_back({i, i + 1, kTrue});
      graph.edges.push_back({n + i, n + i + 1, kTrue});
    }
    require_acyclic(sat.circuit, graph);
    return sat.solver.clauses();
  };
  EXPECT_LT(clauses(40), 5 * clauses(20));
}

}  // namespace
}  // namespace fenceline::sat
