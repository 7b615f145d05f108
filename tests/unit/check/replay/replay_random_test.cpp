// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replay takes traces from engines that may have any error: whatever it is given, it answers. And what
// it accepts it accepts again with every claim filled in, and no longer with one of them changed.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "unit/check/replay/random_runs.h"

namespace fenceline::testing {
namespace {

TEST(ReplayRandom, WhatIsAcceptedIsAcceptedWithAllItsClaims) {
  Rng rng(1);
  for (const char* model : {"sc", "tso", "pso"}) {
    const Scene scene = everything().on(model);
    size_t accepted = 0;
    for (int round = 0; round < 40; ++round) {
      const Replay first = check::replay(scene.task(), random_run(scene, rng, 25));
      if (!first.ok) continue;  // it stops inside an atomic section
      ++accepted;
      Trace full;
      for (const ReplayedStep& step : first.steps) full.steps.push_back(step.step);
      const Replay second = check::replay(scene.task(), full);
      ASSERT_TRUE(second.ok) << second.why_not;
      EXPECT_EQ(first.memory, second.memory);
      EXPECT_EQ(first.registers, second.registers);
      EXPECT_EQ(first.locations, second.locations);

      const size_t victim = rng.below(full.steps.size());
      TraceStep& step = full.steps[victim];
      if (step.value)
        ++*step.value;
      else if (step.chosen)
        step.chosen = -1;
      else
        step.written = 0;
      const Replay third = check::replay(scene.task(), full);
      EXPECT_FALSE(third.ok);
      EXPECT_EQ(third.steps.size(), victim);
    }
    EXPECT_GT(accepted, 10u) << model;
  }
}

TEST(ReplayRandom, GarbageIsRejectedAndDoesNotCrash) {
  Rng rng(2);
  Scene scene = everything();
  for (int round = 0; round < 2000; ++round) {
    scene.model = rng.chance(50) ? "tso" : "pso";
    scene.property = 1 + rng.below(2);
    Trace trace = random_run(scene, rng, rng.below(4));
    for (uint64_t n = rng.below(4); n > 0; --n) {
      TraceStep step;
      step.thread = ThreadId(rng.chance(90) ? rng.below(2) : rng.next());
      step.kind = rng.chance(50) ? StepKind::kFlush : StepKind::kExecute;
      step.point = Point(rng.chance(80) ? rng.below(16) : rng.next());
      step.cell = CellId(rng.chance(80) ? rng.below(5) : rng.next());
      if (rng.chance(50)) step.chosen = static_cast<Value>(rng.next());
      if (rng.chance(20)) step.value = static_cast<Value>(rng.next());
      trace.steps.push_back(step);
    }
    const Replay replayed = check::replay(scene.task(), trace);
    const bool ends_in_error = !replayed.steps.empty() && replayed.steps.back().effect.failed();
    EXPECT_EQ(replayed.ok,
              scene.property == 2 && ends_in_error && replayed.steps.size() == trace.steps.size());
    EXPECT_EQ(replayed.ok, replayed.why_not.empty());
  }
}

TEST(ReplayRandom, RunningThreadsAreNeverDeadlocked) {
  Rng rng(3);
  Scene scene = everything();
  scene.property = 3;
  for (int round = 0; round < 50; ++round) {
    scene.model = round % 2 == 0 ? "tso" : "pso";
    EXPECT_FALSE(check::replay(scene.task(), random_run(scene, rng, 12)).ok);
  }
}

}  // namespace
}  // namespace fenceline::testing
