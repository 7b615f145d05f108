// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coherence engine: what each abstraction proves of the paper's programs (its Table 1), traces, monitored
// positions, reductions against none, limits, certificates, and what it rejects. That it never contradicts
// the explicit engine is for tests/fuzz/fuzz_coherence.cpp.
#include "engine/coherence/coherence_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/coherence/options.h"
#include "engine/options.h"
#include "env/errors.h"
#include "env/source.h"
#include "unit/engine/verification_task.h"
#include "unit/peterson.h"

namespace fenceline::coherence {
namespace {

std::vector<std::pair<ThreadId, Point>> stores_of(const Program& program) {
  std::vector<std::pair<ThreadId, Point>> stores;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t p = 0; p < program.threads[t].code.size(); ++p)
      if (program.threads[t].code[p].kind == InstrKind::kStore) stores.emplace_back(ThreadId(t), Point(p));
  return stores;
}

class CoherenceTask : public engine::VerificationTask {
 public:
  using engine::VerificationTask::VerificationTask;
  static CoherenceTask about(const std::string& corpus_program) {
    return CoherenceTask(
        read_source_file(std::string(FENCELINE_CORPUS_DIR) + "/blender/" + corpus_program + ".fl").text);
  }

  Result verify(const std::string& model, const std::string& abstraction = "auto") {
    Limits limits(options.timeout, options.memory_mb << 20);
    return verify(model, abstraction, limits);
  }
  Result verify(const std::string& model, const std::string& abstraction, Limits& limits) {
    options.of<CoherenceOptions>().abstraction = parse_chosen_abstraction(abstraction);
    return verify_by("coherence", model, limits);
  }
};

// ---- Verdicts

enum class Expected { kProved, kSpurious };

struct Row {
  const char* program;
  Expected set, fd0, fd1;
};
// Table 1 of the paper, on PSO. A minus there is a spurious counterexample.
constexpr Row kTable[] = {{"pet2", Expected::kSpurious, Expected::kProved, Expected::kProved},
                          {"fast3", Expected::kSpurious, Expected::kSpurious, Expected::kProved},
                          {"clh2", Expected::kSpurious, Expected::kSpurious, Expected::kProved}};

TEST(CoherenceEngine, ProvesTheRowsOfTable1) {
  for (const Row& row : kTable)
    for (const auto& [abstraction, expected] :
         {std::pair{"set", row.set}, std::pair{"fd0", row.fd0}, std::pair{"fd1", row.fd1}}) {
      SCOPED_TRACE(std::string(row.program) + " " + abstraction);
      const Result result = CoherenceTask::about(row.program).verify("pso", abstraction);
      EXPECT_EQ(result.verdict(), expected == Expected::kProved ? Verdict::kVerified : Verdict::kUnknown);
      EXPECT_EQ(result.spurious(), expected == Expected::kSpurious);
      EXPECT_EQ(result.abstraction, abstraction);
      EXPECT_FALSE(result.reason.empty());
      EXPECT_EQ(result.trace(), nullptr);
      EXPECT_GT(result.statistics.states, 0U);
      EXPECT_GT(result.statistics.transitions, 0U);
    }
}

TEST(CoherenceEngine, GoesOnToTheOrderThatIsNeeded) {
  EXPECT_EQ(CoherenceTask::about("pet2").verify("pso").abstraction, "fd0");
  const Result needs_one = CoherenceTask::about("clh2").verify("pso");
  EXPECT_EQ(needs_one.verdict(), Verdict::kVerified);
  EXPECT_EQ(needs_one.abstraction, "fd1");
  const Result needs_two = CoherenceTask::about("fast3").verify("tso");
  EXPECT_EQ(needs_two.verdict(), Verdict::kVerified);
  EXPECT_EQ(needs_two.abstraction, "fd2");
}

TEST(CoherenceEngine, DoesNotGoFurtherThanItMay) {
  CoherenceTask task = CoherenceTask::about("fast3");
  task.options.of<CoherenceOptions>().max_order = 0;
  const Result result = task.verify("pso");
  EXPECT_EQ(result.verdict(), Verdict::kUnknown);
  EXPECT_TRUE(result.spurious());
  EXPECT_NE(result.reason.find("fd0"), std::string::npos) << result.reason;
}

TEST(CoherenceEngine, ProvesBuffersWithoutBound) {
  const char* text = "shared int x; thread P { while (true) { x = 1; x = 0; } } property p: always (x <= 1);";
  for (const char* model : {"tso", "pso"})
    EXPECT_EQ(CoherenceTask(text).verify(model).verdict(), Verdict::kVerified);
}

TEST(CoherenceEngine, KindsOfProperties) {
  struct Case {
    const char* text;
    Verdict verdict;
  };
  const Case cases[] = {
      {"shared int x; thread P { x = 1; assert(x == 1); }", Verdict::kVerified},
      {"shared int x; thread P { x = 1; assert(x == 0); }", Verdict::kViolated},
      {"shared int x; thread P { await (x == 1); } thread Q { await (x == 2); } property d: no deadlock;",
       Verdict::kViolated},
      {"shared int x; thread P { await (x == 1); } thread Q { x = 1; } property d: no deadlock;",
       Verdict::kVerified},
      {"shared int x; thread P { assume (x == 1); } property d: no deadlock;", Verdict::kVerified},
      {"shared int x; thread P { x = 1; x = 2; } property last: finally (x == 2);", Verdict::kVerified},
      {"shared int x; thread P { x = 1; x = 2; } property last: finally (x == 1);", Verdict::kViolated}};
  for (const Case& each : cases)
    for (const char* model : {"tso", "pso"}) {
      const Result result = CoherenceTask(each.text).verify(model);
      EXPECT_EQ(result.verdict(), each.verdict) << each.text << ": " << result.reason;
    }
}

// ---- Traces

TEST(CoherenceEngine, AViolationHasAReplayedTrace) {
  for (const char* model : {"tso", "pso"})
    for (const char* abstraction : {"set", "fd0", "fd1", "fd2", "pd0", "pd1", "auto"}) {
      SCOPED_TRACE(std::string(model) + " " + abstraction);
      CoherenceTask task(kPeterson);
      const Result result = task.verify(model, abstraction);
      ASSERT_EQ(result.verdict(), Verdict::kViolated);
      EXPECT_FALSE(result.spurious());
      EXPECT_FALSE(result.reason.empty());
      ASSERT_TRUE(result.trace() && result.replay());
      EXPECT_TRUE(result.replay()->ok);
      EXPECT_EQ(result.certificate(), nullptr);
      const size_t shortest = task.verify_by_explicit(model).trace()->steps.size();
      EXPECT_GE(result.trace()->steps.size(), shortest);
      if (result.shortest()) {
        EXPECT_EQ(result.trace()->steps.size(), shortest);
      }
    }
}

TEST(CoherenceEngine, ReportsThatATraceIsShortest) {
  for (const char* model : {"tso", "pso"}) {
    const Result result = CoherenceTask(kPeterson).verify(model, "fd1");
    EXPECT_TRUE(result.shortest());
    EXPECT_EQ(result.trace()->steps.size(), 8U);  // per thread: two stores, the load of flag, its branch
  }
}

// ---- Monitored positions

TEST(CoherenceEngine, ReportsTheOrderingsThatACounterexampleViolates) {
  for (const char* model : {"tso", "pso"})
    for (const char* abstraction : {"fd0", "fd1", "fd2"}) {
      SCOPED_TRACE(std::string(model) + " " + abstraction);
      CoherenceTask task(kPeterson);
      const auto stores = stores_of(task.program());
      for (const auto& [thread, point] : stores) task.fences.add(thread, point, FenceKinds());
      const Result result = task.verify(model, abstraction);
      ASSERT_EQ(result.verdict(), Verdict::kViolated);
      ASSERT_TRUE(result.replay() && result.replay()->ok);
      EXPECT_FALSE(result.violated_orderings().empty());
      for (const auto& position : result.violated_orderings())
        EXPECT_NE(std::find(stores.begin(), stores.end(), position), stores.end());
      // A fence at any one of them prevents this trace; at all of them, every counterexample.
      CoherenceTask repaired(kPeterson);
      for (const auto& [thread, point] : stores) repaired.fences.add(thread, point, FenceKinds::full());
      const Result proved = repaired.verify(model, abstraction);
      EXPECT_EQ(proved.verdict(), Verdict::kVerified);
      EXPECT_TRUE(proved.violated_orderings().empty());
    }
}

// With K = 1 the order of the two stores of a thread is lost on TSO: one fence is enough, but not provably
// so.
TEST(CoherenceEngine, ASpuriousCounterexampleViolatesOrderingsToo) {
  CoherenceTask task(kPeterson);
  const auto stores = stores_of(task.program());
  for (size_t i = 0; i < stores.size(); ++i)
    task.fences.add(stores[i].first, stores[i].second, i % 3 == 1 ? FenceKinds::full() : FenceKinds());
  const Result coarse = task.verify("tso", "fd1");
  EXPECT_EQ(coarse.verdict(), Verdict::kUnknown);
  EXPECT_TRUE(coarse.spurious());
  EXPECT_FALSE(coarse.violated_orderings().empty());
  EXPECT_EQ(task.verify("tso", "fd2").verdict(), Verdict::kVerified);
}

// ---- Reductions

TEST(CoherenceEngine, ReductionsChangeNoVerdict) {
  std::vector<CoherenceTask> tasks;
  tasks.emplace_back(kPeterson);
  for (const char* name : {"pet2", "clh2", "sense1", "dek2"}) tasks.push_back(CoherenceTask::about(name));
  for (CoherenceTask& task : tasks)
    for (const char* model : {"tso", "pso"})
      for (const char* abstraction : {"set", "fd0", "fd1", "pd1"}) {
        task.options.certify = Certify::kNever;
        std::set<std::pair<Verdict, bool>> expected;
        for (const unsigned switches : {7U, 0U, 1U, 2U, 4U}) {
          task.options.of<engine::StateSpaceOptions>().fusing = (switches & 1U) != 0;
          task.options.of<engine::StateSpaceOptions>().reduction = (switches & 2U) != 0;
          task.options.of<engine::StateSpaceOptions>().liveness = (switches & 4U) != 0;
          const Result result = task.verify(model, abstraction);
          expected.emplace(result.verdict(), result.spurious());
        }
        EXPECT_EQ(expected.size(), 1U) << task.program().source.text << model << " " << abstraction;
      }
}

// ---- Limits

TEST(CoherenceEngine, ALimitIsAReason) {
  CoherenceTask task = CoherenceTask::about("lam2");
  task.options.of<engine::StateSpaceOptions>().fusing =
      task.options.of<engine::StateSpaceOptions>().reduction = false;
  for (const char* abstraction : {"auto", "fd1", "pd2"}) {
    Limits interrupted;
    interrupted.interrupt();
    Limits little(0, 1 << 10);
    for (Limits* limits : {&interrupted, &little}) {
      const Result result = task.verify("pso", abstraction, *limits);
      EXPECT_EQ(result.verdict(), Verdict::kUnknown);
      EXPECT_FALSE(result.spurious());
      EXPECT_FALSE(result.reason.empty()) << abstraction;
      EXPECT_FALSE(result.is_unknown(UnknownReason::kBound));
    }
  }
}

// Wherever the clock runs out: in a search, between two (each has its budget of states), or while a
// trace is concretised.
TEST(CoherenceEngine, TheClockMayRunOutAnywhere) {
  for (const char* name : {"lam2", "fast3", "fast0"})
    for (const bool reduced : {true, false}) {
      CoherenceTask task = CoherenceTask::about(name);
      task.options.of<engine::StateSpaceOptions>().fusing =
          task.options.of<engine::StateSpaceOptions>().reduction = reduced;
      for (int round = 1; round <= 40; ++round) {
        Limits limits(round * 0.25e-3);
        const Result result = task.verify("tso", "auto", limits);
        ASSERT_FALSE(result.reason.empty()) << name << " in round " << round;
        if (result.verdict() == Verdict::kViolated) {
          ASSERT_TRUE(result.replay() && result.replay()->ok);
        }
      }
    }
}

TEST(CoherenceEngine, WhatCannotBeExploredIsUnknown) {
  const Result overflow = CoherenceTask(
                              "shared int x = 0x7ffffffffffffff0; thread P { while (true) { x = x + 7; } } "
                              "property p: never (x == 0);")
                              .verify("tso");
  EXPECT_EQ(overflow.verdict(), Verdict::kUnknown);
  EXPECT_NE(overflow.reason.find("64-bit"), std::string::npos);
  const Result formula =
      CoherenceTask("shared int x; thread P { x = 1; x = 0; } property p: always (1 / (1 - x) >= 0);")
          .verify("tso");
  EXPECT_EQ(formula.verdict(), Verdict::kUnknown);
  EXPECT_NE(formula.reason.find("formula"), std::string::npos);
  for (const Result* result : {&overflow, &formula}) EXPECT_FALSE(result->spurious());
}

// ---- Certificates

TEST(CoherenceEngine, ProofsShowTheirCertificates) {
  for (const char* name : {"pet2", "clh2", "sense1"})
    for (const char* model : {"tso", "pso"})
      for (const char* abstraction : {"fd1", "fd2", "pd1", "auto"}) {
        SCOPED_TRACE(std::string(name) + " " + model + " " + abstraction);
        CoherenceTask task = CoherenceTask::about(name);
        for (const Certify certify : {Certify::kAuto, Certify::kAlways}) {
          task.options.certify = certify;
          const Result result = task.verify(model, abstraction);
          ASSERT_EQ(result.verdict(), Verdict::kVerified);
          ASSERT_NE(result.certificate(), nullptr);
          EXPECT_TRUE(result.certificate()->checked);
          EXPECT_GT(result.certificate()->size, 0U);
        }
        task.options.certify = Certify::kNever;
        EXPECT_EQ(task.verify(model, abstraction).certificate(), nullptr);
      }
}

TEST(CoherenceEngine, CertificatesWithAbstractValuesAndPartialFences) {
  const char* text = R"(
shared int 0..3 data; shared int ready;
thread P { while (true) { data = 2; sfence; ready = 1; fence(store-load); } }
thread Q { int r, s; while (true) { r = ready; s = data; if (r == 1) { c: skip; } } }
property p: never (Q@c && Q.s == 1);
)";
  using enum buffer::Abstraction::Values;
  for (const buffer::Abstraction::Values values : {kExact, kIntervals, kParity}) {
    SCOPED_TRACE(static_cast<int>(values));
    CoherenceTask task(text);
    task.options.of<CoherenceOptions>().buffer_values = values;
    task.options.certify = Certify::kAlways;
    const Result result = task.verify("pso", "pd1");
    ASSERT_NE(result.verdict(), Verdict::kViolated);
    if (result.verdict() == Verdict::kVerified) {
      ASSERT_NE(result.certificate(), nullptr);
      EXPECT_TRUE(result.certificate()->checked);
    } else {
      EXPECT_TRUE(result.spurious());
      EXPECT_NE(values, kExact);
    }
  }
}

