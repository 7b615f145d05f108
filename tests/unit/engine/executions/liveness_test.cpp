// SPDX-License-Identifier: GPL-3.0-or-later
//
// Liveness as users meet it, and that the checkers reject what does not violate it. That engines agree about it is for
// tests/fuzz/fuzz_liveness.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/axiomatic/execution_checker.h"
#include "check/replay/replay.h"
#include "env/errors.h"
#include "ir/analysis/retried_waits.h"
#include "ir/builder.h"
#include "unit/engine/verification_task.h"

namespace fenceline {
namespace {

class LivenessTask {
 public:
  explicit LivenessTask(const std::string& body)
      : program_(frontend::parse_fl({"test.fl", "shared int x; shared int y; shared int l;\n" + body +
                                                    "\nproperty p: liveness;\n"})) {}

  Task task(const std::string& model) {
    model_ = memory_model(model);
    return {program_, no_fences_, model_, program_.properties.front()};
  }
  Result verify(const std::string& engine, const std::string& model) {
    return engine::verify_by(engine, task(model), options_, limits_);
  }
  // What both engines say on sc.
  std::string verdict() {
    const std::string one(to_string(verify("executions", "sc").verdict()));
    EXPECT_EQ(one, to_string(verify("explicit", "sc").verdict()));
    return one;
  }

