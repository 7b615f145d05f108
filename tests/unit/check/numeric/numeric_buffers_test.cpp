// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numeric certificates with pending stores: tails that represent any number of them, correct and damaged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/check/numeric/numeric_case.h"

namespace fenceline::testing {
namespace {

// ---- Pending stores
// ----------------------------------------------------------------------------------------

// P stores larger and larger numbers; any number of them may be pending.
struct Producer {
  Case subject;
  NumericCertificate certificate;

  explicit Producer(const char* model, const char* property = "always (x >= 0)")
      : subject(parse(std::string("shared int x, y; thread P { int i; while (true) { x = i; i = i + 1; } }"
                                  "thread Q { int s; while (true) { s = x; } } property p: ") +
                          property + ";",
                      model)),
        certificate(empty(subject)) {
    certificate.cut_points[0][first_of(subject, 0, InstrKind::kStore).index()] = true;
    // Two dimensions are the values in memory and in the register: 0 <= x <= i; with pending stores, these
    // are between low and high, and the newest is i - 1.
    for (size_t p = 0; p < certificate.cut_points[0].size(); ++p)
      for (size_t q = 0; q < certificate.cut_points[1].size(); ++q)
        for (const bool pending : {false, true}) {
          if (!certificate.cut_points[0][p] || !certificate.cut_points[1][q]) continue;
          NumericState state = state_of(subject, {Point(p), Point(q)});
          state.registers[1][0].reset();
          for (auto& reg : state.registers[1]) reg.reset();
          for (auto& reg : state.registers[0]) reg.reset();
          state.registers[0][0] = dimension(1);
          state.memory[0] = dimension(0);
          state.dimensions = 2;
          state.disjuncts = {{at_least_zero({{0, 1}}, 0), at_least_zero({{1, 1}, {0, -1}}, 0)}};
          if (pending) {
            state.dimensions = 5;
            state.buffers[0].tail = {{CellId(0), dimension(2), dimension(3), dimension(4)}};
            state.disjuncts[0].push_back(zero({{1, 1}, {2, -1}}, -1));          // newest == i - 1
            state.disjuncts[0].push_back(at_least_zero({{3, 1}, {0, -1}}, 0));  // low >= x
            state.disjuncts[0].push_back(at_least_zero({{2, 1}, {4, -1}}, 0));  // high <= newest
          }
          certificate.states.push_back(state);
        }
  }
};

TEST(NumericBuffers, AnyNumberOfStores) {
  for (const char* model : {"tso", "pso"}) {
    const Producer producer(model);
    EXPECT_EQ(producer.subject.verdict(producer.certificate), "ok") << model;
    EXPECT_EQ(Producer(model, "always (x <= P.i)").subject.task().property.kind, PropertyKind::kAlways);
    const Producer damaged(model, "never (x > 3)");
    EXPECT_NE(damaged.subject.verdict(damaged.certificate), "ok");
  }
}

TEST(NumericBuffers, DamagedTails) {
  for (const char* model : {"tso", "pso"}) {
    const Producer producer(model);
    for (size_t i = 0; i < producer.certificate.states.size(); ++i) {
      const auto with = [&](auto change) {
        NumericCertificate damaged = producer.certificate;
        change(damaged.states[i], damaged.states[i].disjuncts[0]);
        return producer.subject.verdict(damaged);
      };
      using State = NumericState&;
      using Facts = std::vector<LinearConstraint>&;
      EXPECT_NE(with([](State s, Facts) { s.disjuncts.clear(); }), "ok");
      EXPECT_NE(with([](State s, Facts) { s.registers[0][0].reset(); }), "ok");
      EXPECT_NE(with([](State, Facts f) { f[0] = at_least_zero({{0, 1}}, 1); }), "ok");
      if (producer.certificate.states[i].buffers[0].tail.empty()) {
        EXPECT_NE(with([](State s, Facts) { s.memory[0] = number(1); }), "ok");
        continue;
      }
      EXPECT_NE(with([](State s, Facts) { s.buffers[0].tail.clear(); }), "ok");
      EXPECT_NE(with([](State, Facts f) { f.push_back(at_least_zero({{3, 1}, {2, -1}}, 0)); }), "ok");
      EXPECT_NE(with([](State, Facts f) { f.push_back(at_least_zero({{3, 1}}, -1)); }), "ok");
      EXPECT_NE(with([](State, Facts f) { f.push_back(at_least_zero({{4, -1}}, 100)); }), "ok");
      EXPECT_NE(with([](State, Facts f) { f.erase(f.begin() + 3); }), "ok");  // low may be anything
      EXPECT_NE(with([](State, Facts f) { f[3] = at_least_zero({{3, 1}}, 1); }), "ok");
      EXPECT_NE(with([](State s, Facts) { s.buffers[0].tail[0].low = number(5); }), "ok");
      EXPECT_NE(with([](State s, Facts) { s.buffers[0].tail[0].high = number(5); }), "ok");
      EXPECT_NE(with([](State s, Facts) { s.buffers[0].tail[0].newest = number(5); }), "ok");
      EXPECT_NE(with([](State s, Facts) { s.buffers[0].tail[0].cell = CellId(1); }), "ok");
      EXPECT_TRUE(contains(with([](State s, Facts) { s.buffers[0].tail[0].cell = CellId(2); }), "no cell"));
      EXPECT_TRUE(contains(with([](State s, Facts) { s.buffers[0].tail.push_back(s.buffers[0].tail[0]); }),
                           "not sorted"));
    }
  }
}

// What is flushed is any of them, or the last one.
TEST(NumericBuffers, FlushesOfTheTail) {
  for (const char* model : {"tso", "pso"})
    for (const Value seen : {0, 1, 2, 3, 4}) {
      const Case subject = parse(
          fmt::format("shared int x; thread P {{ x = 3; x = 1; x = 2; }} property p: never (x == {});", seen),
          model);
      NumericCertificate certificate = empty(subject);
      NumericState state = state_of(subject, {first_of(subject, 0, InstrKind::kHalt)});
      state.buffers[0].tail = {{CellId(0), number(2), number(1), number(3)}};
      certificate.states = {state};
      EXPECT_EQ(subject.verdict(certificate) == "ok", seen == 4) << model << " " << seen;
      certificate.states[0].buffers[0].tail[0].high = number(2);
      EXPECT_TRUE(contains(subject.verdict(certificate), "not subsumed") || (seen < 3 && seen >= 0)) << model;
      certificate.states[0].buffers[0].tail[0] = {CellId(0), number(2), number(2), number(3)};
      EXPECT_NE(subject.verdict(certificate), "ok") << model;
      certificate.states[0].buffers[0].tail[0] = {CellId(0), number(1), number(1), number(3)};
      EXPECT_NE(subject.verdict(certificate), "ok") << model;
    }
}

// All but the newest, that is. To claim it is not enough.
TEST(NumericBuffers, AMonotoneTail) {
  for (const char* model : {"tso", "pso"})
    for (const char* stores : {"x = 1; x = 3; x = 2;", "x = 3; x = 1; x = 2;"})
      for (const bool claim : {true, false}) {
        const bool ascend = std::string_view(stores).starts_with("x = 1");
        const Case subject =
            parse(fmt::format("shared int x; thread P {{ {} }} property p: always (x <= 3);", stores), model);
        NumericCertificate certificate = empty(subject);
        NumericState state = state_of(subject, {first_of(subject, 0, InstrKind::kHalt)});
        state.buffers[0].tail = {{CellId(0), number(2), number(1), number(3), claim}};
        certificate.states = {state};
        EXPECT_EQ(subject.verdict(certificate) == "ok", ascend || !claim) << model << " " << stores << claim;
      }
}

// What is flushed from a monotone tail is never smaller than what was flushed before, but for the newest.
TEST(NumericBuffers, FlushesOfAMonotoneTail) {
  for (const char* model : {"tso", "pso"})
    for (const bool monotone : {true, false}) {
      const Case subject = parse(
          "shared int x; thread P { x = 1; x = 3; x = 2; } thread Q { int a, b; a = x; b = x; done: skip; }"
          "property p: never (Q@done && Q.a == 3 && Q.b == 1);",
          model);
      NumericCertificate certificate = empty(subject);
      certificate.cut_points[1][first_of(subject, 1, InstrKind::kMark).index()] = true;
      const Point halt = first_of(subject, 0, InstrKind::kHalt);
      NumericState begin = state_of(subject, {halt, first_of(subject, 1, InstrKind::kLoad, 0)});
      project_registers(begin);
      begin.buffers[0].tail = {{CellId(0), number(2), number(1), number(3), monotone}};
      certificate.states = {begin};
      for (size_t q = 0; q < certificate.cut_points[1].size(); ++q) {
        if (!certificate.cut_points[1][q] || Point(q) == first_of(subject, 1, InstrKind::kLoad, 0)) continue;
        const bool after_both = Point(q) != first_of(subject, 1, InstrKind::kLoad, 1);
        // a is what memory was. Of those that are pending none is smaller; and so for b.
        NumericState later = begin;
        later.locations[1] = Point(q);
        later.dimensions = after_both ? 4 : 3;
        later.memory[0] = dimension(1);
        later.registers[1][0] = dimension(0);
        if (after_both) later.registers[1][1] = dimension(3);
        later.buffers[0].tail = {{CellId(0), number(2), dimension(2), number(3), monotone}};
        later.disjuncts = {{at_least_zero({{0, 1}}, 0), at_least_zero({{1, 1}, {0, -1}}, 0),
                            at_least_zero({{2, 1}, {1, -1}}, 0), at_least_zero({{2, -1}}, 3)}};
        if (after_both) {
          later.disjuncts[0].push_back(at_least_zero({{3, 1}, {0, -1}}, 0));
          later.disjuncts[0].push_back(at_least_zero({{1, 1}, {3, -1}}, 0));
        }
        certificate.states.push_back(later);
        NumericState last = later;
        last.buffers[0].tail.clear();
        last.memory[0] = number(2);
        last.dimensions = 4;
        // b == 2, or b >= a as before
        last.disjuncts = {{at_least_zero({{0, 1}}, 0), at_least_zero({{0, -1}}, 3)}};
        if (after_both) {
          last.disjuncts.push_back(last.disjuncts[0]);
          last.disjuncts[0].push_back(zero({{3, 1}}, -2));
          last.disjuncts[1].push_back(at_least_zero({{3, 1}, {0, -1}}, 0));
        }
        certificate.states.push_back(last);
      }
      EXPECT_EQ(subject.verdict(certificate) == "ok", monotone)
          << model << ": " << subject.verdict(certificate);
    }
}

TEST(NumericBuffers, TheLastOfTheTail) {
  for (const char* model : {"tso", "pso"})
    for (const Value left : {1, 2, 3}) {
      const Case subject =
          parse(fmt::format(
                    "shared int x; thread P {{ x = 3; x = 1; x = 2; }} property p: finally (x == {});", left),
                model);
      NumericCertificate certificate = empty(subject);
      NumericState state = state_of(subject, {first_of(subject, 0, InstrKind::kHalt)});
      state.buffers[0].tail = {{CellId(0), number(2), number(1), number(3)}};
      certificate.states = {state};
      EXPECT_EQ(subject.verdict(certificate) == "ok", left == 2) << model << " " << left;
    }
}

// A store that comes behind a tail, and what the bounds have to be then.
TEST(NumericBuffers, StoresBehindTheTail) {
  for (const char* model : {"tso", "pso"}) {
    const Case subject = parse(
        "shared int x, y; thread P { int r; x = 2; r = y; x = 5; x = 4; r = y; } property p: always (x <= "
        "5);",
        model);
    const auto verdict = [&](Value newest, Value low, Value high) {
      NumericCertificate certificate = empty(subject);
      for (const bool seen : {true, false})  // the last of the tail may have been flushed before
        for (const Point point :
             {first_of(subject, 0, InstrKind::kLoad, 0), first_of(subject, 0, InstrKind::kLoad, 1),
              first_of(subject, 0, InstrKind::kHalt)}) {
          NumericState state = state_of(subject, {point});
          project_registers(state);
          const bool first = point == first_of(subject, 0, InstrKind::kLoad, 0);
          if (seen && first) continue;
          if (seen) state.memory[0] = number(2);
          if (first)
            state.buffers[0].tail = {{CellId(0), number(2), number(2), number(2)}};
          else if (seen)
            state.buffers[0].entries = {{CellId(0), number(5)}, {CellId(0), number(4)}};
          else
            state.buffers[0].tail = {{CellId(0), number(newest), number(low), number(high)}};
          certificate.states.push_back(state);
        }
      certificate.cut_points[0][first_of(subject, 0, InstrKind::kLoad, 0).index()] = true;
      certificate.cut_points[0][first_of(subject, 0, InstrKind::kLoad, 1).index()] = true;
      return subject.verdict(certificate);
    };
    EXPECT_EQ(verdict(4, 2, 5), "ok") << model;
    EXPECT_EQ(verdict(4, 1, 5), "ok") << model;
    EXPECT_NE(verdict(4, 2, 4), "ok") << model;
    EXPECT_NE(verdict(5, 2, 5), "ok") << model;
    EXPECT_NE(verdict(4, 3, 5), "ok") << model;
    EXPECT_NE(verdict(4, 2, 6), "ok") << model;
    EXPECT_NE(verdict(2, 2, 5), "ok") << model;
  }
}

}  // namespace
}  // namespace fenceline::testing
