// SPDX-License-Identifier: GPL-3.0-or-later
//
// Verdicts, traces, limits and bounds of the explicit engine; several workers; reduction against none.
#include "engine/explicit/explicit_engine.h"

#include <gtest/gtest.h>

#include "engine/explicit/outcomes.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "frontend/fl/fl.h"
#include "property/properties.h"
#include "unit/peterson.h"

namespace fenceline::engine {
namespace {

struct Verified {
  Program program;
  FenceSet fences;
  Property property;
  Result result;
};

Verified verify(const std::string& text, const std::string& model, const Options& options = {}) {
  Verified verified{frontend::parse_fl({"test.fl", text}), {}, {}, {}};
  verified.property = property::properties_to_check(verified.program, options).front();
  Limits limits(options.timeout, options.memory_mb << 20);
  const Task task{verified.program, verified.fences, memory_model(model), verified.property};
  EXPECT_EQ(engine_called("explicit").unsupported_reason(task), "");
  verified.result = verify_by("explicit", task, options, limits);
  return verified;
}

TEST(ExplicitEngine, PetersonOnEachModel) {
  for (const uint64_t jobs : {1, 2, 4}) {
    for (const bool reduction : {true, false}) {
      Options options;
      options.jobs = jobs;
      options.of<StateSpaceOptions>().reduction = reduction;
      EXPECT_EQ(verify(kPeterson, "sc", options).result.verdict(), Verdict::kVerified);
      for (const char* model : {"tso", "pso"}) {
        const Result result = verify(kPeterson, model, options).result;
        EXPECT_EQ(result.verdict(), Verdict::kViolated);
        ASSERT_NE(result.replay(), nullptr);
        EXPECT_TRUE(result.replay()->ok);
        EXPECT_TRUE(result.shortest());
        EXPECT_EQ(result.trace()->steps.size(), 8U);  // per thread: two stores, the load of flag, its branch
      }
    }
  }
}

TEST(ExplicitEngine, CheckingTheReductionComparesBoth) {
  Options options;
  options.of<StateSpaceOptions>().check_reduction = true;
  const Result result = verify(kPeterson, "sc", options).result;
  EXPECT_EQ(result.verdict(), Verdict::kVerified);
  bool reported = false;
  for (const auto& [name, value] : result.statistics.figures)
    if (name == "full_states") reported = value > static_cast<double>(result.statistics.states);
  EXPECT_TRUE(reported);
}

TEST(ExplicitEngine, BuffersWithoutBoundAreNotAProof) {
  const char* text = "shared int x; thread P { while (true) { x = 1; x = 0; } } property p: always (x <= 1);";
  Options options;
  options.of<StateSpaceOptions>().buffer_limit = 5;
  const Result result = verify(text, "tso", options).result;
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  ASSERT_TRUE(result.is_unknown(UnknownReason::kBound));
  EXPECT_EQ(result.unknown()->bound->limit, 5U);
  EXPECT_NE(result.reason.find("without bound"), std::string::npos);
  EXPECT_EQ(verify(text, "sc", options).result.verdict(), Verdict::kVerified);
  // A violation is found all the same.
  const char* bad = "shared int x; thread P { while (true) { x = 1; x = 0; } } property p: never (x == 1);";
  EXPECT_EQ(verify(bad, "tso", options).result.verdict(), Verdict::kViolated);
}

TEST(ExplicitEngine, LimitsEndInUnknown) {
  const char* text = R"(
    shared int x;
    thread P { while (true) { x = x + 1; } }
    property p: never (x < 0);)";
  Options options;
  options.timeout = 0.2;
  Result result = verify(text, "sc", options).result;
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  EXPECT_NE(result.reason.find("time limit"), std::string::npos);
  EXPECT_FALSE(result.is_unknown(UnknownReason::kBound));
  options.timeout = 0;
  options.memory_mb = 20;
  for (const uint64_t jobs : {1, 2}) {
    options.jobs = jobs;
    result = verify(text, "sc", options).result;
    EXPECT_EQ(result.verdict(), Verdict::kUnknown);
    EXPECT_NE(result.reason.find("memory limit"), std::string::npos);
  }
}

TEST(ExplicitEngine, ValuesOutside64BitsAreALimit) {
  const Result result = verify(
                            "shared int x = 0x7ffffffffffffff0; thread P { while (true) { x = x + 7; } } "
                            "property p: never (x == 0);",
                            "sc")
                            .result;
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  EXPECT_NE(result.reason.find("64-bit"), std::string::npos);
}

TEST(ExplicitEngine, ErrorsOfTheProgramAreViolations) {
  for (const char* body : {"assert(x == 1);", "int 0..1 r = 0; r = x + 2;", "int r = a[x + 2];",
                           "int r = 1 / x;", "x = x + 9;", "a[x + 2] = 1;", "int r = 1 << (x - 1);"}) {
    const std::string text = std::string("shared int 0..5 x; shared int a[2]; thread P { ") + body + " }";
    const Verified verified = verify(text, "pso");
    EXPECT_EQ(verified.property.kind, PropertyKind::kNoErrors) << body;
    EXPECT_EQ(verified.result.verdict(), Verdict::kViolated) << body;
  }
}

TEST(ExplicitEngine, DeadlocksAreFoundOnRequest) {
  const char* stuck =
      "shared int x; thread P { await (x == 1); } thread Q { await (x == 2); } property d: no deadlock;";
  EXPECT_EQ(verify(stuck, "tso").result.verdict(), Verdict::kViolated);
  const char* fine =
      "shared int x; thread P { await (x == 1); } thread Q { x = 1; } property d: no deadlock;";
  EXPECT_EQ(verify(fine, "tso").result.verdict(), Verdict::kVerified);
  // An execution that an assumption stops is no deadlock.
  const char* assumed = "shared int x; thread P { assume (x == 1); } property d: no deadlock;";
  EXPECT_EQ(verify(assumed, "tso").result.verdict(), Verdict::kVerified);
}

TEST(ExplicitEngine, FinalConditionsSeeEndsOnly) {
  const char* text = R"(
    shared int x;
    thread P { x = 1; x = 2; }
    property last: finally (x == 2);)";
  for (const char* model : {"sc", "tso", "pso"})
    EXPECT_EQ(verify(text, model).result.verdict(), Verdict::kVerified);
}

