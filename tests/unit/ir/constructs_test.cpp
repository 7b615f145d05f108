// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/constructs.h"

#include <gtest/gtest.h>

#include "ir/builder.h"

namespace fenceline {
namespace {

// A store and a fence; with a loop, back to the store.
Program sample(FenceKinds fence, bool loop) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, {1, 1});
  b.thread("idle", {1, 1});
  ThreadBuilder& t = b.thread("P", {1, 1});
  const auto begin = t.label(), out = t.label();
  t.bind(begin);
  t.store({x, b.constant(0)}, b.constant(1), {2, 2});
  t.fence(fence, {3, 2});
  if (loop) t.branch(b.constant(1), begin, out, {4, 2});
  t.bind(out);
  return b.finish();
}

TEST(Constructs, SyncIsAFenceForAllThreads) {
  EXPECT_TRUE(has_sync(sample(FenceKinds::sync(), false)));
  EXPECT_FALSE(has_sync(sample(FenceKinds::full(), false)));
}

TEST(Constructs, SyncMayBeInserted) {
  const Program program = sample(FenceKinds::full(), false);
  FenceSet none, sync;
  sync.add(ThreadId(1), Point(0), FenceKinds::sync());
  EXPECT_FALSE(has_sync(Overlay(program, none)));
  EXPECT_TRUE(has_sync(Overlay(program, sync)));
  EXPECT_TRUE(has_sync(Overlay(sample(FenceKinds::sync(), false), none)));
}

TEST(Constructs, LoopsGoBack) {
  EXPECT_TRUE(has_loops(sample(FenceKinds::full(), true)));
  EXPECT_FALSE(has_loops(sample(FenceKinds::full(), false)));
}

}  // namespace
}  // namespace fenceline
