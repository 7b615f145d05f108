// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sets of histories as tables. Every state accepts, since the sets are closed under prefixes: a word is
// outside when some step of it is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "machine/history_language.h"

namespace fenceline::property {

using HistoryWord = std::vector<uint32_t>;  // letters

// Deterministic. The initial state is 0.
struct TableAutomaton {
  static constexpr uint32_t kRejected = ~uint32_t{0};

  uint32_t letters = 0;
  std::vector<uint32_t> next;  // state * letters + letter

  uint32_t size() const { return static_cast<uint32_t>(next.size() / letters); }
  uint32_t after(uint32_t state, uint32_t letter) const { return next[size_t{state} * letters + letter]; }

  friend bool operator==(const TableAutomaton&, const TableAutomaton&) = default;
};

// Nondeterministic only in its silent moves.
struct SilentAutomaton {
  TableAutomaton steps;
  uint32_t silent_moves = 0;     // of a state, at most
  std::vector<uint32_t> silent;  // state * silent_moves + move; kRejected: not possible

  uint32_t after_silent(uint32_t state, uint32_t move) const {
    return silent[size_t{state} * silent_moves + move];
  }
};

// The minimal automaton of the language, its states numbered breadth first. Languages are equal
// if and only if these are.
TableAutomaton minimal(const TableAutomaton& automaton);

struct LanguageInclusion {
  std::optional<HistoryWord> counterexample;  // a shortest one; nothing: the language is included
  uint64_t pairs = 0;                         // that were explored
};
LanguageInclusion included(const SilentAutomaton& smaller, const TableAutomaton& larger);
// Sets of states of the larger one, of which only the smallest are kept (antichains: De Wulf, Doyen,
// Henzinger, Raskin, CAV 2006). Most efficient if the smaller one is minimal.
LanguageInclusion included(const TableAutomaton& smaller, const SilentAutomaton& larger);
LanguageInclusion included(const TableAutomaton& smaller, const TableAutomaton& larger);

// Numbers for states, in the order in which they come up.
template <class State>
class StateNumbers {
 public:
  static_assert(std::has_unique_object_representations_v<State>);

  uint32_t number(const State& state) {
    const auto [entry, fresh] = numbers_.try_emplace(state, static_cast<uint32_t>(states_.size()));
    if (fresh) states_.push_back(state);
    return entry->second;
  }
  State operator[](uint32_t number) const { return states_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(states_.size()); }

 private:
  struct Hash {
    size_t operator()(const State& state) const { return hash_array<State>({&state, 1}); }
  };
  std::unordered_map<State, uint32_t, Hash> numbers_;
  std::vector<State> states_;
};

// All states of a language. Precondition: there are not too many of them.
TableAutomaton table_of(const machine::HistoryLanguage& language);

// All states of a specification: Spec::step(state, letter) is an optional state.
template <class Spec>
requires(!std::is_base_of_v<machine::HistoryLanguage, Spec>) TableAutomaton table_of(const Spec& spec) {
  using State = std::decay_t<decltype(spec.initial())>;
  TableAutomaton table;
  table.letters = spec.alphabet().letters();
  StateNumbers<State> numbers;
  numbers.number(spec.initial());
  for (uint32_t state = 0; state < numbers.size(); ++state) {
    for (uint32_t letter = 0; letter < table.letters; ++letter) {
      const std::optional<State> after = spec.step(numbers[state], letter);
      table.next.push_back(after ? numbers.number(*after) : TableAutomaton::kRejected);
    }
  }
  return table;
}

// The same with the silent moves, which are one per thread.
template <class Spec>
SilentAutomaton silent_table_of(const Spec& spec) {
  using State = std::decay_t<decltype(spec.initial())>;
  SilentAutomaton table;
  table.steps.letters = spec.alphabet().letters();
  table.silent_moves = spec.alphabet().threads;
  StateNumbers<State> numbers;
  const auto number = [&numbers](const std::optional<State>& state) {
    return state ? numbers.number(*state) : TableAutomaton::kRejected;
  };
  numbers.number(spec.initial());
  for (uint32_t state = 0; state < numbers.size(); ++state) {
    for (uint32_t letter = 0; letter < table.steps.letters; ++letter)
      table.steps.next.push_back(number(spec.step(numbers[state], letter)));
    for (uint32_t move = 0; move < table.silent_moves; ++move)
      table.silent.push_back(number(spec.serialize(numbers[state], move)));
  }
  return table;
}

}  // namespace fenceline::property
