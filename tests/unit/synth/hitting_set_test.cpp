// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small cases by hand, and random ones against all subsets.
#include "synth/hitting_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace fenceline::synth {
namespace {

std::vector<uint64_t> ones(size_t count) { return std::vector<uint64_t>(count, 1); }

TEST(HittingSet, NothingToHit) { EXPECT_EQ(minimum_hitting_set({}, ones(3)), HittingSet{}); }

TEST(HittingSet, AnEmptyClauseIsImpossible) {
  EXPECT_EQ(minimum_hitting_set({{0}, {}}, ones(2)), std::nullopt);
  EXPECT_TRUE(all_minimum_hitting_sets({{0}, {}}, ones(2), 10).empty());
}

TEST(HittingSet, OneElementForAll) {
  EXPECT_EQ(minimum_hitting_set({{0, 1}, {1, 2}, {1, 3}}, ones(4)), HittingSet{1});
}

TEST(HittingSet, CostsDecide) {
  EXPECT_EQ(minimum_hitting_set({{0, 1}, {1, 2}}, {1, 5, 1}), (HittingSet{0, 2}));
  EXPECT_EQ(minimum_hitting_set({{0, 1}, {1, 2}}, {3, 5, 3}), (HittingSet{1}));
}

TEST(HittingSet, AllOfThem) {
  EXPECT_EQ(all_minimum_hitting_sets({{0, 1}, {2, 3}}, ones(4), 10),
            (std::vector<HittingSet>{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_EQ(all_minimum_hitting_sets({{0, 1}, {2, 3}}, ones(4), 2).size(), 2u);
  EXPECT_EQ(all_minimum_hitting_sets({}, ones(4), 10), (std::vector<HittingSet>{{}}));
}

TEST(HittingSet, ManyDisjointClauses) {
  std::vector<Clause> clauses;
  for (size_t i = 0; i < 300; i += 3) clauses.push_back({i, i + 1, i + 2});
  const auto set = minimum_hitting_set(clauses, ones(300));
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(set->size(), 100u);
}

// All hitting sets of the least cost, by trying every subset.
std::vector<HittingSet> brute_force(const std::vector<Clause>& clauses, const std::vector<uint64_t>& costs) {
  std::vector<HittingSet> best;
  uint64_t least = ~uint64_t{0};
  for (uint32_t bits = 0; bits < 1u << costs.size(); ++bits) {
    HittingSet set;
    for (size_t e = 0; e < costs.size(); ++e)
      if ((bits >> e & 1) != 0) set.push_back(e);
    const bool hits = std::all_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
      return std::any_of(clause.begin(), clause.end(), [&](size_t e) { return (bits >> e & 1) != 0; });
    });
    if (!hits || cost_of(set, costs) > least) continue;
    if (cost_of(set, costs) < least) best.clear();
    least = cost_of(set, costs);
    best.push_back(std::move(set));
  }
  std::sort(best.begin(), best.end());
  return best;
}

TEST(HittingSet, RandomInstancesAgainstAllSubsets) {
  Rng rng(7);
  for (int round = 0; round < 2000; ++round) {
    const size_t elements = 1 + rng.below(10);
    std::vector<uint64_t> costs;
    for (size_t e = 0; e < elements; ++e) costs.push_back(1 + rng.below(round % 2 == 0 ? 1 : 4));
    std::vector<Clause> clauses(rng.below(12));
    for (Clause& clause : clauses)
      for (size_t n = 1 + rng.below(4); n > 0; --n) clause.push_back(rng.below(elements));
    const std::vector<HittingSet> expected = brute_force(clauses, costs);
    const auto found = minimum_hitting_set(clauses, costs);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(cost_of(*found, costs), cost_of(expected.front(), costs));
    EXPECT_EQ(all_minimum_hitting_sets(clauses, costs, 1000), expected);
  }
}

}  // namespace
}  // namespace fenceline::synth
