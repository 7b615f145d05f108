// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything that decides about histories, against the definition.
#include "unit/property/history_oracle.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "property/opacity/conflict_monitor.h"
#include "property/opacity/deterministic_spec.h"

namespace fenceline::property {
namespace {

std::string text(const History& history) {
  std::string lines;
  for (const HistoryStep& step : history) lines += to_string(step) + "\n";
  return lines;
}

bool accepts(const machine::HistoryLanguage& language, const History& history) {
  uint32_t state = language.initial();
  for (const HistoryStep& step : history)
    if (state != machine::HistoryLanguage::kRejected)
      state = language.next(state, language.alphabet().letter(step));
  return state != machine::HistoryLanguage::kRejected;
}

constexpr PropertyKind kProperties[] = {PropertyKind::kOpacity, PropertyKind::kStrictSerializability};

TEST(HistoryOracle, TheOrderOfFinishingIsTheBestOne) {
  for (const PropertyKind property : kProperties) {
    const HistoryOracle oracle(property, 2);
    for_each_history({2, 2}, 4, [&](const History& history, uint64_t) {
      EXPECT_EQ(oracle.correct(history), oracle.correct_somehow(history)) << text(history);
      return oracle.correct(history);
    });
  }
}

TEST(HistoryOracle, AgreesWithTheSpecificationOnAllShortHistories) {
  const HistoryAlphabet alphabet{2, 2};
  const DeterministicSpec spec(alphabet);
  const HistoryOracle oracle(PropertyKind::kOpacity, alphabet.threads);
  for_each_history(alphabet, 6, [&](const History& history, uint64_t) {
    std::optional<DeterministicSpec::State> state = DeterministicSpec::initial();
    for (const HistoryStep& step : history)
      if (state) state = spec.step(*state, alphabet.letter(step));
    const bool correct = oracle.correct(history);
    EXPECT_EQ(state.has_value(), correct) << text(history);
    return correct && !::testing::Test::HasFailure();
  });
}

TEST(HistoryOracle, AgreesWithTheMonitorOnAllShortHistories) {
  struct Case {
    HistoryAlphabet alphabet;
    size_t length;
  };
  for (const Case& one : {Case{{2, 2}, 5}, Case{{3, 2}, 5}, Case{{3, 1}, 6}}) {
    for (const PropertyKind property : kProperties) {
      const ConflictMonitor monitor(property, one.alphabet);
      const HistoryOracle oracle(property, one.alphabet.threads);
      for_each_history(one.alphabet, one.length, [&](const History& history, uint64_t) {
        const bool correct = oracle.correct(history);
        EXPECT_EQ(accepts(monitor, history), correct) << text(history);
        return correct && !::testing::Test::HasFailure();
      });
    }
  }
}

// Random histories, longer ones: from every prefix of them every letter is tried.
TEST(HistoryOracle, AgreesWithTheMonitorOnLongerHistories) {
  Rng rng(1);
  for (const HistoryAlphabet alphabet :
       {HistoryAlphabet{3, 2}, HistoryAlphabet{2, 3}, HistoryAlphabet{4, 2}}) {
    for (const PropertyKind property : kProperties) {
      const ConflictMonitor monitor(property, alphabet);
      const HistoryOracle oracle(property, alphabet.threads);
      for (int run = 0; run < 200; ++run) {
        History history;
        uint32_t state = monitor.initial();
        while (history.size() < 16) {
          std::vector<uint32_t> possible;
          for (uint32_t letter = 0; letter < alphabet.letters(); ++letter) {
            history.push_back(alphabet.step(letter));
            const bool correct = oracle.correct(history);
            ASSERT_EQ(monitor.next(state, letter) != machine::HistoryLanguage::kRejected, correct)
                << text(history);
            history.pop_back();
            // Transactions that end too early have no conflicts.
            if (correct && (has_variable(alphabet.step(letter).op) || rng.below(3) == 0))
              possible.push_back(letter);
          }
          if (possible.empty()) continue;
          const uint32_t letter = possible[rng.below(possible.size())];
          history.push_back(alphabet.step(letter));
          state = monitor.next(state, letter);
        }
      }
    }
  }
}

}  // namespace
}  // namespace fenceline::property
