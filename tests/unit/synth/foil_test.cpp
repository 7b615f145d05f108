// SPDX-License-Identifier: GPL-3.0-or-later
//
// FOIL's rule with the queue engine, on programs so small that the last reordering is known beforehand.
#include "synth/foil.h"

#include <gtest/gtest.h>

#include "engine/portfolio/portfolio.h"
#include "unit/synth/synth_testing.h"

namespace fenceline::synth {
namespace {

using testing::InferenceCase;
using Outcome = Synthesis::Outcome;
using Texts = std::vector<std::string>;

const std::vector<FenceKinds> kAnyKind = {FenceKinds::store_store(), FenceKinds::load_load(),
                                          FenceKinds::load_store(), FenceKinds::store_load()};

constexpr const char* kMessage =
    "shared int data, ready;\n"
    "thread P {\n"
    "  data = 1;\n"
    "  ready = 1;\n"
    "}\n"
    "thread Q {\n"
    "  int r = ready;\n"
    "  int s = data;\n"
    "}\n"
    "property passed: finally (Q.r == 0 || Q.s == 1);\n";

class Rule {
 public:
  Rule(const std::string& text, const std::string& model, Positions positions = Positions::kAll)
      : case_(text, model, positions) {}

  Synthesis infer(std::vector<FenceKinds> weaker = kAnyKind) const {
    SynthesisTask task = case_.task();
    task.weaker = std::move(weaker);
    task.verify = [this](const Task& query) { return verify(query); };
    return infer_by_last_reordering(task);
  }

  // "sfence after data = 1;"
  Texts fences(const Synthesis& found) const {
    Texts texts;
    if (found.placements.empty()) return {"none was found: " + found.reason};
    for (const PlacedFence& fence : found.placements.front())
      texts.push_back(to_string(fence.kinds) + " after " + case_.candidates()[fence.position].after);
    return texts;
  }

  // Of the two accesses that were reordered; the second is of the statement that gets the fence.
  std::vector<uint32_t> lines(const LearnedClause& learned) const {
    const auto& [thread, first, second] = learned.reordering;
    const Thread& code = program().thread(thread);
    EXPECT_EQ(case_.candidates()[learned.positions.at(0)].pos.line, code.at(second).pos.line);
    return {code.at(first).pos.line, code.at(second).pos.line};
  }

  const Program& program() const { return case_.program(); }

 private:
  Result verify(const Task& query) const {
    Limits limits;
    EXPECT_EQ(engine::engine_called("queue").unsupported_reason(query), "");
    return engine::verify_by("queue", query, Options(), limits);
  }

  InferenceCase case_;
};

TEST(LastReordering, NothingIsNeeded) {
  const Synthesis found = Rule(kMessage, "tso").infer();
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements, (std::vector<Placement>{{}}));
  EXPECT_EQ(found.statistics.iterations, 1u);
  EXPECT_TRUE(found.minimal());
  EXPECT_NE(found.minimality, Minimality::kNotClaimed);
}

TEST(LastReordering, AStoreOvertakesAStore) {
  const Rule rule(kMessage, "pso");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(rule.fences(found), (Texts{"sfence after data = 1;"}));
  EXPECT_EQ(rule.fences(rule.infer({})), (Texts{"fence after data = 1;"}));
  EXPECT_EQ(found.statistics.iterations, 2u);
  EXPECT_EQ(found.results.size(), 1u);
  EXPECT_FALSE(found.minimal());
  EXPECT_EQ(found.minimality, Minimality::kNotClaimed);
  ASSERT_EQ(found.learned.size(), 1u);
  const LearnedClause& learned = found.learned.front();
  EXPECT_EQ(learned.kind, LearnedClause::Kind::kReordering);
  EXPECT_EQ(rule.lines(learned), (std::vector<uint32_t>{4, 3}));
  EXPECT_EQ(learned.kinds, FenceKinds::store_store());
}

TEST(LastReordering, ALoadOvertakesALoad) {
  const Rule rule(kMessage, "rmo-ctrl");
  EXPECT_EQ(rule.fences(rule.infer()), (Texts{"sfence after data = 1;", "lfence after int r = ready;"}));
}

TEST(LastReordering, ALoadOvertakesAStore) {
  const Rule rule(
      "shared int x, y;\n"
      "thread P { int r; x = 1; r = y; }\n"
      "thread Q { int r; y = 1; r = x; }\n"
      "property sb: finally (P.r == 1 || Q.r == 1);\n",
      "tso");
  EXPECT_EQ(rule.fences(rule.infer()),
            (Texts{"fence(store-load) after x = 1;", "fence(store-load) after y = 1;"}));
}

TEST(LastReordering, AStoreOvertakesALoad) {
  const Rule rule(
      "shared int x, y;\n"
      "thread P { int r; r = x; y = 1; }\n"
      "thread Q { int r; r = y; x = 1; }\n"
      "property lb: finally (P.r == 0 || Q.r == 0);\n",
      "rmo-ctrl");
  // One is enough for lb: the other thread alone closes no cycle.
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kFound);
  for (const std::string& fence : rule.fences(found)) EXPECT_TRUE(fence.starts_with("fence(load-store)"));
}

