// SPDX-License-Identifier: GPL-3.0-or-later
//
// Certificates written by hand, correct and damaged. Accepting a damaged one is the worst error here, so each
// certificate is damaged in many respects.
#include <gtest/gtest.h>

#include "check/check_certificate.h"
#include "unit/check/numeric/numeric_case.h"

namespace fenceline::testing {
namespace {

// ---- A counter that grows for ever
// -------------------------------------------------------------------------

// P adds one to x again and again. States: at the load, and at the store with x in the register.
struct Counter {
  Case subject;
  NumericCertificate certificate;

  explicit Counter(const char* property = "always (x >= 0)")
      : subject(parse(std::string("shared int x; thread P { int r; while (true) { r = x; x = r + 1; } }"
                                  "thread Q { int s; while (true) { s = x; } }"
                                  "property p: ") +
                          property + ";",
                      "sc")),
        certificate(empty(subject)) {
    for (const InstrKind p : {InstrKind::kBranch, InstrKind::kLoad, InstrKind::kStore})
      for (const InstrKind q : {InstrKind::kBranch, InstrKind::kLoad}) {
        if (!has(0, p) || !has(1, q)) continue;
        NumericState state = state_of(subject, {first_of(subject, 0, p), first_of(subject, 1, q)});
        project_registers(state);
        state.dimensions = 1;
        state.memory[0] = dimension(0);
        state.disjuncts = {{at_least_zero({{0, 1}}, 0)}};
        if (p == InstrKind::kStore) {
          state.registers[0][register_of_load()] = dimension(1);
          state.dimensions = 2;
          state.disjuncts[0].push_back(zero({{0, 1}, {1, -1}}, 0));
        }
        certificate.states.push_back(state);
      }
  }

