// SPDX-License-Identifier: GPL-3.0-or-later
//
// The portfolio and its race, mostly with engines that are made up: each gives a prescribed answer, after a
// prescribed time. No test depends on how fast the machine is: what has to lose never ends.
#include "engine/portfolio/portfolio.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/portfolio/race.h"
#include "engine/portfolio/result_bytes.h"
#include "env/child_process.h"
#include "env/errors.h"
#include "env/runtime_prediction.h"
#include "env/silent_env.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"

namespace fenceline::engine {
namespace {

constexpr const char* kLock = R"(
shared int lock = 0, inside = 0;
thread P[i in 0..1] { atomic { assume(lock == 0); lock = 1; } assert(inside == 0); inside = 1; inside = 0; lock = 0; }
)";

constexpr const char* kStoreBuffering = R"(
shared int x = 0, y = 0, a = 0, b = 0;
thread P { int r = 0; x = 1; r = y; a = r; }
thread Q { int r = 0; y = 1; r = x; b = r; }
property both: finally (!(a == 0 && b == 0));
)";

class MadeUpEngine final : public Engine {
 public:
  MadeUpEngine(std::string name, std::function<Result(Env&)> answer)
      : name_(std::move(name)), answer_(std::move(answer)) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "made up"; }
  std::string unsupported_reason(const Task&) const override { return ""; }
  Result run(const Task&, Env& env) const override { return answer_(env); }

 private:
  std::string name_;
  std::function<Result(Env&)> answer_;
};

Result proof(Env&) {
  Result result;
  result.conclusion =
      Proof{.certificate = Certificate{"made up", 7, true, "lines"}, .not_covered = "the rest"};
  result.reason = "it is so";
  result.abstraction = "fd1";
  result.buffers = {{ThreadId(1), 12, "(x,1)*"}};
  result.statistics = {.states = 5, .transitions = 6, .seconds = 0.25, .figures = {{"levels", 3}}};
  return result;
}

Result does_not_know(Env&) { return unknown_result(UnknownReason::kImprecise, "it is hard"); }

Result never_ends(Env& env) {
  while (env.limits.poll() == LimitReached::kNone) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return limit_result(env.limits, env.limits.poll());
}