// Nothing overtakes the store to x, but the read is over before it takes effect. So it gets a fence, which
// does not help: no thread reads x, and nothing protects g.
TEST(LastReordering, AStoreIsLateForTheEndOfItsRead) {
  const Rule rule(
      "const variables = 1;\n"
      "transaction M { shared int x; transactional int g[variables]; local int l;\n"
      "  read(v) { fence; l = g[v];\n"
      "    x = 1;\n"
      "    rfin; }\n"
      "  write(v) { g[v] = 1; } end { commit; } abort { abort; }\n"
      "  client { read(0); read(0); end; } client { write(0); end; } }\n"
      "property p: opacity;\n",
      "tso");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kImpossible);
  EXPECT_EQ(found.statistics.iterations, 2u);
  ASSERT_EQ(found.learned.size(), 1u);
  EXPECT_EQ(rule.lines(found.learned.front()), (std::vector<uint32_t>{5, 4}));
  EXPECT_EQ(found.learned.front().kinds, FenceKinds::full());
}

// A read-modify-write counts as what the other access is.
TEST(LastReordering, ReadModifyWrites) {
  const Rule behind_store(
      "shared int data, ready;\n"
      "thread P { int o; data = 1; o = xchg(ready, 1); }\n"
      "thread Q { int r, s; r = ready; s = data; }\n"
      "property passed: finally (Q.r == 0 || Q.s == 1);\n",
      "pso");
  EXPECT_EQ(behind_store.fences(behind_store.infer()), (Texts{"sfence after data = 1;"}));
  const Rule all_three(
      "shared int data, ready, seen;\n"
      "thread P { int o, p; o = xchg(data, 1); p = xchg(ready, 1); }\n"
      "thread Q { int r, s; r = fetch_add(ready, 0); s = data; }\n"
      "property passed: finally (Q.r == 0 || Q.s == 1);\n",
      "rmo-ctrl");
  EXPECT_EQ(all_three.fences(all_three.infer()),
            (Texts{"sfence after o = xchg(data, 1);", "lfence after r = fetch_add(ready, 0);"}));
}

// x is overtaken by a store and by a load, so the fence behind it gets both kinds.
TEST(LastReordering, KindsAreJoined) {
  const Rule rule(
      "shared int x, y, z;\n"
      "thread P { int r; x = 1; y = 1; r = z; }\n"
      "thread Q { int s; z = 1; fence; s = x; }\n"
      "thread R { int t, u; t = y; u = x; }\n"
      "property sb: finally (P.r == 1 || Q.s == 1);\n"
      "property mp: finally (R.t == 0 || R.u == 1);\n",
      "pso");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(rule.fences(found), (Texts{"fence(store-load, store-store) after x = 1;"}));
  EXPECT_EQ(found.results.size(), 2u);
}

// The load is not the last step of its statement.
TEST(LastReordering, TheFenceIsBehindTheWholeStatement) {
  const Rule rule(
      "shared int data, ready, r, s;\n"
      "thread P { data = 1; fence; ready = 1; }\n"
      "thread Q { r = ready; s = data; }\n"
      "property passed: finally (r == 0 || s == 1);\n",
      "rmo-ctrl", Positions::kStores);
  EXPECT_EQ(rule.fences(rule.infer()), (Texts{"lfence after r = ready;"}));
}

