// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search on artificial verifiers: random sets of points, closed upwards, for which all minimal
// sets of fences are found by trying every set.
#include "synth/propagation.h"
#include "reference/lattice_strategies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "synth/search_plot.h"

namespace fenceline::synth {
namespace {

constexpr Strategy kComplete[] = {propagation_strategy, reference::bfs_strategy, reference::dfs_strategy};
constexpr Strategy kAll[] = {propagation_strategy, reference::bfs_strategy, reference::dfs_strategy,
                             reference::descent_strategy};

BitSet random_set(std::mt19937_64& random, size_t size, double density) {
  BitSet set;
  for (size_t i = 0; i < size; ++i)
    if (std::bernoulli_distribution(density)(random)) set.add(i);
  return set;
}

BitSet from_bits(uint64_t bits) {
  BitSet set;
  for (size_t i = 0; i < 64; ++i)
    if ((bits >> i & 1) != 0) set.add(i);
  return set;
}

// What is verified: all points above some of the `proofs`. A refinement is of no use once the fences of its
// `emptied` are there.
struct Family {
  size_t fences = 0;
  std::vector<SearchPoint> proofs;
  std::vector<FenceMask> emptied;  // by refinement

  RefinementMask candidates(const FenceMask& given) const {
    RefinementMask useful;
    for (size_t i = 0; i < emptied.size(); ++i)
      if (!emptied[i].subset_of(given)) useful.add(i);
    return useful;
  }
  bool verified(const SearchPoint& point) const {
    const RefinementMask useful = candidates(point.fences);
    return std::any_of(proofs.begin(), proofs.end(), [&](const SearchPoint& proof) {
      return proof.fences.subset_of(point.fences) &&
             (proof.refinements & useful).subset_of(point.refinements);
    });
  }
  std::set<FenceMask> minimal_by_brute_force() const {
    std::set<FenceMask> minimal;
    for (uint64_t bits = 0; bits < uint64_t{1} << fences; ++bits) {
      const FenceMask set = from_bits(bits);
      const auto right = [&](const FenceMask& some) { return verified({some, candidates(some)}); };
      bool lowest = right(set);
      for (const size_t position : set.elements()) lowest = lowest && !right(set.without(position));
      if (lowest) minimal.insert(set);
    }
    return minimal;
  }
  PropagationTask task(Strategy strategy, unsigned jobs = 1) const {
    PropagationTask task;
    task.fence_positions = fences;
    if (!emptied.empty()) task.candidates = [this](const FenceMask& given) { return candidates(given); };
    task.verify = [this](const SearchPoint& point) {
      return verified(point) ? ProofAnswer::kVerified : ProofAnswer::kNotVerified;
    };
    task.strategy = strategy;
    task.jobs = jobs;
    return task;
  }
};

Family random_family(std::mt19937_64& random, size_t fences, size_t refinements) {
  Family family;
  family.fences = fences;
  const size_t proofs = random() % 5;
  for (size_t i = 0; i < proofs; ++i)
    family.proofs.push_back({random_set(random, fences, 0.4), random_set(random, refinements, 0.4)});
  for (size_t i = 0; i < refinements; ++i) family.emptied.push_back(random_set(random, fences, 0.3).with(0));
  return family;
}

std::set<FenceMask> fences_of(const PropagationResult& result) {
  std::set<FenceMask> fences;
  for (const SearchPoint& point : result.minimal) fences.insert(point.fences);
  return fences;
}

void expect_all_found(const Family& family, Strategy strategy, unsigned jobs) {
  const PropagationResult result = search_by_propagation(family.task(strategy, jobs));
  EXPECT_EQ(fences_of(result), family.minimal_by_brute_force());
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.trace.size(), result.calls);
  for (const SearchPoint& point : result.minimal) {
    EXPECT_TRUE(family.verified(point));
    for (const size_t position : point.refinements.elements())
      EXPECT_FALSE(family.verified({point.fences, point.refinements.without(position)}));
  }
}

TEST(Propagation, FindsAllMinimalSets) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const Family family = random_family(random, random() % 8, 0);
    for (const Strategy strategy : kComplete)
      for (const unsigned jobs : {1u, 3u}) {
        SCOPED_TRACE(testing::Message()
                     << "round " << round << ", " << reference::name_of(strategy) << ", jobs " << jobs);
        expect_all_found(family, strategy, jobs);
      }
  }
}

