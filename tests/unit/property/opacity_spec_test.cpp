// SPDX-License-Identifier: GPL-3.0-or-later
//
// The two specifications of the paper, against each other.
#include <gtest/gtest.h>

#include "property/opacity/automaton.h"
#include "property/opacity/deterministic_spec.h"
#include "property/opacity/nondeterministic_spec.h"

namespace fenceline::property {
namespace {

constexpr uint32_t kRejected = TableAutomaton::kRejected;

bool accepts(const TableAutomaton& automaton, const HistoryAlphabet& alphabet,
             const std::vector<HistoryStep>& history) {
  uint32_t state = 0;
  for (const HistoryStep& step : history)
    if (state != kRejected) state = automaton.after(state, alphabet.letter(step));
  return state != kRejected;
}

TEST(OpacitySpec, BothSpecificationsAreTheSameLanguage) {
  for (const uint32_t variables : {1, 2}) {
    const HistoryAlphabet alphabet{2, variables};
    const SilentAutomaton nondeterministic = silent_table_of(NondeterministicSpec(alphabet));
    const TableAutomaton deterministic = table_of(DeterministicSpec(alphabet));
    EXPECT_EQ(nondeterministic.steps.size(), variables == 1 ? 2003 : 171468);
    EXPECT_EQ(deterministic.size(), variables == 1 ? 983 : 98556);
    const TableAutomaton smallest = minimal(deterministic);
    EXPECT_EQ(smallest.size(), variables == 1 ? 201 : 3004);
    EXPECT_FALSE(included(nondeterministic, smallest).counterexample);
    EXPECT_FALSE(included(smallest, nondeterministic).counterexample);
    EXPECT_FALSE(included(smallest, deterministic).counterexample);
    EXPECT_FALSE(included(deterministic, smallest).counterexample);
    EXPECT_EQ(minimal(smallest), smallest);
  }
}

// The algorithms as published accept it: they drop what an aborted transaction has read.
TEST(OpacitySpec, AbortedReadsCount) {
  const HistoryAlphabet alphabet{2, 2};
  const TableAutomaton automaton = table_of(DeterministicSpec(alphabet));
  std::vector<HistoryStep> history = {
      {HistoryOp::kStore, 0, 0}, {HistoryOp::kLoad, 1, 0}, {HistoryOp::kRfin, 1}, {HistoryOp::kAbort, 1}};
  EXPECT_TRUE(accepts(automaton, alphabet, history));
  history.push_back({HistoryOp::kStore, 0, 0});
  EXPECT_FALSE(accepts(automaton, alphabet, history));
}

// Damaged automata are distinguished from correct ones, by a word that only one of them accepts.
TEST(OpacitySpec, DifferencesAreFoundInBothDirections) {
  const HistoryAlphabet alphabet{2, 1};
  const SilentAutomaton nondeterministic = silent_table_of(NondeterministicSpec(alphabet));
  const TableAutomaton smallest = minimal(table_of(DeterministicSpec(alphabet)));
  const auto accepted = [](const TableAutomaton& automaton, const HistoryWord& word) {
    uint32_t state = 0;
    for (const uint32_t letter : word)
      if (state != kRejected) state = automaton.after(state, letter);
    return state != kRejected;
  };
  for (size_t i = 0; i < smallest.next.size(); i += 7) {
    TableAutomaton damaged = smallest;
    if (damaged.next[i] == kRejected) {
      damaged.next[i] = 0;
      const LanguageInclusion answer = included(damaged, nondeterministic);
      ASSERT_TRUE(answer.counterexample);
      EXPECT_TRUE(accepted(damaged, *answer.counterexample));
      EXPECT_FALSE(accepted(smallest, *answer.counterexample));
    } else {
      damaged.next[i] = kRejected;
      const LanguageInclusion answer = included(nondeterministic, damaged);
      ASSERT_TRUE(answer.counterexample);
      EXPECT_FALSE(accepted(damaged, *answer.counterexample));
      EXPECT_TRUE(accepted(smallest, *answer.counterexample));
    }
  }
}

}  // namespace
}  // namespace fenceline::property
