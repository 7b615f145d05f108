// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several jobs of the executions engine: what it answers does not depend on their number. Small programs with all options
// are for tests/fuzz/fuzz_jobs.cpp; these are large enough that the engine itself gives work away.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/executions/explorable_program.h"
#include "engine/executions/exploration.h"
#include "engine/executions/shared_work.h"
#include "engine/outcomes/explored_outcomes.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "model/cat/cat.h"
#include "unit/engine/verification_task.h"

namespace fenceline::executions {
namespace {

// Three threads that count, with loads in between: some ten thousand graphs on SC, and more elsewhere.
const std::string kCounters =
    "shared int x, y;\n"
    "thread P { int r, s; r = fetch_add(x, 1); y = r; s = y; r = fetch_add(x, 1); }\n"
    "thread Q { int r, s; r = fetch_add(x, 1); y = r; s = y; r = fetch_add(x, 1); }\n"
    "thread R { int r, s; s = y; r = fetch_add(x, 1); y = 3; r = fetch_add(x, 1); }\n";

Result verified_with(const std::string& text, const std::string& model, uint64_t jobs,
                     Certify certify = Certify::kAuto) {
  engine::VerificationTask task(text);
  task.options.jobs = jobs;
  task.options.certify = certify;
  Limits limits;
  return task.verify_by("executions", model, limits);
}

std::vector<std::string> events_of(const Execution& execution) {
  std::vector<std::string> result;
  for (size_t e = 0; e < execution.events.size(); ++e) {
    const Event& event = execution.events[e];
    result.push_back(std::to_string(event.thread.valid() ? event.thread.index() : 99) + "." +
                     std::to_string(event.position) + "=" + std::to_string(event.value) + "<" +
                     std::to_string(execution.reads_from[e].valid() ? execution.reads_from[e].index() : 0));
  }
  return result;
}

TEST(ExecutionsJobs, AProofHasTheSameFigures) {
  for (const char* model : {"sc", "tso", "rc11"}) {
    const std::string text = kCounters + "property p: finally (x == 6);\n";
    const Result one = verified_with(text, model, 1, Certify::kAlways);
    ASSERT_EQ(one.verdict(), Verdict::kVerified) << one.reason;
    for (const uint64_t jobs : {2, 4}) {
      const Result several = verified_with(text, model, jobs, Certify::kAlways);
      EXPECT_EQ(several.verdict(), Verdict::kVerified) << several.reason;
      EXPECT_EQ(several.reason, one.reason);
      EXPECT_EQ(several.statistics.figures, one.statistics.figures) << model << " " << jobs;
    }
  }
}

TEST(ExecutionsJobs, TheCounterexampleIsTheSame) {
  for (const char* model : {"rc11", "armv8"})
    for (const char* property : {"P.s != 3 || Q.s != 0", "P.s != 2 || R.s != 2", "Q.s != 3 || y != 2"}) {
      SCOPED_TRACE(std::string(model) + " " + property);
      const std::string text = kCounters + "property p: finally (" + property + ");\n";
      const Result one = verified_with(text, model, 1);
      ASSERT_NE(one.execution_counterexample(), nullptr) << one.reason;
      for (const uint64_t jobs : {2, 4}) {
        const Result several = verified_with(text, model, jobs);
        ASSERT_NE(several.execution_counterexample(), nullptr) << several.reason;
        EXPECT_EQ(events_of(several.execution_counterexample()->execution),
                  events_of(one.execution_counterexample()->execution));
      }
    }
}

TEST(ExecutionsJobs, FinalStatesAreTheSame) {
  const Program program =
      frontend::parse_fl({"test.fl", kCounters + "property p: finally (y + 4 * P.s + 16 * R.r);\n"});
  const std::vector<ExprId> observed = {program.properties.front().formula};
  std::map<std::vector<Value>, uint64_t> first;
  for (const uint64_t jobs : {1, 2, 4}) {
    Options options;
    options.jobs = jobs;
    Limits limits;
    SilentEnv env(options, limits);
    const engine::ExploredOutcomes found =
        engine::explored_outcomes(program, memory_model("rc11"), observed, env);
    ASSERT_TRUE(found.outcomes.complete) << found.outcomes.reason;
    std::map<std::vector<Value>, uint64_t> states;
    for (const LitmusState& state : found.outcomes.states) states[state.values] = state.executions;
    if (jobs == 1) first = states;
    EXPECT_EQ(states, first) << jobs;
    EXPECT_GT(states.size(), 10u);
  }
}

// What a thread does before it starts others does not race with them. A job that gets a graph in which that has happened
// must know it.
TEST(ExecutionsJobs, WhatHappensBeforeAStartIsKnownToAll) {
  Program program = frontend::parse_fl(
      {"test.fl",
       "shared int x, f, s[2];\nthread M { x = 1; s[0] = 1; s[1] = 1; f = 1; }\n"
       "thread P { int a, b; b = s[0]; assume(b == 1); b = f; while (b == 0) { a = x; b = f; } }\n"
       "thread Q { int a, b; b = s[1]; assume(b == 1); b = f; while (b == 0) { a = x; b = f; } }\n"
       "property p: finally (x == 1);\n"});
  for (Thread& thread : program.threads)
    for (Instruction& i : thread.code) {
      if (!i.is_memory_access()) continue;
      const std::string& object = program.object(i.address.object).name;
      i.tags = {object == "x" ? "NA" : i.kind == InstrKind::kStore ? "REL" : "ACQ"};
    }
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  const CatModel axioms = shipped_cat("rc11");
  const ExplorableProgram prepared(overlay, axioms, nullptr);
  for (size_t round = 0; round < 100; ++round) {
    const ExplorationResult result =
        explore(prepared.code(), prepared.plan(), {.jobs = 1 + round % 4, .grain = 1},
                [](const Leaf&) { return true; });
    EXPECT_TRUE(result.finished);
    EXPECT_GT(result.executions, 4u);
    EXPECT_FALSE(result.may_miss_flags) << round;
  }
}

// A revisit leads to another, and so on: the stack of no job may overflow, and all see the same limit.
TEST(ExecutionsJobs, ADeepExplorationIsUnsupported) {
  const std::string text =
      "shared int x, y;\nthread P { int r, i; i = 0; while (i < 60) { x = i; r = y; i = i + 1; } }\n"
      "thread Q { int r, i; i = 0; while (i < 60) { r = y; i = i + 1; y = 0; } }\nproperty p: finally (x == "
      "x);\n";
  for (const uint64_t jobs : {1, 2, 4}) {
    const Result result = verified_with(text, "sc", jobs);
    ASSERT_EQ(result.verdict(), Verdict::kUnknown);
    EXPECT_EQ(result.unknown()->reason, UnknownReason::kUnsupported);
    EXPECT_NE(result.reason.find("too deeply"), std::string::npos) << result.reason;
  }
}

// ---- Ends

class Counters {
 public:
  Counters() : prepared_(overlay_, axioms_, nullptr) {}

