// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SAT engine: verdicts, bounds, loops that wait or retry, what it rejects, and final states. That it
// never contradicts the others is for tests/fuzz/fuzz_sat.cpp.
#include "engine/sat/sat_engine.h"
#include "engine/sat/options.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/outcomes/final_outcomes.h"
#include "engine/sat/unrolling.h"
#include "env/silent_env.h"
#include "unit/engine/verification_task.h"
#include "unit/peterson.h"

namespace fenceline::sat {
namespace {

class SatTask : public engine::VerificationTask {
 public:
  using engine::VerificationTask::VerificationTask;

  Result verify(const std::string& model) {
    Limits limits(options.timeout, options.memory_mb << 20);
    return verify_by("sat", model, limits);
  }
  std::string unsupported_reason(const std::string& model) const {
    const Property property = property::properties_to_check(program(), options).front();
    return make_sat_engine()->unsupported_reason({program(), fences, memory_model(model), property});
  }
};

std::string verdict_of(const Result& result) { return std::string(to_string(result.verdict())); }

std::string store_buffering(const std::string& fence, const std::string& property) {
  return "shared int x, y;\nthread P { int r; x = 1; " + fence + " r = y; }\nthread Q { int r; y = 1; " +
         fence + " r = x; }\nproperty p: " + property + ";\n";
}

TEST(SatEngine, StoreBuffering) {
  const std::string forbidden = "finally (P.r == 1 || Q.r == 1)";
  SatTask plain(store_buffering("", forbidden));
  EXPECT_EQ(verdict_of(plain.verify("sc")), "verified");
  for (const char* model : {"tso", "pso"}) {
    const Result result = plain.verify(model);
    EXPECT_EQ(verdict_of(result), "violated");
    ASSERT_TRUE(result.trace() && result.replay());
    EXPECT_TRUE(result.replay()->ok);
  }
  for (const char* model : {"rmo", "relaxed"}) EXPECT_EQ(verdict_of(plain.verify(model)), "violated");
  EXPECT_EQ(verdict_of(plain.verify("serial")), "verified");
  SatTask fenced(store_buffering("fence;", forbidden));
  for (const char* model : {"sc", "tso", "pso", "rmo", "relaxed", "serial"})
    EXPECT_EQ(verdict_of(fenced.verify(model)), "verified") << model;
}

TEST(SatEngine, AddedFencesCount) {
  SatTask plain(store_buffering("", "finally (P.r == 1 || Q.r == 1)"));
  for (size_t thread = 0; thread < 2; ++thread)
    for (size_t point = 0; point < plain.program().threads[thread].code.size(); ++point)
      if (plain.program().threads[thread].code[point].kind == InstrKind::kStore)
        plain.fences.add(ThreadId(thread), Point(point), FenceKinds::full());
  EXPECT_EQ(verdict_of(plain.verify("tso")), "verified");
}

TEST(SatEngine, StatesInTheMiddle) {
  const std::string text =
      "shared int x;\nthread P { int r, s; q0: r = 1; s = 2; q1: x = 1; }\nproperty p: never ";
  // Between the labels there is a point that has none.
  SatTask between(text + "(!P@q0 && !P@q1 && P.r == 1 && x == 0);\n");
  EXPECT_EQ(verdict_of(between.verify("sc")), "violated");
  SatTask both(text + "(P@q1 && x == 1);\n");
  for (const char* model : {"sc", "tso", "pso"})
    EXPECT_EQ(verdict_of(both.verify(model)), "verified") << model;
  SatTask waiting(text + "(!P@q0 && !P@q1 && P.s == 2 && x == 0);\n");
  EXPECT_EQ(verdict_of(waiting.verify("tso")), "violated");
}

TEST(SatEngine, Errors) {
  SatTask fails("shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; assert (r == 0); }\n");
  EXPECT_EQ(verdict_of(fails.verify("sc")), "violated");
  SatTask holds("shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; assert (r < 2); }\n");
  EXPECT_EQ(verdict_of(holds.verify("sc")), "verified");
  // Nothing of a section that fails has happened; what others do because of it cannot be its cause.
  SatTask section(
      "shared int x, y;\nthread P { atomic { x = 1; assert (y == 0); } }\n"
      "thread Q { int r; r = x; if (r == 1) { y = 1; } }\n");
  EXPECT_EQ(verdict_of(section.verify("sc")), "verified");
}

TEST(SatEngine, LoopsThatEnd) {
  SatTask counts(
      "shared int x;\nthread P { int i; while (i < 5) { x = i; i = i + 1; } }\nproperty p: finally (x == "
      "4);\n");
  const Result result = counts.verify("pso");
  EXPECT_EQ(verdict_of(result), "verified");
  EXPECT_FALSE(result.is_unknown(UnknownReason::kBound));
}

// An idle iteration can be left out, so waiting needs no bound.
TEST(SatEngine, LoopsThatWait) {
  SatTask spins(
      "shared int x, y;\nthread P { y = 1; x = 1; }\nthread Q { int r; while (x == 0) { } r = y; }\n"
      "property p: finally (Q.r == 1);\n");
  EXPECT_EQ(verdict_of(spins.verify("sc")), "verified");
  EXPECT_EQ(verdict_of(spins.verify("tso")), "verified");
  EXPECT_EQ(verdict_of(spins.verify("pso")), "violated");
}

TEST(SatEngine, LoopsThatRetry) {
  SatTask increments(
      "shared int x;\nthread P[i in 0..1] { int r, done; while (done == 0) { r = x; done = cas(x, r, r + 1); "
      "} }\n"
      "property p: finally (x == 2);\n");
  for (const char* model : {"sc", "tso", "pso"})
    EXPECT_EQ(verdict_of(increments.verify(model)), "verified") << model;
}

// An iteration that leaves a value as it was, but no longer depends on an earlier load for it.
TEST(SatEngine, IterationsThatLoseADependency) {
  const std::string rest =
      " y = r; }\nthread Q { int s; s = y; z = s; }\nthread S { w = 1; }\nproperty p: finally (P.a == 0);\n";
  const std::string first =
      "shared int x[2] = {1, 1};\nshared int y = 0, z = 0, w = 0;\nthread P { int a, r; a = z; r = x[a]; ";
  SatTask loop(first + "while (w == 0) r = x[0];" + rest), none(first + rest);
  EXPECT_EQ(verdict_of(loop.verify("rmo")), "violated");
  EXPECT_EQ(verdict_of(none.verify("rmo")), "verified");
}

TEST(SatEngine, LoopsWithoutEndAreBounded) {
  SatTask endless(
      "shared int x;\nthread P { int i; while (true) { x = i; i = 1 - i; } }\nproperty p: never (x == 2);\n");
  endless.options.of<SatOptions>().bound = 3;
  const Result result = endless.verify("tso");
  EXPECT_EQ(verdict_of(result), "unknown");
  ASSERT_TRUE(result.is_unknown(UnknownReason::kBound));
  EXPECT_EQ(result.unknown()->bound->limit, 3U);
  SatTask found(
      "shared int x;\nthread P { int i; while (true) { x = i; i = i + 1; } }\nproperty p: never (x == 2);\n");
  EXPECT_EQ(verdict_of(found.verify("tso")), "violated");
  SatTask too_deep(
      "shared int x;\nthread P { int i; while (true) { x = i; i = i + 1; } }\nproperty p: never (x == 9);\n");
  too_deep.options.of<SatOptions>().bound = 4;
  EXPECT_EQ(verdict_of(too_deep.verify("tso")), "unknown");
}

// That a limit was reached in the query about loops that exceed their bounds implies nothing about loops.
TEST(SatEngine, LimitsAreNoBounds) {
  SatTask counts(
      "shared int x;\nthread P { int i; while (i < 2) { x = i; i = i + 1; } }\nproperty p: finally (x == "
      "1);\n");
  const Overlay overlay(counts.program(), counts.fences);
  const CatModel axioms = axioms_of(memory_model("sc"));
  Unrolling unrolling(2);
  Formula formula(overlay, axioms, nullptr, unrolling.bounds(), {});
  Limits reached, limits;
  reached.interrupt();
  EXPECT_EQ(unrolling.raise(formula, reached), Unrolling::Answer::kLimit);
  EXPECT_TRUE(unrolling.bounds().empty());
  EXPECT_EQ(unrolling.raise(formula, limits), Unrolling::Answer::kRaised);
  Formula deeper(overlay, axioms, nullptr, unrolling.bounds(), {});
  EXPECT_EQ(unrolling.raise(deeper, limits), Unrolling::Answer::kAtLargest);
  EXPECT_EQ(unrolling.deepest(), 2U);
}

TEST(SatEngine, Peterson) {
  SatTask plain(kPeterson);
  EXPECT_EQ(verdict_of(plain.verify("tso")), "violated");
}

TEST(SatEngine, Rejects) {
  SatTask states(store_buffering("", "never (x == 2)"));
  EXPECT_EQ(states.unsupported_reason("pso"), "");
  EXPECT_NE(states.unsupported_reason("rmo"), "");
  SatTask sync(store_buffering("sync;", "finally (x == 1)"));
  EXPECT_EQ(sync.unsupported_reason("tso"), "");
  EXPECT_NE(sync.unsupported_reason("relaxed"), "");
}

TEST(SatEngine, PropertiesWithoutAValueAreNotVerified) {
  SatTask divides("shared int x;\nthread P { x = 1; }\nproperty p: always (2 / x < 3);\n");
  EXPECT_EQ(verdict_of(divides.verify("sc")), "unknown");
}

// ---- Final states

// By the values of x, y and all registers of P and Q: in how many executions.
std::map<std::vector<Value>, uint64_t> outcomes(const std::string& text, const std::string& model,
                                                bool expect_complete = true) {
  const Program program = frontend::parse_fl({"test.fl", text});
  std::vector<ExprId> observed;
  for (const Property& property : program.properties) observed.push_back(property.formula);
  Options options;
  options.of<SatOptions>().bound = 4;
  Limits limits;
  SilentEnv env(options, limits);
  const LitmusOutcomes found = engine::solved_outcomes(program, memory_model(model), observed, env);
  EXPECT_EQ(found.complete, expect_complete) << found.reason;
  std::map<std::vector<Value>, uint64_t> counts;
  for (const LitmusState& state : found.states) {
    EXPECT_EQ(counts.count(state.values), 0U);
    counts[state.values] = state.executions;
  }
  return counts;
}

using Counts = std::map<std::vector<Value>, uint64_t>;

TEST(SatOutcomes, StoreBuffering) {
  const std::string text = store_buffering("", "finally (P.r * 2 + Q.r)");
  EXPECT_EQ(outcomes(text, "sc"), (Counts{{{1}, 1}, {{2}, 1}, {{3}, 1}}));
  EXPECT_EQ(outcomes(text, "tso"), (Counts{{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}}));
}

TEST(SatOutcomes, OrdersOfStoresAreDifferentExecutions) {
  EXPECT_EQ(outcomes("shared int x;\nthread P { x = 1; }\nthread Q { x = 1; }\nthread R { x = 2; }\n"
                     "property p: finally (x);\n",
                     "sc"),
            (Counts{{{1}, 4}, {{2}, 2}}));
}

// What the program leaves open makes executions different, even if no load and no store observes it.
TEST(SatOutcomes, ChoicesOfTheProgram) {
  EXPECT_EQ(
      outcomes("shared int x;\nthread P { int r; havoc r in 0..4; }\nproperty p: finally (P.r);\n", "sc"),
      (Counts{{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}, {{4}, 1}}));
  EXPECT_EQ(outcomes("shared int x;\nthread P { choose { x = 1; } or { skip; } or { skip; } }\n"
                     "property p: finally (x);\n",
                     "sc"),
            (Counts{{{0}, 2}, {{1}, 1}}));
  EXPECT_EQ(outcomes("shared int x;\nthread P { int r; choose { havoc r in 1..2; } or { x = 1; } }\n"
                     "property p: finally (x + 2 * P.r);\n",
                     "tso"),
            (Counts{{{1}, 1}, {{2}, 1}, {{4}, 1}}));
}

TEST(SatOutcomes, OnlyCompleteExecutionsCount) {
  EXPECT_TRUE(
      outcomes("shared int x;\nthread P { assume (x == 1); }\nproperty p: finally (x);\n", "sc").empty());
  EXPECT_EQ(
      outcomes("shared int x;\nthread P { havoc x in 0..1; assert (x == 1); }\nproperty p: finally (x);\n",
               "sc"),
      (Counts{{{1}, 1}}));
}

TEST(SatOutcomes, SectionsAndReadModifyWrites) {
  EXPECT_EQ(outcomes("shared int x;\nthread P[i in 0..1] { int r; atomic { r = x; x = r + 1; r = x; } }\n"
                     "property p: finally (x * 10 + P[0].r);\n",
                     "sc"),
            (Counts{{{21}, 1}, {{22}, 1}}));
  EXPECT_EQ(outcomes("shared int x;\nthread P[i in 0..1] { int r; r = fetch_add(x, 1); }\n"
                     "property p: finally (x * 10 + P[0].r);\n",
                     "pso"),
            (Counts{{{20}, 1}, {{21}, 1}}));
}

// Nothing in the model forbids that two loads get each other's value from nowhere. What these values are is
// open; that there are such executions must not be taken for a contradiction.
TEST(SatOutcomes, ValuesThatCauseThemselves) {
  const Counts counts = outcomes(
      "shared int x, y;\nthread P { int r; r = y; x = r; }\nthread Q { int r; r = x; y = r; }\n"
      "thread R { x = 2; }\nproperty p: finally (P.r);\nproperty q: finally (Q.r);\n",
      "relaxed");
  for (const std::vector<Value>& state : {std::vector<Value>{0, 0}, {0, 2}, {2, 2}})
    EXPECT_EQ(counts.count(state), 1U);
}

TEST(SatOutcomes, LoopsThatGoOnLeaveThemIncomplete) {
  outcomes(
      "shared int x;\nthread P { int i; while (x == 0) { i = i + 1; } }\nthread Q { x = 1; }\n"
      "property p: finally (P.i);\n",
      "sc", false);
  EXPECT_EQ(outcomes("shared int x;\nthread P { while (x == 0) { } }\nthread Q { x = 1; }\n"
                     "property p: finally (x);\n",
                     "sc")
                .size(),
            1U);
}

}  // namespace
}  // namespace fenceline::sat
