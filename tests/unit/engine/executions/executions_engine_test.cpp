// SPDX-License-Identifier: GPL-3.0-or-later
//
// The executions engine as users meet it: verdicts, checked counterexamples, and every reason for `unknown`. That it never
// contradicts the other engines is for tests/fuzz/fuzz_executions.cpp.
#include "engine/executions/executions_engine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/axiomatic/execution_checker.h"
#include "engine/executions/smaller_execution.h"
#include "engine/sat/options.h"
#include "env/errors.h"
#include "model/cat/cat.h"
#include "unit/engine/verification_task.h"

namespace fenceline::executions {
namespace {

class ExecutionsTask {
 public:
  explicit ExecutionsTask(const std::string& text) : program_(frontend::parse_fl({"test.fl", text})) {}

  Options options;
  Limits limits;

  // Of the n-th access of a thread, from 0.
  ExecutionsTask& tagged(size_t thread, size_t n, const std::string& tag) {
    for (Instruction& i : program_.threads[thread].code)
      if (i.is_memory_access() && n-- == 0) i.tags = {tag};
    return *this;
  }

  // About the property called `name`.
  std::string unsupported_reason(const std::string& model, const std::string& name = "p") {
    const Property property = property_called(name);
    return engine::engine_called("executions")
        .unsupported_reason({program_, no_fences_, memory_model(model), property});
  }
  Result verify(const std::string& model, const std::string& name = "p") {
    EXPECT_EQ(unsupported_reason(model, name), "");
    const Property property = property_called(name);
    return engine::verify_by("executions", {program_, no_fences_, memory_model(model), property}, options,
                             limits);
  }

 private:
  Property property_called(const std::string& name) const {
    for (const Property& property : property::properties_to_check(program_, options))
      if (property.name == name) return property;
    throw Bug("the program has no property " + name);
  }

