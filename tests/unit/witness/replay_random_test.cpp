// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replay takes traces from engines that may be wrong in any way: whatever it is given, it answers. And what
// it accepts it accepts again with every claim filled in, and no longer with one of them changed.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "unit/witness/script.h"

namespace fenceline::testing {
namespace {

// Two threads with a bit of everything; `never (x == 99)` is violated by nothing, `always (0)` by everything.
Scene everything() {
  SceneBuilder b;
  const ObjectId x = b.shared("x", Range{0, 3}), y = b.shared("y");
  const ObjectId a = b.builder.object("a", {0, 1}, std::nullopt, b.pos(), true);
  for (const char* name : {"P", "Q"}) {
    ThreadBuilder& p = b.builder.thread(name, b.pos());
    const RegId r = p.reg("r"), s = p.reg("s");
    const auto top = p.label(), left = p.label(), right = p.label(), join = p.label();
    p.place(top);
    p.havoc({s}, Range{0, 2}, b.pos());
    p.store(b.at(a, b.builder.reg(s)), b.number(2), b.pos());  // s == 2 is an error
    p.store(b.at(x), b.builder.reg(s), b.pos());
    p.choose({left, right}, b.pos());
    p.place(left);
    p.fence(FenceKinds::store_store(), b.pos());
    p.rmw(RmwOp::kFetchAdd, {r}, b.at(x), b.number(1), ExprId(), b.pos());
    p.jump(join);
    p.place(right);
    p.fence(FenceKinds::store_load(), b.pos());
    p.atomic_begin(b.pos());
    p.load({r}, b.at(x), b.pos());
    p.store(b.at(y), b.builder.reg(r), b.pos());
    p.atomic_end(b.pos());
    p.place(join);
    p.load({s}, b.at(y), b.pos());
    p.fence(FenceKinds::full(), b.pos());
    p.branch(b.is(s, 0), top, join, b.pos());
  }
  b.property(PropertyKind::kAlways, b.number(0));
  b.property(PropertyKind::kNever,
             b.builder.binary(ExprOp::kEq, b.builder.cell(x, b.number(0)), b.number(99)));
  b.property(PropertyKind::kNoErrors);
  b.property(PropertyKind::kNoDeadlock);
  return b.finish();
}

// A trace whose steps are possible, as far as chance and the rules allow.
Trace random_run(const Scene& scene, Rng& rng, size_t length) {
  Trace trace;
  for (size_t tries = 0; trace.steps.size() < length && tries < 6 * length; ++tries) {
    const Replay so_far = replay(scene.problem(), trace);
    TraceStep step;
    step.thread = ThreadId(rng.below(2));
    if (rng.chance(40)) {
      step.kind = StepKind::kFlush;
      step.cell = CellId(rng.below(scene.program.cell_count));
    } else {
      step.point = so_far.where[step.thread.index()];
      const InstrKind kind = scene.program.thread(step.thread).at(step.point).kind;
      if (kind == InstrKind::kHavoc || kind == InstrKind::kChoose) step.chosen = rng.between(0, 1);
    }
    trace.steps.push_back(step);
    if (replay(scene.problem(), trace).steps.size() != trace.steps.size()) trace.steps.pop_back();
  }
  return trace;
}

TEST(ReplayRandom, WhatIsAcceptedIsAcceptedWithAllItsClaims) {
  Rng rng(1);
  for (const char* model : {"sc", "tso", "pso"}) {
    const Scene scene = everything().on(model);
    size_t accepted = 0;
    for (int round = 0; round < 40; ++round) {
      const Replay first = replay(scene.problem(), random_run(scene, rng, 25));
      if (!first.ok) continue;  // it stops inside an atomic section
      ++accepted;
      Trace full;
      for (const ReplayedStep& step : first.steps) full.steps.push_back(step.step);
      const Replay second = replay(scene.problem(), full);
      ASSERT_TRUE(second.ok) << second.why_not;
      EXPECT_EQ(first.memory, second.memory);
      EXPECT_EQ(first.registers, second.registers);
      EXPECT_EQ(first.where, second.where);

      const size_t victim = rng.below(full.steps.size());
      TraceStep& step = full.steps[victim];
      if (step.value)
        ++*step.value;
      else if (step.chosen)
        step.chosen = -1;
      else
        step.written = 0;
      const Replay third = replay(scene.problem(), full);
      EXPECT_FALSE(third.ok);
      EXPECT_EQ(third.steps.size(), victim);
    }
    EXPECT_GT(accepted, 10u) << model;
  }
}

TEST(ReplayRandom, GarbageIsRefusedNotCrashedOn) {
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
    const Replay replayed = replay(scene.problem(), trace);
    const bool ends_in_error = !replayed.steps.empty() && !replayed.steps.back().error.empty();
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
    EXPECT_FALSE(replay(scene.problem(), random_run(scene, rng, 12)).ok);
  }
}

}  // namespace
}  // namespace fenceline::testing
