// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is every history of one automaton one of the other? Pairs of states that the same history leads to are
// explored breadth first; a pair whose first part can go on where the second cannot is a counterexample.
#include <algorithm>

#include "automata/tables.h"
#include "property/opacity/automaton.h"

namespace fenceline::property {
namespace {

constexpr uint32_t kRejected = TableAutomaton::kRejected;
constexpr uint32_t kSilent = ~uint32_t{0};  // instead of a letter

// How a search reached its states.
class Trail {
 public:
  uint32_t add(uint32_t parent, uint32_t letter) {
    steps_.push_back({parent, letter});
    return static_cast<uint32_t>(steps_.size() - 1);
  }
  HistoryWord word(uint32_t step, uint32_t last) const {
    HistoryWord found = {last};
    for (; step != 0; step = steps_[step].parent)
      if (steps_[step].letter != kSilent) found.push_back(steps_[step].letter);
    std::ranges::reverse(found);
    return found;
  }

 private:
  struct Step {
    uint32_t parent, letter;
  };
  std::vector<Step> steps_;
};

class PairSearch {
 public:
  void reach(uint32_t first, uint32_t second, uint32_t parent, uint32_t letter) {
    const auto fresh = static_cast<uint32_t>(pairs_.size());
    if (numbers_.insert(first, second, fresh) != fresh) return;
    pairs_.push_back({first, second});
    trail_.add(parent, letter);
  }

  LanguageInclusion search(const TableAutomaton& smaller, const TableAutomaton& larger,
                           const SilentAutomaton* silent) {
    reach(0, 0, 0, kSilent);
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      const Pair pair = pairs_[i];
      for (uint32_t letter = 0; letter < smaller.letters; ++letter) {
        const uint32_t first = smaller.after(pair.first, letter), second = larger.after(pair.second, letter);
        if (first == kRejected) continue;
        if (second == kRejected) return {trail_.word(i, letter), pairs_.size()};
        reach(first, second, i, letter);
      }
      for (uint32_t move = 0; silent != nullptr && move < silent->silent_moves; ++move) {
        const uint32_t first = silent->after_silent(pair.first, move);
        if (first != kRejected) reach(first, pair.second, i, kSilent);
      }
    }
    return {std::nullopt, pairs_.size()};
  }

 private:
  struct Pair {
    uint32_t first, second;
  };
  std::vector<Pair> pairs_;
  automata::PairTable numbers_;
  Trail trail_;
};

using States = std::vector<uint32_t>;  // sorted

// Sets of states of the larger automaton, closed under its silent moves, one for each history that leads to a
// state of the smaller. Fewer states accept fewer continuations, so a set subsumes its supersets.
class AntichainSearch {
 public:
  AntichainSearch(const TableAutomaton& smaller, const SilentAutomaton& larger)
      : smaller_(smaller), larger_(larger), minimal_(smaller.size()), mark_(larger.steps.size()) {}

  LanguageInclusion search() {
    States initial = {0};
    close(initial);
    reach(0, std::move(initial), 0, kSilent);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].subsumed) continue;
      for (uint32_t letter = 0; letter < smaller_.letters; ++letter) {
        const uint32_t first = smaller_.after(nodes_[i].first, letter);
        if (first == kRejected) continue;
        States second = after(nodes_[i].second, letter);
        if (second.empty()) return {trail_.word(i, letter), nodes_.size()};
        reach(first, std::move(second), i, letter);
        if (nodes_[i].subsumed) break;
      }
    }
    return {std::nullopt, nodes_.size()};
  }

 private:
  struct Node {
    uint32_t first = 0;
    States second;
    bool subsumed = false;
  };

  void close(States& states) {
    for (const uint32_t state : states) mark_[state] = 1;
    for (size_t i = 0; i < states.size(); ++i) {
      for (uint32_t move = 0; move < larger_.silent_moves; ++move) {
        const uint32_t to = larger_.after_silent(states[i], move);
        if (to == kRejected || mark_[to]) continue;
        mark_[to] = 1;
        states.push_back(to);
      }
    }
    for (const uint32_t state : states) mark_[state] = 0;
    std::ranges::sort(states);
  }

  States after(const States& states, uint32_t letter) {
    States found;
    for (const uint32_t state : states)
      if (const uint32_t to = larger_.steps.after(state, letter); to != kRejected) found.push_back(to);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    close(found);
    return found;
  }

  void reach(uint32_t first, States second, uint32_t parent, uint32_t letter) {
    std::vector<uint32_t>& chain = minimal_[first];
    for (const uint32_t other : chain)
      if (std::ranges::includes(second, nodes_[other].second)) return;
    std::erase_if(chain, [&](uint32_t other) {
      if (!std::ranges::includes(nodes_[other].second, second)) return false;
      nodes_[other].subsumed = true;
      nodes_[other].second = {};
      return true;
    });
    chain.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.push_back({first, std::move(second), false});
    trail_.add(parent, letter);
  }

  const TableAutomaton& smaller_;
  const SilentAutomaton& larger_;
  std::vector<Node> nodes_;
  std::vector<std::vector<uint32_t>> minimal_;  // for each state of the smaller one: nodes
  std::vector<uint8_t> mark_;                   // of states of the larger one
  Trail trail_;
};

}  // namespace

LanguageInclusion included(const SilentAutomaton& smaller, const TableAutomaton& larger) {
  return PairSearch().search(smaller.steps, larger, &smaller);
}

LanguageInclusion included(const TableAutomaton& smaller, const TableAutomaton& larger) {
  return PairSearch().search(smaller, larger, nullptr);
}

LanguageInclusion included(const TableAutomaton& smaller, const SilentAutomaton& larger) {
  return AntichainSearch(smaller, larger).search();
}

}  // namespace fenceline::property