// ---- What it rejects

TEST(CoherenceEngine, ReportsWhatIsUnsupported) {
  const Program program = frontend::parse_fl(
      {"test.fl", "shared int x; thread P { int r; havoc r in 0..100000; assert(r >= 0); }"});
  const FenceSet fences;
  const Property property{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const auto engine = make_coherence_engine();
  EXPECT_NE(engine->unsupported_reason({program, fences, memory_model("tso"), property}), "");
  EXPECT_NE(engine->unsupported_reason({program, fences, memory_model("sc"), property}), "");
}

TEST(CoherenceEngine, DoesNotSpellOutManyValues) {
  CoherenceTask task("shared int x; thread P { while (true) { x = x + 1; } } property p: never (x < 0);");
  task.options.of<CoherenceOptions>().buffer_values = buffer::Abstraction::Values::kIntervals;
  EXPECT_TRUE(task.verify("tso", "pd1").is_unknown(UnknownReason::kUnsupported));
}

TEST(CoherenceEngine, AbstractionsHaveNames) {
  CoherenceTask task(kPeterson);
  for (const char* name : {"fd", "fd9", "xd1", "set0", ""})
    EXPECT_THROW(task.verify("tso", name), UsageError);
}

}  // namespace
}  // namespace fenceline::coherence
