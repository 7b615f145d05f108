// SPDX-License-Identifier: GPL-3.0-or-later
//
// The automata engine on small programs that fill their buffers without end: what it decides, which languages
// it has seen, counterexamples that need several iterations of a cycle pending in a buffer, widening,
// certificates, limits. That it never contradicts the other engines is for tests/fuzz/fuzz_automata.cpp.
#include "engine/automata/automata_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/automata/options.h"
#include "engine/options.h"
#include "env/errors.h"
#include "reference/depth_first.h"
#include "unit/engine/verification_task.h"
#include "unit/peterson.h"

namespace fenceline::automata {
namespace {

class AutomataTask : public engine::VerificationTask {
 public:
  using engine::VerificationTask::VerificationTask;

  Result verify(const std::string& model) {
    Limits limits(3600);
    return verify(model, limits);
  }
  Result verify(const std::string& model, Limits& limits) { return verify_by("automata", model, limits); }
};

double statistic(const Result& result, const std::string& name) {
  for (const auto& [key, value] : result.statistics.figures)
    if (key == name) return value;
  ADD_FAILURE() << "no statistic " << name;
  return 0;
}

void expect_replayed(const Result& result) {
  ASSERT_EQ(result.verdict(), Verdict::kViolated) << result.reason;
  ASSERT_TRUE(result.trace() && result.replay());
  EXPECT_TRUE(result.replay()->ok) << result.replay()->why_not;
  EXPECT_FALSE(result.spurious());
  EXPECT_EQ(result.certificate(), nullptr);
}

void expect_proved(const Result& result) {
  ASSERT_EQ(result.verdict(), Verdict::kVerified) << result.reason;
  EXPECT_FALSE(result.spurious());
  EXPECT_EQ(result.trace(), nullptr);
  ASSERT_NE(result.certificate(), nullptr) << result.reason;
  EXPECT_TRUE(result.certificate()->checked);
  EXPECT_GT(result.certificate()->size, 0U);
}

const std::string kBlinking = "shared int x; thread P { while (true) { x = 1; x = 0; } } ";

// P iterates as long as it reads 0 in `stop`. What Q reads after it has raised `stop` was pending by then, or
// is of the iteration that P is in: of three iterations, two at least are pending in the buffer together.
const char* const kThreeIterations = R"(
shared int stop, x;
thread P { int r; while (true) { r = stop; assume (r == 0); x = 1; x = 0; } }
thread Q {
  stop = 1; fence;
  await (x == 1); await (x == 0); await (x == 1); await (x == 0); await (x == 1); await (x == 0);
  assert (false);
}
)";

// Stores of two cells in each iteration; every cell has a queue of its own on PSO.
std::string message_passing(const std::string& between, const std::string& behind = "") {
  return "shared int x, y; thread P { while (true) { x = 1; " + between + " y = 1; " + behind +
         " } } thread Q { int r, s; r = y; s = x; done: skip; } property p: never (Q@done && Q.r == 1 && "
         "Q.s == 0);";
}

// ---- Endless loops

TEST(AutomataEngine, ProvesBuffersWithoutBound) {
  for (const char* model : {"sc", "tso", "pso"}) {
    SCOPED_TRACE(model);
    const Result result = AutomataTask(kBlinking + "property p: always (x <= 1);").verify(model);
    expect_proved(result);
    if (model == std::string("sc")) {
      EXPECT_TRUE(result.buffers.empty());
      EXPECT_EQ(statistic(result, "accelerated_states"), 0);
      continue;
    }
    EXPECT_GT(statistic(result, "accelerated_states"), 0);
    ASSERT_FALSE(result.buffers.empty());
    std::set<std::string> languages;
    for (const BufferLanguage& buffer : result.buffers) {
      EXPECT_EQ(buffer.thread, ThreadId(0));
      EXPECT_EQ(buffer.line, 1U);
      languages.insert(buffer.language);
    }
    const bool rounds = std::any_of(languages.begin(), languages.end(), [](const std::string& language) {
      return language.find("((x,1)(x,0))*") != std::string::npos ||
             language.find("((x,0)(x,1))*") != std::string::npos;
    });
    EXPECT_TRUE(rounds) << *languages.begin();
  }
}

TEST(AutomataEngine, RefutesWithBuffersWithoutBound) {
  for (const char* model : {"sc", "tso", "pso"}) {
    AutomataTask task(kBlinking + "property p: never (x == 1);");
    const Result result = task.verify(model);
    expect_replayed(result);
    EXPECT_TRUE(result.shortest());
    EXPECT_EQ(result.trace()->steps.size(), task.verify_by_explicit(model).trace()->steps.size());
  }
}

// On SC and where P has to drain its buffer there is at most one iteration left.
TEST(AutomataEngine, AViolationMayNeedSeveralIterationsInTheBuffer) {
  EXPECT_EQ(AutomataTask(kThreeIterations).verify("sc").verdict(), Verdict::kVerified);
  for (const char* model : {"tso", "pso"}) {
    SCOPED_TRACE(model);
    AutomataTask task(kThreeIterations);
    expect_replayed(task.verify(model));
    task.options.of<AutomataOptions>().search = reference::make_depth_first;
    expect_replayed(task.verify(model));
    std::string fenced = kThreeIterations;
    fenced.replace(fenced.find("r = stop"), 0, "fence; ");
    expect_proved(AutomataTask(fenced).verify(model));
  }
}

TEST(AutomataEngine, CyclesThatEmptyTheBufferAreNotAccelerated) {
  struct Case {
    const char* body;
    const char* model;
  };
  const Case cases[] = {{"x = 1; fence; x = 0;", "tso"},
                        {"x = 1; fence; x = 0;", "pso"},
                        {"x = 1; r = xchg(y, 1); x = 0;", "tso"},
                        {"x = 1; r = xchg(x, 0);", "pso"},
                        {"x = 1; fence(store-load); r = y;", "tso"},
                        {"x = 1; fence(store-load); r = y;", "pso"}};
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.body) + " " + each.model);
    const Result result = AutomataTask("shared int x, y; thread P { int r; while (true) { " +
                                       std::string(each.body) + " } } property p: always (x <= 1);")
                              .verify(each.model);
    expect_proved(result);
    EXPECT_TRUE(result.buffers.empty());
    EXPECT_EQ(statistic(result, "accelerated_states"), 0);
  }
}

