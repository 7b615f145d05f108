// SPDX-License-Identifier: GPL-3.0-or-later
//
// Certificates written by hand for small programs: each is accepted as it is, and rejected, with the right
// reason, after each of many small changes. Then things that are no certificates at all. What does not depend
// on the form of buffers is in certificate_properties_test.cpp.
#include <gtest/gtest.h>

#include "unit/check/statespace/certificate_case.h"

namespace fenceline::testing {
namespace {

// ---- A thread that stores for ever
// -------------------------------------------------------------------------

BufferContents ones_and_twos() { return {{}, {{0, {1, 2}, {1, 2}, false, 0, 0, false}}, false}; }

// P stores 1 and 2 again and again. Whatever is pending is somewhere among 1 and 2, whatever was flushed, too.
struct Endless {
  explicit Endless(const char* model)
      : subject(parse("shared int x; thread P { while (true) { choose { x = 1; } or { x = 2; } } }"
                      "property p: never (x == 3);",
                      model)) {
    std::vector<Point> points;
    for (size_t p = 0; p < subject.program.threads[0].code.size(); ++p)
      if (subject.program.threads[0].code[p].kind != InstrKind::kHalt) points.emplace_back(p);
    for (const Point point : points)
      for (const Value memory : {0, 1, 2})
        for (const bool waits : {false, true})
          certificate.states.push_back(
              {{point}, {memory}, {{}}, {waits ? ones_and_twos() : BufferContents()}});
  }
  size_t find(Value memory, bool waits) const {
    for (size_t i = 0; i < certificate.states.size(); ++i)
      if (certificate.states[i].memory[0] == memory && certificate.states[i].buffers[0].tail.empty() != waits)
        return i;
    return 0;
  }
  BufferContents::Tail& tail(size_t i) { return certificate.states[i].buffers[0].tail[0]; }

