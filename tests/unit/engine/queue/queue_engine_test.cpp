// SPDX-License-Identifier: GPL-3.0-or-later
//
// The deferral-queue machine: the example of the paper, what a user's table does, verdicts about
// transactions.
#include "engine/queue/queue_engine.h"
#include "engine/options.h"

#include <gtest/gtest.h>

#include "engine/explicit/outcomes.h"
#include "env/silent_env.h"
#include "machine/deferral_queue/queue_support.h"
#include "machine/deferral_queue/queue_system.h"
#include "unit/engine/verification_task.h"

namespace fenceline::engine {
namespace {

// Figure 4 of the paper, corrected: the first stores are of 1, and r3 and r4 are loaded only behind a 1.
constexpr const char* kFigure4 = R"(
  shared int X1, X2, Y1, Y2;
  thread A { local int r1, r3; X1 = 1; Y1 = 1; r1 = Y2; if (r1 == 1) r3 = X2; X1 = 2; }
  thread B { local int r2, r4; X2 = 1; Y2 = 1; r2 = Y1; if (r2 == 1) r4 = X1; X2 = 2; }
  property p: finally (1);)";

size_t valuations(const std::string& model) {
  const Program program = frontend::parse_fl({"test.fl", kFigure4});
  const Options options;
  Limits limits;
  SilentEnv env(options, limits);
  const Outcomes outcomes =
      collect_queue_outcomes(program, FenceSet(), table_of(memory_model(model)).value(), env);
  EXPECT_TRUE(outcomes.complete);
  std::set<std::vector<Value>> registers;
  for (const std::vector<Value>& state : outcomes.finals)
    registers.insert({state.begin() + program.cell_count, state.end()});
  return registers.size();
}

TEST(QueueEngine, Figure4) {
  EXPECT_EQ(valuations("sc"), 7U);
  EXPECT_EQ(valuations("tso"), 8U);
  EXPECT_EQ(valuations("pso"), 15U);
  EXPECT_EQ(valuations("rmo-ctrl"), 16U);
}

Verdict verdict(const std::string& text, const std::string& model) {
  VerificationTask task(text);
  Limits limits;
  return task.verify_by("queue", model, limits).verdict();
}

TEST(QueueEngine, FencesOrderWhatTheyName) {
  const auto message = [](const std::string& behind_store, const std::string& behind_load) {
    return "shared int x, f; thread P { x = 1; " + behind_store +
           " f = 1; } thread Q { local int r, s; r = f; " + behind_load +
           " s = x; } property p: finally (!(Q.r == 1 && Q.s == 0));";
  };
  EXPECT_EQ(verdict(message("", ""), "tso"), Verdict::kVerified);
  EXPECT_EQ(verdict(message("", ""), "pso"), Verdict::kViolated);
  EXPECT_EQ(verdict(message("sfence;", ""), "pso"), Verdict::kVerified);
  EXPECT_EQ(verdict(message("sfence;", ""), "rmo"), Verdict::kViolated);
  EXPECT_EQ(verdict(message("sfence;", "sfence;"), "rmo"), Verdict::kViolated);
  EXPECT_EQ(verdict(message("lfence;", "lfence;"), "rmo"), Verdict::kViolated);
  EXPECT_EQ(verdict(message("sfence;", "lfence;"), "rmo"), Verdict::kVerified);
}

// A load behind a branch waits for it on one of the two.
TEST(QueueEngine, BranchesAreGuessedOrWaitedFor) {
  const std::string text =
      "shared int x, f; thread P { x = 1; sfence; f = 1; } thread Q { local int r, s = 1; r = f; if (r == 1) "
      "s = x; } property p: finally (Q.s == 1);";
  EXPECT_EQ(verdict(text, "rmo"), Verdict::kViolated);
  EXPECT_EQ(verdict(text, "rmo-ctrl"), Verdict::kVerified);
}

TEST(QueueEngine, NothingIsObservedOfAnIncorrectGuess) {
  const std::string text =
      "shared int x, y; thread P { local int r; r = x; if (r == 1) y = 1; } thread Q { local int s; s = y; "
      "assert(s == 0); } property p: finally (1);";
  EXPECT_EQ(verdict(text, "rmo"), Verdict::kVerified);
}

// The access with which the trace ends has overtaken another one.
TEST(QueueEngine, ALoadMakesAnAssertionFail) {
  EXPECT_EQ(verdict("shared int x, y, z; thread P { x = 1; } "
                    "thread Q { local int a, b; a = y; b = x; assert(b == 0); z = a; }",
                    "rmo-ctrl"),
            Verdict::kViolated);
}

// A condition is known when all its operands are, though && could do without some.
TEST(QueueEngine, ConditionsWaitForAllOperands) {
  const std::string assertion =
      "shared int x; thread P { local int i, r, s[2]; s[1] = x; r = x; assert(i == 1 && ";
  for (const char* model : {"sc", "tso", "rmo", "rmo-ctrl"}) {
    EXPECT_EQ(verdict(assertion + "r == 0); }", model), Verdict::kViolated) << model;
    EXPECT_EQ(verdict(assertion + "s[i + 1] == 0); }", model), Verdict::kViolated) << model;
    EXPECT_EQ(verdict(assertion + "s[i + 2] == 0); }", model), Verdict::kViolated) << model;
  }
}

// Errors behind a guess, behind an open assertion, of operands that come in late, and of both operands of an
// rmw: the trace that shows them replays, whatever is issued how early.
TEST(QueueEngine, ErrorsCountWhereTheThreadReallyGets) {
  const std::string q = "} thread Q { x = 1; x = 3; }";
  const std::pair<std::string, Verdict> programs[] = {
      {"int r, s; r = x; s = cas(y, 0, 1 / r); ", Verdict::kViolated},
      {"int r, s; r = x; s = cas(y, 1 / r, 1); ", Verdict::kViolated},
      {"int r, s; r = x; s = fetch_add(y, 1 / r); ", Verdict::kViolated},
      {"int r, s; r = x; s = fetch_add(y, 1 / (r + 1)); ", Verdict::kVerified},
      {"int r; assert(x > 1); while (x > 4) { } ", Verdict::kViolated},
      {"int r, s; if (x < 2) y = r / s; ", Verdict::kViolated},
      {"int r, s; if (x == 2) y = r / s; ", Verdict::kVerified},
      {"int r; r = x; choose { x = r / r; } or { } ", Verdict::kViolated},
      {"int r, s; r = x; s = 1 / r; y = 1; ", Verdict::kViolated},
      {"int r, s, t; r = x; assert(r < 4); s = 1 / t; y = 1; ", Verdict::kViolated},
      {"int r; int 0..1 s; r = x; if (r != 2) s = x; y = s; ", Verdict::kViolated},
      {"int r; int 0..1 s; r = x; if (r == 2) s = x; y = s; ", Verdict::kVerified},
      {"int r; int 0..1 s; r = x; if (r != 2) havoc s in 0..2; y = s; ", Verdict::kViolated},
      {"int r, s; int 0..2 t; r = x; if (r != 2) t = fetch_add(x, 1); y = t; ", Verdict::kViolated},
  };
  for (const auto& [text, expected] : programs)
    for (const char* model : {"sc", "tso", "pso", "rmo", "rmo-ctrl"})
      for (const bool reduction : {true, false}) {
        VerificationTask task("shared int x, y; thread P { " + text + q);
        task.options.of<StateSpaceOptions>().reduction = reduction;
        Limits limits;
        const Result result = task.verify_by("queue", model, limits);
        EXPECT_EQ(result.verdict(), expected) << model << ": " << text;
      }
}

// An atomic section that is no more than a load can be issued like one.
TEST(QueueEngine, AwaitsOfOneVariable) {
  const std::string text =
      "shared int x, f; thread P { x = 1; sfence; f = 1; } thread Q { int r; await(f == 1); ";
  EXPECT_EQ(verdict(text + "lfence; r = x; } property p: finally (Q.r == 1);", "rmo"), Verdict::kVerified);
  EXPECT_EQ(verdict(text + "r = x; } property p: finally (Q.r == 1);", "rmo"), Verdict::kViolated);
  EXPECT_EQ(verdict(text + "r = x; } property p: finally (Q.r == 1);", "tso"), Verdict::kVerified);
}

// A clock that is ahead of what a thread has seen of it, by as much as one likes.
TEST(QueueEngine, TimestampsAreDistinguishedUpToWhatIsAdded) {
  const auto asserted = [](const std::string& between, const std::string& condition) {
    return verdict(
        "shared stamp clk = 1; thread P { local stamp a; while (true) a = fetch_add(clk, 1); } "
        "thread Q { local stamp s, t; s = clk; t = clk; " +
            between + " assert(" + condition + "); }",
        "sc");
  };
  EXPECT_EQ(asserted("", "s <= t"), Verdict::kVerified);
  EXPECT_EQ(asserted("", "s == t || s + 1 == t"), Verdict::kViolated);
  EXPECT_EQ(asserted("", "s == t || s + 1 == t || s + 1 + 1 == t"), Verdict::kViolated);
  EXPECT_EQ(asserted("", "s == t || s + 1 == t || s + 1 + 1 == t || s + 2 < t"), Verdict::kVerified);
  // In one step: it is not known what lies three above s, where 1 is the largest that is added.
  EXPECT_EQ(asserted("s = s + 1; s = s + 1; s = s + 1;", "s != t"), Verdict::kUnknown);
  EXPECT_EQ(asserted("s = s + 3;", "s != t"), Verdict::kViolated);
  EXPECT_EQ(asserted("s = s + 1; t = t + 1;", "s <= t"), Verdict::kVerified);
  // A constant that is incremented before any other thread makes a step.
  EXPECT_EQ(asserted("s = 1; s = s + 1;", "t == 1 || s == t"), Verdict::kViolated);
}

TEST(QueueEngine, TimestampsHaveRoom) {
  const auto unsupported_reason = [](const std::string& value) {
    return machine::queue_unsupported_reason(frontend::parse_fl({"test.fl", "shared stamp clk = " + value +
                                                                                "; thread P { clk = 1; } "
                                                                                "property p: finally (1);"}),
                                             table_of(memory_model("sc")).value());
  };
  EXPECT_EQ(unsupported_reason("1000000"), "");
  EXPECT_NE(unsupported_reason("9223372036854775807").find("timestamps up to"), std::string::npos);
  EXPECT_NE(unsupported_reason("-9223372036854775807").find("timestamps up to"), std::string::npos);
}

// There is no violation where nothing happens, but that proves nothing.
TEST(QueueEngine, AMemoryThatDoesNothingIsNotVerified) {
  const auto memory = [](const std::string& waits) {
    return "transaction M { shared int lock; transactional int g[variables]; local int l; read(v) { " +
           waits + " l = g[v]; rfin; } write(v) { " + waits + " } end { " + waits +
           " commit; } abort { abort; } } property p: opacity;";
  };
  EXPECT_EQ(verdict(memory(""), "sc"), Verdict::kVerified);
  EXPECT_EQ(verdict(memory("while (1) { }"), "sc"), Verdict::kUnknown);
  EXPECT_EQ(verdict(memory("assume(lock == 1);"), "sc"), Verdict::kUnknown);
}

}  // namespace
}  // namespace fenceline::engine