Result deaf(Env&) {
  for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

class RaceTest : public ::testing::Test {
 protected:
  void enter(const std::string& name, std::function<Result(Env&)> answer) {
    engines.push_back(std::make_unique<MadeUpEngine>(name, std::move(answer)));
  }
  // The first `fast` of them are the fast ones.
  std::vector<Racer> run(double seconds = 0) {
    std::vector<Candidate> candidates;
    for (const auto& engine : engines)
      candidates.push_back({engine.get(), "",
                            candidates.size() < fast ? Priority::Speed::kFast : Priority::Speed::kSlow,
                            prediction_of(candidates.size())});
    Limits limits(seconds);
    SilentEnv env(options, limits);
    return race(candidates, task, env);
  }

  Options options;
  const Program program = frontend::parse_fl({"lock.fl", kLock});
  const FenceSet fences{};
  const Property property = property::properties_to_check(program, options).front();
  const Task task{program, fences, memory_model("sc"), property};
  std::vector<std::unique_ptr<Engine>> engines;
  size_t fast = 0;
  std::function<std::atomic<RuntimePrediction>*(size_t)> prediction_of = [](size_t) { return nullptr; };
};

TEST_F(RaceTest, TheFirstAnswerWinsAndTheOthersAreStopped) {
  for (const uint64_t jobs : {1, 2, 4}) {
    engines.clear();
    options.jobs = jobs;
    enter("slow", never_ends);
    enter("deaf", deaf);
    enter("unsure", does_not_know);
    enter("quick", proof);
    const std::vector<Racer> racers = run();
    ASSERT_EQ(racers.size(), 4U);
    EXPECT_FALSE(racers[0].result);
    EXPECT_FALSE(racers[1].result);
    ASSERT_TRUE(racers[3].result);
    const Result& result = *racers[3].result;
    EXPECT_EQ(result.verdict(), Verdict::kVerified);
    // Everything came through the pipe.
    ASSERT_NE(result.certificate(), nullptr);
    EXPECT_EQ(result.certificate()->kind, "made up");
    EXPECT_EQ(result.certificate()->unit, "lines");
    EXPECT_EQ(result.proof()->not_covered, "the rest");
    EXPECT_EQ(result.buffers.at(0).language, "(x,1)*");
    EXPECT_EQ(result.statistics.figures.at(0).second, 3);
  }
}

TEST_F(RaceTest, AllMayEndWithoutAnAnswer) {
  enter("one", does_not_know);
  enter("another", does_not_know);
  for (const Racer& racer : run()) {
    ASSERT_TRUE(racer.result);
    EXPECT_TRUE(racer.result->is_unknown(UnknownReason::kImprecise));
    EXPECT_EQ(racer.result->reason, "it is hard");
  }
}

TEST_F(RaceTest, ALimitEndsIt) {
  enter("slow", never_ends);
  enter("deaf", deaf);
  const std::vector<Racer> racers = run(0.2);
  ASSERT_TRUE(racers[0].result);
  EXPECT_TRUE(racers[0].result->is_unknown(UnknownReason::kLimit));
  EXPECT_FALSE(racers[1].result);
}

// Two fast engines share one job, and a third has its first turn and little more.
TEST_F(RaceTest, FastEnginesGetMostOfTheTime) {
  options.jobs = 1;
  fast = 2;
  for (const char* name : {"fast", "as fast", "slow"}) enter(name, never_ends);
  const std::vector<Racer> racers = run(2);
  for (const Racer& racer : racers) EXPECT_TRUE(racer.started);
  EXPECT_GT(racers[0].seconds, 2 * racers[2].seconds);
  EXPECT_GT(racers[1].seconds, 2 * racers[2].seconds);
}

// Both are as fast, for all that was known of the task; then one of them says that it will take long.
TEST_F(RaceTest, TimeGoesToThoseThatExpectToEnd) {
  options.jobs = 1;
  fast = 2;
  SharedPredictions predictions(2);
  prediction_of = [&](size_t number) { return predictions.of(number); };
  enter("hopeless", [](Env& env) {
    env.expect(RuntimePrediction::kLong);
    return never_ends(env);
  });
  enter("open", never_ends);
  const std::vector<Racer> racers = run(2);
  EXPECT_GT(racers[1].seconds, 2 * racers[0].seconds);
}

// What began before the race goes on: the engine itself would never end.
TEST_F(RaceTest, AHeadStartIsNotLost) {
  enter("first", never_ends);
  enter("slow", never_ends);
  Limits limits;
  SilentEnv env(options, limits);
  for (const bool throws : {false, true}) {
    const auto answer = [&]() -> Result {
      if (throws) throw Bug("a wheel came off");
      return proof(env);
    };
    HeadStart begun{engines[0].get(), 1, 0.001,
                    ForkedChild([&](int file) { write_all(file, answer_bytes(answer)); })};
    kill(begun.child.process(), SIGSTOP);
    const std::vector<Candidate> candidates = {{engines[0].get(), ""}, {engines[1].get(), ""}};
    if (throws) {
      EXPECT_THROW(race(candidates, task, env, std::move(begun)), Bug);
      continue;
    }
    const std::vector<Racer> racers = race(candidates, task, env, std::move(begun));
    ASSERT_TRUE(racers[0].result);
    EXPECT_EQ(racers[0].result->verdict(), Verdict::kVerified);
    EXPECT_GE(racers[0].seconds, 1);
  }
}

// An engine that lies: what the comparison is for.
TEST_F(RaceTest, AContradictionIsABug) {
  enter("right", proof);
  enter("wrong", proof);
  Limits limits;
  SilentEnv env(options, limits);
  std::vector<Racer> racers(2);
  for (size_t i = 0; i < 2; ++i) {
    racers[i].engine = engines[i].get();
    racers[i].result = proof(env);
  }
  EXPECT_NO_THROW(require_agreement(racers, task));
  racers[1].result->conclusion = Unknown();
  EXPECT_NO_THROW(require_agreement(racers, task));
  racers[1].result->conclusion = TraceCounterexample();
  try {
    require_agreement(racers, task);
    FAIL();
  } catch (const Bug& bug) {
    for (const char* part : {"lock.fl", "errors", "sc", "right says verified", "wrong says violated"})
      EXPECT_NE(std::string(bug.what()).find(part), std::string::npos) << bug.what();
  }
}

// One that claims a counterexample which is none does not get far either.
TEST_F(RaceTest, ACounterexampleIsCheckedAgain) {
  enter("wrong", [](Env&) {
    Result result;
    TraceCounterexample claimed;
    claimed.replay.ok = true;
    result.conclusion = claimed;
    return result;
  });
  enter("slow", never_ends);
  EXPECT_THROW(run(), Bug);
}

TEST_F(RaceTest, ACrashIsABug) {
  enter("crashes", [](Env&) -> Result {
    raise(SIGSEGV);
    return {};
  });
  enter("slow", never_ends);
  EXPECT_THROW(run(), Bug);
}

TEST_F(RaceTest, WhatIsThrownIsABug) {
  enter("throws", [](Env&) -> Result { throw Bug("a wheel came off"); });
  enter("slow", never_ends);
  try {
    run();
    FAIL();
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("a wheel came off"), std::string::npos) << bug.what();
  }
}

class PortfolioTest : public ::testing::Test {
 protected:
  Verification verify_text(const std::string& text, const std::string& model, Schedule schedule) {
    program = frontend::parse_fl({"test.fl", text});
    property = property::properties_to_check(program, options).front();
    Limits limits;
    return verify({program, fences, memory_model(model), property}, options, limits, schedule);
  }

  Options options;
  FenceSet fences;
  Program program;
  Property property;
};

