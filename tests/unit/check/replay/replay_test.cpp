// SPDX-License-Identifier: GPL-3.0-or-later
//
// Executions that each model allows replay, and those it forbids are rejected for the right reason.
#include <gtest/gtest.h>

#include "unit/check/replay/script.h"
#include "unit/check/replay/step_texts.h"

namespace fenceline::testing {
namespace {

using ::testing::Test;

constexpr const char* kFormulaFails = "at the end: the formula that must never hold does not hold";

// P: x = 1; r = y;    Q: y = 1; s = x;    never all ended with r == s == 0 (as `finally`)
Scene store_buffering(std::optional<FenceKinds> fence = std::nullopt) {
  SceneBuilder b;
  const ObjectId x = b.shared("x"), y = b.shared("y");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r");
  p.store(b.at(x), b.number(1), b.pos());
  if (fence) p.fence(*fence, b.pos());
  p.load({r}, b.at(y), b.pos());
  ThreadBuilder& q = b.builder.thread("Q", b.pos());
  const RegId s = q.reg("s");
  q.store(b.at(y), b.number(1), b.pos());
  if (fence) q.fence(*fence, b.pos());
  q.load({s}, b.at(x), b.pos());
  const ExprId both_zero = b.both(b.is(p.id(), r, 0), b.is(q.id(), s, 0));
  b.property(PropertyKind::kFinally, b.builder.unary(ExprOp::kNot, both_zero));
  return b.finish();
}

// P: x = 1; y = 1;    Q: r = y; s = x;    never (ended with) r == 1, s == 0
Scene message_passing(std::optional<FenceKinds> fence = std::nullopt) {
  SceneBuilder b;
  const ObjectId x = b.shared("x"), y = b.shared("y");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  p.store(b.at(x), b.number(1), b.pos());
  if (fence) p.fence(*fence, b.pos());
  p.store(b.at(y), b.number(1), b.pos());
  ThreadBuilder& q = b.builder.thread("Q", b.pos());
  const RegId r = q.reg("r"), s = q.reg("s", 7);
  q.load({r}, b.at(y), b.pos());
  q.load({s}, b.at(x), b.pos());
  b.property(PropertyKind::kNever, b.both(b.is(q.id(), r, 1), b.is(q.id(), s, 0)));
  return b.finish();
}

TEST(Replay, StoreBufferingNeedsBuffers) {
  EXPECT_EQ(store_buffering().on("tso").verdict("P P Q Q P~x Q~y"), "ok");
  EXPECT_EQ(store_buffering().on("pso").verdict("P P Q Q P~x Q~y"), "ok");
  EXPECT_EQ(store_buffering().on("sc").verdict("P P Q Q"),
            "at the end: the formula that must finally hold does hold");
  EXPECT_EQ(store_buffering().on("sc").verdict("P P~x"), "step 2: no store to x is pending");
}

TEST(Replay, FinallyMeansEndedAndEmpty) {
  const char* unfinished = "at the end: some thread has not ended or some store has not reached memory";
  EXPECT_EQ(store_buffering().verdict("P P Q Q P~x"), unfinished);
  EXPECT_EQ(store_buffering().verdict("P P P~x"), unfinished);
}

TEST(Replay, MessagePassingBreaksOnPsoOnly) {
  EXPECT_EQ(message_passing().on("pso").verdict("P P P~y Q Q"), "ok");
  EXPECT_EQ(message_passing().on("tso").verdict("P P P~y Q Q"),
            "step 3: the store to y has to wait for an earlier one");
  EXPECT_EQ(message_passing().on("tso").verdict("P P P~x P~y Q Q"), kFormulaFails);
  EXPECT_EQ(message_passing().on("sc").verdict("P P Q Q"), kFormulaFails);
}

TEST(Replay, AFullFenceWaitsForTheBuffer) {
  for (const char* model : {"tso", "pso"}) {
    EXPECT_EQ(store_buffering(FenceKinds::full()).on(model).verdict("P P"),
              "step 2: the fence needs an empty store buffer");
    EXPECT_EQ(store_buffering(FenceKinds::full()).on(model).verdict("P P~x P P Q Q~y Q Q"),
              "at the end: the formula that must finally hold does hold");
  }
}

TEST(Replay, SyncWaitsForAllThreads) {
  for (const char* model : {"tso", "pso"}) {
    EXPECT_EQ(store_buffering(FenceKinds::sync()).on(model).verdict("P P"),
              "step 2: the fence needs an empty store buffer");
    EXPECT_EQ(store_buffering(FenceKinds::sync()).on(model).verdict("P Q P~x P"),
              "step 4: sync needs all store buffers empty, and the store to y of Q is still pending");
    EXPECT_EQ(store_buffering(FenceKinds::sync()).on(model).verdict("P Q P~x Q~y P P Q Q"),
              "at the end: the formula that must finally hold does hold");
  }
  EXPECT_EQ(store_buffering(FenceKinds::sync()).on("sc").verdict("P P P Q Q Q"),
            "at the end: the formula that must finally hold does hold");
  EXPECT_EQ(texts_of(store_buffering(FenceKinds::sync()).on("tso"), "P P~x P").at(2), "sync");
}

TEST(Replay, AStoreStoreFenceIsABarrierOnPso) {
  EXPECT_EQ(message_passing(FenceKinds::store_store()).on("pso").verdict("P P P P~y"),
            "step 4: the store to y has to wait for an earlier one");
  EXPECT_EQ(message_passing(FenceKinds::store_store()).on("pso").verdict("P P P P~x P~y Q Q"), kFormulaFails);
  // It neither drains nor stops loads.
  EXPECT_EQ(store_buffering(FenceKinds::store_store()).on("pso").verdict("P P P Q Q Q P~x Q~y"), "ok");
  EXPECT_EQ(store_buffering(FenceKinds::store_store()).on("tso").verdict("P P P Q Q Q P~x Q~y"), "ok");
}

TEST(Replay, AStoreLoadFenceMarksOnPsoAndDrainsOnTso) {
  EXPECT_EQ(store_buffering(FenceKinds::store_load()).on("tso").verdict("P P"),
            "step 2: the fence needs an empty store buffer");
  EXPECT_EQ(store_buffering(FenceKinds::store_load()).on("pso").verdict("P P P"),
            "step 3: the store to x before the store-load fence is still in the buffer");
  EXPECT_EQ(store_buffering(FenceKinds::store_load()).on("pso").verdict("P P P~x P Q Q Q~y Q"),
            "at the end: the formula that must finally hold does hold");
  // Later stores may still overtake marked ones.
  EXPECT_EQ(message_passing(FenceKinds::store_load()).on("pso").verdict("P P P P~y Q Q"), "ok");
}

TEST(Replay, BothKindsTogetherDrainOnPso) {
  const FenceKinds both = FenceKinds::store_load() | FenceKinds::store_store();
  EXPECT_EQ(message_passing(both).on("pso").verdict("P P"), "step 2: the fence needs an empty store buffer");
}

TEST(Replay, LoadFencesDoNothing) {
  const FenceKinds loads = FenceKinds::load_load() | FenceKinds::load_store();
  EXPECT_EQ(message_passing(loads).on("pso").verdict("P P P P~y Q Q"), "ok");
  EXPECT_EQ(store_buffering(loads).on("tso").verdict("P P P Q Q Q P~x Q~y"), "ok");
}

TEST(Replay, FencesOfTheOverlayAreSteps) {
  Scene scene = store_buffering();
  scene.fences.add(ThreadId(0), Point(0), FenceKinds::full());
  EXPECT_EQ(scene.verdict("P P"), "step 2: the fence needs an empty store buffer");
  const Replay replayed = scene.run("P P~x P P");
  ASSERT_EQ(replayed.steps.size(), 4u);
  EXPECT_EQ(texts_of(scene, replayed).at(2), "fence (added)");
  EXPECT_EQ(replayed.steps[2].pos, replayed.steps[0].pos);
}

// P: x = 1; y = 1; x = 2; then whatever `last` adds.
template <class Last>
Scene three_stores_and(const Last& last) {
  SceneBuilder b;
  const ObjectId x = b.shared("x"), y = b.shared("y"), z = b.shared("z");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  p.store(b.at(x), b.number(1), b.pos());
  p.store(b.at(y), b.number(1), b.pos());
  p.store(b.at(x), b.number(2), b.pos());
  last(b, p, x, z);
  b.property(PropertyKind::kNever,
             b.builder.binary(ExprOp::kEq, b.builder.cell(z, b.number(0)), b.number(3)));
  return b.finish();
}

TEST(Replay, AnRmwNeedsAnEmptyBuffer) {
  const auto xchg_z = [](SceneBuilder& b, ThreadBuilder& p, ObjectId, ObjectId z) {
    p.rmw(RmwOp::kXchg, {}, b.at(z), b.number(3), ExprId(), b.pos());
  };
  EXPECT_EQ(three_stores_and(xchg_z).on("tso").verdict("P P P P"),
            "step 4: an atomic access needs an empty store buffer");
  EXPECT_EQ(three_stores_and(xchg_z).on("tso").verdict("P P P P~x P~y P~x P"), "ok");
  EXPECT_EQ(three_stores_and(xchg_z).on("pso").verdict("P P P P"), "ok");
  EXPECT_EQ(three_stores_and(xchg_z).on("sc").verdict("P P P P"), "ok");

  const auto xchg_x = [](SceneBuilder& b, ThreadBuilder& p, ObjectId x, ObjectId) {
    p.rmw(RmwOp::kXchg, {}, b.at(x), b.number(3), ExprId(), b.pos());
  };
  EXPECT_EQ(three_stores_and(xchg_x).on("pso").verdict("P P P P~x P"),
            "step 5: an atomic access needs an empty store buffer for x");
}

TEST(Replay, AnRmwWaitsForBarriersAndMarks) {
  const auto after = [](FenceKinds kinds) {
    return [kinds](SceneBuilder& b, ThreadBuilder& p, ObjectId, ObjectId z) {
      p.fence(kinds, b.pos());
      p.rmw(RmwOp::kCas, {}, b.at(z), b.number(0), b.number(3), b.pos());
    };
  };
  const Scene barrier = three_stores_and(after(FenceKinds::store_store())).on("pso");
  EXPECT_EQ(barrier.verdict("P P P P P~x P~x P"),
            "step 7: the store to y before the last store-store fence is still in the buffer");
  EXPECT_EQ(barrier.verdict("P P P P P~x P~x P~y P"), "ok");
  const Scene mark = three_stores_and(after(FenceKinds::store_load())).on("pso");
  EXPECT_EQ(mark.verdict("P P P P P~x P~x P"),
            "step 7: the store to y before the store-load fence is still in the buffer");
  EXPECT_EQ(mark.verdict("P P P P P~x P~x P~y P"), "ok");
}

TEST(Replay, StoresToOneCellStayInOrder) {
  const auto nothing = [](SceneBuilder&, ThreadBuilder&, ObjectId, ObjectId) {};
  const Replay replayed = three_stores_and(nothing).on("pso").run("P P P P~x P~x");
  ASSERT_EQ(replayed.steps.size(), 5u);
  EXPECT_EQ(replayed.steps[3].step.value, 1);
  EXPECT_EQ(replayed.steps[4].step.value, 2);
  EXPECT_EQ(replayed.steps[4].effect.stored_by, 2u);
  ASSERT_EQ(replayed.steps[4].buffer.size(), 1u);
  EXPECT_EQ(replayed.steps[4].buffer[0].step, 1u);
  EXPECT_EQ(replayed.memory, (std::vector<Value>{2, 0, 0}));
}

// ---- Claims
// --------------------------------------------------------------------------------------------------

TEST(Replay, ClaimsAreChecked) {
  const Scene scene = store_buffering();
  const Trace good = scene.trace("P P Q Q P~x Q~y");
  const auto rejected = [&](auto spoil) {
    Trace bad = good;
    spoil(bad.steps);
    return check::replay(scene.task(), bad).why_not;
  };
  EXPECT_EQ(rejected([](auto&) {}), "");
  EXPECT_EQ(rejected([](auto& s) { s[1].value = 1; }), "step 2: it claims the value 1, but it is 0");
  EXPECT_EQ(rejected([](auto& s) { s[0].value = 2; }), "step 1: it claims the value 2, but it is 1");
  EXPECT_EQ(rejected([](auto& s) { s[4].value = 0; }), "step 5: it claims the value 0, but it is 1");
  EXPECT_EQ(rejected([](auto& s) { s[0].cell = CellId(1); }), "step 1: it claims the cell y, but it is x");
  EXPECT_EQ(rejected([](auto& s) { s[0].cell = CellId(9); }),
            "step 1: it claims the cell beyond memory, but it is x");
  EXPECT_EQ(rejected([](auto& s) { s[0].written = 1; }),
            "step 1: it claims the written value 1, but there is none");
  EXPECT_EQ(rejected([](auto& s) { s[0].chosen = 1; }), "step 1: it claims the choice 1, but there is none");
  EXPECT_EQ(rejected([](auto& s) { s[1].point = Point(0); }), "step 2: P is at point 1, not at 0");
  EXPECT_EQ(rejected([](auto& s) { s[1].point = Point(); }).substr(0, 25), "step 2: P is at point 1, ");
  EXPECT_EQ(rejected([](auto& s) { s[1].thread = ThreadId(5); }), "step 2: there is no such thread");
  EXPECT_EQ(rejected([](auto& s) { s[4].cell = CellId(17); }), "step 5: there is no such cell");
  EXPECT_EQ(rejected([](auto& s) { s.push_back(s[4]); }), "step 7: no store to x is pending");
  EXPECT_EQ(rejected([](auto& s) {
              s.push_back({ThreadId(0), StepKind::kExecute, Point(2), {}, {}, {}, {}});
            }),
            "step 7: the thread has ended");
}

TEST(Replay, OpenClaimsAreFilledIn) {
  const Scene scene = store_buffering().on("pso");
  Trace open = scene.trace("P P Q Q P~x Q~y");
  open.steps[4].cell = CellId();
  const Replay replayed = check::replay(scene.task(), open);
  ASSERT_TRUE(replayed.ok) << replayed.why_not;
  EXPECT_EQ(replayed.steps[0].step.cell, scene.cell("x"));
  EXPECT_EQ(replayed.steps[0].step.value, 1);
  EXPECT_EQ(replayed.steps[1].step.cell, scene.cell("y"));
  EXPECT_EQ(replayed.steps[1].step.value, 0);
  EXPECT_EQ(replayed.steps[4].step.cell, scene.cell("x"));
  EXPECT_EQ(replayed.registers, (std::vector<std::vector<Value>>{{0}, {0}}));
  EXPECT_EQ(replayed.memory, (std::vector<Value>{1, 1}));
}

TEST(Replay, AFlushThatCouldBeAnyIsRejected) {
  const Scene scene = message_passing().on("pso");
  Trace open = scene.trace("P P P~y");
  open.steps[2].cell = CellId();
  EXPECT_EQ(check::replay(scene.task(), open).why_not,
            "step 3: several stores could reach memory and the trace does not say which");
}

TEST(Replay, ReadsFrom) {
  SceneBuilder b;
  const ObjectId x = b.shared("x");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r");
  p.load({r}, b.at(x), b.pos());
  p.store(b.at(x), b.number(4), b.pos());
  p.load({r}, b.at(x), b.pos());
  p.load({r}, b.at(x), b.pos());
  b.property(PropertyKind::kNever, b.is(p.id(), r, 4));
  const Scene scene = b.finish();
  const Replay replayed = scene.run("P P P P~x P");
  ASSERT_TRUE(replayed.ok) << replayed.why_not;
  EXPECT_EQ(replayed.steps[0].effect.reads_from, std::nullopt);
  EXPECT_EQ(replayed.steps[2].effect.reads_from, 1u);
  EXPECT_TRUE(replayed.steps[2].effect.from_own_buffer);
  EXPECT_EQ(replayed.steps[4].effect.reads_from, 1u);
  EXPECT_FALSE(replayed.steps[4].effect.from_own_buffer);
  const std::vector<std::string> texts = texts_of(scene, replayed);
  EXPECT_EQ(texts.at(0), "r = x reads 0");
  EXPECT_EQ(texts.at(1), "x = 4");
  EXPECT_EQ(texts.at(3), "x = 4 reaches memory");
  EXPECT_EQ(replayed.steps[3].pos, replayed.steps[1].pos);
}

TEST(Replay, ModelsWithoutBuffersAreABug) { EXPECT_THROW(store_buffering().on("rmo").run(""), Bug); }

}  // namespace
}  // namespace fenceline::testing
