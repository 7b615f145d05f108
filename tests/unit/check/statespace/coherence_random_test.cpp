// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checker as a whole against Interpreter. All reachable states, with everything in heads, are a
// certificate, and without any one of them they are not. What a small engine makes is a certificate, too, and
// represents all that Interpreter reaches. And whatever is done to a certificate at random: if the checker
// still accepts it, then it still represents all that is reached.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "check/check_certificate.h"
#include "unit/check/statespace/certificate_programs.h"
#include "unit/check/statespace/random_damage.h"

namespace fenceline::testing {
namespace {

TEST(CoherenceRandom, TheReachableStatesAreACertificateAndNoneIsSuperfluous) {
  for (const char* text : kStraight)
    for (const char* model : kModels) {
      const Case query = make_case(text, model);
      const Exploration reached = explore(query.task(), 9, 5000);
      ASSERT_TRUE(reached.complete);
      const CoherenceCertificate certificate = exactly(reached, query.buffering());
      const check::CertificateCheck whole = query.check(certificate);
      ASSERT_TRUE(whole.ok) << whole.why_not << " " << model << " " << text;
      const size_t stride = 1 + certificate.states.size() / 100;
      for (size_t i = 0; i < certificate.states.size(); i += stride) {
        CoherenceCertificate less = certificate;
        less.states.erase(less.states.begin() + static_cast<std::ptrdiff_t>(i));
        ASSERT_FALSE(query.check(less).ok) << i << " " << model << " " << text;
      }
    }
}

TEST(CoherenceRandom, WhatASmallEngineMakesIsAcceptedAndSound) {
  size_t certificates = 0;
  for (const char* text : kLooping)
    for (const char* model : {"tso", "pso"})
      for (const size_t head : {0u, 1u})
        for (const int kind : {0, 1, 2}) {
          const Case query = make_case(text, model);
          bool complete = false;
          const auto certificate = close(query.task(), {head, kind != 1, kind != 2}, 2000, complete);
          if (!complete) continue;
          ++certificates;
          const check::CertificateCheck check = query.check(certificate);
          ASSERT_TRUE(check.ok) << check.why_not << " " << model << head << kind << " " << text;
          for (const ConcreteState& state : explore(query.task(), 4, 600).states)
            ASSERT_TRUE(means(certificate, state, query.buffering()))
                << text_of(exactly(state, query.buffering())) << " " << model << head << kind << " " << text;
        }
  EXPECT_GT(certificates, 60u);
}

// ---- Random damage
// -----------------------------------------------------------------------------------------

std::vector<Value> damaged(std::vector<Value> values, Rng& rng) {
  const size_t at = rng.below(values.size());
  switch (rng.below(3)) {
    case 0:
      if (values.size() > 1) values.erase(values.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      values[at] = rng.between(0, 3);
      break;
    default:
      values.push_back(rng.between(0, 3));
  }
  if (rng.chance(95)) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  return values;
}

void damage(BufferContents& buffer, Rng& rng) {
  if (!buffer.tail.empty() && rng.chance(60)) {
    auto& tail = buffer.tail[rng.below(buffer.tail.size())];
    switch (rng.below(7)) {
      case 0:
        tail.values = damaged(tail.values, rng);
        return;
      case 1:
        tail.newest = damaged(tail.newest, rng);
        return;
      case 2:
        tail.all_present = !tail.all_present;
        return;
      case 3:
        tail.oldest_epoch = static_cast<uint32_t>(rng.below(3));
        return;
      case 4:
        tail.newest_epoch = static_cast<uint32_t>(rng.below(4));
        return;
      case 5:
        tail.newest_marked = !tail.newest_marked;
        return;
      default:
        buffer.tail.pop_back();
        return;
    }
  }
  if (!buffer.head.empty() && rng.chance(80)) {
    auto& entry = buffer.head[rng.below(buffer.head.size())];
    switch (rng.below(5)) {
      case 0:
        entry.values = damaged(entry.values, rng);
        return;
      case 1:
        entry.epoch = static_cast<uint32_t>(rng.below(4));
        return;
      case 2:
        entry.marked = !entry.marked;
        return;
      case 3:
        entry.cell = static_cast<uint32_t>(rng.below(4));
        return;
      default:
        buffer.head.pop_back();
        return;
    }
  }
  buffer.barrier_pending = !buffer.barrier_pending;
}

void damage(CoherenceCertificate& certificate, Rng& rng) {
  CoherenceState* state = state_to_damage(certificate, rng);
  if (state == nullptr) return;
  const size_t thread = rng.below(state->locations.size());
  if (!damage_besides_buffers(*state, thread, rng.below(8), rng)) damage(state->buffers[thread], rng);
}

TEST(CoherenceRandom, WhatIsAcceptedAfterDamageIsStillSound) {
  Rng rng(5);
  DamagedCertificates damaged;
  for (const char* text : kLooping)
    for (const char* model : {"tso", "pso"})
      for (const int kind : {0, 1, 2}) {
        const Case query = make_case(text, model);
        bool complete = false;
        const auto certificate = close(query.task(), {1, kind != 1, kind != 2}, 600, complete);
        if (!complete) continue;
        SCOPED_TRACE(fmt::format("{}, {}: {}", model, kind, text));
        damaged.add(
            query, certificate, 60, rng, [&](CoherenceCertificate& worse) { damage(worse, rng); },
            [&](const CoherenceCertificate& worse, const ConcreteState& state) {
              return means(worse, state, query.buffering());
            });
      }
  EXPECT_GT(damaged.accepted, 20u);
  EXPECT_GT(damaged.rejected, 500u);
}

}  // namespace
}  // namespace fenceline::testing
