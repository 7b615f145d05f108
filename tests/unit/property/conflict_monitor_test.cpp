// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph of conflicts against the specification of the paper, and as an automaton.
#include "property/opacity/conflict_monitor.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/rng.h"
#include "env/errors.h"
#include "property/opacity/automaton.h"
#include "property/opacity/deterministic_spec.h"
#include "property/opacity/languages.h"

namespace fenceline::property {
namespace {

constexpr uint32_t kRejected = machine::HistoryLanguage::kRejected;

TEST(ConflictMonitor, IsTheSpecificationOfThePaperForTwoThreads) {
  for (const uint32_t variables : {1, 2, 3}) {
    const HistoryAlphabet alphabet{2, variables};
    const TableAutomaton monitor = table_of(ConflictMonitor(PropertyKind::kOpacity, alphabet));
    if (variables < 3) {
      EXPECT_EQ(minimal(monitor), minimal(table_of(DeterministicSpec(alphabet))));
      continue;
    }
    // Three variables: the specification has millions of states, so side by side.
    const DeterministicSpec spec(alphabet);
    Rng rng(1);
    for (int run = 0; run < 5000; ++run) {
      uint32_t state = 0;
      DeterministicSpec::State other = DeterministicSpec::initial();
      for (int step = 0; step < 100; ++step) {
        const auto letter = static_cast<uint32_t>(rng.below(alphabet.letters()));
        const uint32_t to = monitor.after(state, letter);
        const std::optional<DeterministicSpec::State> other_to = spec.step(other, letter);
        ASSERT_EQ(to != kRejected, other_to.has_value());
        if (!other_to) continue;
        state = to;
        other = *other_to;
      }
    }
  }
}

TEST(ConflictMonitor, OpaqueHistoriesAreStrictlySerializable) {
  for (const HistoryAlphabet alphabet : {HistoryAlphabet{2, 2}, HistoryAlphabet{3, 1}}) {
    const TableAutomaton opaque = table_of(ConflictMonitor(PropertyKind::kOpacity, alphabet));
    const TableAutomaton strict = table_of(ConflictMonitor(PropertyKind::kStrictSerializability, alphabet));
    EXPECT_FALSE(included(opaque, strict).counterexample);
    EXPECT_TRUE(included(strict, opaque).counterexample);
  }
}

TEST(ConflictMonitor, ThreadsMayQueryAtTheSameTime) {
  const HistoryAlphabet alphabet{3, 2};
  const ConflictMonitor shared(PropertyKind::kOpacity, alphabet);
  const auto walk = [&](uint64_t seed) {
    const ConflictMonitor alone(PropertyKind::kOpacity, alphabet);
    Rng rng(seed);
    for (int run = 0; run < 1000; ++run) {
      uint32_t state = shared.initial(), other = alone.initial();
      for (int step = 0; step < 100; ++step) {
        const auto letter = static_cast<uint32_t>(rng.below(alphabet.letters()));
        const uint32_t to = shared.next(state, letter), other_to = alone.next(other, letter);
        if ((to == kRejected) != (other_to == kRejected)) return false;
        if (to == kRejected) continue;
        state = to;
        other = other_to;
      }
    }
    return true;
  };
  std::array<bool, 4> agreed{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < agreed.size(); ++i) threads.emplace_back([&, i] { agreed[i] = walk(i + 1); });
  for (std::thread& thread : threads) thread.join();
  for (const bool one : agreed) EXPECT_TRUE(one);
}

TEST(HistoryLanguages, SmallOnesAreMinimalTables) {
  EXPECT_EQ(opacity_language({2, 2})->bits(), 12U);
  EXPECT_EQ(table_of(*opacity_language({2, 2})).size(), 3004);
  EXPECT_EQ(table_of(*strict_serializability_language({2, 2})).size(), 2616);
  EXPECT_EQ(opacity_language({3, 2})->bits(), 32U);
  EXPECT_THROW(opacity_language({9, 2}), Unsupported);
  EXPECT_THROW(opacity_language({2, 17}), Unsupported);
}

}  // namespace
}  // namespace fenceline::property
