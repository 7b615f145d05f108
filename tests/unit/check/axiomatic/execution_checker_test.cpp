// SPDX-License-Identifier: GPL-3.0-or-later
//
// Correct executions are accepted, others rejected for the right reason.
#include "check/axiomatic/execution_checker.h"

#include <gtest/gtest.h>

#include <map>

#include "frontend/fl/fl.h"
#include "model/cat/cat.h"
#include "report/step_printer.h"
#include "unit/check/axiomatic/execution_case.h"
#include "unit/check/replay/random_runs.h"

namespace fenceline::testing {
namespace {

Scene scene(const std::string& text) { return {frontend::parse_fl({"test.fl", text})}; }

const CatModel& shipped(const std::string& name) {
  static std::map<std::string, CatModel> models;
  const auto found = models.find(name);
  return found != models.end() ? found->second : models[name] = shipped_cat(name);
}

ExecutionCheck check(const Scene& s, const Execution& execution, const char* model) {
  return check::check_execution(s.task(), shipped(model), execution);
}

std::string verdict(const Scene& s, const Execution& execution, const char* model) {
  const ExecutionCheck result = check(s, execution, model);
  EXPECT_EQ(result.ok, result.why_not.empty());
  return result.ok ? "ok" : result.why_not;
}

const char* const kStoreBuffering =
    "shared int x, y;\n"
    "thread P { int r; x = 1; r = y; }\n"
    "thread Q { int s; y = 1; s = x; }\n"
    "property p: finally (!(P.r == 0 && Q.s == 0));\n";

TEST(ExecutionChecker, StoreBuffering) {
  const Scene s = scene(kStoreBuffering);
  const Execution both_zero = execution_by_inputs(s, {{0}, {0}});
  EXPECT_EQ(verdict(s, both_zero, "sc"), "the model forbids it: sc");
  EXPECT_EQ(verdict(s, both_zero, "serial"), "the model forbids it: serial");
  for (const char* model : {"tso", "pso", "rmo", "relaxed"}) EXPECT_EQ(verdict(s, both_zero, model), "ok");
  EXPECT_EQ(verdict(s, execution_by_inputs(s, {{1}, {0}}), "sc"),
            "the formula that must finally hold does hold");

  const ExecutionCheck checked = check(s, both_zero, "tso");
  ASSERT_EQ(checked.events.size(), 6u);
  const report::ExecutionTexts texts =
      report::execution_texts(Overlay(s.program, s.fences), both_zero, checked);
  EXPECT_EQ(texts.events[0], "x = 0 initially");
  EXPECT_EQ(texts.events[2], "x = 1");
  EXPECT_EQ(texts.events[3], "r = y reads 0");
  EXPECT_EQ(checked.events[3].reads_from, EventId(1));
  EXPECT_EQ(checked.events[5].pos.line, 3u);
  EXPECT_EQ(checked.memory, (std::vector<Value>{1, 1}));
  EXPECT_EQ(checked.registers, (std::vector<std::vector<Value>>{{0}, {0}}));
}

TEST(ExecutionChecker, TextsOfEvents) {
  const Scene s = scene(
      "shared int x, y;\n"
      "thread P { int r; x = 1; sfence; r = fetch_add(y, 2); }\n"
      "property p: finally (P.r == 1);\n");
  const Execution execution = execution_by_inputs(s, {{0}});
  const ExecutionCheck checked = check(s, execution, "relaxed");
  ASSERT_TRUE(checked.ok) << checked.why_not;
  EXPECT_EQ(report::execution_texts(Overlay(s.program, s.fences), execution, checked).events,
            (std::vector<std::string>{"x = 0 initially", "y = 0 initially", "x = 1", "sfence",
                                      "r = fetch_add(y, 2) reads 0", "y = 2"}));
}

TEST(ExecutionChecker, FencesOfTheOverlayAreEvents) {
  Scene s = scene(kStoreBuffering);
  s.fences.add(ThreadId(0), Point(0), FenceKinds::full());
  s.fences.add(ThreadId(1), Point(0), FenceKinds::full());
  EXPECT_EQ(execution_by_inputs(s, {{0}, {0}}).events.size(), 8u);
  for (const char* model : {"sc", "tso", "pso", "rmo", "relaxed"})
    EXPECT_EQ(verdict(s, execution_by_inputs(s, {{0}, {0}}), model).substr(0, 20), "the model forbids it");
}

TEST(ExecutionChecker, ErrorsOfAllKinds) {
  const auto errors = [](const std::string& body, const std::vector<Value>& inputs) {
    Scene s = scene("shared int x = 2, a[2]; shared int 0..1 z; thread P { " + body +
                    " } property p: finally (1);");
    s.program.properties.front().kind = PropertyKind::kNoErrors;
    const ExecutionCheck result = check(s, execution_by_inputs(s, {inputs}), "sc");
    return result.ok ? to_string(result.error) : "rejected: " + result.why_not;
  };
  EXPECT_EQ(errors("int r; r = x; assert(r == 0);", {2}), "the assertion fails");
  EXPECT_EQ(errors("int r; r = x; assert(r == 2);", {2}), "rejected: no thread is at an error");
  EXPECT_EQ(errors("int r; r = x; z = r;", {2}), "z = 2 is outside its range 0..1");
  EXPECT_EQ(errors("int r; r = x; r = a[r];", {2}), "index 2 is outside a[0..1]");
  EXPECT_EQ(errors("int 0..1 r; r = x;", {2}), "r = 2 is outside its range 0..1");  // decided by the read
  EXPECT_EQ(errors("int r; r = fetch_add(z, 2);", {0}), "z = 2 is outside its range 0..1");
  EXPECT_EQ(errors("int r; r = x; r = xchg(x, 1 / (r - 2));", {2, 2}), "division by zero");
  EXPECT_EQ(errors("int r; r = x; r = xchg(x, 1 / (r - 2));", {2}), "division by zero");
  EXPECT_EQ(errors("int r; r = x; r = 1 << (0 - r);", {2}), "shift by -2");
  EXPECT_EQ(errors("int i; i = 0; while (true) { assert(i != 3); i = i + 1; }", {}), "the assertion fails");
  EXPECT_EQ(errors("int r; atomic { r = x; assert(r != 2); }", {2}), "the assertion fails");
}

TEST(ExecutionChecker, OtherThreadsMayBeAnywhereButInASection) {
  const auto verdict_of = [](const std::string& other, const std::vector<Value>& inputs) {
    Scene s = scene("shared int x, y; thread P { int r; r = x; assert(r == 0); } thread Q { " + other +
                    " } property p: finally (1);");
    s.program.properties.front().kind = PropertyKind::kNoErrors;
    return verdict(s, execution_by_inputs(s, {{1}, inputs}), "tso");
  };
  EXPECT_EQ(verdict_of("int r; x = 1; r = y; r = y;", {}), "ok");
  EXPECT_EQ(verdict_of("int r; x = 1; r = y; assume(r != 0);", {0}), "ok");
  EXPECT_EQ(verdict_of("int r; atomic { x = 1; r = y; assume(r != 0); }", {0}),
            "Q stops inside an atomic section");
}

TEST(ExecutionChecker, NeverAndAlways) {
  const std::string threads = "shared int x; thread P { int r; x = 1; r = x; l: skip; } ";
  const Scene at_labels = scene(threads + "property p: never (P@l && P.r == 1);");
  Execution at_label = execution_by_inputs(at_labels, {{1}});
  for (size_t point = 0; point < at_labels.program.threads[0].code.size(); ++point)
    if (at_labels.program.threads[0].code[point].label == "l") at_label.locations[0] = Point(point);
  EXPECT_EQ(verdict(at_labels, at_label, "tso"), "ok");
  EXPECT_EQ(verdict(at_labels, execution_by_inputs(at_labels, {{1}}), "tso"),
            "the formula that must never hold does not hold");
  const Scene memory = scene(threads + "property p: always (x == 0);");
  EXPECT_EQ(verdict(memory, at_label, "tso"),
            "an execution does not show what is in memory in the middle of it");
  EXPECT_EQ(verdict(memory, execution_by_inputs(memory, {{1}}), "tso"), "ok");
  Scene deadlock = scene(threads + "property p: no deadlock;");
  EXPECT_EQ(verdict(deadlock, at_label, "tso"),
            "an execution does not show whether some step is still possible");
}

TEST(ExecutionChecker, WhatItDoesNotSupport) {
  const Scene sync = scene("shared int x; thread P { x = 1; sync; } property p: finally (0);");
  EXPECT_EQ(verdict(sync, execution_by_inputs(sync, {{}}), "tso").substr(0, 5), "sync,");
  const Scene large = scene(
      "shared int x; thread P { int r; r = x; r = fetch_add(x, 9223372036854775807); } property p: finally "
      "(0);");
  Execution claim = execution_by_inputs(large, {{0}});
  claim.events.push_back({EventKind::kRead, ThreadId(0), Point(1), 1, CellId(0), 1});
  claim.reads_from.push_back(EventId(0));
  EXPECT_EQ(verdict(large, claim, "sc"), "a value does not fit into 64 bits");
}

// ---- Executions of the machine

// Lets all stores reach memory.
Trace drained(const Scene& s, Trace trace, Rng& rng) {
  for (;;) {
    const Replay so_far = check::replay(s.task(), trace);
    std::vector<TraceStep> possible;
    for (size_t t = 0; t < s.program.threads.size(); ++t)
      for (size_t c = 0; c < s.program.cell_count; ++c) {
        TraceStep flush;
        flush.thread = ThreadId(t);
        flush.kind = StepKind::kFlush;
        flush.cell = CellId(c);
        trace.steps.push_back(flush);
        if (check::replay(s.task(), trace).steps.size() == trace.steps.size()) possible.push_back(flush);
        trace.steps.pop_back();
      }
    if (possible.empty()) return trace;
    trace.steps.push_back(possible[rng.below(possible.size())]);
  }
}

TEST(ExecutionChecker, BelievesWhatTheMachineDoes) {
  Rng rng(5);
  for (const char* model : {"sc", "tso", "pso"}) {
    const Scene s = everything().on(model);
    size_t accepted = 0;
    for (int round = 0; round < 60; ++round) {
      const Replay run = check::replay(s.task(), drained(s, random_run(s, rng, 5 + rng.below(30)), rng));
      if (!run.ok) continue;  // it stops inside an atomic section
      ++accepted;
      const Execution execution = execution_of(s, run);
      const ExecutionCheck result = check(s, execution, model);
      ASSERT_TRUE(result.ok) << model << ": " << result.why_not;
      EXPECT_EQ(result.memory, run.memory);
      EXPECT_EQ(result.registers, run.registers);
      // Weaker models allow it, too.
      for (const char* weaker : {"tso", "pso"}) {
        if (std::string(model) == "pso" && std::string(weaker) == "tso") continue;
        EXPECT_EQ(verdict(s, execution, weaker), "ok") << model << " " << weaker;
      }
    }
    EXPECT_GT(accepted, 20u) << model;
  }
}

// ---- Damage

// Changes one thing. The execution is not what it was; false if chance found nothing to change.
bool damage(Execution& e, Rng& rng) {
  const size_t victim = rng.below(e.events.size());
  Event& event = e.events[victim];
  switch (rng.below(13)) {
    case 0:
      event.value += rng.between(1, 2);
      return event.kind != EventKind::kFence;
    case 1:
      event.cell = CellId((event.cell.index() + 1) % 3);
      return event.kind != EventKind::kFence;
    case 2:
      event.kind = static_cast<EventKind>((static_cast<int>(event.kind) + 1 + rng.below(2)) % 3);
      return true;
    case 3:
      event.position += 1;
      return event.thread.valid();
    case 4:
      event.point = Point(event.point.index() + 1);
      return event.thread.valid();
    case 5:
      event.thread = ThreadId(event.thread.valid() ? event.thread.index() + 1 : 0);
      return true;
    case 6: {
      const EventId other = rng.chance(20) ? EventId() : EventId(rng.below(e.events.size() + 2));
      if (other == e.reads_from[victim]) return false;
      e.reads_from[victim] = other;
      return true;
    }
    case 7: {
      auto& order = e.coherence[rng.below(e.coherence.size())];
      if (rng.chance(30)) {
        order.pop_back();
      } else if (rng.chance(50)) {
        order.emplace_back(rng.below(e.events.size() + 1));
      } else {
        order[0] = EventId(rng.below(e.events.size()) + 3);
      }
      return true;
    }
    case 8:
      if (e.choices[1].empty()) return false;
      e.choices[1].back() += 1;
      return true;
    case 9:
      e.choices[rng.below(2)].push_back(0);
      return true;
    case 10:
      e.locations[rng.below(2)] = Point(0);
      return true;
    case 11:
      if (victim < 3 && rng.chance(50)) return false;
      e.events.erase(e.events.begin() + static_cast<std::ptrdiff_t>(victim));
      e.reads_from.erase(e.reads_from.begin() + static_cast<std::ptrdiff_t>(victim));
      return true;
    default:
      switch (rng.below(4)) {
        case 0:
          e.reads_from.pop_back();
          return true;
        case 1:
          e.coherence.pop_back();
          return true;
        case 2:
          e.choices.pop_back();
          return true;
        default:
          e.locations.pop_back();
          return true;
      }
  }
}

TEST(ExecutionChecker, DamagedExecutionsAreRejected) {
  // All that is left open is forced: there is one execution with these values, and it is the violation.
  Scene s = scene(
      "shared int x, y, z;\n"
      "thread P { int r, t; x = 1; r = y; fence; t = fetch_add(z, 5); }\n"
      "thread Q { int s, c; havoc c in 3..4; y = c; s = x; atomic { c = c + y; z = 7; } }\n"
      "property p: finally (!(P.r == 0 && Q.s == 0 && z == 12 && Q.c == 6));\n");
  const Execution good = execution_by_inputs(s, {{0, 7}, {3, 0, 3}});
  Execution true_order = good;
  std::swap(true_order.coherence[2][1], true_order.coherence[2][2]);  // z: Q's 7, then P's 12
  ASSERT_EQ(verdict(s, true_order, "tso"), "ok");
  EXPECT_EQ(verdict(s, good, "tso").substr(0, 20), "the model forbids it");
  Rng rng(11);
  for (int round = 0; round < 20000; ++round) {
    Execution damaged = true_order;
    if (!damage(damaged, rng)) continue;
    ASSERT_NE(verdict(s, damaged, "tso"), "ok") << round;
    for (uint64_t more = rng.below(3);
         more > 0 && !damaged.events.empty() && damaged.choices.size() == 2 &&
         damaged.locations.size() == 2 && damaged.coherence.size() == 3 &&
         damaged.reads_from.size() == damaged.events.size() && !damaged.coherence[0].empty() &&
         !damaged.coherence[1].empty() && !damaged.coherence[2].empty();
         --more)
      damage(damaged, rng);
    verdict(s, damaged, "tso");  // whatever its text, there is one
  }
}

}  // namespace
}  // namespace fenceline::testing
