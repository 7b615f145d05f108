// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a run crosses, and how flushing early makes it less.
#include "synth/crossing.h"

#include <gtest/gtest.h>

#include "frontend/fl/fl.h"
#include "synth/places.h"
#include "unit/check/replay/script.h"

namespace fenceline {
namespace {

using testing::Scene;

// All stores are watched.
Scene watched(const std::string& text, const std::string& model) {
  Scene scene{parse_fl({"test.fl", text}), {}, model, 0};
  for (const Place& place : candidate_places(scene.program, Positions::kStores))
    add_fence(scene.fences, place, FenceKinds());
  return scene;
}

constexpr const char* kStoreBuffering =
    "shared int x, y, z;\n"
    "thread P { z = 1; x = 1; int r = y; }\n"
    "thread Q { y = 1; int s = x; }\n"
    "property sb: finally (P.r == 1 || Q.s == 1);\n";

TEST(Crossing, OnlyWithStoresWaiting) {
  const Scene scene = watched(kStoreBuffering, "tso");
  // P: z = 1, its flush, its place, x = 1, its place, r = y. Q: y = 1, its place, s = x.
  const Replay wrong = scene.run("P P~z P P P P Q Q Q P~x Q~y");
  ASSERT_TRUE(wrong.ok) << wrong.why_not;
  const Crossed crossed = crossed_by(scene.task(), wrong);
  ASSERT_EQ(crossed.size(), 2u);
  EXPECT_EQ(scene.program.thread(crossed[0].first).at(crossed[0].second).pos.column, 19u);  // x = 1
  EXPECT_EQ(crossed[1].first, scene.thread("Q"));
}

TEST(Crossing, FlushingEarly) {
  const Scene scene = watched(kStoreBuffering, "tso");
  const Trace lazy = scene.trace("P P P P P Q Q Q P~z P~x Q~y");
  const Replay before = replay(scene.task(), lazy);
  ASSERT_TRUE(before.ok) << before.why_not;
  EXPECT_EQ(crossed_by(scene.task(), before).size(), 3u);
  const Replay after = replay(scene.task(), with_early_flushes(scene.task(), lazy));
  ASSERT_TRUE(after.ok) << after.why_not;
  // z can be flushed before its place, and so can y, which nobody reads any more. Only x has to wait.
  const Crossed crossed = crossed_by(scene.task(), after);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_EQ(crossed[0].first, scene.thread("P"));
}

TEST(Crossing, WithoutTheFencesThatWereAdded) {
  const Scene scene = watched(kStoreBuffering, "pso");
  const Trace trace = scene.trace("P P P P P Q Q Q P~z P~x Q~y");
  const Trace bare = without_added_fences(scene.task(), trace);
  EXPECT_EQ(bare.steps.size(), trace.steps.size() - 3);
  const FenceSet none;
  const Task task = scene.task();
  EXPECT_TRUE(replay(Task{task.program, none, task.model, task.property}, bare).ok);
}

}  // namespace
}  // namespace fenceline