TEST(Propagation, FindsAllMinimalSetsWithRefinements) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 150; ++round) {
    const Family family = random_family(random, random() % 5, 1 + random() % 4);
    for (const Strategy strategy : kComplete)
      for (const unsigned jobs : {1u, 2u}) {
        SCOPED_TRACE(testing::Message()
                     << "round " << round << ", " << reference::name_of(strategy) << ", jobs " << jobs);
        expect_all_found(family, strategy, jobs);
      }
  }
}

TEST(Propagation, DescentFindsOne) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const Family family = random_family(random, random() % 8, round % 2 == 0 ? 0 : 3);
    const std::set<FenceMask> all = family.minimal_by_brute_force();
    const PropagationResult result = search_by_propagation(family.task(reference::descent_strategy));
    ASSERT_EQ(result.minimal.size(), all.empty() ? 0 : 1);
    for (const SearchPoint& point : result.minimal) {
      EXPECT_TRUE(all.contains(point.fences));
      EXPECT_TRUE(family.verified(point));
    }
    // It may have found by chance that there are no others, and must not claim it otherwise.
    if (result.complete) {
      EXPECT_EQ(fences_of(result), all);
    }
  }
}

TEST(Propagation, NoPointIsVerifiedTwiceAndNoneThatIsImplied) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    const Family family = random_family(random, random() % 7, random() % 4);
    for (const Strategy strategy : kAll) {
      std::set<SearchPoint> verified, falsified;
      PropagationTask task = family.task(strategy);
      task.verify = [&](const SearchPoint& point) {
        EXPECT_TRUE(point.refinements.subset_of(family.candidates(point.fences)));
        for (const SearchPoint& known : verified)
          EXPECT_FALSE(known.fences.subset_of(point.fences) &&
                       known.refinements.subset_of(point.refinements));
        for (const SearchPoint& known : falsified)
          EXPECT_FALSE(point.fences.subset_of(known.fences) &&
                       point.refinements.subset_of(known.refinements));
        (family.verified(point) ? verified : falsified).insert(point);
        return family.verified(point) ? ProofAnswer::kVerified : ProofAnswer::kNotVerified;
      };
      const PropagationResult result = search_by_propagation(task);
      EXPECT_EQ(result.calls, verified.size() + falsified.size());
    }
  }
}

// A single minimal set is known after all fences, each fence less, and the set itself; with many positions,
// after a number of calls that hardly grows.
TEST(Propagation, FewCallsForASingleSet) {
  for (size_t positions = 2; positions < 20; ++positions) {
    const Family family{positions, {{FenceMask{0, 1}, {}}}, {}};
    const PropagationResult result = search_by_propagation(family.task(propagation_strategy));
    EXPECT_LE(result.calls, positions <= 12 ? positions + 2 : 20);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(fences_of(result), (std::set<FenceMask>{{0, 1}}));
  }
}

TEST(Propagation, FewerCallsThanWithout) {
  std::mt19937_64 random(5);
  uint64_t prop = 0, bfs = 0, dfs = 0;
  for (int round = 0; round < 200; ++round) {
    const Family family = random_family(random, 8, 0);
    prop += search_by_propagation(family.task(propagation_strategy)).calls;
    bfs += search_by_propagation(family.task(reference::bfs_strategy)).calls;
    dfs += search_by_propagation(family.task(reference::dfs_strategy)).calls;
  }
  EXPECT_LT(prop, dfs);
  EXPECT_LT(prop, bfs);
  RecordProperty("prop", static_cast<int>(prop));
  RecordProperty("bfs", static_cast<int>(bfs));
  RecordProperty("dfs", static_cast<int>(dfs));
}

// The refinements that did with more fences are tried first.
TEST(Propagation, RefinementsAreHandedDown) {
  const Family family{
      4, {{FenceMask{3}, RefinementMask{5}}}, std::vector<FenceMask>(12, FenceMask{0, 1, 2, 3, 4})};
  std::vector<SearchPoint> verified;
  PropagationTask task = family.task(propagation_strategy);
  const Verifier verify = task.verify;
  task.verify = [&](const SearchPoint& point) {
    verified.push_back(point);
    return verify(point);
  };
  const PropagationResult result = search_by_propagation(task);
  EXPECT_EQ(result.minimal, (std::vector<SearchPoint>{{{3}, {5}}}));
  for (const SearchPoint& point : verified)
    if (point.fences.size() < 4 && point.fences.has(3)) {
      EXPECT_EQ(point.refinements, RefinementMask{5});
    }
}

