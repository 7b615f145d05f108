// SPDX-License-Identifier: GPL-3.0-or-later
//
// Atomic sections, choices, errors of the program, deadlocks, and formulas without a value.
#include <gtest/gtest.h>

#include <limits>

#include "unit/check/replay/script.h"
#include "unit/check/replay/step_texts.h"

namespace fenceline::testing {
namespace {

constexpr Value kMax = std::numeric_limits<Value>::max();

// P: y = 1; atomic { r = x; x = r + 1; }    Q: x = 5;    never x == 6
Scene increment() {
  SceneBuilder b;
  const ObjectId x = b.shared("x"), y = b.shared("y");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r");
  p.store(b.at(y), b.number(1), b.pos());
  p.atomic_begin(b.pos());
  p.load({r}, b.at(x), b.pos());
  p.store(b.at(x), b.builder.binary(ExprOp::kAdd, b.builder.reg(r), b.number(1)), b.pos());
  p.atomic_end(b.pos());
  ThreadBuilder& q = b.builder.thread("Q", b.pos());
  q.store(b.at(x), b.number(5), b.pos());
  b.property(PropertyKind::kNever,
             b.builder.binary(ExprOp::kEq, b.builder.cell(x, b.number(0)), b.number(6)));
  return b.finish();
}

TEST(ReplayAtomic, StoresInsideGoToMemory) {
  const Replay replayed = increment().run("Q Q~x P P~y P P P P");
  EXPECT_TRUE(replayed.ok) << replayed.why_not;
  EXPECT_TRUE(replayed.steps.back().buffer.empty());
}

TEST(ReplayAtomic, StoresInsideNeedWhatAnRmwNeeds) {
  EXPECT_EQ(increment().on("tso").verdict("Q Q~x P P P P"),
            "step 6: an atomic access needs an empty store buffer");
  EXPECT_EQ(increment().on("pso").verdict("Q Q~x P P P P P"), "ok");
}

TEST(ReplayAtomic, NothingElseHappensInside) {
  EXPECT_EQ(increment().verdict("P P~y P Q"), "step 4: P is inside an atomic section");
  EXPECT_EQ(increment().verdict("P P P~y"), "step 3: no store reaches memory inside an atomic section");
  EXPECT_EQ(increment().verdict("Q P P~y P Q~x"), "step 5: no store reaches memory inside an atomic section");
  EXPECT_EQ(increment().verdict("Q Q~x P P~y P P P"), "at the end: the trace stops inside an atomic section");
}

// P: assert(r == 1, "no one")    observations r == 2
TEST(Replay, ObservationsAreErrorsOrTheEnd) {
  for (const bool fails : {false, true}) {
    SceneBuilder b;
    const ObjectId x = b.shared("x");
    ThreadBuilder& p = b.builder.thread("P", b.pos());
    const RegId r = p.reg("r");
    p.rmw(RmwOp::kCasValue, {r}, b.at(x), b.number(3), b.number(1), b.pos());
    p.rmw(RmwOp::kFetchOr, {r}, b.at(x), b.number(6), ExprId(), b.pos());
    p.check(b.is(r, fails ? 1 : 0), b.pos(), "no one");
    b.property(PropertyKind::kObservations, b.is(p.id(), r, 2));
    const Scene scene = b.finish();
    const Replay replayed = scene.run("P P P");
    EXPECT_TRUE(replayed.ok) << replayed.why_not;
    const std::vector<std::string> texts = texts_of(scene, replayed);
    EXPECT_EQ(texts.at(0), "r = cas(x, 3, 1) fails: it is 0");
    EXPECT_EQ(texts.at(1), "r = fetch_or(x, 6) reads 0");
    EXPECT_EQ(replayed.memory, std::vector<Value>{6});
    EXPECT_EQ(to_string(replayed.steps[2].effect.error), fails ? "no one" : "");
    EXPECT_EQ(scene.verdict("P P"),
              "at the end: some thread has not ended or some store has not reached memory");
  }
}

// P: choose { havoc r in 2..4 } or { r = 9 }    never r == 4
TEST(Replay, Choices) {
  SceneBuilder b;
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r");
  const auto first = p.label(), second = p.label(), end = p.label();
  p.choose({first, second}, b.pos());
  p.bind(first);
  p.havoc({r}, Range{2, 4}, b.pos());
  p.jump(end);
  p.bind(second);
  p.assign({r}, b.number(9), b.pos());
  p.bind(end);
  p.halt(b.pos());
  b.property(PropertyKind::kNever, b.is(p.id(), r, 4));
  const Scene scene = b.finish();
  EXPECT_EQ(scene.verdict("P:0 P:4"), "ok");
  EXPECT_EQ(scene.verdict("P:0 P:5"), "step 2: 5 is not one of the values 2..4");
  EXPECT_EQ(scene.verdict("P:0 P"), "step 2: the trace does not say which value is chosen");
  EXPECT_EQ(scene.verdict("P"), "step 1: the trace does not say which branch is chosen");
  EXPECT_EQ(scene.verdict("P:2"), "step 1: there is no branch 2 to choose");
  EXPECT_EQ(scene.verdict("P:1 P"), "at the end: the formula that must never hold does not hold");
  EXPECT_EQ(texts_of(scene, "P:0 P:4").at(1), "r = 4 (any of 2..4)");
}

// ---- Errors
// --------------------------------------------------------------------------------------------------

// One thread: y = 1, and then the instruction that `last` makes.
template <class Last>
Scene failing(const Last& last) {
  SceneBuilder b;
  const ObjectId small = b.shared("small", Range{0, 3}), y = b.shared("y");
  const ObjectId array = b.builder.object("array", {0, 0, 0}, std::nullopt, b.pos(), true);
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r", 0, Range{0, 3});
  p.store(b.at(y), b.number(1), b.pos());
  last(b, p, small, array, r);
  p.assign({r}, b.number(1), b.pos());
  b.property(PropertyKind::kNoErrors);
  b.property(PropertyKind::kNever, b.is(p.id(), r, 0));
  return b.finish();
}

std::string error_of(const Scene& scene, const std::string& script = "P P") {
  const Replay replayed = scene.run(script);
  return replayed.ok
             ? texts_of(scene, replayed).back() + " // " + to_string(replayed.steps.back().effect.error)
             : replayed.why_not;
}

TEST(ReplayErrors, Kinds) {
  EXPECT_EQ(
      error_of(failing([](auto& b, auto& p, ObjectId, ObjectId, RegId r) { p.check(b.is(r, 1), b.pos()); })),
      "assert(r == 1) // the assertion fails");
  EXPECT_EQ(error_of(failing([](auto& b, auto& p, ObjectId small, ObjectId, RegId) {
              p.store(b.at(small), b.number(4), b.pos());
            })),
            "small = 4 // small = 4 is outside its range 0..3");
  EXPECT_EQ(error_of(failing([](auto& b, auto& p, ObjectId small, ObjectId, RegId) {
                       p.rmw(RmwOp::kFetchAdd, {}, b.at(small), b.number(-1), ExprId(), b.pos());
                     }),
                     "P P~y P"),
            "fetch_add(small, -1) reads 0 // small = -1 is outside its range 0..3");
  EXPECT_EQ(error_of(failing(
                [](auto& b, auto& p, ObjectId, ObjectId, RegId r) { p.assign({r}, b.number(4), b.pos()); })),
            "r = 4 // r = 4 is outside its range 0..3");
  EXPECT_EQ(error_of(failing([](auto& b, auto& p, ObjectId, ObjectId array, RegId r) {
              p.store(b.at(array, b.builder.binary(ExprOp::kAdd, b.builder.reg(r), b.number(3))), b.number(1),
                      b.pos());
            })),
            "array[r + 3] = 1 // index 3 is outside array[0..2]");
  EXPECT_EQ(error_of(failing([](auto& b, auto& p, ObjectId, ObjectId array, RegId r) {
              p.load(
                  {r},
                  b.at(array, b.builder.unary(ExprOp::kNeg,
                                              b.builder.binary(ExprOp::kAdd, b.builder.reg(r), b.number(1)))),
                  b.pos());
            })),
            "r = array[-(r + 1)] // index -1 is outside array[0..2]");
  EXPECT_EQ(error_of(failing([](auto& b, auto& p, ObjectId, ObjectId, RegId r) {
              p.assign({r}, b.builder.binary(ExprOp::kDiv, b.number(1), b.builder.reg(r)), b.pos());
            })),
            "r = 1 / r // division by zero");
  EXPECT_EQ(error_of(failing([](auto& b, auto& p, ObjectId, ObjectId, RegId r) {
              p.assign({r},
                       b.builder.binary(ExprOp::kShl, b.number(1),
                                        b.builder.binary(ExprOp::kSub, b.builder.reg(r), b.number(2))),
                       b.pos());
            })),
            "r = 1 << r - 2 // shift by -2");
}

TEST(ReplayErrors, OperandsWithoutAValueArePrintedAsWritten) {
  const auto bad = [](RmwOp op) {
    return failing([op](auto& b, auto& p, ObjectId small, ObjectId, RegId r) {
      const ExprId nonsense = b.builder.binary(ExprOp::kMod, b.number(1), b.builder.reg(r));
      p.rmw(op, {r}, b.at(small), op == RmwOp::kCas ? b.number(5) : nonsense,
            op == RmwOp::kCas ? nonsense : ExprId(), b.pos());
    });
  };
  EXPECT_EQ(error_of(bad(RmwOp::kXchg), "P P~y P"), "r = xchg(small, 1 % r) // division by zero");
  // The new value of a cas that fails anyway is computed all the same.
  EXPECT_EQ(error_of(bad(RmwOp::kCas), "P P~y P"), "r = cas(small, 5, 1 % r) // division by zero");
}

TEST(ReplayErrors, AStepThatIsNotPossibleCannotFail) {
  const auto bad_rmw = [](auto& b, auto& p, ObjectId, ObjectId array, RegId r) {
    p.rmw(RmwOp::kXchg, {r}, b.at(array, b.number(5)), b.number(1), ExprId(), b.pos());
  };
  EXPECT_EQ(failing(bad_rmw).on("tso").verdict("P P"),
            "step 2: an atomic access needs an empty store buffer");
  EXPECT_EQ(failing(bad_rmw).on("pso").verdict("P P"), "ok");
}

TEST(ReplayErrors, AnErrorEndsTheTrace) {
  const auto bad = [](auto& b, auto& p, ObjectId, ObjectId, RegId r) { p.check(b.is(r, 1), b.pos()); };
  Scene scene = failing(bad);
  EXPECT_EQ(scene.verdict("P"), "at the end: the last step is not an error");
  EXPECT_EQ(scene.verdict("P P P~y"), "step 3: the execution has ended with an error before");
  EXPECT_EQ(scene.verdict("P P P"), "step 3: the execution has ended with an error before");
  scene.property = 1;
  EXPECT_EQ(scene.verdict("P"), "ok");
  EXPECT_EQ(scene.verdict("P P"), "at the end: the last step fails: the assertion fails");
}

TEST(ReplayErrors, ValuesBeyond64BitsProveNothing) {
  const auto too_large = [](auto& b, auto& p, ObjectId, ObjectId, RegId r) {
    p.assign({r}, b.builder.binary(ExprOp::kSub, b.builder.reg(r), b.number(kMax)), b.pos());
    (void)r;
  };
  EXPECT_EQ(to_string(failing(too_large).run("P P").steps.back().effect.error),
            "r = -9223372036854775807 is outside its range 0..3");
  const auto overflow = [](auto& b, auto& p, ObjectId, ObjectId array, RegId r) {
    p.store(b.at(array),
            b.builder.binary(ExprOp::kAdd, b.builder.unary(ExprOp::kNot, b.builder.reg(r)), b.number(kMax)),
            b.pos());
  };
  EXPECT_EQ(failing(overflow).verdict("P P"), "step 2: a value does not fit into 64 bits");
}

// ---- Deadlocks
// -----------------------------------------------------------------------------------------------

// P: x = 1; atomic { t = y; assume(t == 1); }    and, if wanted, Q: assume(0)
Scene blocked_scene(bool with_assume, std::optional<Range> guess = std::nullopt) {
  SceneBuilder b;
  const ObjectId x = b.shared("x"), y = b.shared("y");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId t = p.temp();
  p.store(b.at(x), b.number(1), b.pos());
  p.atomic_begin(b.pos());
  if (guess)
    p.havoc({t}, *guess, b.pos());
  else
    p.load({t}, b.at(y), b.pos());
  p.assume(b.is(t, 1), b.pos());
  p.atomic_end(b.pos());
  if (with_assume) {
    ThreadBuilder& q = b.builder.thread("Q", b.pos());
    const RegId r = q.reg("r");
    q.assume(b.is(r, 1), b.pos());
  }
  b.property(PropertyKind::kNoDeadlock);
  return b.finish();
}

TEST(ReplayDeadlock, NothingCanMove) {
  EXPECT_EQ(blocked_scene(false).verdict("P P~x"), "ok");
  EXPECT_EQ(blocked_scene(false).verdict("P"),
            "at the end: some step is still possible: that is no deadlock");
  EXPECT_EQ(blocked_scene(false).verdict("P P~x P"), "at the end: the trace stops inside an atomic section");
  EXPECT_EQ(blocked_scene(true).verdict("P P~x"),
            "at the end: Q is stopped by an assumption: that is no deadlock");
}

TEST(ReplayDeadlock, ASectionIsTriedAlongAllPaths) {
  EXPECT_EQ(blocked_scene(false, Range{0, 3}).verdict("P P~x"),
            "at the end: some step is still possible: that is no deadlock");
  EXPECT_EQ(blocked_scene(false, Range{2, 3}).verdict("P P~x"), "ok");
  EXPECT_EQ(blocked_scene(false, Range{2, kMax}).verdict("P P~x"),
            "at the end: an atomic section has too many executions to try them all");
}

// P: as above    Q: nothing, and the program ends with it or not
TEST(ReplayDeadlock, TheEndOfTheProgramIsNone) {
  for (const bool ends_program : {false, true}) {
    SceneBuilder b;
    const ObjectId y = b.shared("y");
    ThreadBuilder& p = b.builder.thread("P", b.pos());
    const RegId t = p.temp();
    p.atomic_begin(b.pos());
    p.load({t}, b.at(y), b.pos());
    p.wait(b.is(t, 1), b.pos());
    p.atomic_end(b.pos());
    ThreadBuilder& q = b.builder.thread("Q", b.pos());
    const RegId r = q.reg("r");
    q.assign({r}, b.number(1), b.pos());
    q.halt(b.pos(), ends_program);
    b.property(PropertyKind::kNoDeadlock);
    const Scene scene = b.finish();
    EXPECT_EQ(scene.verdict(""), "at the end: some step is still possible: that is no deadlock");
    EXPECT_EQ(scene.verdict("Q"),
              ends_program ? "at the end: Q has ended the program: that is no deadlock" : "ok");
  }
}

TEST(ReplayDeadlock, TheEndIsNone) {
  SceneBuilder b;
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r");
  p.assign({r}, b.number(1), b.pos());
  b.property(PropertyKind::kNoDeadlock);
  EXPECT_EQ(b.finish().verdict("P"), "at the end: all threads have ended: that is no deadlock");
}

// ---- Formulas
// ------------------------------------------------------------------------------------------------

TEST(ReplayFormula, PositionsMemoryAndOwnTrouble) {
  SceneBuilder b;
  const ObjectId x = b.shared("x");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  p.store(b.at(x), b.number(1), b.pos());
  const auto here = p.mark("here", b.pos());
  const ExprId at = b.builder.at(p.id(), here), cell = b.builder.cell(x, b.number(0));
  b.property(PropertyKind::kNever, at);
  b.property(PropertyKind::kAlways, b.builder.unary(ExprOp::kNot, at));
  b.property(PropertyKind::kNever, b.both(at, cell));  // memory, not the buffer
  b.property(PropertyKind::kNever, b.builder.binary(ExprOp::kDiv, b.number(1), cell));
  b.property(PropertyKind::kNever, b.builder.cell(x, b.builder.binary(ExprOp::kAdd, cell, b.number(1))));
  b.property(
      PropertyKind::kAlways,
      b.builder.binary(ExprOp::kMul, b.builder.binary(ExprOp::kAdd, cell, b.number(2)), b.number(kMax)));
  Scene scene = b.finish();
  const auto verdict = [&](size_t property, const char* script) {
    scene.property = property;
    return scene.verdict(script);
  };
  EXPECT_EQ(verdict(0, "P"), "ok");
  EXPECT_EQ(verdict(0, "P P"), "at the end: the formula that must never hold does not hold");
  EXPECT_EQ(verdict(1, "P"), "ok");
  EXPECT_EQ(verdict(1, ""), "at the end: the formula that must always hold does hold");
  EXPECT_EQ(verdict(2, "P"), "at the end: the formula that must never hold does not hold");
  EXPECT_EQ(verdict(2, "P P~x"), "ok");
  EXPECT_EQ(verdict(3, "P"), "at the end: division by zero");
  EXPECT_EQ(verdict(4, "P"), "at the end: index 1 is outside x[0..0]");
  EXPECT_EQ(verdict(5, "P"), "at the end: a value does not fit into 64 bits");
}

TEST(ReplayMore, DistinguishesErrorsFromLimitations) {
  for (const bool ours : {false, true}) {
    SceneBuilder b;
    ThreadBuilder& p = b.builder.thread("P", b.pos());
    if (ours)
      p.limit(b.number(0), b.pos(), "cannot");
    else
      p.check(b.number(0), b.pos(), "Fenceline cannot");
    b.property(PropertyKind::kNoErrors);
    const Replay replayed = b.finish().run("P");
    ASSERT_TRUE(replayed.ok);
    EXPECT_EQ(replayed.steps.back().effect.error.our_limit, ours);
  }
}

}  // namespace
}  // namespace fenceline::testing