TEST(AutomataEngine, ThreeThreads) {
  const std::string threads = R"(
shared int x, y;
thread P { while (true) { x = 1; x = 0; } }
thread Q { while (true) { y = 1; y = 0; } }
thread R { int a, b; while (true) { a = x; b = y; } }
)";
  for (const char* model : {"tso", "pso"}) {
    SCOPED_TRACE(model);
    expect_proved(AutomataTask(threads + "property p: always (R.a + R.b <= 2);").verify(model));
    expect_replayed(AutomataTask(threads + "property p: always (R.a + R.b <= 1);").verify(model));
  }
}

TEST(AutomataEngine, OneOfSeveralValuesInEachIteration) {
  const std::string text =
      "shared int x; thread P { while (true) { choose { x = 1; } or { x = 2; } or { x = 3; } } } ";
  for (const char* model : {"tso", "pso"}) {
    SCOPED_TRACE(model);
    expect_proved(AutomataTask(text + "property p: always (x <= 3);").verify(model));
    expect_replayed(AutomataTask(text + "property p: always (x <= 2);").verify(model));
  }
}

TEST(AutomataEngine, SeveralCellsInAnIteration) {
  struct Case {
    std::string text;
    const char* model;
    Verdict verdict;
  };
  const Case cases[] = {{message_passing(""), "sc", Verdict::kVerified},
                        {message_passing(""), "tso", Verdict::kVerified},
                        {message_passing(""), "pso", Verdict::kViolated},
                        {message_passing("sfence;"), "pso", Verdict::kVerified},
                        {message_passing("fence;"), "pso", Verdict::kVerified},
                        {message_passing("", "sfence;"), "pso", Verdict::kViolated},
                        {message_passing("sfence;", "sfence;"), "pso", Verdict::kVerified}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.text + " " + each.model);
    const Result result = AutomataTask(each.text).verify(each.model);
    EXPECT_EQ(result.verdict(), each.verdict) << result.reason;
    if (each.verdict == Verdict::kVerified)
      expect_proved(result);
    else
      expect_replayed(result);
  }
}

// ---- Properties

