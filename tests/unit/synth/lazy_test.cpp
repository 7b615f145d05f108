// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loop with artificial engines, for which every iteration is known beforehand; then with the
// explicit engine, against all sets of positions.
#include "synth/lazy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "unit/synth/synth_testing.h"

namespace fenceline::synth {
namespace {

using testing::InferenceCase;
using testing::kPeterson;
using Outcome = Synthesis::Outcome;
using Lines = std::vector<uint32_t>;

// ---- Made-up engines

// Five stores, so five positions.
constexpr const char* kFiveStores =
    "shared int x;\nthread P { x = 1; x = 2; x = 3; x = 4; x = 5; }\nproperty p: never (x == 9);\n"
    "property q: never (x == 9);\n";

// An engine whose counterexamples are given by the positions they pass. Precondition: one instruction per
// position.
struct Runs {
  std::vector<std::vector<size_t>> real, spurious;

  Result answer(const std::vector<CandidatePosition>& positions, const FenceSet& fences) const {
    const auto passes = [&](const std::vector<size_t>& run) {
      return std::all_of(run.begin(), run.end(), [&](size_t p) {
        const auto [thread, point] = positions[p].points.front();
        return fences.after(thread, point).none();
      });
    };
    const auto orderings = [&](const std::vector<size_t>& run) {
      std::vector<ViolatedOrdering> violated;
      for (const size_t p : run) violated.push_back(positions[p].points.front());
      return violated;
    };
    Result result;
    result.conclusion = Proof();
    for (const auto& run : spurious)
      if (passes(run)) {
        result.conclusion = Unknown{.reason = UnknownReason::kSpurious, .violated_orderings = orderings(run)};
        break;
      }
    for (const auto& run : real)
      if (passes(run)) {
        result.conclusion = ExecutionCounterexample();  // violates no ordering
        if (run.empty()) break;
        // Of a deferral-queue machine the orderings are taken as they are.
        TraceCounterexample found;
        found.replay.ok = found.replay.queues = true;
        found.violated_orderings = orderings(run);
        result.conclusion = std::move(found);
        break;
      }
    return result;
  }
};

class MadeUp : public ::testing::Test {
 protected:
  Synthesis infer(const Runs& runs, bool all = false) {
    SynthesisTask task = case_.task();
    task.verify = [&](const Task& query) { return runs.answer(case_.candidates(), query.fences); };
    task.all = all;
    return infer_lazily(task);
  }
  InferenceCase case_{kFiveStores, "pso"};
};

TEST_F(MadeUp, NothingIsNeeded) {
  const Synthesis found = infer({});
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements, (std::vector<Placement>{{}}));
  EXPECT_TRUE(found.minimal());
  EXPECT_EQ(found.statistics.iterations, 1u);
  EXPECT_EQ(found.statistics.queries, 2u);  // one per property
  EXPECT_EQ(found.results.size(), 2u);
}

TEST_F(MadeUp, OnePositionForTwoCounterexamples) {
  const Synthesis found = infer({{{0, 1}, {1, 2}}, {}});
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements, (std::vector<Placement>{{{1}}}));
  EXPECT_TRUE(found.minimal());
  EXPECT_EQ(found.statistics.spurious_clauses, 0u);
}

TEST_F(MadeUp, SpuriousCounterexamplesThatMattered) {
  const Synthesis found = infer({{{0, 1}}, {{2, 3}}});
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements.front().size(), 2u);
  EXPECT_FALSE(found.minimal());
}

TEST_F(MadeUp, SpuriousCounterexamplesThatDidNot) {
  const Synthesis found = infer({{{0}, {3}}, {{2, 3}}});
  EXPECT_EQ(found.placements, (std::vector<Placement>{{{0}, {3}}}));
  EXPECT_TRUE(found.minimal());
}

TEST_F(MadeUp, All) {
  const Synthesis found = infer({{{0, 1}, {2, 3, 4}, {2, 3}}, {}}, true);
  EXPECT_EQ(found.placements.size(), 4u);
  EXPECT_TRUE(found.all_listed);
  EXPECT_TRUE(found.minimal());
}