 private:
  Options options_;
  Limits limits_;
  const FenceSet no_fences_;
  Program program_;
  MemoryModel model_ = memory_model("sc");
};

TEST(Liveness, LoopsWaitWhateverTheyDoMeanwhile) {
  for (const std::string meanwhile : {"", "n = 1;", "n = x;", "fence;", "havoc n in 0..3;", "l = 0;"})
    EXPECT_EQ(LivenessTask("thread P { local int r; local int n; while (r == 0) { " + meanwhile +
                           " r = y; } }\nthread Q { local int r; r = l; r = y; }")
                  .verdict(),
              "violated")
        << meanwhile;
}

TEST(Liveness, ReadModifyWritesThatChangeNothingWait) {
  const std::string q = "\nthread Q { l = 1; }";
  EXPECT_EQ(LivenessTask("thread P { local int r = 1; while (r == 1) { r = xchg(l, 1); } }" + q).verdict(),
            "violated");
  EXPECT_EQ(LivenessTask("thread P { local int r; while (r == 0) { r = cas(l, 0, 2); } }" + q).verdict(),
            "violated");
  EXPECT_EQ(LivenessTask("thread P { local int r = 1; while (r == 1) { r = xchg(l, 1); } l = 0; }\n"
                         "thread Q { local int r = 1; while (r == 1) { r = xchg(l, 1); } l = 0; }")
                .verdict(),
            "verified");
}

TEST(Liveness, WhatTheOthersDoCounts) {
  EXPECT_EQ(LivenessTask("thread P { while (x == 0) { } }\nthread Q { x = 1; }").verdict(), "verified");
  EXPECT_EQ(LivenessTask("thread P { while (x != 1) { } }\nthread Q { x = 1; x = 2; }").verdict(),
            "violated");
  EXPECT_EQ(LivenessTask("thread P { await(x == 1); }\nthread Q { await(y == 1); x = 1; }").verdict(),
            "violated");
  EXPECT_EQ(
      LivenessTask("thread P { await(x == 1); y = 1; }\nthread Q { x = 1; while (y == 0) { } }").verdict(),
      "verified");
}

TEST(Liveness, AChoiceThatLeadsOutIsNoWait) {
  EXPECT_EQ(LivenessTask("thread P { local int r; while (r == 0) { havoc r in 0..1; } }").verdict(),
            "verified");
  EXPECT_EQ(
      LivenessTask("thread P { local int r; while (x == 0) { havoc r in 0..1; assume(r == 0); } }").verdict(),
      "violated");
}

// All alternatives read the same first, so the choice and the read are one event. The second one waits for ever.
TEST(Liveness, NoAlternativeIsPruned) {
  const std::string q = "\nthread Q { x = 1; }";
  EXPECT_EQ(LivenessTask("thread P { local int r; choose { r = x; } or { r = x; while (true) { } } }" + q)
                .verdict(),
            "violated");
  EXPECT_EQ(LivenessTask("thread P { local int r; choose { r = x; while (true) { } } or { r = x; } }" + q)
                .verdict(),
            "violated");
  EXPECT_EQ(LivenessTask("thread P { local int r; choose { r = x; } or { r = x; y = 1; } }" + q).verdict(),
            "verified");
}

TEST(Liveness, WhatAnAssumptionStopsDoesNotCount) {
  EXPECT_EQ(LivenessTask("thread P { while (x == 0) { } }\nthread Q { local int r; assume(r == 1); x = 1; }")
                .verdict(),
            "verified");
  EXPECT_EQ(LivenessTask("thread P { while (x == 0) { } }\nthread Q { assert(x == 1); x = 1; }").verdict(),
            "verified");
}

TEST(Liveness, CounterexamplesSayWhoWaitsAndWhere) {
  LivenessTask task("thread P {\n  x = 1;\n}\nthread Q {\n  while (x != 2) { }\n}");
  for (const std::string engine : {"explicit", "executions"}) {
    const Result result = task.verify(engine, "tso");
    const std::vector<WaitingThread>& waiting = result.replay() != nullptr
                                                    ? result.replay()->waiting
                                                    : result.execution_counterexample()->check.waiting;
    ASSERT_EQ(waiting.size(), 1U) << engine;
    EXPECT_EQ(waiting[0].thread, ThreadId(1));
    EXPECT_TRUE(waiting[0].loop);
    EXPECT_EQ(waiting[0].pos.line, 6U);
    ASSERT_EQ(waiting[0].reads.size(), 1U);
    EXPECT_EQ(waiting[0].reads[0].value, 1);
  }
}

TEST(Liveness, LoadBufferingIsDecidedByTheFormula) {
  LivenessTask task(
      "thread P { local int a; a = x; y = 1; if (a == 1) { while (l == 0) { } } }\n"
      "thread Q { local int a; a = y; x = 1; if (a == 0) { l = 1; } }");
  EXPECT_EQ(task.verify("executions", "sc").verdict(), Verdict::kVerified);
  EXPECT_EQ(task.verify("executions", "armv8").verdict(), Verdict::kViolated);
  LivenessTask fine(
      "thread P { local int a; a = x; y = 1; while (l == 0) { } }\n"
      "thread Q { local int a; a = y; x = 1; l = 1; }");
  EXPECT_EQ(fine.verify("executions", "armv8").verdict(), Verdict::kVerified);
}

TEST(Liveness, ALoopThatChangesMemoryIsUnknownToExecutions) {
  const Result result =
      LivenessTask("thread P {\n  while (x == 0) {\n    y = 1 - y;\n  }\n}\nthread Q { local int r; r = y; }")
          .verify("executions", "rc11");
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  EXPECT_NE(result.reason.find("it stores to y in line 4"), std::string::npos) << result.reason;
}

// ---- The checkers

TEST(Liveness, AnExecutionThatDoesNotEndInWaitsIsRejected) {
  LivenessTask task("thread P { while (x == 0) { } }\nthread Q { y = 1; }");
  const Task sc = task.task("sc");
  const Result result = task.verify("executions", "sc");
  ASSERT_NE(result.execution_counterexample(), nullptr);
  const CatModel axioms = axioms_of(sc.model);
  const Execution found = result.execution_counterexample()->execution;
  EXPECT_TRUE(check::check_execution(sc, axioms, found).ok);
  // Q could still store.
  Execution early = found;
  early.locations[1] = sc.program.threads[1].entry;
  early.events.pop_back();
  early.reads_from.pop_back();
  early.coherence[1].pop_back();
  const ExecutionCheck check = check::check_execution(sc, axioms, early);
  EXPECT_FALSE(check.ok);
  EXPECT_NE(check.why_not.find("Q can end: it does not wait for ever"), std::string::npos) << check.why_not;
}

TEST(Liveness, ATraceWhoseStoresArePendingIsRejected) {
  LivenessTask task("thread P { while (x != 2) { } }\nthread Q { x = 1; }");
  const Task tso = task.task("tso");
  const Result result = task.verify("explicit", "tso");
  ASSERT_NE(result.replay(), nullptr);
  Trace trace;
  for (const ReplayedStep& step : result.replay()->steps) trace.steps.push_back(step.step);
  EXPECT_TRUE(check::replay(tso, trace).ok);
  while (!trace.steps.empty() && trace.steps.back().kind != StepKind::kFlush) trace.steps.pop_back();
  ASSERT_FALSE(trace.steps.empty());
  trace.steps.pop_back();
  const Replay replay = check::replay(tso, trace);
  EXPECT_FALSE(replay.ok);
  EXPECT_NE(replay.why_not.find("has not reached memory"), std::string::npos) << replay.why_not;
  EXPECT_FALSE(check::replay(tso, {}).ok);
}

// ---- Blocking assumptions

TEST(RetriedWaits, OneAccessRightBefore) {
  ProgramBuilder b({"test", ""});
  const SourcePos pos{1, 1};
  const ObjectId x = b.object("x", {0}, std::nullopt, pos), y = b.object("y", {0}, std::nullopt, pos);
  ThreadBuilder& one = b.thread("one", pos);
  const RegId r = one.temp();
  one.load({r}, {x, b.constant(0)}, pos);
  one.wait(b.binary(ExprOp::kEq, b.reg(r), b.constant(1)), pos);
  one.halt(pos);
  ThreadBuilder& two = b.thread("two", pos);
  const RegId s = two.temp(), t = two.temp();
  two.load({s}, {x, b.constant(0)}, pos);
  two.load({t}, {y, b.constant(0)}, pos);
  two.wait(b.binary(ExprOp::kEq, b.reg(s), b.reg(t)), pos);
  two.halt(pos);
  const Program program = b.finish();
  const RetriedWaits retried(program);
  EXPECT_EQ(retried.retry(ThreadId(0U), Point(1U)), Point(0U));
  EXPECT_EQ(retried.retry(ThreadId(0U), Point(0U)), std::nullopt);
  EXPECT_EQ(retried.retry(ThreadId(1U), Point(2U)), std::nullopt);
  ASSERT_TRUE(retried.unknown().has_value());
  EXPECT_EQ(retried.unknown()->thread, ThreadId(1U));
}

}  // namespace
}  // namespace fenceline
