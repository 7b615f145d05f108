// SPDX-License-Identifier: GPL-3.0-or-later
//
// The orderings that a trace violates, and how early flushes reduce them.
#include "synth/violated_orderings.h"

#include <gtest/gtest.h>

#include "frontend/fl/fl.h"
#include "synth/candidate_positions.h"
#include "unit/check/replay/script.h"

namespace fenceline::synth {
namespace {

using testing::Scene;

// All stores are monitored.
Scene monitored(const std::string& text, const std::string& model) {
  Scene scene{frontend::parse_fl({"test.fl", text}), {}, model, 0};
  for (const CandidatePosition& candidate : candidate_positions(scene.program, Positions::kStores))
    add_fence(scene.fences, candidate, FenceKinds());
  return scene;
}

constexpr const char* kStoreBuffering =
    "shared int x, y, z;\n"
    "thread P { z = 1; x = 1; int r = y; }\n"
    "thread Q { y = 1; int s = x; }\n"
    "property sb: finally (P.r == 1 || Q.s == 1);\n";

TEST(ViolatedOrderings, OnlyWithPendingStores) {
  const Scene scene = monitored(kStoreBuffering, "tso");
  // P: z = 1, its flush, its position, x = 1, its position, r = y. Q: y = 1, its position, s = x.
  const Replay replayed = scene.run("P P~z P P P P Q Q Q P~x Q~y");
  ASSERT_TRUE(replayed.ok) << replayed.why_not;
  const std::vector<ViolatedOrdering> violated = violated_orderings(scene.task(), replayed);
  ASSERT_EQ(violated.size(), 2u);
  EXPECT_EQ(scene.program.thread(violated[0].first).at(violated[0].second).pos.column, 19u);  // x = 1
  EXPECT_EQ(violated[1].first, scene.thread("Q"));
}

TEST(ViolatedOrderings, FlushingEarly) {
  const Scene scene = monitored(kStoreBuffering, "tso");
  const Trace lazy = scene.trace("P P P P P Q Q Q P~z P~x Q~y");
  const Replay before = check::replay(scene.task(), lazy);
  ASSERT_TRUE(before.ok) << before.why_not;
  EXPECT_EQ(violated_orderings(scene.task(), before).size(), 3u);
  const Replay after = check::replay(scene.task(), with_early_flushes(scene.task(), lazy));
  ASSERT_TRUE(after.ok) << after.why_not;
  // z can be flushed before its position, and so can y, which no thread reads any more. Only x has to stay pending.
  const std::vector<ViolatedOrdering> violated = violated_orderings(scene.task(), after);
  ASSERT_EQ(violated.size(), 1u);
  EXPECT_EQ(violated[0].first, scene.thread("P"));
}

TEST(ViolatedOrderings, WithoutTheFencesThatWereAdded) {
  const Scene scene = monitored(kStoreBuffering, "pso");
  const Trace trace = scene.trace("P P P P P Q Q Q P~z P~x Q~y");
  const Trace bare = without_added_fences(scene.task(), trace);
  EXPECT_EQ(bare.steps.size(), trace.steps.size() - 3);
  const FenceSet none;
  const Task task = scene.task();
  EXPECT_TRUE(check::replay(Task{task.program, none, task.model, task.property}, bare).ok);
}

}  // namespace
}  // namespace fenceline::synth