TEST(AutomataEngine, KindsOfProperties) {
  const std::string waits = "shared int x, y; thread P { while (x == 0) { y = 1; y = 0; } await (x == 2); } ";
  const std::string ends =
      "shared int x, y; thread P { int r; do { y = 1; y = 2; r = x; } while (r == 0); } thread Q { x = 1; } ";
  const std::pair<std::string, Verdict> cases[] = {
      {"shared int x; thread P { x = 1; assert(x == 1); }", Verdict::kVerified},
      {"shared int x; thread P { x = 1; assert(x == 0); }", Verdict::kViolated},
      {waits + "thread Q { x = 2; } property d: no deadlock;", Verdict::kVerified},
      {waits + "thread Q { x = 1; } property d: no deadlock;", Verdict::kViolated},
      {"shared int x; thread P { assume (x == 1); } property d: no deadlock;", Verdict::kVerified},
      {ends + "property last: finally (y == 2);", Verdict::kVerified},
      {ends + "property last: finally (y == 1);", Verdict::kViolated}};
  for (const auto& [text, verdict] : cases)
    for (const char* model : {"sc", "tso", "pso"}) {
      SCOPED_TRACE(text + " " + model);
      const Result result = AutomataTask(text).verify(model);
      EXPECT_EQ(result.verdict(), verdict) << result.reason;
      if (verdict == Verdict::kViolated) expect_replayed(result);
    }
}

TEST(AutomataEngine, TracesAreNotShorterThanTheShortest) {
  for (const char* model : {"sc", "tso", "pso"}) {
    SCOPED_TRACE(model);
    AutomataTask task(kPeterson);
    const Result exact = task.verify_by_explicit(model);
    const Result result = task.verify(model);
    ASSERT_EQ(result.verdict(), exact.verdict());
    if (result.verdict() != Verdict::kViolated) continue;
    expect_replayed(result);
    EXPECT_TRUE(result.shortest());
    EXPECT_EQ(result.trace()->steps.size(), exact.trace()->steps.size());
  }
}

// ---- What random programs have shown

// No thread but P stores, and only to x: the queue of z has no barriers.
TEST(AutomataEngine, ABarrierWhereAThreadStoresToOneCellOnly) {
  expect_proved(AutomataTask(R"(
shared int x, z;
thread P { int r; while (true) { x = r; sfence; c: skip; } }
thread Q { while (true) { c: skip; } }
property p: never (P@c && Q@c && z == 1);
)")
                    .verify("pso"));
}

// Acceleration must not make a longer trace look like a shortest one.
TEST(AutomataEngine, AShortestTraceIsOne) {
  AutomataTask task(R"(
shared int x, y;
thread P { int r; while (true) { x = 1; y = 1; r = y; if (r == 0) { c: skip; } x = 0; } }
thread Q { int r, s; while (true) { y = 1; x = 0; r = x; if (r == 0) { c: skip; } y = 0; s = x; } }
property p: never (P@c && Q@c);
)");
  const Result result = task.verify("pso");
  expect_replayed(result);
  EXPECT_TRUE(result.shortest());
  EXPECT_EQ(result.trace()->steps.size(), task.verify_by_explicit("pso").trace()->steps.size());
}

// ---- Options

TEST(AutomataEngine, OptionsChangeNoVerdict) {
  const std::pair<std::string, const char*> tasks[] = {
      {kPeterson, "tso"},
      {kPeterson, "pso"},
      {kThreeIterations, "sc"},
      {kThreeIterations, "tso"},
      {message_passing(""), "tso"},
      {message_passing(""), "pso"},
      {message_passing("sfence;"), "pso"},
      {kBlinking + "property p: always (x <= 1);", "pso"},
  };
  for (const auto& [text, model] : tasks) {
    SCOPED_TRACE(text + model);
    const Verdict verdict = AutomataTask(text).verify(model).verdict();
    EXPECT_NE(verdict, Verdict::kUnknown);
    for (const OptionField<bool>& flag :
         {OptionField(&engine::StateSpaceOptions::fusing), OptionField(&engine::StateSpaceOptions::reduction),
          OptionField(&engine::StateSpaceOptions::liveness), OptionField(&AutomataOptions::library),
          OptionField(&AutomataOptions::sleep_sets)})
      for (const MakeSymbolicSearch search : {make_breadth_first, reference::make_depth_first}) {
        AutomataTask task(text);
        task.options.of<AutomataOptions>().search = search;
        flag.to(task.options) = false;
        const Result result = task.verify(model);
        EXPECT_EQ(result.verdict(), verdict)
            << (search == reference::make_depth_first ? "dfs" : "bfs") << ": " << result.reason;
      }
  }
}

TEST(AutomataEngine, WideningStillProves) {
  for (const uint64_t threshold : {1U, 2U, 4U, 8U, 0U})
    for (const char* model : {"tso", "pso"}) {
      SCOPED_TRACE(std::string(model) + " " + std::to_string(threshold));
      AutomataTask blinking(kBlinking + "property p: always (x <= 1);");
      blinking.options.of<AutomataOptions>().widen_above = threshold;
      expect_proved(blinking.verify(model));
      AutomataTask rounds(kThreeIterations);
      rounds.options.of<AutomataOptions>().widen_above = threshold;
      expect_replayed(rounds.verify(model));
    }
}

