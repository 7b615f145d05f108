// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checker of automata certificates against Interpreter. All reachable states, each with one word per
// queue, are a certificate, and after any change that takes a state or a word away they are not. What a small
// engine makes is a certificate, too, and represents all that Interpreter reaches. And whatever is done to a
// certificate at random: if the checker still accepts it, then it still represents all that is reached.
#include <fmt/format.h>

#include <functional>

#include "base/rng.h"
#include "unit/check/statespace/certificate_programs.h"
#include "unit/check/statespace/random_damage.h"

namespace fenceline::testing {
namespace {

// What the programs of certificate_programs.h have too little of: barriers and marks that meet.
const char* const kFenced[] = {
    "shared int x, y; thread P { int r; x = 1; y = 1; fence(store-load); x = 2; sfence; y = 2; r = x;"
    "r = cas(x, 2, 3); } thread Q { int r; r = y; r = x; }",
    "shared int x, y, z; thread P { x = 1; sfence; sfence; y = 1; z = 1; sfence; x = 2; fence; y = 2; }"
    "thread Q { int r; r = z; r = y; r = x; }",
    "shared int x, y; thread P { int r; sfence; x = 1; fence(store-load); sfence; y = 1;"
    "atomic { r = x; y = r; } fence(store-load, store-store); r = x; }",
    "shared int x, y; thread P { int r; y = 1; x = 1; sfence; y = 2; atomic { r = x; } sfence; x = 2; }",
};

std::vector<const char*> straight_programs() {
  std::vector<const char*> programs(std::begin(kStraight), std::end(kStraight));
  programs.insert(programs.end(), std::begin(kFenced), std::end(kFenced));
  return programs;
}

// The program, and the program with a sync after the first access of its last thread.
std::vector<Case> with_and_without_sync(const char* text, const char* model) {
  std::vector<Case> cases{make_case(text, model)};
  const Thread& last = cases[0].program.threads.back();
  Point point = last.entry;
  while (!last.at(point).is_memory_access() && last.at(point).kind != InstrKind::kAtomicBegin)
    point = last.at(point).next[0];
  if (last.at(point).kind == InstrKind::kAtomicBegin) return cases;
  const ThreadId thread(cases[0].program.threads.size() - 1);
  cases.push_back(make_case(text, model));
  cases[1].fences.add(thread, point, FenceKinds::sync());
  return cases;
}

TEST(AutomataRandom, TheReachableStatesAreACertificateAndNoneIsSuperfluous) {
  for (const char* text : straight_programs())
    for (const char* model : kModels)
      for (const Case& subject : with_and_without_sync(text, model)) {
        const auto certificate = subject.reachable<AutomataCertificate>();
        ASSERT_EQ(subject.verdict(certificate), "ok") << model << " " << text;
        const size_t stride = 1 + certificate.states.size() / 60;
        for (size_t i = 0; i < certificate.states.size(); i += stride) {
          AutomataCertificate less = certificate;
          less.states.erase(less.states.begin() + static_cast<std::ptrdiff_t>(i));
          ASSERT_TRUE(contains(subject.verdict(less), "subsumed")) << i << " " << model << " " << text;
        }
      }
}

// ---- Systematic damage
// -------------------------------------------------------------------------------------

using Change = std::function<void(AutomataCertificate&)>;

// Changes after each of which some reachable state is not meant any more.
std::vector<Change> losses(const AutomataCertificate& certificate) {
  std::vector<Change> changes;
  for (size_t a = 0; a < certificate.automata.size(); ++a) {
    for (size_t s = 0; s < certificate.automata[a].states.size(); ++s) {
      const auto& state = certificate.automata[a].states[s];
      if (state.accepting) changes.push_back([=](auto& c) { c.automata[a].states[s].accepting = false; });
      if (state.edges.empty()) continue;
      changes.push_back([=](auto& c) { c.automata[a].states[s].edges.clear(); });
      changes.push_back([=](auto& c) { c.automata[a].states[s].edges[0].letter.value += 1; });
      changes.push_back([=](auto& c) { c.automata[a].states[s].edges[0].letter.marked ^= true; });
      changes.push_back([=](auto& c) { c.automata[a].states[s].edges[0].to = static_cast<uint32_t>(s); });
      changes.push_back([=](auto& c) { c.automata[a].states[s].edges[0].to = 1000; });
      changes.push_back([=](auto& c) {
        Letter& letter = c.automata[a].states[s].edges[0].letter;
        letter = letter == Letter::barrier() ? Letter{0, 1, false} : Letter::barrier();
      });
    }
    changes.push_back([=](auto& c) { c.automata[a].states.clear(); });
    if (a > 0) changes.push_back([=](auto& c) { std::swap(c.automata[a - 1], c.automata[a]); });
  }
  const size_t stride = 1 + certificate.states.size() / 40;
  for (size_t i = 0; i < certificate.states.size(); i += stride) {
    const SymbolicState& state = certificate.states[i];
    for (size_t cell = 0; cell < state.memory.size(); ++cell)
      changes.push_back([=](auto& c) { c.states[i].memory[cell] += 1; });
    for (size_t t = 0; t < state.locations.size(); ++t) {
      changes.push_back([=](auto& c) { c.states[i].locations[t] = Point(state.locations[t].index() + 1); });
      for (size_t r = 0; r < state.registers[t].size(); ++r)
        changes.push_back([=](auto& c) { *c.states[i].registers[t][r] += 1; });
      for (size_t q = 0; q < state.queues[t].size(); ++q) {
        changes.push_back(
            [=](auto& c) { c.states[i].queues[t][q] = static_cast<uint32_t>(c.automata.size()); });
        changes.push_back([=](auto& c) {  // another word
          c.states[i].queues[t][q] = static_cast<uint32_t>((state.queues[t][q] + 1) % c.automata.size());
        });
      }
      changes.push_back([=](auto& c) { c.states[i].queues[t].push_back(0); });
    }
  }
  return changes;
}

TEST(AutomataRandom, EveryLossIsNoticed) {
  size_t noticed = 0;
  for (const char* text : straight_programs())
    for (const char* model : kModels) {
      const Case subject = make_case(text, model);
      const auto certificate = subject.reachable<AutomataCertificate>();
      const std::vector<Change> changes = losses(certificate);
      const size_t stride = 1 + changes.size() / 250;
      for (size_t i = noticed % stride; i < changes.size(); i += stride) {
        AutomataCertificate worse = certificate;
        changes[i](worse);
        if (worse.automata == certificate.automata && worse.states == certificate.states) continue;
        ASSERT_NE(subject.verdict(worse), "ok") << i << " " << model << " " << text;
        ++noticed;
      }
    }
  EXPECT_GT(noticed, 3000u);
}

// ---- A small engine
// ----------------------------------------------------------------------------------------

TEST(AutomataRandom, WhatASmallEngineMakesIsAcceptedAndSound) {
  size_t certificates = 0;
  std::vector<const char*> programs = straight_programs();
  programs.insert(programs.end(), std::begin(kLooping), std::end(kLooping));
  for (const char* text : programs)
    for (const char* model : kModels)
      for (const size_t exact : {1u, 3u})
        for (const Case& subject : with_and_without_sync(text, model)) {
          bool complete = false;
          const auto certificate = close_symbolically(subject.task(), exact, 1500, complete);
          if (!complete) continue;
          ++certificates;
          ASSERT_EQ(subject.verdict(certificate), "ok") << model << exact << " " << text;
          for (const ConcreteState& state : explore(subject.task(), 4, 300).states)
            ASSERT_TRUE(means(certificate, state, subject.task())) << model << exact << " " << text;
        }
  EXPECT_GT(certificates, 150u);
}

// ---- Random damage
// -----------------------------------------------------------------------------------------

void damage(Automaton& automaton, Rng& rng) {
  if (automaton.states.empty()) return;
  auto& state = automaton.states[rng.below(automaton.states.size())];
  if (state.edges.empty() || rng.chance(20)) {
    state.accepting = !state.accepting;
    return;
  }
  const size_t at = rng.below(state.edges.size());
  switch (rng.below(5)) {
    case 0:
      state.edges.erase(state.edges.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      state.edges[at].to =
          static_cast<uint32_t>(rng.below(automaton.states.size() + (rng.chance(5) ? 1 : 0)));
      break;
    case 2:
      state.edges[at].letter.value = rng.between(0, 3);
      break;
    case 3:
      state.edges[at].letter.marked = !state.edges[at].letter.marked;
      break;
    default:
      state.edges.push_back(state.edges[at]);
      state.edges.back().letter = rng.chance(50) ? Letter::barrier() : Letter{0, rng.between(0, 3), false};
  }
  if (rng.chance(95)) {
    std::sort(state.edges.begin(), state.edges.end(),
              [](const auto& a, const auto& b) { return a.letter < b.letter; });
    state.edges.erase(std::unique(state.edges.begin(), state.edges.end(),
                                  [](const auto& a, const auto& b) { return a.letter == b.letter; }),
                      state.edges.end());
  }
}

void damage(AutomataCertificate& certificate, Rng& rng) {
  SymbolicState* chosen = state_to_damage(certificate, rng);
  if (chosen == nullptr) return;
  SymbolicState& state = *chosen;
  const size_t thread = rng.below(state.locations.size());
  const uint64_t kind = rng.below(8);
  if (damage_besides_buffers(state, thread, kind, rng)) return;
  switch (kind) {
    case 3:
    case 4:
      if (!state.queues[thread].empty())
        state.queues[thread][rng.below(state.queues[thread].size())] =
            static_cast<uint32_t>(rng.below(certificate.automata.size()));
      return;
    default:
      if (!certificate.automata.empty())
        damage(certificate.automata[rng.below(certificate.automata.size())], rng);
  }
}

TEST(AutomataRandom, WhatIsAcceptedAfterDamageIsStillSound) {
  Rng rng(7);
  DamagedCertificates damaged;
  for (const char* text : kLooping)
    for (const char* model : {"tso", "pso"})
      for (const size_t exact : {1u, 2u}) {
        const Case subject = make_case(text, model);
        bool complete = false;
        const auto certificate = close_symbolically(subject.task(), exact, 800, complete);
        if (!complete) continue;
        SCOPED_TRACE(fmt::format("{}, {}: {}", model, exact, text));
        damaged.add(
            subject, certificate, 120, rng, [&](AutomataCertificate& worse) { damage(worse, rng); },
            [&](const AutomataCertificate& worse, const ConcreteState& state) {
              return means(worse, state, subject.task());
            });
      }
  EXPECT_GT(damaged.accepted, 100u);
  EXPECT_GT(damaged.rejected, 1000u);
}

}  // namespace
}  // namespace fenceline::testing
