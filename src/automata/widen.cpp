// SPDX-License-Identifier: GPL-3.0-or-later
//
// Widening by merging states. A buffer that grows without a regular pattern would give ever larger automata;
// what the program can observe of a long buffer at once is little: its own loads return the newest letter of
// each variable, commits take the letter that is next. So states are distinguished only by that.
//
// A profile is what own loads return after one word: the newest letter of each variable, if any. A state has
// the set of the profiles of all words that lead to it. Merging states of an automaton never loses a word.
// Over finitely many letters there are finitely many profiles, sets of them, and sets of next letters, so
// merged automata have boundedly many states and there are finitely many of them.
#include "automata/widen.h"

#include <algorithm>
#include <vector>

#include "automata/tables.h"

namespace fenceline::automata {
namespace {

using Edge = FlatAutomaton::Edge;

constexpr uint32_t kNoLetter = ~uint32_t{0};
constexpr uint32_t kBarrier = ~uint32_t{0};

// Beyond this many pairs of a state and a profile, profiles are ignored: a coarser merge, but sound as well.
constexpr size_t kMostProfiles = 4096;

// For each symbol of the automaton the index of its variable in a profile; how many variables there are.
struct ProfileIndex {
  std::vector<uint32_t> of_symbol;
  size_t count = 0;
};

ProfileIndex profile_index(const FlatAutomaton& automaton, const Alphabet& alphabet) {
  std::vector<uint32_t> variables;
  Symbol last = 0;
  for (const Edge& edge : automaton.edges) {
    last = std::max(last, edge.symbol);
    const uint32_t variable = alphabet.letter(edge.symbol).variable;
    if (variable != Letter::kBarrier && std::ranges::find(variables, variable) == variables.end())
      variables.push_back(variable);
  }
  ProfileIndex index{std::vector<uint32_t>(last + 1, kBarrier), variables.size()};
  for (const Edge& edge : automaton.edges) {
    const auto found = std::ranges::find(variables, alphabet.letter(edge.symbol).variable);
    if (found != variables.end())
      index.of_symbol[edge.symbol] = static_cast<uint32_t>(found - variables.begin());
  }
  return index;
}

// The numbers of the profiles of each state, sorted; no lists at all if there are too many.
std::vector<std::vector<uint32_t>> profiles_of_states(const FlatAutomaton& automaton,
                                                      const Alphabet& alphabet) {
  const ProfileIndex index = profile_index(automaton, alphabet);
  SequenceSet profiles;
  PairTable seen;
  struct Reached {
    uint32_t state;
    uint32_t profile;
  };
  std::vector<Reached> reached = {{0, profiles.add(std::vector<uint32_t>(index.count, kNoLetter))}};
  seen.insert(0, 0, 0);
  std::vector<uint32_t> profile;
  for (size_t i = 0; i < reached.size(); ++i) {
    if (reached.size() > kMostProfiles) return {};
    const Reached here = reached[i];
    for (const Edge& edge : automaton.edges_of(here.state)) {
      const auto old = profiles[here.profile];
      profile.assign(old.begin(), old.end());
      if (index.of_symbol[edge.symbol] != kBarrier) profile[index.of_symbol[edge.symbol]] = edge.symbol;
      const uint32_t number = profiles.add(profile);
      const auto next = static_cast<uint32_t>(reached.size());
      if (seen.insert(edge.to, number, next) == next) reached.push_back({edge.to, number});
    }
  }
  std::vector<std::vector<uint32_t>> of_states(automaton.size());
  for (const Reached& pair : reached) of_states[pair.state].push_back(pair.profile);
  for (std::vector<uint32_t>& numbers : of_states) std::ranges::sort(numbers);
  return of_states;
}

}  // namespace

void merge_states(const FlatAutomaton& from, const Alphabet& alphabet, FlatAutomaton& to) {
  const std::vector<std::vector<uint32_t>> profiles = profiles_of_states(from, alphabet);
  SequenceSet kinds;
  std::vector<uint32_t> kind_of(from.size());
  std::vector<uint32_t> kind;
  for (uint32_t state = 0; state < from.size(); ++state) {
    const auto edges = from.edges_of(state);
    kind = {from.accepting(state) ? 1U : 0U, static_cast<uint32_t>(edges.size())};
    for (const Edge& edge : edges) kind.push_back(edge.symbol);
    if (!profiles.empty()) kind.insert(kind.end(), profiles[state].begin(), profiles[state].end());
    kind_of[state] = kinds.add(kind);
  }
  std::vector<std::vector<uint32_t>> members(kinds.size());
  for (uint32_t state = 0; state < from.size(); ++state) members[kind_of[state]].push_back(state);
  to.clear();
  for (const std::vector<uint32_t>& states : members) {
    to.add_state(from.accepting(states.front()));
    for (const uint32_t state : states)
      for (const Edge& edge : from.edges_of(state)) to.add_edge(edge.symbol, kind_of[edge.to]);
  }
}

}  // namespace fenceline::automata