// Of an artificial trace: b takes effect before a, later e before c and d, and then nothing overtakes.
TEST(LastReordering, TheLastStepAndTheFirstOfWhatItOvertook) {
  const InferenceCase stores(
      "shared int a, b, c, d, e;\n"
      "thread P { a = 1; b = 1; c = 1; d = 1; e = 1; }\n"
      "property p: finally (e == 1);\n",
      "pso");
  std::vector<Point> points;  // by statement
  for (const CandidatePosition& position : stores.candidates())
    points.push_back(position.points.front().second);
  Replay run;
  run.ok = run.queues = true;
  const auto step = [&](StepKind kind, size_t statement, std::vector<size_t> overtaken = {}) {
    ReplayedStep& added = run.steps.emplace_back();
    added.step.thread = ThreadId(0);
    added.step.kind = kind;
    added.step.point = points[statement];
    added.overtaken = std::move(overtaken);
  };
  for (size_t statement = 0; statement < 5; ++statement) step(StepKind::kExecute, statement);
  step(StepKind::kPerform, 1, {0});
  step(StepKind::kPerform, 0);
  step(StepKind::kPerform, 4, {2, 3});
  step(StepKind::kPerform, 2);
  step(StepKind::kPerform, 3);
  SynthesisTask task = stores.task();
  task.verify = [&](const Task& query) {
    Result result;
    result.conclusion = Proof();
    if (query.fences.empty()) result.conclusion = TraceCounterexample{.trace = {}, .replay = run};
    return result;
  };
  const Synthesis found = infer_by_last_reordering(task);
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.placements, (std::vector<Placement>{{{2, FenceKinds::full()}}}));
}

// ---- Where the rule ends without an answer

TEST(LastReordering, NothingIsOvertaken) {
  const Rule rule(
      "shared int x;\n"
      "thread P[i in 0..1] { int r = x; x = r + 1; }\n"
      "property both: finally (x == 2);\n",
      "pso");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kImpossible);
  EXPECT_EQ(found.statistics.iterations, 1u);
  EXPECT_EQ(found.reason, "no access overtakes another in this counterexample, so no fence prevents it");
}

// The counterexample was found with a fence of the overlay, and is shown without it.
TEST(LastReordering, NothingIsOvertakenBehindAFence) {
  const Rule rule(
      "shared int data, ready, x;\n"
      "thread P { int o; data = 1; ready = 1; o = x; x = o + 1; }\n"
      "thread Q { int r, s, o; r = ready; s = data; o = x; x = o + 1; }\n"
      "property passed: finally (Q.r == 0 || Q.s == 1);\n"
      "property both: finally (x == 2);\n",
      "pso");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kImpossible);
  EXPECT_EQ(found.property, 1u);
  EXPECT_EQ(found.learned.size(), 1u);
  ASSERT_EQ(found.results.size(), 1u);
  ASSERT_TRUE(found.results.front().replay());
  EXPECT_TRUE(found.results.front().replay()->ok);
  EXPECT_FALSE(found.results.front().shortest());
  for (const TraceStep& step : found.results.front().trace()->steps)
    EXPECT_LT(step.point.index(), rule.program().thread(step.thread).code.size());
}

TEST(LastReordering, NoCandidateInACondition) {
  const Rule rule(
      "shared int data, ready;\n"
      "thread P { data = 1; fence; ready = 1; }\n"
      "thread Q {\n"
      "  int r;\n"
      "  if (ready > data) r = 1;\n"
      "}\n"
      "property passed: finally (Q.r == 0);\n",
      "rmo-ctrl");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.reason, "Q does line 5 before line 5, and there is no candidate position between them");
  ASSERT_EQ(found.results.size(), 1u);
  EXPECT_EQ(found.results.front().verdict(), Verdict::kUnknown);
}

TEST(LastReordering, NoCandidateAtThesePositions) {
  const Synthesis found = Rule(kMessage, "rmo-ctrl", Positions::kStores).infer();
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_NE(found.reason.find("Q does line 8 before line 7"), std::string::npos) << found.reason;
}

TEST(LastReordering, AFenceThatIsThereAlready) {
  const Rule rule(
      "shared int data, ready;\n"
      "thread P { data = 1; fence; ready = 1; }\n"
      "thread Q { int r = ready - data; }\n"
      "property passed: finally (Q.r != 1);\n",
      "rmo-ctrl");
  const Synthesis found = rule.infer();
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.reason, "Q does line 3 before line 3, although there is already a fence after line 3");
}

TEST(LastReordering, AnEngineWithoutAnAnswer) {
  const InferenceCase message(kMessage, "pso");
  SynthesisTask task = message.task();
  task.verify = [](const Task&) {
    Result result;
    result.reason = "the time limit of 1 s was reached";
    return result;
  };
  const Synthesis found = infer_by_last_reordering(task);
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.reason, "the time limit of 1 s was reached");
  EXPECT_TRUE(found.placements.empty());
  EXPECT_EQ(found.results.size(), 1u);
}

}  // namespace
}  // namespace fenceline::synth