  const FenceSet no_fences_;
  Program program_;
};

double figure(const Result& result, const std::string& name) {
  for (const auto& [key, value] : result.statistics.figures)
    if (key == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return -1;
}

// With a trace where there is a machine, else with an execution.
void expect_violated(const Result& result) {
  ASSERT_EQ(result.verdict(), Verdict::kViolated) << result.reason;
  if (const TraceCounterexample* found = result.trace_counterexample(); found != nullptr) {
    EXPECT_TRUE(found->replay.ok);
    return;
  }
  ASSERT_NE(result.execution_counterexample(), nullptr);
  EXPECT_TRUE(result.execution_counterexample()->check.ok);
}

const std::string kMessagePassing =
    "shared int x, y;\nthread P { x = 1; y = 1; }\nthread Q { int r, s; r = y; s = x; }\n"
    "property p: finally (Q.r == 0 || Q.s == 1);\n";
const std::string kLoadBuffering =
    "shared int x, y;\nthread P { int r; r = x; y = 1; }\nthread Q { int r; r = y; x = 1; }\n"
    "property p: finally (P.r == 0 || Q.r == 0);\n";

// ---- Verdicts

TEST(ExecutionsEngine, MessagePassing) {
  for (const char* model : {"sc", "tso", "x86tso"}) {
    const Result result = ExecutionsTask(kMessagePassing).verify(model);
    EXPECT_EQ(result.verdict(), Verdict::kVerified) << model;
    EXPECT_EQ(figure(result, "executions"), 3) << model;
  }
  for (const char* model : {"pso", "rc11", "armv8", "riscv", "power", "rmo", "relaxed"}) {
    SCOPED_TRACE(model);
    expect_violated(ExecutionsTask(kMessagePassing).verify(model));
  }
}

// Each kind of step: stores that are pending, fences, read-modify-writes, atomic sections, choices, errors in the middle.
TEST(ExecutionsEngine, TracesOfMachines) {
  const char* programs[] = {
      "shared int x, y;\nthread P { int r; x = 1; r = y; }\nthread Q { int r; y = 1; r = x; }\n"
      "property p: finally (P.r == 1 || Q.r == 1);\n",
      "shared int x, y;\nthread P { int r; x = 1; fence(store-store); y = 1; r = xchg(y, 2); }\n"
      "thread Q { int r; r = y; assert(r != 2 || x == 0); }\nproperty p: finally (Q.r != 2);\n",
      "shared int x;\nthread P { int r; atomic { r = x; x = r + 1; } }\n"
      "thread Q { int r; choose { x = 2; } or { havoc r in 0..2; x = r; } }\nproperty p: finally (x != 3);\n",
      "shared int x, a[2];\nthread P { x = 1; x = 2; }\nthread Q { int r, s; r = x; s = a[r]; }\n"
      "property p: finally (Q.s == 0);\n",
      "shared int f, x;\nthread P { x = 1; f = 1; }\nthread Q { int r; while (f == 0) { } r = x; x = 2; }\n"
      "property p: finally (x != 2);\n"};
  for (const char* program : programs)
    for (const char* model : {"sc", "tso", "pso", "x86tso"})
      for (const char* property : {"p", "errors"}) {
        SCOPED_TRACE(std::string(program) + model + property);
        if (property == std::string("errors") && program != programs[1] && program != programs[3]) continue;
        const Result result = ExecutionsTask(program).verify(model, property);
        if (result.verdict() != Verdict::kViolated) continue;
        ASSERT_NE(result.trace_counterexample(), nullptr);
        EXPECT_TRUE(result.trace_counterexample()->replay.ok);
      }
  EXPECT_EQ(ExecutionsTask(programs[0]).verify("tso").trace_counterexample()->trace.steps.size(), 6U);
  expect_violated(ExecutionsTask(programs[1]).verify("pso", "errors"));
  expect_violated(ExecutionsTask(programs[2]).verify("sc"));
  expect_violated(ExecutionsTask(programs[3]).verify("tso", "errors"));
  expect_violated(ExecutionsTask(programs[4]).verify("pso"));
}

// What a thread reads in an atomic section that it does not end has not happened: it races with nothing.
TEST(ExecutionsEngine, ASectionThatDoesNotEnd) {
  ExecutionsTask waits("shared int x;\nthread P { await (x == 1); }\nthread Q { x = 2; assert(1 == 1); }\n");
  waits.tagged(0, 0, "NA").tagged(1, 0, "NA");
  EXPECT_EQ(waits.verify("rc11", "errors").verdict(), Verdict::kVerified);
  ExecutionsTask assumes(
      "shared int x;\nthread P { int r; atomic { r = x; x = 5; assume(r == 7); } }\n"
      "thread Q { int r; r = x; assert(r != 5); }\nproperty p: finally (Q.r != 5);\n");
  EXPECT_EQ(assumes.verify("sc", "errors").verdict(), Verdict::kUnknown);
  EXPECT_EQ(assumes.verify("sc").verdict(), Verdict::kVerified);
}

// ---- Smaller counterexamples

ExecutionSize size_of_counterexample(const Result& result) {
  expect_violated(result);
  return result.execution_counterexample() == nullptr ? ExecutionSize()
                                                      : size_of(result.execution_counterexample()->execution);
}

// A thread that fails needs what is before it in program order and rf: neither the later stores of P, nor R.
TEST(ExecutionsEngine, OnlyWhatAnErrorNeeds) {
  ExecutionsTask task(
      "shared int x, y, z;\nthread P { x = 1; y = 1; y = 2; z = 1; }\nthread R { int r; r = z; y = 3; z = 2; "
      "}\n"
      "thread Q { int r; r = x; assert(r == 0); z = 3; }\n");
  for (const char* model : {"rmo", "riscv", "power"}) {
    const ExecutionSize size = size_of_counterexample(task.verify(model, "errors"));
    EXPECT_EQ(size.threads, 2U) << model;
    EXPECT_EQ(size.events, 2U) << model;
  }
  const Result on_machine = task.verify("tso", "errors");
  ASSERT_NE(on_machine.trace_counterexample(), nullptr);
  EXPECT_EQ(on_machine.trace_counterexample()->trace.steps.size(), 4U);  // store, flush, load, assertion
}

// The test of the test: an execution without what a kept read reads is rejected by the checker.
TEST(ExecutionsEngine, WhatIsLostIsNoticed) {
  const Program program = frontend::parse_fl(
      {"test.fl", "shared int x;\nthread P { x = 1; x = 2; }\nthread Q { int r; r = x; assert(r == 0); }\n"});
  const FenceSet no_fences;
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), {}};
  const Task task{program, no_fences, memory_model("power"), errors};
  Limits limits;
  const Result result = engine::verify_by("executions", task, Options(), limits);
  expect_violated(result);
  Execution execution = result.execution_counterexample()->execution;
  EXPECT_TRUE(check::check_execution(task, axioms_of(task.model), execution).ok);
  execution.events.erase(execution.events.begin() + 1);  // the store of P
  execution.reads_from = {EventId(), EventId(0)};
  execution.coherence = {{EventId(0)}};
  EXPECT_FALSE(check::check_execution(task, axioms_of(task.model), execution).ok);
}

// What a read-modify-write or an atomic section has begun it also ends.
TEST(ExecutionsEngine, SectionsStayWhole) {
  ExecutionsTask task(
      "shared int x, y;\nthread P { int r; r = fetch_add(x, 1); y = 1; atomic { r = y; y = r + 1; } x = 7; "
      "}\n"
      "thread Q { int r; r = y; assert(r != 2); }\n");
  for (const char* model : {"power", "sc", "pso"}) expect_violated(task.verify(model, "errors"));
  EXPECT_EQ(size_of_counterexample(task.verify("power", "errors")).events, 6U);
}

TEST(ExecutionsEngine, OnlyWhatARaceNeeds) {
  ExecutionsTask task(
      "shared int x, y, z;\nthread P { y = 1; x = 1; z = 1; }\nthread Q { int r; r = x; y = 2; z = 2; }\n"
      "thread R { z = 3; assert(1 == 1); }\n");
  for (size_t thread = 0; thread < 3; ++thread)
    for (size_t n = 0; n < 3; ++n) task.tagged(thread, n, "RLX");
  task.tagged(0, 1, "NA").tagged(1, 0, "NA");
  const ExecutionSize size = size_of_counterexample(task.verify("rc11", "errors"));
  EXPECT_EQ(size.threads, 2U);
  EXPECT_EQ(size.events, 3U);
}

// The first violation that is met is not the smallest one.
TEST(ExecutionsEngine, FewerIterations) {
  ExecutionsTask task(
      "shared int x, y;\nthread P { int i; choose { i = 0; } or { i = 3; }\n  while (i < 4) { x = i; i = i + "
      "1; }\n"
      "  y = 1; }\nproperty p: finally (y == 0);\n");
  EXPECT_EQ(size_of_counterexample(task.verify("power")).events, 2U);
}

TEST(ExecutionsEngine, TagsOrder) {
  EXPECT_EQ(ExecutionsTask(kMessagePassing).tagged(0, 1, "REL").tagged(1, 0, "ACQ").verify("rc11").verdict(),
            Verdict::kVerified);
  EXPECT_EQ(ExecutionsTask(kMessagePassing).tagged(0, 1, "L").tagged(1, 0, "A").verify("armv8").verdict(),
            Verdict::kVerified);
  expect_violated(ExecutionsTask(kMessagePassing).tagged(0, 1, "REL").verify("rc11"));
}

// The one execution that violates it has a cycle of program order and rf: a solver finds it.
TEST(ExecutionsEngine, LoadBuffering) {
  for (const char* model : {"sc", "tso", "pso", "rc11"})
    EXPECT_EQ(ExecutionsTask(kLoadBuffering).verify(model).verdict(), Verdict::kVerified) << model;
  for (const char* model : {"armv8", "riscv", "power", "rmo", "relaxed"}) {
    SCOPED_TRACE(model);
    const Result result = ExecutionsTask(kLoadBuffering).verify(model);
    expect_violated(result);
    EXPECT_GT(figure(result, "clauses"), 0);
  }
}

// Where the program excludes such cycles, no solver is needed.
TEST(ExecutionsEngine, DependenciesNeedNoSolver) {
  ExecutionsTask task(
      "shared int x, y;\nthread P { int r; r = x; y = r; }\nthread Q { int r; r = y; x = r; }\n"
      "property p: finally (P.r == 0 && Q.r == 0);\n");
  for (const char* model : {"armv8", "riscv", "power", "rmo"}) {
    const Result result = task.verify(model);
    EXPECT_EQ(result.verdict(), Verdict::kVerified) << model;
    for (const auto& [key, value] : result.statistics.figures) EXPECT_NE(key, "clauses") << model;
  }
}

TEST(ExecutionsEngine, Errors) {
  const std::string text =
      "shared int x, y;\nthread P { x = 1; y = 1; }\n"
      "thread Q { int r, s; r = y; s = x; assert (r == 0 || s == 1); }\n";
  EXPECT_EQ(ExecutionsTask(text).verify("tso", "errors").verdict(), Verdict::kVerified);
  for (const char* model : {"rc11", "armv8"}) {
    SCOPED_TRACE(model);
    const Result result = ExecutionsTask(text).verify(model, "errors");
    expect_violated(result);
    EXPECT_EQ(result.execution_counterexample()->check.failing, ThreadId(1));
  }
}

// Behind the first violation, the write of Q revisits the read of P: Q has failed then, and P has not written yet.
TEST(ExecutionsEngine, AnErrorBesideHalfAnExchange) {
  for (const char* p : {"a = xchg(x, 1);", "choose { a = cas(x, 0, 1); } or { a = x; }"}) {
    const std::string text = std::string("shared int x;\nthread P { int a; ") + p +
                             " }\nthread Q { int b; b = fetch_add(x, 1); assert (false); }\n";
    for (const char* model : {"sc", "tso", "pso", "rc11", "armv8", "power"}) {
      SCOPED_TRACE(text + model);
      const Result result = ExecutionsTask(text).verify(model, "errors");
      EXPECT_EQ(result.verdict(), Verdict::kViolated);
    }
  }
}

TEST(ExecutionsEngine, LocksAndWaits) {
  ExecutionsTask lock(
      "shared int c, l;\nthread P[i in 0..2] { int r; while (cas(l, 0, 1) == 0) { } r = c; c = r + 1; fence; "
      "l = 0; "
      "}\nproperty p: finally (c == 3);\n");
  for (const char* model : {"sc", "tso", "pso"}) {
    const Result result = lock.verify(model);
    EXPECT_EQ(result.verdict(), Verdict::kVerified) << model << result.reason;
    // Six, but for the order of the threads.
    EXPECT_EQ(figure(result, "executions"), 1) << model;
    EXPECT_EQ(figure(result, "symmetric_threads"), 3) << model;
  }
  expect_violated(lock.verify("rc11"));  // relaxed accesses
}

// Every tenth try is another one.
TEST(ExecutionsEngine, WaitsThatCount) {
  const auto waits = [](const std::string& set, const std::string& property) {
    return "shared int x, y;\nthread P { int r, n; r = x; while (r == 0) { n = n + 1; if (n == 10) { n = 0; "
           "} r = x; } "
           "r = y; y = r + 1; }\nthread Q { y = 1; fence; " +
           set + " }\nproperty p: " + property + ";\n";
  };
  for (const char* model : {"sc", "tso", "armv8", "rc11"}) {
    const Result result = ExecutionsTask(waits("x = 1;", "finally (x == 1)")).verify(model);
    EXPECT_EQ(result.verdict(), Verdict::kVerified) << model << result.reason;
    expect_violated(ExecutionsTask(waits("x = 1;", "finally (y == 1)")).verify(model));
  }
}

// ---- Unknown

TEST(ExecutionsEngine, Overflow) {
  ExecutionsTask task(
      "shared int x = 9223372036854775807;\nthread P { int r; r = x; x = r + 1; }\n"
      "property p: finally (x == 0);\n");
  EXPECT_TRUE(task.verify("rc11").is_unknown(UnknownReason::kOverflow));
}

TEST(ExecutionsEngine, AFormulaWithoutAValue) {
  ExecutionsTask task("shared int x;\nthread P { x = 0; }\nproperty p: finally (1 / x == 1);\n");
  EXPECT_TRUE(task.verify("sc").is_unknown(UnknownReason::kUndefined));
}

TEST(ExecutionsEngine, TooManyEvents) {
  ExecutionsTask task(
      "shared int x;\nthread P { int i; while (true) { x = i; i = 1 - i; } }\nproperty p: finally (x == "
      "2);\n");
  const Result result = task.verify("sc");
  ASSERT_TRUE(result.is_unknown(UnknownReason::kBound)) << result.reason;
  EXPECT_EQ(result.unknown()->bound->what, "events");
}

TEST(ExecutionsEngine, Limits) {
  std::string text = "shared int x;\n";
  for (int n = 1; n <= 8; ++n)
    text += "thread P" + std::to_string(n) + " { fetch_add(x, " + std::to_string(n) + "); }\n";
  ExecutionsTask task(text + "property p: finally (x == 36);\n");
  task.limits.interrupt();
  EXPECT_TRUE(task.verify("sc").is_unknown(UnknownReason::kLimit));
}

TEST(ExecutionsEngine, LargeAtomicSections) {
  ExecutionsTask task(
      "shared int x, y;\nthread P {\n  atomic { x = 1; y = 1; }\n}\nproperty p: finally (x == 1);\n");
  const Result result = task.verify("sc");
  EXPECT_TRUE(result.is_unknown(UnknownReason::kUnsupported));
  EXPECT_NE(result.reason.find("line 3"), std::string::npos) << result.reason;
}

TEST(ExecutionsEngine, WhatIsUnsupported) {
  const std::string threads = "shared int x;\nthread P { x = 1; }\n";
  EXPECT_NE(ExecutionsTask(threads + "property p: never (x == 2);\n").unsupported_reason("rc11"), "");
  EXPECT_NE(ExecutionsTask(threads + "property p: always (x < 2);\n").unsupported_reason("rc11"), "");
  EXPECT_NE(ExecutionsTask(threads + "property p: no deadlock;\n").unsupported_reason("rc11"), "");
  const std::string finally = "property p: finally (x == 1);\n";
  EXPECT_EQ(ExecutionsTask(threads + finally).unsupported_reason("rc11"), "");
  EXPECT_NE(ExecutionsTask(threads + finally).unsupported_reason("serial"), "");
  EXPECT_NE(ExecutionsTask("shared int x;\nthread P { x = 1; sync; }\n" + finally).unsupported_reason("tso"),
            "");
  EXPECT_NE(ExecutionsTask("transaction M { shared int lock; transactional int g[variables]; local int l;\n"
                           "read(v) { l = g[v]; rfin; } write(v) { g[v] = 1; } end { commit; } }\n"
                           "property p: opacity;\n")
                .unsupported_reason("sc"),
            "");
}

TEST(ExecutionsEngine, AnUnsupportedPropertyIsUnknown) {
  engine::VerificationTask task("shared int x;\nthread P { x = 1; }\nproperty p: never (x == 2);\n");
  const Property property = property::properties_to_check(task.program(), task.options).front();
  Limits limits;
  const Result result = engine::verify_by(
      "executions", {task.program(), task.fences, memory_model("rc11"), property}, task.options, limits);
  EXPECT_TRUE(result.is_unknown(UnknownReason::kUnsupported)) << result.reason;
}

// ---- Flags

// The reader asserts something that always holds.
const std::string kRace =
    "shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; assert (r >= 0); }\n"
    "property p: finally (x == 1);\n";

TEST(ExecutionsEngine, ADataRaceIsAViolationOfErrors) {
  ExecutionsTask task(kRace);
  task.tagged(0, 0, "NA");
  const Result result = task.verify("rc11", "errors");
  expect_violated(result);
  ASSERT_FALSE(result.execution_counterexample()->check.flags.empty());
  EXPECT_EQ(result.execution_counterexample()->check.flags.front().name, "race");
}

TEST(ExecutionsEngine, ADataRaceLeavesFinalStatesUndefined) {
  ExecutionsTask task(kRace);
  task.tagged(0, 0, "NA");
  const Result result = task.verify("rc11");
  EXPECT_TRUE(result.is_unknown(UnknownReason::kModel)) << result.reason;
  EXPECT_NE(result.reason.find("'race'"), std::string::npos) << result.reason;
}

TEST(ExecutionsEngine, WhatIsNoRace) {
  EXPECT_EQ(ExecutionsTask(kRace).verify("rc11", "errors").verdict(), Verdict::kVerified);
  EXPECT_EQ(ExecutionsTask(kRace).verify("rc11").verdict(), Verdict::kVerified);
  // Other models do not look at the tag.
  EXPECT_EQ(ExecutionsTask(kRace).tagged(0, 0, "NA").verify("armv8", "errors").verdict(), Verdict::kVerified);
  // The flag orders the accesses.
  ExecutionsTask ordered(
      "shared int x, f;\nthread P { x = 1; f = 1; }\nthread Q { int r, s; r = f; assume (r == 1); s = x; "
      "assert (s == 1); }\nproperty p: finally (x == 1);\n");
  ordered.tagged(0, 0, "NA").tagged(1, 1, "NA");
  expect_violated(ordered.verify("rc11", "errors"));
  ordered.tagged(0, 1, "REL").tagged(1, 0, "ACQ");
  EXPECT_EQ(ordered.verify("rc11", "errors").verdict(), Verdict::kVerified);
}

// The read that races is that of a waiting thread, in an execution that is not complete.
TEST(ExecutionsEngine, ARaceOfAThreadThatWaits) {
  for (const char* text :
       {"shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; assume (r == 1); assert (r == 1); }\n",
        "shared int x;\nthread Q { int r; r = x; assume (r == 1); assert (r == 1); }\nthread P { x = 1; }\n",
        "shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; while (r == 0) { r = x; } assert (r == "
        "1); "
        "}\n"}) {
    SCOPED_TRACE(text);
    ExecutionsTask task(text);
    for (size_t thread : {0, 1})
      for (size_t access : {0, 1}) task.tagged(thread, access, "NA");
    expect_violated(task.verify("rc11", "errors"));
  }
}

std::string test_and_set(size_t threads, const std::string& lock, const std::string& fence) {
  std::string text = "shared int l, c;\n";
  for (size_t t = 0; t < threads; ++t)
    text += "thread P" + std::to_string(t) + " { int w, r; " + lock + " fence; r = c; c = r + 1; " + fence +
            " l = 0; }\n";
  return text + "property p: finally (c == " + std::to_string(threads) + ");\n";
}

// Each exchange that finds the lock taken stores what was there. On Power only its own thread can tell.
TEST(ExecutionsEngine, TestAndSetNeedsNoBound) {
  for (const char* lock :
       {"while (true) { w = xchg(l, 1); if (w == 0) break; }", "w = 1; while (w == 1) { w = xchg(l, 1); }",
        "w = xchg(l, 1); while (w == 1) { fence; w = xchg(l, 1); }"})
    for (const char* model : {"sc", "rc11", "rmo", "riscv", "power"}) {
      SCOPED_TRACE(std::string(model) + ": " + lock);
      for (const size_t threads : {2, 3})
        EXPECT_EQ(ExecutionsTask(test_and_set(threads, lock, "fence;")).verify(model).verdict(),
                  Verdict::kVerified);
      if (model == std::string("power") || model == std::string("riscv"))
        expect_violated(ExecutionsTask(test_and_set(2, lock, "")).verify(model));
    }
}

// The thread reads what its exchange has stored before the exchange has read; without the exchange it reads what A stores,
// and then not an older z.
TEST(ExecutionsEngine, AnExchangeThatItsThreadReadsEarly) {
  ExecutionsTask task(
      "shared int x, z[1], f;\nthread A { z[0] = 1; fence; x = 1; }\n"
      "thread Q { int w, b, n, e; while (f == 0) { w = xchg(x, 1); n = n + 1 - w; } b = x; e = z[b - b]; }\n"
      "thread R { f = 1; }\nproperty p: finally (!(Q.n == 0 && Q.b == 1 && Q.e == 0));\n");
  for (const char* model : {"power", "armv8"}) expect_violated(task.verify(model));
}

// Its read and its write are one place of the order in a section. A model whose order of them contradicts the section has no
// execution with it, and is rejected.
TEST(SatSections, AReadModifyWriteAmongOtherAccesses) {
  const Program program = frontend::parse_fl({"test.fl",
                                              "shared int x, y;\n"
                                              "thread P { int r; atomic { r = cas(y, 0, 2); x = 1; } }\n"
                                              "thread Q { y = 1; }\n"
                                              "property p: finally (P.r == 0);\n"});
  const FenceSet no_fences;
  const auto verdict = [&](const char* engine, const MemoryModel& model) {
    Limits limits;
    return engine::verify_by(engine, {program, no_fences, model, program.properties.front()}, Options(),
                             limits)
        .verdict();
  };
  for (const char* model : {"sc", "armv8", "riscv", "power", "rc11"})
    for (const char* engine : {"sat", "enumeration"})
      EXPECT_EQ(verdict(engine, memory_model(model)), Verdict::kViolated) << engine << " on " << model;
  MemoryModel contradictory = memory_model("armv8");
  const CatModel axioms = load_cat({"test.cat",
                                    "acyclic po-loc | rmw | rf | co | fr\n"
                                    "empty rmw & (fre; coe)\n"
                                    "let section = atomic \\ (rmw | rmw^-1)\n"
                                    "acyclic section?; ((rmw | rfe | fre | coe) \\ section); section?\n"});
  contradictory.cat = &axioms;
  EXPECT_EQ(verdict("sat", contradictory), Verdict::kUnknown);
}

}  // namespace
}  // namespace fenceline::executions
