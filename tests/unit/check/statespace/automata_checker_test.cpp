// SPDX-License-Identifier: GPL-3.0-or-later
//
// Automata certificates written by hand for small programs: each is accepted as it is, and rejected, with the
// right reason, after each of many small changes. Then things that are no certificates at all. What does not
// depend on the form of buffers is in certificate_properties_test.cpp.
#include "check/check_certificate.h"
#include "unit/check/statespace/certificate_case.h"
#include "unit/peterson.h"

namespace fenceline::testing {
namespace {

const Letter kBar = Letter::barrier();

// ---- A thread that stores for ever
// -------------------------------------------------------------------------

// P stores 1 and 0 in turn. The pending stores are 1s and 0s in turn as well: it begins with what memory has not, and
// ends with what was stored last.
struct Endless {
  explicit Endless(const char* model)
      : subject(parse("shared int x; thread P { while (true) { x = 1; x = 0; } } property p: never (x == 2);",
                      model)) {
    // By first and last letter; if they differ the word may be empty.
    for (const Value first : {0, 1})
      for (const Value last : {0, 1}) {
        const Letter begin{0, first, false}, other{0, 1 - first, false};
        certificate.automata.push_back(
            {{{first != last, {{begin, 1}}}, {first == last, {{other, 2}}}, {first != last, {{begin, 1}}}}});
      }
    const Thread& thread = subject.program.threads[0];
    Value last = 0;
    std::vector<bool> seen(thread.code.size());
    for (Point point = thread.entry; !seen[point.index()]; point = thread.at(point).next[0]) {
      seen[point.index()] = true;
      for (const Value memory : {0, 1})
        certificate.states.push_back(
            {{point}, {memory}, {{}}, {{static_cast<uint32_t>(2 * (1 - memory) + last)}}});
      if (thread.at(point).kind == InstrKind::kStore) last = 1 - last;
    }
  }
  Case subject;
  AutomataCertificate certificate;
};

class AutomataEndless : public ::testing::TestWithParam<const char*> {};

TEST_P(AutomataEndless, IsAccepted) {
  const Endless endless(GetParam());
  EXPECT_EQ(endless.subject.verdict(endless.certificate), "ok");
  for (const ConcreteState& state : explore(endless.subject.task(), 6, 1000).states)
    EXPECT_TRUE(means(endless.certificate, state, endless.subject.task()));
}

TEST_P(AutomataEndless, EveryStateIsNeeded) {
  const Endless endless(GetParam());
  for (size_t i = 0; i < endless.certificate.states.size(); ++i) {
    AutomataCertificate less = endless.certificate;
    less.states.erase(less.states.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(contains(endless.subject.verdict(less), "subsumed")) << i;
    for (const Value memory : {2, 3}) {
      AutomataCertificate damaged = endless.certificate;
      damaged.states[i].memory[0] = memory;
      EXPECT_NE(endless.subject.verdict(damaged), "ok") << i;
    }
  }
}

TEST_P(AutomataEndless, EveryEdgeAndEveryFlagMatters) {
  const Endless endless(GetParam());
  const auto& automata = endless.certificate.automata;
  for (size_t a = 0; a < automata.size(); ++a)
    for (size_t s = 0; s < automata[a].states.size(); ++s) {
      const auto verdict = [&](auto change) {
        AutomataCertificate damaged = endless.certificate;
        change(damaged.automata[a].states[s], damaged.automata[a].states[s].edges[0]);
        return endless.subject.verdict(damaged);
      };
      EXPECT_TRUE(contains(verdict([](auto& state, auto&) { state.accepting ^= true; }), "subsumed"));
      EXPECT_TRUE(contains(verdict([](auto& state, auto&) { state.edges.clear(); }), "subsumed"));
      const std::string to_first = verdict([](auto&, auto& edge) { edge.to = 0; });
      EXPECT_TRUE(s == 1 ? to_first == "ok" : contains(to_first, "subsumed"));  // the first is like the third
      EXPECT_TRUE(contains(verdict([](auto&, auto& edge) { edge.letter.value = 2; }), "subsumed"));
      EXPECT_TRUE(contains(verdict([](auto&, auto& edge) { edge.letter.value ^= 1; }), "subsumed"));
      EXPECT_TRUE(contains(verdict([](auto&, auto& edge) { edge.to = 3; }), "leads to no state"));
      EXPECT_TRUE(contains(verdict([](auto&, auto& edge) { edge.letter.variable = 1; }), "no cell 1"));
      EXPECT_TRUE(
          contains(verdict([](auto& state, auto& edge) { state.edges.push_back(edge); }), "sorted set"));
    }
}

TEST_P(AutomataEndless, MoreIsAcceptedIfItIsClosed) {
  const Endless endless(GetParam());
  AutomataCertificate certificate = endless.certificate;
  certificate.states.push_back(certificate.states.front());
  EXPECT_EQ(endless.subject.verdict(certificate), "ok");
  const Letter one{0, 1, false}, zero{0, 0, false}, two{0, 2, false};
  for (Automaton& automaton : certificate.automata) automaton = {{{true, {{zero, 0}, {one, 0}}}}};
  EXPECT_EQ(endless.subject.verdict(certificate), "ok");
  for (Automaton& automaton : certificate.automata) automaton.states[0].edges.push_back({two, 0});
  EXPECT_TRUE(contains(endless.subject.verdict(certificate), "after P has flushed a store"));
}

INSTANTIATE_TEST_SUITE_P(Models, AutomataEndless, ::testing::Values("tso", "pso"),
                         [](const auto& model) { return model.param; });

// ---- Many words in one state
// -------------------------------------------------------------------------------

// The state of `subject` at the instruction of this kind, with memory 0 and these words in the only queue.
SymbolicState state_at(const Case& subject, InstrKind kind, uint32_t automaton) {
  const ConcreteState start = initial(subject.task());
  SymbolicState state{start.locations, start.memory, {}, {{automaton}}};
  state.registers.emplace_back(start.registers[0].begin(), start.registers[0].end());
  const auto& code = subject.program.threads[0].code;
  while (code[state.locations[0].index()].kind != kind)
    state.locations[0] = code[state.locations[0].index()].next[0];
  return state;
}

TEST(AutomataChecker, AStateThatContainsADeadlockIsBadThoughItHasSteps) {
  const Case subject =
      parse("shared int x; thread P { x = 1; await(x == 1); } property p: no deadlock;", "tso");
  AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  certificate.automata.push_back(only({{}, {{0, 1, false}}}));
  certificate.states.push_back(
      state_at(subject, InstrKind::kAtomicBegin, static_cast<uint32_t>(certificate.automata.size() - 1)));
  EXPECT_TRUE(contains(subject.verdict(certificate), "it is a deadlock"));
  certificate.automata.back() = only({{{0, 1, false}}});
  EXPECT_EQ(subject.verdict(certificate), "ok");
}

TEST(AutomataChecker, AStateThatContainsAFinalOneIsLookedAtAsFinal) {
  const Case subject = parse("shared int x; thread P { x = 1; } property p: finally (x == 1);", "tso");
  AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  certificate.automata.push_back(only({{}, {{0, 1, false}}}));
  certificate.states.push_back(
      state_at(subject, InstrKind::kHalt, static_cast<uint32_t>(certificate.automata.size() - 1)));
  EXPECT_TRUE(contains(subject.verdict(certificate), "must finally hold does not hold"));
}

TEST(AutomataChecker, AStateWithoutWordsRepresentsNothing) {
  const Case subject = parse("shared int x; thread P { x = 1; } property p: never (x == 2);", "tso");
  AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  certificate.automata.push_back({});
  certificate.automata.push_back({{{false, {{{0, 1, false}, 0}}}}});
  for (const size_t back : {1, 2}) {
    SymbolicState state = certificate.states.front();
    state.memory[0] = 2;
    state.queues[0][0] = static_cast<uint32_t>(certificate.automata.size() - back);
    certificate.states.push_back(state);
  }
  EXPECT_EQ(subject.verdict(certificate), "ok");
  certificate.automata.back().states[0].accepting = true;
  EXPECT_TRUE(contains(subject.verdict(certificate), "must never hold does hold"));
  AutomataCertificate lost = subject.reachable<AutomataCertificate>();
  for (Automaton& automaton : lost.automata) automaton.states.clear();
  EXPECT_EQ(subject.verdict(lost), "the initial state: it is not subsumed");
}

// The value that fails must not hide the one that does not; each reads with the words in which it is newest.
TEST(AutomataChecker, ALoadHasAResultForEachNewestValue) {
  const Case subject = parse(
      "shared int x; thread P { int 0..1 r; choose { x = 1; } or { x = 2; } r = x; }"
      "property p: finally (1);",
      "tso");
  AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  certificate.automata.push_back(only({{{0, 1, false}}, {{0, 2, false}}, {}}));
  const auto merged = static_cast<uint32_t>(certificate.automata.size() - 1);
  const SymbolicState before_load = state_at(subject, InstrKind::kLoad, merged);
  std::erase_if(certificate.states, [&](const SymbolicState& state) {
    return state.locations == before_load.locations && state.memory[0] == 0;
  });
  certificate.states.push_back(before_load);
  EXPECT_TRUE(
      contains(subject.verdict(certificate), "not subsumed"));  // an empty buffer, and nothing was stored
  certificate.automata.back() = only({{{0, 1, false}}, {{0, 2, false}}});
  EXPECT_EQ(subject.verdict(certificate), "ok");
  std::erase_if(certificate.states, [&](const SymbolicState& state) {
    return state.registers[0][0] == 1 && state.memory[0] == 0;
  });
  EXPECT_TRUE(contains(subject.verdict(certificate),
                       "after P has executed its instruction the state is not subsumed"));
}

// ---- Mutual exclusion
// --------------------------------------------------------------------------------------

TEST(AutomataChecker, Peterson) {
  for (const char* model : {"tso", "pso"}) {
    Case subject = parse(kPeterson, model);
    bool complete = false;
    EXPECT_NE(subject.verdict(close_symbolically(subject.task(), 1, 2000, complete)), "ok");
    for (size_t t = 0; t < 2; ++t)
      for (size_t p = 0; p < subject.program.threads[t].code.size(); ++p)
        if (subject.program.threads[t].code[p].kind == InstrKind::kStore)
          subject.fences.add(ThreadId(t), Point(p), FenceKinds::full());
    EXPECT_EQ(subject.verdict<AutomataCertificate>(), "ok");
    const auto fenced = close_symbolically(subject.task(), 3, 20000, complete);
    EXPECT_TRUE(complete);
    EXPECT_EQ(subject.verdict(fenced), "ok");
  }
}

// ---- Barriers, marks
// ---------------------------------------------------------------------------------------

constexpr const char* kMessagePassing =
    "shared int x, y; thread P { x = 1; sfence; y = 1; } thread Q { int r, s; r = y; s = x; }"
    "property p: finally (!(Q.r == 1 && Q.s == 0));";

TEST(AutomataChecker, BarriersMatter) {
  const Case subject = parse(kMessagePassing, "pso");
  const AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  size_t barriers = 0;
  for (size_t a = 0; a < certificate.automata.size(); ++a)
    for (size_t s = 0; s < certificate.automata[a].states.size(); ++s) {
      const auto& edges = certificate.automata[a].states[s].edges;
      if (edges.empty() || edges[0].letter != kBar) continue;
      ++barriers;
      AutomataCertificate damaged = certificate;  // without this barrier
      damaged.automata[a].states[s] = damaged.automata[a].states[edges[0].to];
      EXPECT_NE(subject.verdict(damaged), "ok");
      damaged = certificate;  // with any number of barriers
      auto& twice = damaged.automata[a].states;
      twice.push_back({false, {{kBar, edges[0].to}}});
      twice[s].edges[0].to = static_cast<uint32_t>(twice.size() - 1);
      EXPECT_NE(subject.verdict(damaged), "ok");
    }
  EXPECT_GT(barriers, 2u);
}

// What is not normal may be in a certificate beside what is, but replaces nothing.
TEST(AutomataChecker, CommonBarriersSubsumeNothing) {
  const Case subject = parse(kMessagePassing, "pso");
  AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  const uint32_t barrier = static_cast<uint32_t>(certificate.automata.size());
  certificate.automata.push_back(only({{kBar}}));
  const auto drained = [](const SymbolicState& state) { return state.queues[0][0] == state.queues[0][1]; };
  const auto found = std::find_if(certificate.states.begin() + 1, certificate.states.end(), drained);
  ASSERT_NE(found, certificate.states.end());
  found->queues[0] = {barrier, barrier};
  EXPECT_TRUE(contains(subject.verdict(certificate), "not subsumed"));
}

TEST(AutomataChecker, AnotherModelNeedsAnotherCertificate) {
  const Case pso = parse(kMessagePassing, "pso"), tso = parse(kMessagePassing, "tso"),
             sc = parse(kMessagePassing, "sc");
  EXPECT_EQ(tso.verdict<AutomataCertificate>(), "ok");
  EXPECT_EQ(sc.verdict<AutomataCertificate>(), "ok");
  EXPECT_TRUE(contains(pso.verdict(sc.reachable<AutomataCertificate>()), "0 queues, and not 2"));
  EXPECT_TRUE(contains(pso.verdict(tso.reachable<AutomataCertificate>()), "1 queues, and not 2"));
  EXPECT_TRUE(contains(sc.verdict(tso.reachable<AutomataCertificate>()), "1 queues, and not 0"));
  EXPECT_TRUE(contains(tso.verdict(pso.reachable<AutomataCertificate>()), "a barrier where"));
  const std::string unfenced =
      "shared int x, y; thread P { x = 1; y = 1; } thread Q { int r, s; r = y; s = x; }"
      "property p: finally (!(Q.r == 1 && Q.s == 0));";
  EXPECT_EQ(parse(unfenced, "tso").verdict<AutomataCertificate>(), "ok");
  EXPECT_TRUE(
      contains(parse(unfenced, "pso").verdict<AutomataCertificate>(), "must finally hold does not hold"));
}

TEST(AutomataChecker, MarksMatter) {
  const Case subject = parse(
      "shared int x, y; thread P { int r; x = 1; fence(store-load); r = y; } thread Q { int r; y = 1;"
      "fence(store-load); r = x; } property p: finally (!(P.r == 0 && Q.r == 0));",
      "pso");
  const AutomataCertificate certificate = subject.reachable<AutomataCertificate>();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  size_t marked = 0;
  for (size_t a = 0; a < certificate.automata.size(); ++a)
    for (size_t s = 0; s < certificate.automata[a].states.size(); ++s) {
      if (certificate.automata[a].states[s].edges.empty()) continue;
      AutomataCertificate damaged = certificate;
      bool& mark = damaged.automata[a].states[s].edges[0].letter.marked;
      marked += mark ? 1 : 0;
      mark = !mark;
      EXPECT_NE(subject.verdict(damaged), "ok");
    }
  EXPECT_GT(marked, 0u);
}

// ---- What is no certificate
// --------------------------------------------------------------------------------

TEST(AutomataChecker, CellsWithoutQueues) {
  const Case subject = parse(
      "shared int x, y; thread P { x = 1; sfence; x = 2; sfence; x = 3; } thread Q { int r; r = y; }"
      "property p: never (y == 1);",
      "pso");
  const AutomataCertificate good = subject.reachable<AutomataCertificate>();
  EXPECT_EQ(subject.verdict(good), "ok");
  const auto without = [&](size_t thread, size_t cell) {
    AutomataCertificate changed = good;
    for (SymbolicState& state : changed.states) state.queues[thread][cell] = SymbolicState::kNoQueue;
    return subject.verdict(changed);
  };
  EXPECT_EQ(without(0, 1), "ok");  // P never stores to y: barriers there mean nothing
  EXPECT_EQ(without(1, 0), "ok");
  EXPECT_TRUE(contains(without(0, 0), "a store to cell 0, which has no queue"));
  AutomataCertificate mixed = good;
  mixed.states.front().queues[0][1] = SymbolicState::kNoQueue;
  EXPECT_TRUE(contains(subject.verdict(mixed), "not subsumed"));
  const Case tso = parse("shared int x; thread P { x = 1; } property p: finally (x == 1);", "tso");
  AutomataCertificate only_queue = tso.reachable<AutomataCertificate>();
  for (SymbolicState& state : only_queue.states) state.queues[0][0] = SymbolicState::kNoQueue;
  EXPECT_TRUE(contains(tso.verdict(only_queue), "the only queue is missing"));
}

TEST(AutomataChecker, MalformedStates) {
  const Case subject = parse(
      "shared int x, y; thread P { int r; x = 1; x = 2; y = 1; atomic { r = x; } }"
      "property p: finally (1);",
      "pso");
  const AutomataCertificate good = subject.reachable<AutomataCertificate>();
  EXPECT_EQ(subject.verdict(good), "ok");
  EXPECT_EQ(subject.verdict(AutomataCertificate()), "the initial state: it is not subsumed");
  const auto with = [&](auto change) {
    AutomataCertificate bad = good;
    bad.automata.push_back(only({{{0, 1, false}}}));
    bad.states.push_back(good.states.front());
    change(bad.states.back());
    return subject.verdict(bad);
  };
  using State = SymbolicState&;
  EXPECT_EQ(with([](State) {}), "ok");
  EXPECT_TRUE(contains(with([](State s) { s.locations.clear(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.queues.clear(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.queues.emplace_back(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.registers.emplace_back(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.memory.pop_back(); }), "cells"));
  EXPECT_TRUE(contains(with([](State s) { s.registers[0].clear(); }), "registers"));
  EXPECT_TRUE(contains(with([](State s) { s.locations[0] = Point(1000); }), "no point"));
  EXPECT_TRUE(contains(with([](State s) { s.locations[0] = Point(); }), "no point"));
  EXPECT_TRUE(contains(with([](State s) { s.queues[0].pop_back(); }), "1 queues, and not 2"));
  EXPECT_TRUE(contains(with([](State s) { s.queues[0].clear(); }), "0 queues, and not 2"));
  EXPECT_TRUE(contains(with([](State s) { s.queues[0][1] = 1000; }), "there is no automaton 1000"));
  EXPECT_TRUE(contains(with([](State s) { s.queues[0][1] = ~1u; }), "there is no automaton"));
  const auto last = static_cast<uint32_t>(good.automata.size());
  EXPECT_TRUE(contains(with([&](State s) { s.queues[0][1] = last; }),
                       "a store to cell 0 is pending in the queue of cell 1"));
  const auto& code = subject.program.threads[0].code;
  for (size_t p = 0; p < code.size(); ++p)
    if (code[p].kind == InstrKind::kAtomicEnd || code[p].kind == InstrKind::kLoad) {
      EXPECT_TRUE(contains(with([&](State s) { s.locations[0] = Point(p); }), "inside an atomic section"));
    }
}

TEST(AutomataChecker, MalformedAutomata) {
  const char* const text =
      "shared int x; shared int 0..1 y; thread P { x = 1; y = 1; } property p: finally (1);";
  for (const char* model : {"sc", "tso", "pso"}) {
    const Case subject = parse(text, model);
    const AutomataCertificate good = subject.reachable<AutomataCertificate>();
    const auto with = [&](Automaton automaton) {  // even if no state needs it
      AutomataCertificate bad = good;
      bad.automata.push_back(std::move(automaton));
      return subject.verdict(bad);
    };
    const auto edges = [&](std::vector<Automaton::Edge> list) { return with({{{true, std::move(list)}}}); };
    const bool pso = subject.model == "pso";
    EXPECT_EQ(with({}), "ok");
    EXPECT_EQ(edges({{{0, 1, false}, 0}, {{1, 1, false}, 0}}), "ok");
    EXPECT_TRUE(contains(edges({{{0, 1, false}, 1}}), "leads to no state"));
    EXPECT_TRUE(contains(edges({{{0, 1, false}, ~0u}}), "leads to no state"));
    EXPECT_TRUE(contains(edges({{{1, 1, false}, 0}, {{0, 1, false}, 0}}), "not a sorted set"));
    EXPECT_TRUE(contains(edges({{{0, 1, false}, 0}, {{0, 1, false}, 0}}), "not a sorted set"));
    EXPECT_TRUE(contains(edges({{{2, 1, false}, 0}}), "there is no cell 2"));
    EXPECT_TRUE(contains(edges({{{1, 2, false}, 0}}), "y = 2 is outside its range"));
    EXPECT_EQ(edges({{{0, 2, true}, 0}}) == "ok", pso);
    EXPECT_EQ(edges({{kBar, 0}}) == "ok", pso);
    EXPECT_TRUE(contains(edges({{{Letter::kBarrier, 1, false}, 0}}), "a barrier"));
    EXPECT_TRUE(contains(edges({{{Letter::kBarrier, 0, true}, 0}}), "a barrier"));
  }
}

TEST(AutomataChecker, GivesUpWhereAutomataGrowTooLarge) {
  const Case subject = parse(
      "shared int x; thread P { while (true) { choose { x = 0; } or { x = 1; } or { fence(store-load); } } }"
      "property p: finally (1);",
      "pso");
  // See QueueLanguages.LimitsAreKept.
  AutomataCertificate certificate = subject.of<AutomataCertificate>({{initial(subject.task())}});
  Automaton& automaton = certificate.automata.emplace_back();
  automaton.states.push_back({false, {{{0, 0, false}, 0}, {{0, 0, true}, 1}, {{0, 1, false}, 0}}});
  for (uint32_t s = 1; s < 24; ++s)
    automaton.states.push_back({false, {{{0, 0, false}, s + 1}, {{0, 1, false}, s + 1}}});
  automaton.states.push_back({true, {}});
  certificate.states.insert(certificate.states.begin(), state_at(subject, InstrKind::kChoose, 1));
  const auto& choose = subject.program.threads[0].at(certificate.states[0].locations[0]);
  certificate.states[0].locations[0] = choose.next[2];
  certificate.automata.push_back({{{true, {}}}});  // what is left after flushes
  for (const Letter letter : {Letter{0, 0, false}, Letter{0, 0, true}, Letter{0, 1, false}})
    certificate.automata.back().states[0].edges.push_back({letter, 0});
  for (const Value memory : {0, 1}) {
    certificate.states.push_back(certificate.states[0]);
    certificate.states.back().memory[0] = memory;
    certificate.states.back().queues[0][0] = 2;
  }
  Limits limits(0.05);
  const check::CertificateCheck check = check::check_certificate(subject.task(), certificate, limits);
  EXPECT_TRUE(check.gave_up) << check.why_not;
  EXPECT_FALSE(check.ok);
}

}  // namespace
}  // namespace fenceline::testing
