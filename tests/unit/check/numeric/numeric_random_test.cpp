// SPDX-License-Identifier: GPL-3.0-or-later
//
// Certificates from all states that are really reached. Whatever is done to them at random, two things must
// hold. A certificate is accepted only if the property holds, and about that another checker, which looks at
// every state of every execution, is checked. And if one is accepted, then each state that is really reached with all
// threads at cut points must be one of the certificate, or come out of one when stores are flushed.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "check/check_certificate.h"
#include "unit/check/numeric/numeric_case.h"
#include "unit/check/statespace/certificate_programs.h"

namespace fenceline::testing {
namespace {

std::string text_of(const NumericState& state, Buffering buffering) {
  std::string text;
  const auto append = [&](const std::optional<NumericTerm>& term) {
    text += term ? std::to_string(std::get<Value>(term->what)) + "," : "?,";
  };
  for (const Point point : state.locations) text += std::to_string(point.index()) + ";";
  for (const auto& cell : state.memory) append(cell);
  for (const auto& registers : state.registers)
    for (const auto& reg : registers) append(reg);
  for (const NumericBuffer& buffer : state.buffers) {
    // Order matters within a cell only, where barriers do not make it matter.
    std::vector<uint32_t> epochs{buffer.epoch};
    for (const NumericEntry& entry : buffer.entries) epochs.push_back(entry.epoch);
    std::sort(epochs.begin(), epochs.end());
    epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
    const auto rank = [&](uint32_t epoch) {
      return std::lower_bound(epochs.begin(), epochs.end(), epoch) - epochs.begin();
    };
    std::vector<NumericEntry> entries = buffer.entries;
    if (buffering == Buffering::kPerCell)
      std::stable_sort(entries.begin(), entries.end(),
                       [](const NumericEntry& a, const NumericEntry& b) { return a.cell < b.cell; });
    text += "/";
    for (const NumericEntry& entry : entries) {
      text += std::to_string(entry.cell.index()) + ":";
      append(entry.value);
      text += std::to_string(rank(entry.epoch)) + (entry.marked ? "!" : "");
    }
    text += "/" + std::to_string(entries.empty() ? 0 : rank(buffer.epoch));
  }
  return text;
}

// All that the certificate represents, as texts.
std::set<std::string> meant_by(const NumericCertificate& certificate, Buffering buffering) {
  std::set<std::string> texts;
  std::vector<NumericState> open;
  for (const NumericState& state : certificate.states)
    if (!state.disjuncts.empty()) open.push_back(state);
  while (!open.empty()) {
    const NumericState state = open.back();
    open.pop_back();
    if (!texts.insert(text_of(state, buffering)).second) continue;
    for (size_t t = 0; t < state.buffers.size(); ++t) {
      ConcreteBuffer buffer;
      for (const NumericEntry& e : state.buffers[t].entries)
        buffer.pending.push_back({e.cell.value(), std::get<Value>(e.value.what), e.epoch, e.marked});
      for (size_t i = 0; i < buffer.pending.size(); ++i) {
        if (!buffer.may_be_flushed(i, buffering)) continue;
        NumericState next = state;
        next.memory[buffer.pending[i].cell] = number(buffer.pending[i].value);
        next.buffers[t].entries.erase(next.buffers[t].entries.begin() + static_cast<std::ptrdiff_t>(i));
        open.push_back(next);
      }
    }
  }
  return texts;
}

// Returns whether it was to barriers or marks: with fewer of them a certificate claims more than this
// comment.
bool damage(const Case& subject, NumericCertificate& certificate, Rng& rng) {
  if (certificate.states.empty()) return false;
  const size_t at = rng.below(certificate.states.size());
  NumericState& state = certificate.states[at];
  const size_t t = rng.below(state.locations.size());
  auto& entries = state.buffers[t].entries;
  switch (rng.below(9)) {
    case 0:
      state.memory[rng.below(state.memory.size())] = number(rng.between(0, 3));
      return false;
    case 1:
      state.locations[t] = Point(rng.below(certificate.cut_points[t].size()));
      return false;
    case 2:
      if (!state.registers[t].empty())
        state.registers[t][rng.below(state.registers[t].size())] = number(rng.between(0, 3));
      return false;
    case 3:
      if (!entries.empty()) entries.erase(entries.begin());
      return false;
    case 4:
      if (!entries.empty()) entries.back().value = number(rng.between(0, 3));
      return false;
    case 5:
      if (!entries.empty()) entries.back().marked = !entries.back().marked;
      return true;
    case 6:
      if (!entries.empty()) ++state.buffers[t].epoch;
      return true;
    case 7:
      if (!entries.empty()) entries.back().cell = CellId(rng.below(subject.program.cell_count));
      return false;
    default:
      certificate.states.erase(certificate.states.begin() + static_cast<std::ptrdiff_t>(at));
      return false;
  }
}

bool subsumes_all(const Case& subject, const NumericCertificate& certificate,
                  const Exploration& exploration) {
  const std::set<std::string> meant = meant_by(certificate, subject.buffering());
  const NumericCertificate real = at_cut_points(subject, exploration, certificate.cut_points);
  return std::all_of(real.states.begin(), real.states.end(), [&](const NumericState& state) {
    return meant.count(text_of(state, subject.buffering())) != 0;
  });
}

TEST(NumericRandom, ReachableStatesAreAccepted) {
  for (const char* model : kModels)
    for (const char* text : kStraight) {
      const Case subject = make_case(text, model);
      const Exploration exploration = explore(subject.task(), 9, 20000);
      ASSERT_TRUE(exploration.complete);
      EXPECT_EQ(subject.verdict(at_cut_points(subject, exploration, all_cut_points(subject))), "ok")
          << model << " " << text;
      const std::string few = subject.verdict(at_cut_points(subject, exploration, few_cut_points(subject)));
      EXPECT_TRUE(few == "ok" || std::string(text).find("sync") != std::string::npos ||
                  std::string(text).find("havoc") != std::string::npos)
          << few << model << " " << text;
    }
}

TEST(NumericRandom, Damaged) {
  Rng rng(1);
  size_t accepted = 0, rejected = 0;
  for (const char* model : kModels)
    for (const char* text : kStraight) {
      const Case subject = make_case(text, model);
      const Exploration exploration = explore(subject.task(), 9, 20000);
      for (const CutPoints& cut_points : {all_cut_points(subject), few_cut_points(subject)}) {
        const NumericCertificate good = at_cut_points(subject, exploration, cut_points);
        for (int round = 0; round < (good.states.size() > 300 ? 5 : 40); ++round) {
          NumericCertificate damaged = good;
          const bool barriers = damage(subject, damaged, rng);
          const bool ok = subject.check(damaged).ok;
          ++(ok ? accepted : rejected);
          if (ok && !barriers) {
            EXPECT_TRUE(subsumes_all(subject, damaged, exploration)) << model << " " << text;
          }
        }
      }
    }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 500u);
}

// ---- Stops at random
// ---------------------------------------------------------------------------------------

// Programs with properties of which some hold on some models. Many of the violations are seen between two
// steps of a thread only.
const char* const kMonitored[] = {
    "shared int x, y; thread P { int r; x = 1; x = 0; r = y; } thread Q { y = 1; }"
    "property p: never (x == 1);",
    "shared int x, y; thread P { int r, s; here: skip; r = 1; s = y; } thread Q { y = 1; y = 2; }"
    "property p: never (!P@here && P.r == 0 && y == 1);",
    "shared int x, y; thread P { int r, s; r = 1; s = y; } thread Q { y = 1; y = 2; }"
    "property p: never (y == 1 && P.r == 0);",
    "shared int x, y; thread P { int a, b, c; c = y; a = 1; b = 1; c = y; } thread Q { y = 1; }"
    "property p: never (P.a == 1 && P.b == 0);",
    "shared int x, y; thread P { int r; x = 1; r = 7; while (true) { here: skip; there: skip; } }"
    "thread Q { int s; s = x; } property p: never (x == 1 && !P@here && !P@there);",
    "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int s; sync; y = 1; }"
    "property p: never (x == 0 && P.r == 1);",
    "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int s; sync; y = 1; s = x; }"
    "property p: finally (P.r == 0 || Q.s == 1);",
    "shared int x, y; thread P { int r; x = 1; r = y; x = 2; } thread Q { int s; s = x; y = s; }"
    "property p: never (x == 1 && P.r == 0 && y == 0);",
    "shared int x, y; thread P { int r; x = 1; r = 1; x = 2; } thread Q { int s; s = x; }"
    "property p: never (x == 1 && P.r == 0);",
    "shared int x, y; thread P { int r, s; r = y; x = 1; r = 5; s = y; } thread Q { y = 3; }"
    "property p: never (x == 1 && P.r != 5);",
    "shared int x, y; thread P { int r; r = 1; r = 2; r = x; } thread Q { x = 1; }"
    "property p: never (x == 1 && P.r == 1);",
    "shared int x, y; thread P { int r; r = 1; r = x; } thread Q { x = 1; }"
    "property p: never (x == 1 && P.r == 0);",
    "shared int x, y; thread P { int r; x = 1; r = 7; here: skip; r = y; } thread Q { y = 1; }"
    "property p: always (x == 0 || P@here || y == 1);",
    "shared int x, y; thread P { int r; r = y; here: skip; x = 1; r = x; } thread Q { y = 1; there: skip; }"
    "property p: never (P@here && Q@there);",
    "shared int x, y; thread P { int r; r = x; here: skip; x = 1; r = 3; r = y; }"
    "thread Q { y = 1; there: skip; } property p: never (P@here + Q@there == 0 && x == 1 && y == 1);",
    "shared int x, y; thread P { int r; x = 1; fence; r = y; here: skip; }"
    "thread Q { int r; y = 1; fence; r = x; here: skip; } property p: finally (P.r + Q.r > 0);",
    "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int r; y = 1; r = x; }"
    "property p: finally (P.r + Q.r > 0);",
    "shared int x, y; thread P { int r; x = 1; r = 1; r = y; } thread Q { sync; y = 1; }"
    "property p: never (P.r == 1 && x == 0 && y == 1);",
    "shared int x, y, z; thread P { int r; x = 1; r = y; z = r + 1; } thread Q { sync; y = 1; y = x; }"
    "property p: finally (z == 1 || y == 1);",
    "shared int x, y; thread P { int r; x = 1; r = x; y = r; r = 0; } thread Q { int s; s = y; assert(s == "
    "0); }",
    "shared int x, y; thread P { int i; i = 4; i = i - 1; assert(i < 3); x = i; } thread Q { y = 1; }",
    "shared int x, y; thread P { int 0..2 i; i = 2; x = i; i = i + y; } thread Q { y = 1; }",
    "shared int x, y; thread P { int r; r = y; assume(r == 1); x = 1; } thread Q { y = 1; y = 0; }"
    "property p: never (x == 1 && y == 0);",
    "shared int x, y; thread P { int r; atomic { r = x; x = r + 1; } r = 9; y = 1; }"
    "thread Q { int r; r = fetch_add(x, 1); r = y; } property p: never (x == 2 && P.r == 1);",
    "shared int x, y; thread P { int r; x = 1; sfence; y = 1; r = x; } thread Q { int r, s; r = y; s = x; }"
    "property p: finally (!(Q.r == 1 && Q.s == 0));",
    "shared int x, y; thread P { int r; x = 1; fence(store-load); r = y; r = 3; }"
    "thread Q { int r; y = 1; fence(store-load); r = x; } property p: never (P.r == 3 && x == 0);",
};

// Takes out what the checker complains about until it is content, or complains about something else than a
// state. What is left is the largest certificate with these cut points that it accepts, and if it is one of a
// property that does not hold, then the cut points hide something.
bool can_be_accepted(const Case& subject, NumericCertificate certificate) {
  for (;;) {
    const check::CertificateCheck check = subject.check(certificate);
    if (check.ok) return true;
    if (!check.why_not.starts_with("state ")) return false;
    const auto number = std::stol(check.why_not.substr(6));
    certificate.states.erase(certificate.states.begin() + number);
  }
}

TEST(NumericRandom, WhatDoesNotHoldIsNeverAccepted) {
  Rng rng(3);
  size_t queried = 0, accepted = 0;
  for (const char* model : kModels)
    for (const char* text : kMonitored) {
      const Case subject = parse(text, model);
      const Exploration exploration = explore(subject.task(), 9, 20000);
      const bool holds = subject.check(subject.of<CoherenceCertificate>(exploration)).ok;
      for (int round = 0; round < 150; ++round) {
        CutPoints cut_points = rng.chance(50) ? all_cut_points(subject) : few_cut_points(subject);
        const unsigned percent = static_cast<unsigned>(rng.between(0, 60));
        for (auto& thread : cut_points)
          for (size_t p = 0; p < thread.size(); ++p)
            if (thread[p] && rng.chance(percent)) thread[p] = false;
        const NumericCertificate certificate = at_cut_points(subject, exploration, cut_points);
        const check::CertificateCheck first = subject.check(certificate);
        if (!first.ok && !first.why_not.starts_with("state ")) continue;  // the cut points are rejected
        ++queried;
        const bool can = can_be_accepted(subject, certificate);
        accepted += can ? 1 : 0;
        EXPECT_TRUE(holds || !can) << model << " " << text << " " << round;
      }
    }
  EXPECT_GT(queried, 1000u);
  EXPECT_GT(accepted, 100u);
}

// Barriers and marks that are not there would hold back stores and loads.
TEST(NumericRandom, InventedOrderIsNotAccepted) {
  const char* const texts[] = {
      "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int r; y = 1; r = x; }"
      "property p: finally (P.r + Q.r > 0);",
      "shared int x, y; thread P { x = 1; y = 1; } thread Q { int r, s; r = y; s = x; }"
      "property p: finally (!(Q.r == 1 && Q.s == 0));",
      "shared int x, y; thread P { int r; x = 1; r = xchg(y, 1); } thread Q { int r, s; r = y; s = x; }"
      "property p: finally (!(Q.r == 1 && Q.s == 0));",
      "shared int x, y; thread P { x = 1; y = 1; x = 2; y = 2; } thread Q { int r, s; r = y; s = x; }"
      "property p: finally (!(Q.r == 2 && Q.s == 1));",
      "shared int x, y; thread P { x = 1; y = 1; sfence; } thread Q { int r, s; r = y; s = x; }"
      "property p: finally (!(Q.r == 1 && Q.s == 0));",
      "shared int x, y; thread P { x = 1; y = 1; x = 2; } thread Q { int r; r = x; }"
      "property p: finally (x != 2);",
      "shared int x, y; thread P { x = 1; y = 1; } thread Q { int r; r = x; } property p: finally (y == 0);"};
  for (const char* text : texts) {
    const Case subject = parse(text, "pso");
    const Exploration exploration = explore(subject.task(), 9, 20000);
    for (const CutPoints& cut_points : {all_cut_points(subject), few_cut_points(subject)})
      for (const bool marks : {false, true})
        for (const bool between : {false, true})
          for (const bool behind : {false, true})
            for (const bool last : {false, true}) {
              NumericCertificate damaged = at_cut_points(subject, exploration, cut_points);
              for (NumericState& state : damaged.states)
                for (NumericBuffer& buffer : state.buffers) {
                  for (size_t i = 0; i < buffer.entries.size(); ++i) {
                    buffer.entries[i].marked |= marks;
                    if (between) buffer.entries[i].epoch = static_cast<uint32_t>(i);
                  }
                  if (between) buffer.epoch = static_cast<uint32_t>(buffer.entries.size()) - 1;
                  if (buffer.entries.empty()) buffer.epoch = 0;
                  if (behind) ++buffer.epoch;
                  if (last && buffer.entries.size() > 1) buffer.entries.pop_back();
                }
              EXPECT_FALSE(can_be_accepted(subject, damaged)) << text;
            }
  }
}

TEST(NumericRandom, CutPointsAtRandom) {
  Rng rng(2);
  size_t accepted = 0, rejected = 0, violated = 0;
  for (const char* model : kModels)
    for (const char* text : kMonitored) {
      const Case subject = parse(text, model);
      const Exploration exploration = explore(subject.task(), 9, 20000);
      ASSERT_TRUE(exploration.complete);
      const bool holds = subject.check(subject.of<CoherenceCertificate>(exploration)).ok;
      violated += holds ? 0 : 1;
      const std::string all = subject.verdict(at_cut_points(subject, exploration, all_cut_points(subject)));
      EXPECT_EQ(all == "ok", holds) << model << " " << text << ": " << all;
      for (int round = 0; round < 300; ++round) {
        CutPoints cut_points = rng.chance(50) ? all_cut_points(subject) : few_cut_points(subject);
        for (auto& thread : cut_points)
          for (size_t p = 0; p < thread.size(); ++p)
            if (thread[p] && rng.chance(round % 60)) thread[p] = false;
        NumericCertificate certificate = at_cut_points(subject, exploration, cut_points);
        bool barriers = false;
        for (size_t times = rng.below(3); times > 0; --times) barriers |= damage(subject, certificate, rng);
        const bool ok = subject.check(certificate).ok;
        ++(ok ? accepted : rejected);
        EXPECT_TRUE(holds || !ok) << model << " " << text << " " << round;
        if (ok && !barriers) {
          EXPECT_TRUE(subsumes_all(subject, certificate, exploration)) << model << " " << text;
        }
      }
    }
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(rejected, 5000u);
  EXPECT_GT(violated, 15u);
}

}  // namespace
}  // namespace fenceline::testing