  Case subject;
  CoherenceCertificate certificate;
};

class CoherenceEndless : public ::testing::TestWithParam<const char*> {};

TEST_P(CoherenceEndless, IsAccepted) {
  const Endless endless(GetParam());
  EXPECT_EQ(endless.subject.verdict(endless.certificate), "ok");
}

TEST_P(CoherenceEndless, EveryStateIsNeeded) {
  const Endless endless(GetParam());
  for (size_t i = 0; i < endless.certificate.states.size(); ++i) {
    CoherenceCertificate less = endless.certificate;
    less.states.erase(less.states.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(contains(endless.subject.verdict(less), "subsumed")) << i;
  }
}

TEST_P(CoherenceEndless, AMemoryValueMatters) {
  Endless endless(GetParam());
  for (CoherenceState& state : endless.certificate.states) {
    const Value before = state.memory[0];
    state.memory[0] = 4;
    EXPECT_TRUE(contains(endless.subject.verdict(endless.certificate), "subsumed"));
    state.memory[0] = 3;
    EXPECT_NE(endless.subject.verdict(endless.certificate), "ok");
    state.memory[0] = before;
  }
  endless.certificate.states.push_back(endless.certificate.states.back());
  EXPECT_EQ(endless.subject.verdict(endless.certificate), "ok");
  endless.certificate.states.back().memory[0] = 3;
  EXPECT_TRUE(contains(endless.subject.verdict(endless.certificate), "must never hold does hold"));
}

TEST_P(CoherenceEndless, TheTailMatters) {
  Endless endless(GetParam());
  const size_t at = endless.find(1, true);
  auto& tail = endless.tail(at);
  const auto original = tail;
  const auto verdict = [&] {
    std::string text = endless.subject.verdict(endless.certificate);
    tail = original;
    return text;
  };
  tail.values = {1};
  EXPECT_TRUE(contains(verdict(), "newest value of a tail is not one of its values"));
  tail.values = tail.newest = {1};
  EXPECT_TRUE(contains(verdict(), "not subsumed"));
  tail.newest = {1};
  EXPECT_TRUE(contains(verdict(), "not subsumed"));
  tail.all_present = true;
  EXPECT_TRUE(contains(verdict(), "not subsumed"));
  tail.values = {1, 2, 3};
  EXPECT_TRUE(contains(verdict(), "not subsumed"));  // the 3 may reach memory
  tail.values = {2, 1};
  EXPECT_TRUE(contains(verdict(), "not a set"));
  tail.values = {1, 1, 2};
  EXPECT_TRUE(contains(verdict(), "not a set"));
  tail.newest = {};
  EXPECT_TRUE(contains(verdict(), "not a set"));
  tail.cell = 1;
  EXPECT_TRUE(contains(verdict(), "there is no cell 1"));
  tail.newest_epoch = tail.oldest_epoch = 7;
  EXPECT_EQ(verdict(), "ok");  // alone it proves nothing
  tail.newest_marked = true;   // on TSO there are no marks
  EXPECT_EQ(verdict() == "ok", std::string(GetParam()) == "tso");
}

INSTANTIATE_TEST_SUITE_P(Models, CoherenceEndless, ::testing::Values("tso", "pso"),
                         [](const auto& model) { return model.param; });

// ---- Barriers, marks
// ---------------------------------------------------------------------------------------

constexpr const char* kMessagePassing =
    "shared int x, y; thread P { x = 1; sfence; y = 1; } thread Q { int r, s; r = y; s = x; }"
    "property p: finally (!(Q.r == 1 && Q.s == 0));";

TEST(CoherenceChecker, BarriersMatter) {
  const Case subject = parse(kMessagePassing, "pso");
  const CoherenceCertificate certificate = subject.reachable();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  size_t with_epochs = 0, pending = 0;
  for (size_t i = 0; i < certificate.states.size(); ++i) {
    const BufferContents& buffer = certificate.states[i].buffers[0];
    CoherenceCertificate damaged = certificate;
    if (buffer.head.size() == 2) {
      ++with_epochs;
      damaged.states[i].buffers[0].head[1].epoch = 9;
      EXPECT_EQ(subject.verdict(damaged), "ok");  // only the order of epochs means something
      damaged.states[i].buffers[0].head[1].epoch = 0;
      EXPECT_NE(subject.verdict(damaged), "ok");
      damaged.states[i].buffers[0].head[0].epoch = 2;
      EXPECT_NE(subject.verdict(damaged), "ok");
      damaged.states[i].buffers[0].head[1].epoch = 0xffffffff;
      EXPECT_TRUE(contains(subject.verdict(damaged), "too large"));
    } else if (buffer.barrier_pending) {
      ++pending;
      damaged.states[i].buffers[0].barrier_pending = false;
      EXPECT_NE(subject.verdict(damaged), "ok");
    }
  }
  EXPECT_GT(with_epochs, 0u);
  EXPECT_GT(pending, 0u);
}

TEST(CoherenceChecker, AnotherModelNeedsAnotherCertificate) {
  const Case pso = parse(kMessagePassing, "pso"), tso = parse(kMessagePassing, "tso"),
             sc = parse(kMessagePassing, "sc");
  EXPECT_EQ(tso.verdict(), "ok");
  EXPECT_EQ(sc.verdict(), "ok");
  EXPECT_NE(pso.verdict(sc.reachable()), "ok");
  EXPECT_TRUE(contains(sc.verdict(tso.reachable()), "where stores are not buffered"));
  const std::string unfenced =
      "shared int x, y; thread P { x = 1; y = 1; } thread Q { int r, s; r = y; s = x; }"
      "property p: finally (!(Q.r == 1 && Q.s == 0));";
  EXPECT_EQ(parse(unfenced, "tso").verdict(), "ok");
  EXPECT_TRUE(contains(parse(unfenced, "pso").verdict(), "must finally hold does not hold"));
  EXPECT_NE(parse(unfenced, "pso").verdict(parse(unfenced, "tso").reachable()), "ok");
}

TEST(CoherenceChecker, MarksMatter) {
  const Case subject = parse(
      "shared int x, y; thread P { int r; x = 1; fence(store-load); r = y; } thread Q { int r; y = 1;"
      "fence(store-load); r = x; } property p: finally (!(P.r == 0 && Q.r == 0));",
      "pso");
  const CoherenceCertificate certificate = subject.reachable();
  EXPECT_EQ(subject.verdict(certificate), "ok");
  size_t marked = 0;
  for (size_t i = 0; i < certificate.states.size(); ++i)
    for (size_t t = 0; t < 2; ++t) {
      CoherenceCertificate damaged = certificate;
      if (damaged.states[i].buffers[t].head.empty()) continue;
      auto& entry = damaged.states[i].buffers[t].head[0];
      entry.marked = !entry.marked;
      EXPECT_NE(subject.verdict(damaged), "ok");
      marked += entry.marked ? 0 : 1;
    }
  EXPECT_GT(marked, 0u);
}

// ---- Properties
// --------------------------------------------------------------------------------------------

// The value that fails must not hide the one that does not.
TEST(CoherenceChecker, ALoadThatFailsForOneValueGoesOnWithTheOther) {
  const Case subject = parse(
      "shared int x; thread P { int 0..1 r; choose { x = 1; } or { x = 2; } r = x; }"
      "property p: finally (1);",
      "tso");
  CoherenceCertificate certificate = subject.reachable();
  for (CoherenceState& state : certificate.states)
    for (auto& entry : state.buffers[0].head)
      if (state.registers[0][0] == 0) entry.values = {1, 2};
  EXPECT_EQ(subject.verdict(certificate), "ok");
  std::erase_if(certificate.states, [](const CoherenceState& state) {
    return state.registers[0][0] == 1 && !state.buffers[0].head.empty();
  });
  EXPECT_TRUE(contains(subject.verdict(certificate),
                       "after P has executed its instruction the state is not subsumed"));
}

// ---- What is no certificate
// --------------------------------------------------------------------------------

TEST(CoherenceChecker, Malformed) {
  const Case subject = parse(
      "shared int x, y; thread P { int r; x = 1; x = 2; y = 1; atomic { r = x; } }"
      "property p: finally (1);",
      "pso");
  const CoherenceCertificate good = subject.reachable();
  EXPECT_EQ(subject.verdict(good), "ok");
  EXPECT_EQ(subject.verdict(CoherenceCertificate()), "the initial state: it is not subsumed");
  const auto with = [&](auto change) {
    CoherenceCertificate bad = good;
    bad.states.push_back(good.states.front());
    change(bad.states.back());
    return subject.verdict(bad);
  };
  using State = CoherenceState&;
  EXPECT_EQ(with([](State) {}), "ok");
  EXPECT_TRUE(contains(with([](State s) { s.locations.clear(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.locations.emplace_back(0); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.buffers.clear(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.registers.emplace_back(); }), "threads"));
  EXPECT_TRUE(contains(with([](State s) { s.memory.pop_back(); }), "cells"));
  EXPECT_TRUE(contains(with([](State s) { s.memory.push_back(0); }), "cells"));
  EXPECT_TRUE(contains(with([](State s) { s.registers[0].clear(); }), "registers"));
  EXPECT_TRUE(contains(with([](State s) { s.locations[0] = Point(1000); }), "no point"));
  EXPECT_TRUE(contains(with([](State s) { s.locations[0] = Point(); }), "no point"));
  const auto& code = subject.program.threads[0].code;
  for (size_t p = 0; p < code.size(); ++p)
    if (code[p].kind == InstrKind::kAtomicEnd || code[p].kind == InstrKind::kLoad) {
      EXPECT_TRUE(contains(with([&](State s) { s.locations[0] = Point(p); }), "inside an atomic section"));
    }
  const auto buffer = [&](BufferContents contents) {
    return with([&](State s) { s.buffers[0] = std::move(contents); });
  };
  EXPECT_TRUE(contains(buffer({{{7, {1}, 0, false}}, {}, false}), "there is no cell 7"));
  EXPECT_TRUE(contains(buffer({{{0, {}, 0, false}}, {}, false}), "not a set"));
  EXPECT_TRUE(contains(buffer({{{1, {1}, 0, false}, {0, {1}, 0, false}}, {}, false}), "not sorted by cell"));
  EXPECT_TRUE(contains(buffer({{{0, {1}, 1, false}, {0, {1}, 0, false}}, {}, false}), "epochs fall"));
  const BufferContents::Tail tail{0, {1}, {1}, true, 0, 0, false};
  BufferContents::Tail late = tail, old = tail;
  late.oldest_epoch = 1;
  EXPECT_TRUE(contains(buffer({{}, {late}, false}), "oldest epoch"));
  EXPECT_TRUE(contains(buffer({{}, {tail, tail}, false}), "not sorted by cell"));
  EXPECT_TRUE(contains(buffer({{{0, {1}, 1, false}}, {old}, false}), "earlier epoch than the head"));
}

}  // namespace
}  // namespace fenceline::testing
