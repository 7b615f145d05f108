// SPDX-License-Identifier: GPL-3.0-or-later
//
// Damage at random to what all certificates have: states, and in them memory, locations and registers. And what the
// checker has to say about it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "base/rng.h"
#include "ir/ids.h"
#include "unit/check/statespace/certificate_case.h"
#include "unit/check/statespace/concrete_exploration.h"

namespace fenceline::testing {

// A state of the certificate to be damaged; none if the damage was to take it out.
template <class Certificate>
auto state_to_damage(Certificate& certificate, Rng& rng) -> decltype(certificate.states.data()) {
  const size_t at = rng.below(certificate.states.size());
  if (!rng.chance(15)) return &certificate.states[at];
  certificate.states.erase(certificate.states.begin() + static_cast<std::ptrdiff_t>(at));
  return nullptr;
}

// Kinds 0 to 2. False for any other, and nothing is done.
template <class State>
bool damage_besides_buffers(State& state, size_t thread, uint64_t kind, Rng& rng) {
  switch (kind) {
    case 0:
      state.memory[rng.below(state.memory.size())] = rng.between(0, 3);
      return true;
    case 1:
      state.locations[thread] = Point(rng.below(12));
      return true;
    case 2:
      if (state.registers[thread].empty()) return true;
      if (auto& reg = state.registers[thread][rng.below(state.registers[thread].size())]; rng.chance(50))
        reg.reset();
      else
        reg = rng.between(0, 3);
      return true;
    default:
      return false;
  }
}

// What the checker says about certificates that were damaged at random.
struct DamagedCertificates {
  size_t accepted = 0, rejected = 0;

  // Damages copies of the certificate, so many. Whatever is accepted must still represent all that is reached.
  template <class Certificate, class Damage, class Means>
  void add(const Case& subject, const Certificate& certificate, int rounds, Rng& rng, const Damage& damage,
           const Means& means) {
    const Exploration reached = explore(subject.task(), 4, 500);
    for (int round = 0; round < rounds; ++round) {
      Certificate worse = certificate;
      for (uint64_t n = 1 + rng.below(2); n > 0 && !worse.states.empty(); --n) damage(worse);
      if (!subject.check(worse).ok) {
        ++rejected;
        continue;
      }
      ++accepted;
      for (const ConcreteState& state : reached.states) ASSERT_TRUE(means(worse, state));
    }
  }
};

}  // namespace fenceline::testing