TEST(ExplicitEngine, FormulaWithoutAValueIsUnknown) {
  const Result result =
      verify("shared int x; thread P { x = 1; x = 0; } property p: always (1 / (1 - x) >= 0);", "sc").result;
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  EXPECT_NE(result.reason.find("formula"), std::string::npos);
}

TEST(ExplicitEngine, ReportsWhatIsUnsupported) {
  const Program program = frontend::parse_fl(
      {"test.fl", "shared int x; thread P { int r; havoc r in 0..100000; assert(r >= 0); }"});
  const FenceSet fences;
  const Property property{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const auto engine = make_explicit_engine();
  EXPECT_NE(engine->unsupported_reason({program, fences, memory_model("tso"), property}), "");
  EXPECT_NE(engine->unsupported_reason({program, fences, memory_model("rmo"), property}), "");
}

TEST(Outcomes, AllFinalStatesOfStoreBuffering) {
  const Program program = frontend::parse_fl({"test.fl", R"(
    shared int x, y;
    thread P { local int r; x = 1; r = y; }
    thread Q { local int s; y = 1; s = x; }
    property p: finally (1);)"});
  const FenceSet fences;
  const Options options;
  Limits limits;
  SilentEnv env(options, limits);
  const Outcomes sc = collect_outcomes(program, fences, memory_model("sc"), env);
  const Outcomes tso = collect_outcomes(program, fences, memory_model("tso"), env);
  EXPECT_TRUE(sc.complete);
  EXPECT_EQ(sc.finals, (std::set<std::vector<Value>>{{1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}}));
  EXPECT_EQ(tso.finals.size(), 4U);
}

}  // namespace
}  // namespace fenceline::engine