  bool has(size_t thread, InstrKind kind) const {
    for (const Instruction& i : subject.program.threads[thread].code)
      if (i.kind == kind) return true;
    return false;
  }
  size_t register_of_load() const {
    return subject.program.threads[0].at(first_of(subject, 0, InstrKind::kLoad)).dest.reg.index();
  }
};

TEST(NumericChecker, Counter) {
  const Counter counter;
  EXPECT_EQ(counter.subject.verdict(counter.certificate), "ok");
  EXPECT_GT(counter.subject.check(counter.certificate).successors, 3u);
}

TEST(NumericChecker, CounterNeedsAllStates) {
  const Counter counter;
  for (size_t i = 0; i < counter.certificate.states.size(); ++i) {
    NumericCertificate damaged = counter.certificate;
    damaged.states.erase(damaged.states.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(contains(counter.subject.verdict(damaged), "not subsumed")) << i;
    damaged = counter.certificate;
    damaged.states[i].disjuncts.clear();
    EXPECT_TRUE(contains(counter.subject.verdict(damaged), "not subsumed")) << i;
    damaged = counter.certificate;
    damaged.states[i].disjuncts[0].push_back(at_least_zero({{0, -1}}, 100));  // x <= 100
    EXPECT_TRUE(contains(counter.subject.verdict(damaged), "not subsumed")) << i;
    damaged = counter.certificate;
    damaged.states[i].disjuncts[0][0] = at_least_zero({{0, 1}}, 1);  // x >= -1
    EXPECT_NE(counter.subject.verdict(damaged), "ok") << i;
    damaged = counter.certificate;
    damaged.states[i].disjuncts[0][0] = at_least_zero({{0, 1}}, -1);  // x >= 1
    EXPECT_TRUE(contains(counter.subject.verdict(damaged), "not subsumed")) << i;
    damaged = counter.certificate;
    damaged.states[i].memory[0] = number(0);
    EXPECT_TRUE(contains(counter.subject.verdict(damaged), "not subsumed")) << i;
  }
  EXPECT_EQ(counter.subject.verdict(empty(counter.subject)), "the initial state: it is not subsumed");
}

TEST(NumericChecker, CounterNeedsTheProperty) {
  EXPECT_NE(Counter("always (x >= 1)").subject.verdict(Counter("always (x >= 1)").certificate), "ok");
  for (const char* property : {"never (x < 0)", "always (x > -1 || x == 5)", "never (2 * x + 1 < 0)",
                               "always ((x < 0 ? 0 : 1) == 1)", "always (x / 2 >= 0)",
                               "never (x % 3 < 0 || x % 3 > 2)", "always ((x & 7) <= 7)"}) {
    const Counter right(property);
    EXPECT_EQ(right.subject.verdict(right.certificate), "ok") << property;
  }
  for (const char* property :
       {"never (x == 3)", "never (x > 1000)", "always (x != 17)", "always (10 / x < 100)",
        "never (x * x < 0)", "always (1 / x == 5 || 1)", "always (1 % x == 5 || 1)",
        "never ((1 << (x - 1)) && 0)", "always (x / 2 > 0)", "never (x % 3 == 2)", "always ((x & 7) < 7)",
        "never (x)"}) {
    const Counter damaged(property);
    EXPECT_NE(damaged.subject.verdict(damaged.certificate), "ok") << property;
  }
}

TEST(NumericChecker, CounterNeedsItsCutPoints) {
  const Counter counter;
  const auto& cut_points = counter.certificate.cut_points;
  for (size_t t = 0; t < cut_points.size(); ++t)
    for (size_t p = 0; p < cut_points[t].size(); ++p) {
      if (!cut_points[t][p]) continue;
      NumericCertificate damaged = counter.certificate;
      damaged.cut_points[t][p] = false;
      EXPECT_NE(counter.subject.verdict(damaged), "ok") << t << " " << p;
    }
}

TEST(NumericChecker, UnknownRegisters) {
  const Counter counter;
  for (size_t i = 0; i < counter.certificate.states.size(); ++i) {
    NumericCertificate damaged = counter.certificate;
    const bool needed = damaged.states[i].registers[0][counter.register_of_load()].has_value();
    project_registers(damaged.states[i]);
    EXPECT_EQ(contains(counter.subject.verdict(damaged), "is needed, but its value is not known"), needed);
  }
}

// Dimensions that no value names are there for the constraints only.
TEST(NumericChecker, AuxiliaryDimensions) {
  Counter counter;
  for (NumericState& state : counter.certificate.states) {
    const Dimension more = state.dimensions++;
    state.disjuncts[0][0] = at_least_zero({{more, 1}}, -3);                // a >= 3
    state.disjuncts[0].push_back(at_least_zero({{0, 1}, {more, -1}}, 3));  // x >= a - 3
  }
  EXPECT_EQ(counter.subject.verdict(counter.certificate), "ok");
  for (NumericState& state : counter.certificate.states)
    state.disjuncts[0][0] = at_least_zero({{state.dimensions - 1, 1}}, -2);  // a >= 2
  EXPECT_NE(counter.subject.verdict(counter.certificate), "ok");
}

// A union of pieces, none of which subsumes what comes out.
TEST(NumericChecker, Disjuncts) {
  Counter counter;
  for (NumericState& state : counter.certificate.states) {
    const auto whole = state.disjuncts[0];
    state.disjuncts = {whole, whole};
    state.disjuncts[0].push_back(at_least_zero({{0, -1}}, 5));  // x <= 5
    state.disjuncts[1].push_back(at_least_zero({{0, 1}}, -6));  // x >= 6
  }
  EXPECT_EQ(counter.subject.verdict(counter.certificate), "ok");
  for (NumericState& state : counter.certificate.states)
    state.disjuncts[1].back() = at_least_zero({{0, 1}}, -7);  // x >= 7
  EXPECT_TRUE(contains(counter.subject.verdict(counter.certificate), "not subsumed"));
}

// ---- Tickets
// -----------------------------------------------------------------------------------------------

// Each thread takes a number and waits for its turn; numbers grow for ever. The invariant: turn <= own number
// < next number while a thread waits, and two numbers are different.
constexpr const char* kTicket =
    "shared int next, turn;"
    "thread P { int m; while (true) { m = fetch_add(next, 1); await(turn == m); cs: skip; turn = m + 1; } }"
    "thread Q { int m; while (true) { m = fetch_add(next, 1); await(turn == m); cs: skip; turn = m + 1; } }"
    "property p: never (P@cs && Q@cs);";

// What a thread has at a point: no number, a number to wait with, or its turn.
enum class Has { kNothing, kNumber, kTurn };

Has has_at(const Case& subject, size_t t, size_t p) {
  const InstrKind kind = subject.program.threads[t].code[p].kind;
  if (kind == InstrKind::kAtomicBegin) return Has::kNumber;
  return kind == InstrKind::kMark || kind == InstrKind::kStore ? Has::kTurn : Has::kNothing;
}

// The invariant where the threads have what `of` returns. Dimensions: next, turn, P.m, Q.m.
void constrain_tickets(const Case& subject, const Has (&of)[2], NumericState& state) {
  state.dimensions = 4;
  state.memory = {dimension(0), dimension(1)};
  const auto number_of = [](size_t t) { return static_cast<Dimension>(2 + t); };
  std::vector<LinearConstraint> facts;
  Value numbers = 0;
  for (size_t t = 0; t < 2; ++t) {
    if (of[t] == Has::kNothing) continue;
    ++numbers;
    const size_t reg = subject.program.threads[t].at(first_of(subject, t, InstrKind::kRmw)).dest.reg.index();
    state.registers[t][reg] = dimension(number_of(t));
    if (of[t] == Has::kTurn) facts.push_back(zero({{number_of(t), 1}, {1, -1}}, 0));
  }
  facts.push_back(zero({{0, 1}, {1, -1}}, -numbers));  // next == turn + how many have numbers
  if (numbers == 1) {
    const Dimension one = number_of(of[0] != Has::kNothing ? 0 : 1);
    facts.push_back(zero({{one, 1}, {1, -1}}, 0));
  }
  state.disjuncts = {facts};
  if (numbers < 2) return;
  state.disjuncts.clear();
  for (const size_t first : {0u, 1u}) {
    if (of[1 - first] == Has::kTurn) continue;
    auto& disjunct = state.disjuncts.emplace_back(facts);
    disjunct.push_back(zero({{number_of(first), 1}, {1, -1}}, 0));
    disjunct.push_back(zero({{number_of(1 - first), 1}, {1, -1}}, -1));
  }
}

TEST(NumericChecker, Tickets) {
  const Case subject = parse(kTicket, "sc");
  NumericCertificate certificate;
  certificate.smashed.resize(2);
  certificate.cut_points = all_cut_points(subject);
  for (size_t p = 0; p < certificate.cut_points[0].size(); ++p)
    for (size_t q = 0; q < certificate.cut_points[1].size(); ++q) {
      if (!certificate.cut_points[0][p] || !certificate.cut_points[1][q]) continue;
      const Has of[2] = {has_at(subject, 0, p), has_at(subject, 1, q)};
      if (of[0] == Has::kTurn && of[1] == Has::kTurn) continue;
      NumericState state = state_of(subject, {Point(p), Point(q)});
      project_registers(state);
      constrain_tickets(subject, of, state);
      certificate.states.push_back(state);
    }
  EXPECT_EQ(subject.verdict(certificate), "ok");
  for (size_t i = 0; i < certificate.states.size(); ++i) {
    NumericCertificate damaged = certificate;
    damaged.states.erase(damaged.states.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(subject.verdict(damaged), "ok") << i;
    // Without the number that is the next one, two threads could get the same.
    damaged = certificate;
    for (auto& disjunct : damaged.states[i].disjuncts)
      std::erase_if(disjunct, [](const auto& fact) { return fact.expression.terms.count(0) != 0; });
    EXPECT_NE(subject.verdict(damaged), "ok") << i;
    // Too strong by one.
    for (size_t d = 0; d < certificate.states[i].disjuncts.size(); ++d) {
      damaged = certificate;
      damaged.states[i].disjuncts[d].push_back(at_least_zero({{1, 1}}, -1));  // turn >= 1
      EXPECT_NE(subject.verdict(damaged), "ok") << i;
      damaged.states[i].disjuncts[d].back() = at_least_zero({{0, -1}}, 1000);  // next <= 1000
      EXPECT_NE(subject.verdict(damaged), "ok") << i;
    }
  }
}

// One dimension for two values means that the two are equal.
TEST(NumericChecker, EqualTerms) {
  Counter counter;
  const size_t reg = counter.register_of_load();
  for (NumericState& state : counter.certificate.states)
    if (state.registers[0][reg]) {
      state.registers[0][reg] = dimension(0);
      state.disjuncts[0].pop_back();
    }
  EXPECT_EQ(counter.subject.verdict(counter.certificate), "ok");
  for (NumericState& state : counter.certificate.states) state.registers[0][reg] = dimension(0);
  EXPECT_TRUE(contains(counter.subject.verdict(counter.certificate), "not subsumed"));
}

// ---- Smashed objects
// ---------------------------------------------------------------------------------------

TEST(NumericChecker, SmashedArrays) {
  const char* const text =
      "shared int a[4]; thread P { int i; while (true) { a[i] = i + 1; i = (i < 3 ? i + 1 : 0); } }"
      "thread Q { int s; while (true) { s = a[2]; } } property p: always (Q.s <= 4);";
  for (const char* model : {"sc", "tso", "pso"}) {
    const Case subject = parse(text, model);
    const auto made = [&](Range range, Value largest) {
      NumericCertificate certificate = empty(subject);
      certificate.cut_points = all_cut_points(subject);
      certificate.smashed[0] = range;
      for (size_t p = 0; p < certificate.cut_points[0].size(); ++p)
        for (size_t q = 0; q < certificate.cut_points[1].size(); ++q) {
          NumericState state = state_of(subject, {Point(p), Point(q)});
          for (auto& cell : state.memory) cell.reset();
          state.dimensions = 2;
          for (auto& registers : state.registers)
            for (size_t r = 0; r < registers.size(); ++r) registers[r].reset();
          state.registers[0][0] = dimension(0);
          state.registers[1][0] = dimension(1);
          state.disjuncts = {{at_least_zero({{0, 1}}, 0), at_least_zero({{0, -1}}, largest),
                              at_least_zero({{1, 1}}, 0), at_least_zero({{1, -1}}, range.hi)}};
          certificate.states.push_back(state);
        }
      return subject.verdict(certificate);
    };
    EXPECT_EQ(made({0, 4}, 3), "ok") << model;
    EXPECT_TRUE(contains(made({1, 4}, 3), "not in its range at the start"));
    EXPECT_TRUE(contains(made({5, 4}, 3), "not in its range at the start"));
    EXPECT_TRUE(contains(made({0, 3}, 3), "outside the range that is claimed"));
    EXPECT_TRUE(contains(made({0, 5}, 3), "must always hold may not hold"));
    EXPECT_EQ(made({0, 4}, 4), "ok");  // with 4 it would stay where it is
    EXPECT_NE(made({0, 4}, 2), "ok");
  }
}

// ---- What is no certificate
// --------------------------------------------------------------------------------

TEST(NumericChecker, Malformed) {
  const Case subject = parse(
      "shared int x, y; thread P { int r; x = 1; y = 2; atomic { r = x; } } property p: finally (1);", "pso");
  const NumericCertificate good =
      at_cut_points(subject, explore(subject.task(), 9, 1000), all_cut_points(subject));
  ASSERT_EQ(subject.verdict(good), "ok");
  const auto with = [&](auto change) {
    NumericCertificate bad = good;
    bad.states.push_back(good.states.front());
    change(bad.states.back(), bad);
    return subject.verdict(bad);
  };
  using State = NumericState&;
  using Whole = NumericCertificate&;
  EXPECT_EQ(with([](State, Whole) {}), "ok");
  EXPECT_TRUE(contains(with([](State, Whole c) { c.smashed.pop_back(); }), "objects"));
  EXPECT_TRUE(contains(with([](State, Whole c) { c.cut_points.pop_back(); }), "threads"));
  EXPECT_TRUE(contains(with([](State, Whole c) { c.cut_points[0].pop_back(); }), "points"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.locations.clear(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.buffers.clear(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.registers.emplace_back(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.memory.pop_back(); }), "cells"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.memory[0].reset(); }), "not smashed"));
  EXPECT_TRUE(contains(with([](State, Whole c) { c.smashed[0] = Range{0, 5}; }), "not smashed"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.registers[0].clear(); }), "registers"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.locations[0] = Point(1000); }), "no point"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.locations[0] = Point(); }), "no point"));
  EXPECT_TRUE(contains(with([](State s, Whole) { s.memory[0] = dimension(0); }), "no dimension"));
  EXPECT_TRUE(
      contains(with([](State s, Whole) { s.dimensions = 1, s.memory[0] = dimension(1); }), "no dimension"));
  EXPECT_TRUE(contains(with([](State s, Whole) {
                         s.disjuncts = {{at_least_zero({{7, 1}}, 0)}};
                       }),
                       "no dimension"));
  EXPECT_EQ(with([](State s, Whole) {
              s.dimensions = ~0u, s.disjuncts = {{at_least_zero({{7, 1}}, 0)}};
            }),
            "ok");
  EXPECT_TRUE(contains(with([](State s, Whole) {
                         s.buffers[0].entries = {{CellId(2), number(0)}};
                       }),
                       "no cell"));
  EXPECT_TRUE(contains(with([](State s, Whole) {
                         s.buffers[0].entries = {{CellId(), number(0)}};
                       }),
                       "no cell"));
  EXPECT_TRUE(contains(with([](State s, Whole) {
                         s.buffers[0].entries = {{CellId(0), number(0), 1}};
                       }),
                       "barrier"));
  const size_t begin = first_of(subject, 0, InstrKind::kAtomicBegin).index();
  EXPECT_TRUE(
      contains(with([&](State s, Whole) { s.locations[0] = subject.program.threads[0].code[begin].next[0]; }),
               "inside an atomic section"));
  EXPECT_TRUE(contains(with([&](State, Whole c) { c.cut_points[0][begin] = false; }), "no cut point"));
  const Case deadlock{subject.program, "pso", {}, {"d", PropertyKind::kNoDeadlock, ExprId(), {}}};
  const Task task{deadlock.program, deadlock.fences, memory_model("pso"), deadlock.errors};
  Limits limits;
  EXPECT_FALSE(check::check_certificate(task, good, limits).ok);
}

TEST(NumericChecker, LargeNumbers) {
  Counter counter;
  const Value large = std::numeric_limits<Value>::max();
  for (NumericState& state : counter.certificate.states)
    for (Value factor : {large, large - 1}) state.disjuncts[0].push_back(at_least_zero({{0, factor}}, large));
  EXPECT_EQ(counter.subject.verdict(counter.certificate), "ok");
  const Case subject =
      parse("shared int x; thread P { int r; r = x; x = r << 62; } property p: finally (1);", "sc");
  NumericCertificate certificate =
      at_cut_points(subject, explore(subject.task(), 9, 100), all_cut_points(subject));
  EXPECT_EQ(subject.verdict(certificate), "ok");
}

TEST(NumericChecker, Interrupted) {
  const Counter counter;
  Limits limits;
  limits.interrupt();
  const check::CertificateCheck check =
      check::check_certificate(counter.subject.task(), counter.certificate, limits);
  EXPECT_TRUE(check.gave_up);
  EXPECT_FALSE(check.ok);
}

}  // namespace
}  // namespace fenceline::testing