TEST_F(MadeUp, AllUnderTheAbstractionOnly) {
  const Synthesis found = infer({{{0, 1}}, {{1, 2}}}, true);
  EXPECT_EQ(found.placements, (std::vector<Placement>{{{1}}}));
  EXPECT_FALSE(found.minimal());  // {0} may be right, too
}

TEST_F(MadeUp, NothingHelps) {
  const Synthesis found = infer({{{0, 1}, {}}, {}});
  EXPECT_EQ(found.outcome, Outcome::kImpossible);
  EXPECT_TRUE(found.placements.empty());
  EXPECT_EQ(found.statistics.iterations, 2u);  // without fences, and with all of them
}

TEST_F(MadeUp, NothingCanBeProved) {
  const Synthesis found = infer({{{0, 1}}, {{}}});
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_TRUE(found.placements.empty());
}

TEST_F(MadeUp, ALimitLeavesWhatIsSound) {
  const Runs runs{{{0, 1}, {2, 3}}, {}};
  SynthesisTask task = case_.task();
  size_t queries = 0;
  task.verify = [&](const Task& query) {
    if (++queries <= 3) return runs.answer(case_.candidates(), query.fences);
    Result result;
    result.reason = "the time limit of 1 s was reached";
    return result;
  };
  const Synthesis found = infer_lazily(task);
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.reason, "the time limit of 1 s was reached");
  ASSERT_EQ(found.placements.size(), 1u);
  EXPECT_EQ(found.placements.front().size(), 5u);
}

TEST_F(MadeUp, RandomCounterexamplesAgainstHittingSets) {
  Rng rng(11);
  for (int round = 0; round < 120; ++round) {
    Runs runs;
    for (auto* list : {&runs.real, &runs.spurious})
      for (size_t n = rng.below(4); n > 0; --n) {
        std::vector<size_t> run;
        for (size_t k = 1 + rng.below(3); k > 0; --k) run.push_back(rng.below(5));
        list->push_back(run);
      }
    size_t smallest = 99, smallest_real = 99;
    for (uint32_t bits = 0; bits < 32; ++bits) {
      const auto hits = [&](const std::vector<size_t>& run) {
        return std::any_of(run.begin(), run.end(), [&](size_t p) { return (bits >> p & 1) != 0; });
      };
      const size_t size = static_cast<size_t>(__builtin_popcount(bits));
      if (!std::all_of(runs.real.begin(), runs.real.end(), hits)) continue;
      smallest_real = std::min(smallest_real, size);
      if (std::all_of(runs.spurious.begin(), runs.spurious.end(), hits)) smallest = std::min(smallest, size);
    }
    const Synthesis found = infer(runs);
    ASSERT_EQ(found.outcome, Outcome::kFound);
    EXPECT_EQ(found.placements.front().size(), smallest);
    if (found.minimal()) {
      EXPECT_EQ(smallest, smallest_real);
    }
  }
}

// ---- The explicit engine

TEST(Lazy, PetersonOnTso) {
  const InferenceCase peterson(kPeterson, "tso");
  const Synthesis found = infer_lazily(peterson.task());
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(peterson.lines(found.placements.front()), (Lines{5}));
  EXPECT_TRUE(found.minimal());
}

TEST(Lazy, PetersonOnPso) {
  const InferenceCase peterson(kPeterson, "pso");
  SynthesisTask task = peterson.task();
  task.all = true;
  const Synthesis found = infer_lazily(task);
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements, peterson.smallest_by_brute_force());
  EXPECT_TRUE(found.all_listed);
}

TEST(Lazy, NothingIsNeededOnSc) {
  const InferenceCase peterson(kPeterson, "sc");
  EXPECT_EQ(infer_lazily(peterson.task()).placements, (std::vector<Placement>{{}}));
}

TEST(Lazy, ACounterexampleThatNoFencePrevents) {
  const InferenceCase race(
      "shared int x;\nthread P[i in 0..1] { int r = x; x = r + 1; }\n"
      "property both: finally (x == 2);\n",
      "tso");
  const Synthesis found = infer_lazily(race.task());
  ASSERT_EQ(found.outcome, Outcome::kImpossible);
  ASSERT_NE(found.results.front().replay(), nullptr);
  EXPECT_TRUE(found.results.front().replay()->ok);
  for (const ReplayedStep& step : found.results.front().replay()->steps)
    if (step.step.kind == StepKind::kExecute) {
      EXPECT_NE(race.task().program.thread(step.step.thread).at(step.step.point).kind, InstrKind::kFence);
    }
}

