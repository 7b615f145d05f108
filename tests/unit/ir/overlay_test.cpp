// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/edit/overlay.h"

#include <gtest/gtest.h>

#include "env/errors.h"
#include "ir/builder.h"

namespace fenceline {
namespace {

// Points: 0 store, 1 branch (to 0 or 2), 2 halt.
Program sample() {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, {1, 1});
  for (const char* name : {"P", "Q"}) {
    ThreadBuilder& t = b.thread(name, {1, 1});
    const auto loop = t.label(), out = t.label();
    t.bind(loop);
    t.store({x, b.constant(0)}, b.constant(1), {5, 2});
    t.branch(b.constant(1), loop, out, {6, 2});
    t.bind(out);
  }
  return b.finish();
}

TEST(Overlay, WithoutFencesItIsTheProgram) {
  const Program p = sample();
  const FenceSet none;
  const Overlay overlay(p, none);
  EXPECT_EQ(overlay.points(ThreadId(0)), 3u);
  EXPECT_EQ(overlay.next(ThreadId(0), Point(1), 1), Point(2));
  EXPECT_EQ(&overlay.at(ThreadId(1), Point(0)), &p.threads[1].code[0]);
}

TEST(Overlay, FencesAreBetweenInstructions) {
  const Program p = sample();
  FenceSet fences;
  fences.add(ThreadId(1), Point(0), FenceKinds::store_load());
  fences.add(ThreadId(1), Point(0), FenceKinds::store_store());
  EXPECT_EQ(fences.size(), 1u);
  const Overlay overlay(p, fences);
  EXPECT_EQ(overlay.points(ThreadId(0)), 3u);
  ASSERT_EQ(overlay.points(ThreadId(1)), 4u);
  const Point fence = overlay.next(ThreadId(1), Point(0), 0);
  EXPECT_EQ(fence, Point(3));
  EXPECT_TRUE(overlay.inserted(ThreadId(1), fence));
  EXPECT_FALSE(overlay.inserted(ThreadId(1), Point(0)));
  EXPECT_EQ(overlay.at(ThreadId(1), fence).kind, InstrKind::kFence);
  EXPECT_EQ(overlay.at(ThreadId(1), fence).fence, FenceKinds::store_load() | FenceKinds::store_store());
  EXPECT_EQ(overlay.at(ThreadId(1), fence).pos, (SourcePos{5, 2}));
  EXPECT_EQ(overlay.next(ThreadId(1), fence, 0), Point(1));
}

TEST(Overlay, FencesAfterBranchesOrNothingAreBugs) {
  const Program p = sample();
  for (const Point after : {Point(1), Point(2), Point(3)}) {
    FenceSet fences;
    fences.add(ThreadId(0), after, FenceKinds::full());
    EXPECT_THROW(Overlay(p, fences), Bug);
  }
}

}  // namespace
}  // namespace fenceline