  ExplorationOptions options{.jobs = 4, .grain = 8};

  ExplorationResult explored(const LeafVisitor& visit) {
    return explore(prepared_.code(), prepared_.plan(), options, visit);
  }

 private:
  const Program program_ = frontend::parse_fl({"test.fl", kCounters + "property p: finally (x == 6);\n"});
  const FenceSet no_fences_;
  const Overlay overlay_{program_, no_fences_};
  const CatModel axioms_ = shipped_cat("rc11");
  const ExplorableProgram prepared_;
};

TEST(ExecutionsJobs, LimitsHoldForAll) {
  Limits limits;
  Counters counters;
  counters.options.limits = &limits;
  uint64_t leaves = 0;
  const ExplorationResult result = counters.explored([&](const Leaf&) {
    if (++leaves == 100) limits.interrupt();
    return true;
  });
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.limit, LimitReached::kInterrupt);
  EXPECT_EQ(result.executions + result.blocked, leaves);
}

TEST(ExecutionsJobs, AnExceptionOfTheVisitorEndsAll) {
  Counters counters;
  uint64_t leaves = 0;
  const auto visit = [&](const Leaf&) -> bool {
    if (++leaves == 100) throw std::runtime_error("no more");
    return true;
  };
  EXPECT_THROW(counters.explored(visit), std::runtime_error);
}

// The leaf is not lost, although there is no time left.
TEST(ExecutionsJobs, AnEndAndALimit) {
  Limits limits;
  Counters counters;
  counters.options.limits = &limits;
  uint64_t leaves = 0, followed = 0;
  counters.options.follow_up = [&](const Leaf&) { return ++followed < 10; };
  const ExplorationResult result = counters.explored([&](const Leaf&) {
    if (++leaves < 200) return true;
    limits.interrupt();
    return false;
  });
  EXPECT_FALSE(result.finished);
  EXPECT_GE(followed, 1u);
}

TEST(ExecutionsJobs, AnEndWithoutAFollowUp) {
  Counters counters;
  uint64_t leaves = 0;
  const ExplorationResult result = counters.explored([&](const Leaf&) { return ++leaves != 50; });
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.limit, LimitReached::kNone);
}

// ---- Work

struct Numbers {
  Position position;
  uint64_t from = 0, to = 0;
};

// Each number once, whoever gets it.
TEST(ExecutionsJobs, WhatIsGivenAwayIsTakenOnce) {
  constexpr uint64_t kAll = 20'000;
  std::atomic<uint64_t> sum{0};
  SharedWork<Numbers>* shared = nullptr;
  const auto work = [&](Numbers part) {
    for (; part.from < part.to; ++part.from) {
      if (part.to - part.from > 1 && shared->is_wanted()) {
        const uint64_t half = part.from + (part.to - part.from) / 2;
        shared->give({{}, half, part.to});
        part.to = half;
      }
      sum += part.from;
    }
    shared->done();
  };
  const auto job = [&] {
    while (std::optional<Numbers> part = shared->take()) work(*part);
  };
  SharedWork<Numbers> numbers(4, job);
  shared = &numbers;
  work({{}, 0, kAll});
  job();
  numbers.join();
  EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
}

TEST(ExecutionsJobs, TheFirstPositionEndsIt) {
  SharedWork<Numbers> work(1, [] {});
  EXPECT_FALSE(work.has_ended());
  EXPECT_FALSE(work.is_behind_end({9}));
  work.end_at({3, 1}, nullptr);
  work.end_at({3, 0, 5}, nullptr);
  work.end_at({4}, nullptr);
  EXPECT_TRUE(work.has_ended());
  EXPECT_FALSE(work.is_cancelled());
  EXPECT_EQ(work.end()->position, (Position{3, 0, 5}));
  EXPECT_TRUE(work.is_behind_end({3, 1}));
  EXPECT_FALSE(work.is_behind_end({3}));
  EXPECT_FALSE(work.is_behind_end({2, 7}));
}

}  // namespace
}  // namespace fenceline::executions