TEST(Lazy, AllPropertiesAreRepaired) {
  const InferenceCase two(R"(shared int a, b, c, d;
thread P { a = 1; int r0 = b; c = 1; d = 1; }
thread Q { b = 1; int r1 = a; }
thread R { int s = d; int t = c; }
property sb: finally (P.r0 == 1 || Q.r1 == 1);
property mp: finally (R.s == 0 || R.t == 1);
)",
                          "pso");
  SynthesisTask task = two.task();
  task.all = true;
  const Synthesis found = infer_lazily(task);
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements.front().size(), 3u);
  EXPECT_EQ(found.results.size(), 2u);
  std::vector<Placement> expected = two.smallest_by_brute_force(), got = found.placements;
  const auto by_positions = [](const Placement& x, const Placement& y) {
    return std::lexicographical_compare(
        x.begin(), x.end(), y.begin(), y.end(),
        [](const PlacedFence& f, const PlacedFence& g) { return f.position < g.position; });
  };
  std::sort(expected.begin(), expected.end(), by_positions);
  std::sort(got.begin(), got.end(), by_positions);
  EXPECT_EQ(got, expected);
}

TEST(Lazy, WeakerFences) {
  const InferenceCase message(R"(shared int data, ready;
thread P { data = 1; ready = 1; }
thread Q { int r = ready; int s = data; }
property mp: finally (Q.r == 0 || Q.s == 1);
)",
                              "pso");
  SynthesisTask task = message.task();
  task.weaker = {FenceKinds::store_store(), FenceKinds::store_load()};
  const Synthesis found = infer_lazily(task);
  ASSERT_EQ(found.placements.size(), 1u);
  EXPECT_EQ(found.placements.front(), (Placement{{0, FenceKinds::store_store()}}));
  EXPECT_EQ(cost_of(found.placements.front()), 1u);
}

// Three threads of a few accesses each, with an arbitrary property.
std::string random_program(Rng& rng) {
  std::string text = "shared int x, y;\n", sum;
  for (const char* thread : {"P", "Q"}) {
    text += std::string("thread ") + thread + " { int r = 0, s = 0;";
    for (int n = 0; n < 4; ++n) {
      const std::string cell = rng.chance(50) ? "x" : "y";
      const std::string reg = rng.chance(50) ? "r" : "s";
      text += rng.chance(50) ? " " + cell + " = " + std::to_string(1 + rng.below(2)) + ";"
                             : " " + reg + " = " + cell + ";";
    }
    text += " }\n";
  }
  const auto value = [&](const char* name) {
    return std::string(name) + " == " + std::to_string(rng.below(2));
  };
  return text + "property p: never (" + value("P.r") + " && " + value("Q.s") + " && " + value("x") + ");\n";
}

TEST(Lazy, RandomProgramsAgainstAllSetsOfPositions) {
  Rng rng(3);
  size_t found_some = 0, impossible = 0;
  for (int round = 0; round < 120; ++round) {
    const InferenceCase random(random_program(rng), rng.chance(50) ? "pso" : "tso",
                               rng.chance(30) ? Positions::kAll : Positions::kStores);
    SynthesisTask task = random.task();
    task.all = true;
    const Synthesis found = infer_lazily(task);
    const std::vector<Placement> expected = random.smallest_by_brute_force();
    if (expected.empty()) {
      EXPECT_EQ(found.outcome, Outcome::kImpossible);
      ++impossible;
      continue;
    }
    ASSERT_EQ(found.outcome, Outcome::kFound) << random.program().source.text;
    EXPECT_TRUE(found.minimal());
    EXPECT_TRUE(found.all_listed);
    EXPECT_EQ(found.placements.size(), expected.size()) << random.program().source.text;
    EXPECT_EQ(found.placements.front().size(), expected.front().size()) << random.program().source.text;
    if (!expected.front().empty()) ++found_some;
  }
  EXPECT_GT(found_some, 2u);
  EXPECT_GT(impossible, 2u);
}

}  // namespace
}  // namespace fenceline::synth
