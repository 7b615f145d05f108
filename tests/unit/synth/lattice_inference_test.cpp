// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search in the lattice with the explicit engine, on programs small enough to try all sets of positions.
#include "synth/lattice_inference.h"
#include "reference/lattice_strategies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/synth/synth_testing.h"

namespace fenceline::synth {
namespace {

using testing::InferenceCase;
using testing::kPeterson;
using Outcome = Synthesis::Outcome;

constexpr Strategy kAll[] = {propagation_strategy, reference::bfs_strategy, reference::dfs_strategy,
                             reference::descent_strategy};

// On PSO `ready` may overtake both others: a fence behind the second of them is enough.
constexpr const char* kMessage =
    "shared int data, more, ready;\n"
    "thread P {\n"
    "  data = 1;\n"
    "  more = 1;\n"
    "  ready = 1;\n"
    "}\n"
    "thread Q {\n"
    "  int r, s, t;\n"
    "  r = ready;\n"
    "  s = data;\n"
    "  t = more;\n"
    "}\n"
    "property passed: finally (Q.r == 0 || Q.s == 1 && Q.t == 1);\n";

constexpr const char* kRace =
    "shared int x;\n"
    "thread P[i in 0..1] { int r; r = x; x = r + 1; }\n"
    "property both: finally (x == 2);\n";

// All sets of positions from which none can be left out, by trying.
std::vector<Placement> minimal_by_brute_force(const InferenceCase& program) {
  const size_t positions = program.candidates().size();
  std::vector<Placement> minimal;
  for (size_t size = 0; size <= positions; ++size)
    for (uint32_t bits = 0; bits < 1u << positions; ++bits) {
      Placement placement;
      for (size_t p = 0; p < positions; ++p)
        if ((bits >> p & 1) != 0) placement.push_back({p});
      if (placement.size() != size || !program.right_with(placement)) continue;
      const bool larger = std::any_of(minimal.begin(), minimal.end(), [&](const Placement& known) {
        return std::includes(
            placement.begin(), placement.end(), known.begin(), known.end(),
            [](const PlacedFence& a, const PlacedFence& b) { return a.position < b.position; });
      });
      if (!larger) minimal.push_back(placement);
    }
  return minimal;
}

TEST(LatticeInference, FindsWhatThereIs) {
  for (const char* text : {kPeterson, kMessage})
    for (const char* model : {"tso", "pso"}) {
      const InferenceCase program(text, model);
      const std::vector<Placement> expected = minimal_by_brute_force(program);
      for (const Strategy strategy : kAll)
        for (const unsigned jobs : {1u, 2u}) {
          SCOPED_TRACE(::testing::Message()
                       << text << model << " " << reference::name_of(strategy) << " " << jobs);
          SynthesisTask task = program.task();
          task.all = strategy != reference::descent_strategy;
          std::vector<SearchEvent> trace;
          const Synthesis found = infer_by_propagation(task, {strategy, jobs, nullptr}, &trace);
          ASSERT_EQ(found.outcome, Outcome::kFound) << found.reason;
          EXPECT_EQ(trace.size(), found.statistics.iterations);
          EXPECT_EQ(found.results.size(), task.properties.size());
          if (strategy == reference::descent_strategy) {
            ASSERT_EQ(found.placements.size(), 1u);
            EXPECT_NE(std::find(expected.begin(), expected.end(), found.placements.front()), expected.end());
            continue;
          }
          std::vector<Placement> sorted = found.placements;
          EXPECT_TRUE(std::is_permutation(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
          EXPECT_EQ(found.placements.front().size(), expected.front().size());
          EXPECT_TRUE(found.minimal());
          EXPECT_NE(found.minimality, Minimality::kNotClaimed);
          EXPECT_TRUE(found.all_listed);
        }
    }
}

TEST(LatticeInference, OneOfTheSmallestWithoutAll) {
  const InferenceCase program(kMessage, "pso");
  const Synthesis found = infer_by_propagation(program.task(), {});
  ASSERT_EQ(found.placements.size(), 1u);
  EXPECT_EQ(program.lines(found.placements.front()), (std::vector<uint32_t>{4}));
}

TEST(LatticeInference, FencesCanBeWeakened) {
  const InferenceCase program(kMessage, "pso");
  SynthesisTask task = program.task();
  task.weaker = {FenceKinds::store_store(), FenceKinds::store_load()};
  const Synthesis found = infer_by_propagation(task, {});
  ASSERT_EQ(found.placements.size(), 1u);
  EXPECT_EQ(found.placements.front(), (Placement{{1, FenceKinds::store_store()}}));
}

TEST(LatticeInference, NothingHelps) {
  const InferenceCase program(kRace, "tso");
  for (const Strategy strategy : kAll) {
    const Synthesis found = infer_by_propagation(program.task(), {strategy, 1, nullptr});
    ASSERT_EQ(found.outcome, Outcome::kImpossible);
    EXPECT_EQ(found.statistics.iterations, 1u);
    ASSERT_TRUE(found.results.front().replay());
    EXPECT_TRUE(found.results.front().replay()->ok);
  }
}

// The engine may have neither a proof nor a counterexample: then nothing is claimed about fewer fences.
TEST(LatticeInference, WithoutCounterexamplesItIsNotExact) {
  const InferenceCase program(kPeterson, "pso");
  SynthesisTask task = program.task();
  task.verify = [&](const Task& query) {
    Result result = program.verify(query);
    if (result.verdict() == Verdict::kViolated) {
      result = Result();
      result.reason = "no proof";
    }
    return result;
  };
  const Synthesis found = infer_by_propagation(task, {});
  ASSERT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements.front().size(), 2u);
  EXPECT_FALSE(found.minimal());
  EXPECT_NE(found.minimality, Minimality::kNotClaimed);

  task.verify = [&](const Task&) {
    Result result;
    result.reason = "no proof";
    return result;
  };
  const Synthesis nothing = infer_by_propagation(task, {});
  EXPECT_EQ(nothing.outcome, Outcome::kUnknown);
  EXPECT_EQ(nothing.reason, "no proof");
}

TEST(LatticeInference, ALimitLeavesTheBestSoFar) {
  const InferenceCase program(kPeterson, "tso");
  Limits limits;
  SynthesisTask task = program.task();
  size_t queries = 0;
  task.verify = [&](const Task& query) {
    if (++queries == 3) limits.interrupt();
    return program.verify(query);
  };
  const Synthesis found = infer_by_propagation(task, {.limits = &limits});
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_NE(found.reason, "");
  ASSERT_EQ(found.placements.size(), 1u);
  EXPECT_TRUE(program.right_with(found.placements.front()));
  EXPECT_EQ(found.results.size(), 1u);
}

}  // namespace
}  // namespace fenceline::synth