// A threshold that is too low makes spurious counterexamples; it rises until there are none.
TEST(AutomataEngine, TheThresholdRises) {
  AutomataTask task(message_passing("", "x = 0; y = 0;"));
  for (const uint64_t threshold : {0U, 1U, 2U}) {
    task.options.of<AutomataOptions>().widen_above = threshold;
    expect_replayed(task.verify("tso"));
  }
  AutomataTask safe(message_passing(""));
  safe.options.of<AutomataOptions>().widen_above = 1;
  expect_proved(safe.verify("tso"));
}

TEST(AutomataEngine, WideningEndsWhatAccelerationIsNotAllowedTo) {
  for (const char* model : {"tso", "pso"}) {
    AutomataTask task(kBlinking + "property p: always (x <= 1);");
    task.options.of<AutomataOptions>().acceleration = false;
    task.options.of<AutomataOptions>().widen_above = 2;
    const Result result = task.verify(model);
    expect_proved(result);
    EXPECT_EQ(statistic(result, "accelerated_states"), 0);
    EXPECT_GT(statistic(result, "widened_states"), 0);
    EXPECT_NE(result.reason.find("widened"), std::string::npos) << result.reason;
  }
}

TEST(AutomataEngine, CertificatesOnRequest) {
  AutomataTask task(kBlinking + "property p: always (x <= 1);");
  for (const Certify certify : {Certify::kAuto, Certify::kAlways}) {
    task.options.certify = certify;
    expect_proved(task.verify("tso"));
  }
  task.options.certify = Certify::kNever;
  const Result result = task.verify("tso");
  EXPECT_EQ(result.verdict(), Verdict::kVerified);
  EXPECT_EQ(result.certificate(), nullptr);
}

// ---- Limits

TEST(AutomataEngine, ALimitIsAReasonAndShowsWhatGrows) {
  AutomataTask task(kBlinking + "property p: always (x <= 1);");
  task.options.of<AutomataOptions>().acceleration = false;
  task.options.of<AutomataOptions>().widen_above = 0;
  for (const char* model : {"tso", "pso"}) {
    Limits interrupted;
    interrupted.interrupt();
    Limits little(0, 1 << 16), hurry(0.1);
    for (Limits* limits : {&interrupted, &little, &hurry}) {
      const Result result = task.verify(model, *limits);
      EXPECT_EQ(result.verdict(), Verdict::kUnknown);
      EXPECT_FALSE(result.spurious());
      EXPECT_FALSE(result.is_unknown(UnknownReason::kBound));
      EXPECT_EQ(result.certificate(), nullptr);
      EXPECT_NE(result.reason.find("symbolic states"), std::string::npos) << result.reason;
      ASSERT_FALSE(result.buffers.empty());
      EXPECT_NE(result.buffers.front().language.find("(x,"), std::string::npos)
          << result.buffers.front().language;
    }
  }
}

// Wherever the clock runs out: in a search, in the one for the certificate, or while a trace is concretised.
TEST(AutomataEngine, TheClockMayRunOutAnywhere) {
  const std::string texts[] = {kPeterson, kThreeIterations, message_passing("sfence;")};
  for (const std::string& text : texts)
    for (int round = 1; round <= 40; ++round) {
      AutomataTask task(text);
      Limits limits(round * 0.1e-3);
      const Result result = task.verify("pso", limits);
      ASSERT_FALSE(result.reason.empty()) << text << " in round " << round;
      if (result.verdict() == Verdict::kViolated) {
        ASSERT_TRUE(result.replay() && result.replay()->ok);
      }
    }
}

TEST(AutomataEngine, WhatCannotBeExploredIsUnknown) {
  const Result overflow = AutomataTask(
                              "shared int x = 0x7ffffffffffffff0; thread P { while (true) { x = x + 7; } } "
                              "property p: never (x == 0);")
                              .verify("tso");
  EXPECT_EQ(overflow.verdict(), Verdict::kUnknown);
  EXPECT_NE(overflow.reason.find("64-bit"), std::string::npos) << overflow.reason;
  const Result formula =
      AutomataTask("shared int x; thread P { x = 1; x = 0; } property p: always (1 / (1 - x) >= 0);")
          .verify("tso");
  EXPECT_EQ(formula.verdict(), Verdict::kUnknown);
  EXPECT_NE(formula.reason.find("formula"), std::string::npos) << formula.reason;
  for (const Result* result : {&overflow, &formula}) EXPECT_FALSE(result->spurious());
}

}  // namespace
}  // namespace fenceline::automata