TEST_F(PortfolioTest, SameVerdictsWhateverTheSchedule) {
  for (const Schedule schedule : {Schedule::kSideBySide, Schedule::kAtOnce, Schedule::kInTurn})
    for (const uint64_t jobs : {1, 2}) {
      options.jobs = jobs;
      EXPECT_EQ(verify_text(kLock, "tso", schedule).result.verdict(), Verdict::kVerified);
      EXPECT_EQ(verify_text(kStoreBuffering, "sc", schedule).result.verdict(), Verdict::kVerified);
      const Verification violated = verify_text(kStoreBuffering, "tso", schedule);
      EXPECT_EQ(violated.result.verdict(), Verdict::kViolated);
      ASSERT_NE(violated.result.replay(), nullptr);
      EXPECT_TRUE(violated.result.replay()->ok);
    }
}

TEST_F(PortfolioTest, AnExecutionComesFromAnotherProcess) {
  options.jobs = 2;
  options.engine = "sat";
  const Verification here = verify_text(kStoreBuffering, "rmo", Schedule::kAtOnce);
  ASSERT_NE(here.result.execution_counterexample(), nullptr);
  const Task task{program, fences, memory_model("rmo"), property};
  const Result there = from_bytes(to_bytes(here.result), task);
  ASSERT_NE(there.execution_counterexample(), nullptr);
  EXPECT_TRUE(there.execution_counterexample()->check.ok);
  EXPECT_EQ(there.execution_counterexample()->execution.events.size(),
            here.result.execution_counterexample()->execution.events.size());
}

TEST_F(PortfolioTest, ItReportsWhichEngineAndWhy) {
  const Verification done = verify_text(kLock, "tso", Schedule::kSideBySide);
  EXPECT_EQ(done.engine, "explicit");
  EXPECT_EQ(done.why, "the engine with the highest priority");
  ASSERT_GT(done.runs.size(), 1U);
  EXPECT_EQ(done.runs[0].engine, "explicit");
  EXPECT_EQ(done.runs[0].outcome, "verified");
  EXPECT_EQ(done.runs[1].outcome, "not started");
  options.engine = "automata";
  EXPECT_EQ(verify_text(kLock, "tso", Schedule::kSideBySide).why, "selected with --engine");
}

// Buffers grow without bound for all that is known of single threads, and the state space is small.
TEST_F(PortfolioTest, SmallTasksAreDecidedByAFirstLook) {
  const std::string text =
      "shared int x = 0, go = 0; thread P { while (go == 0) { x = 1; } } property p: always (x != 1);";
  const Verification looked = verify_text(text, "tso", Schedule::kSideBySide);
  EXPECT_EQ(looked.result.verdict(), Verdict::kViolated);
  EXPECT_EQ(looked.engine, "explicit");
  EXPECT_EQ(looked.why, "the task is small");
  // No certificate comes with it.
  options.certify = Certify::kAlways;
  EXPECT_NE(verify_text(text, "tso", Schedule::kSideBySide).engine, "explicit");
}

// On most machines more states than a head start is enough for: a copy of the process goes on with them.
TEST_F(PortfolioTest, TheFirstEngineGoesOnInACopy) {
  const std::string text =
      "shared int a = 0, b = 0, c = 0; thread P[i in 0..3] { int r = 0; r = a; a = (r + i) % 7; r = b; "
      "b = (r + a) % 7; r = c; c = (r + b) % 7; r = a; b = r; } property p: always (c < LIMIT);";
  for (const uint64_t jobs : {1, 2})
    for (const auto& [limit, verdict] : {std::pair("7", Verdict::kVerified), {"6", Verdict::kViolated}}) {
      options.jobs = jobs;
      std::string program_text = text;
      program_text.replace(text.find("LIMIT"), 5, limit);
      const Verification done = verify_text(program_text, "tso", Schedule::kSideBySide);
      EXPECT_EQ(done.result.verdict(), verdict);
      EXPECT_EQ(done.result.replay() != nullptr && done.result.replay()->ok, verdict == Verdict::kViolated);
    }
}

// Twelve threads that draw numbers: no engine comes to an end soon.
TEST_F(PortfolioTest, ALimitIsAReason) {
  const std::string text =
      "shared int x = 0; thread P[i in 0..11] { int r = 0; while (true) { r = x; x = (r * 7 + i) % 1000; } } "
      "property p: always (x != -1);";
  for (const Schedule schedule : {Schedule::kSideBySide, Schedule::kAtOnce}) {
    program = frontend::parse_fl({"test.fl", text});
    property = property::properties_to_check(program, options).front();
    Limits limits(0.5);
    const Verification done =
        verify({program, fences, memory_model("tso"), property}, options, limits, schedule);
    EXPECT_EQ(done.result.verdict(), Verdict::kUnknown);
    EXPECT_NE(done.result.reason, "");
  }
}

TEST_F(PortfolioTest, NoEngineSupportsIt) {
  options.engine = "numeric";
  options.deadlock = true;
  program = frontend::parse_fl({"test.fl", kLock});
  property = property::properties_to_check(program, options).back();
  Limits limits;
  const Verification done = verify({program, fences, memory_model("tso"), property}, options, limits);
  EXPECT_TRUE(done.result.is_unknown(UnknownReason::kUnsupported));
  EXPECT_EQ(done.engine, "");
  EXPECT_NE(done.result.reason, "");
}

}  // namespace
}  // namespace fenceline::engine