TEST(Propagation, SoundAndFiniteWhenNotMonotone) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    const size_t positions = random() % 6, refinements = random() % 4;
    std::map<SearchPoint, bool> answers;
    for (const Strategy strategy : kAll)
      for (const unsigned jobs : {1u, 2u}) {
        std::set<SearchPoint> verified;
        PropagationTask task;
        task.fence_positions = positions;
        task.candidates = [&](const FenceMask&) { return BitSet::first(refinements); };
        task.verify = [&](const SearchPoint& point) {
          const auto [found, fresh] = answers.try_emplace(point, random() % 2 == 0);
          if (found->second) verified.insert(point);
          return found->second ? ProofAnswer::kVerified : ProofAnswer::kNotVerified;
        };
        task.strategy = strategy;
        task.jobs = jobs;
        const PropagationResult result = search_by_propagation(task);
        for (const SearchPoint& point : result.minimal) EXPECT_TRUE(verified.contains(point));
        for (const SearchPoint& a : result.minimal)
          for (const SearchPoint& b : result.minimal) EXPECT_TRUE(a == b || !a.fences.subset_of(b.fences));
      }
  }
}

TEST(Propagation, VerifiesSeveralPointsTogether) {
  size_t most = 0, points = 0;
  PropagationTask task;
  task.fence_positions = 6;
  task.jobs = 3;
  task.verify_together = [&](const std::vector<SearchPoint>& together) {
    most = std::max(most, together.size());
    points += together.size();
    return std::vector<ProofAnswer>(together.size(), ProofAnswer::kVerified);
  };
  const PropagationResult result = search_by_propagation(task);
  EXPECT_EQ(fences_of(result), (std::set<FenceMask>{{}}));
  EXPECT_EQ(most, 3u);
  EXPECT_EQ(points, result.calls);
}

TEST(Propagation, ExceptionsComeThrough) {
  PropagationTask task;
  task.fence_positions = 3;
  task.jobs = 2;
  task.verify = [](const SearchPoint& point) {
    if (point.fences.size() == 2) throw std::runtime_error("broken");
    return ProofAnswer::kVerified;
  };
  EXPECT_THROW(search_by_propagation(task), std::runtime_error);
}

TEST(Propagation, ALimitLeavesItIncomplete) {
  const Family family{4, {{FenceMask{0}, {}}}, {}};
  for (const Strategy strategy : kAll) {
    Limits limits;
    PropagationTask task = family.task(strategy);
    task.limits = &limits;
    task.verify = [&](const SearchPoint& point) {
      if (point.fences.size() == 3) limits.interrupt();
      return family.verified(point) ? ProofAnswer::kVerified : ProofAnswer::kNotVerified;
    };
    const PropagationResult result = search_by_propagation(task);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.minimal.size(), 1u);
    EXPECT_EQ(result.calls, 2u);
  }
}

TEST(Propagation, ACallOutOfLimitsLeavesItIncomplete) {
  const Family family{3, {{FenceMask{0}, {}}}, {}};
  PropagationTask task = family.task(propagation_strategy);
  task.verify = [&](const SearchPoint& point) {
    if (point.fences.size() == 1) return ProofAnswer::kOutOfLimits;
    return family.verified(point) ? ProofAnswer::kVerified : ProofAnswer::kNotVerified;
  };
  const PropagationResult result = search_by_propagation(task);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(fences_of(result), (std::set<FenceMask>{{0, 1}, {0, 2}}));
}

TEST(SearchPlot, HasALineForEachSearchAndADotForEachCall) {
  const std::vector<SearchEvent> trace = {{0.1, 3, 2, 1, true}, {0.2, 2, 2, 2, false}, {0.4, 2, 1, 3, true}};
  const std::string svg = search_plot("a < b & c", {{"prop", trace}, {"bfs", {}}});
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("prop (3)"), std::string::npos);
  EXPECT_NE(svg.find("bfs (0)"), std::string::npos);
  size_t circles = 0;
  for (size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++circles;
  EXPECT_EQ(circles, 3u);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace fenceline::synth
