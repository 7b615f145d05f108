// SPDX-License-Identifier: GPL-3.0-or-later
//
// Subset construction, then refinement of a partition (Moore, "Gedanken-experiments on sequential machines",
// 1956), then numbering. With five to thirty states, iterations over flat arrays are good enough; Hopcroft's
// algorithm was not tried. Long chains need many iterations, and most automata here are nearly chains.
// So the first partition is finer than the usual one: by the length of the shortest word that a state accepts
// and by its letters. Both belong to the language of a state, hence states that accept the same are never
// separated, and the distances separate the states of a chain at once. They come for free with the states
// that accept nothing, and take a seventh off the time of append, newest and united (bench/languages.cpp).
#include "automata/minimal.h"

#include <algorithm>

namespace fenceline::automata {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

}  // namespace

const FlatAutomaton& Minimiser::of_deterministic(const FlatAutomaton& automaton) {
  result_.clear();
  if (automaton.states.empty()) return result_;
  measure_distances(automaton);
  if (distance_[0] == kNone) return result_;
  find_useful(automaton);
  refine(automaton);
  return number_breadth_first(automaton, 0, sequences_.size(), [this](uint32_t state) {
    return distance_[state] == kNone ? kNone : class_[state];
  });
}

const FlatAutomaton& Minimiser::of_nondeterministic(const FlatAutomaton& automaton) {
  determinise(automaton);
  return of_deterministic(deterministic_);
}

const FlatAutomaton& Minimiser::from_state(const FlatAutomaton& minimal, uint32_t initial) {
  result_.clear();
  return number_breadth_first(minimal, initial, minimal.size(), [](uint32_t state) { return state; });
}

void Minimiser::determinise(const FlatAutomaton& automaton) {
  deterministic_.clear();
  if (automaton.states.empty()) return;
  sequences_.clear();
  sequence_.assign(1, 0);
  sequences_.add(sequence_);
  for (uint32_t subset = 0; subset < sequences_.size(); ++subset) {
    bool accepting = false;
    successors_.clear();
    for (const uint32_t state : sequences_[subset]) {
      accepting |= automaton.accepting(state);
      for (const FlatAutomaton::Edge& edge : automaton.edges_of(state))
        successors_.push_back(uint64_t{alphabet_.rank(edge.symbol)} << 32 | edge.to);
    }
    std::ranges::sort(successors_);
    deterministic_.add_state(accepting);
    for (size_t i = 0; i < successors_.size();) {
      const uint64_t rank = successors_[i] >> 32;
      sequence_.clear();
      for (; i < successors_.size() && successors_[i] >> 32 == rank; ++i) {
        const auto to = static_cast<uint32_t>(successors_[i]);
        if (sequence_.empty() || sequence_.back() != to) sequence_.push_back(to);
      }
      deterministic_.add_edge(alphabet_.at_rank(static_cast<uint32_t>(rank)), sequences_.add(sequence_));
    }
  }
}

// Breadth first from the accepting states against the edges.
void Minimiser::measure_distances(const FlatAutomaton& automaton) {
  incoming_.assign(automaton.size() + 1, 0);
  for (const FlatAutomaton::Edge& edge : automaton.edges) ++incoming_[edge.to + 1];
  for (uint32_t state = 0; state < automaton.size(); ++state) incoming_[state + 1] += incoming_[state];
  predecessors_.resize(automaton.edges.size());
  for (uint32_t state = 0; state < automaton.size(); ++state)
    for (const FlatAutomaton::Edge& edge : automaton.edges_of(state))
      predecessors_[incoming_[edge.to]++] = state;

  distance_.assign(automaton.size(), kNone);
  queue_.clear();
  for (uint32_t state = 0; state < automaton.size(); ++state) {
    if (!automaton.accepting(state)) continue;
    distance_[state] = 0;
    queue_.push_back(state);
  }
  for (size_t i = 0; i < queue_.size(); ++i) {
    const uint32_t state = queue_[i];
    for (uint32_t p = state == 0 ? 0 : incoming_[state - 1]; p < incoming_[state]; ++p) {
      if (distance_[predecessors_[p]] != kNone) continue;
      distance_[predecessors_[p]] = distance_[state] + 1;
      queue_.push_back(predecessors_[p]);
    }
  }
}

void Minimiser::find_useful(const FlatAutomaton& automaton) {
  class_.assign(automaton.size(), kNone);
  useful_.assign(1, 0);
  class_[0] = 0;
  for (size_t i = 0; i < useful_.size(); ++i) {
    for (const FlatAutomaton::Edge& edge : automaton.edges_of(useful_[i])) {
      if (distance_[edge.to] == kNone || class_[edge.to] != kNone) continue;
      class_[edge.to] = 0;
      useful_.push_back(edge.to);
    }
  }
}

void Minimiser::refine(const FlatAutomaton& automaton) {
  sequences_.clear();
  for (const uint32_t state : useful_) {
    sequence_.assign(1, distance_[state]);
    for (const FlatAutomaton::Edge& edge : automaton.edges_of(state))
      if (distance_[edge.to] != kNone) sequence_.push_back(edge.symbol);
    class_[state] = sequences_.add(sequence_);
  }
  refined_class_.resize(automaton.size());
  // States of one class have the same letters in the same order, so the classes behind them are enough.
  for (uint32_t classes = 0; classes != sequences_.size() && sequences_.size() != useful_.size();) {
    classes = sequences_.size();
    sequences_.clear();
    for (const uint32_t state : useful_) {
      sequence_.assign(1, class_[state]);
      for (const FlatAutomaton::Edge& edge : automaton.edges_of(state))
        if (distance_[edge.to] != kNone) sequence_.push_back(class_[edge.to]);
      refined_class_[state] = sequences_.add(sequence_);
    }
    class_.swap(refined_class_);
  }
}

// class_of: the class of a state, or kNone if it accepts nothing.
template <class ClassOf>
const FlatAutomaton& Minimiser::number_breadth_first(const FlatAutomaton& automaton, uint32_t initial,
                                                     uint32_t class_count, ClassOf class_of) {
  number_.assign(class_count, kNone);
  number_[class_of(initial)] = 0;
  queue_.assign(1, initial);  // one state of each class, at the index of its number
  for (size_t i = 0; i < queue_.size(); ++i) {
    const uint32_t state = queue_[i];
    result_.add_state(automaton.accepting(state));
    for (const FlatAutomaton::Edge& edge : automaton.edges_of(state)) {
      const uint32_t to = class_of(edge.to);
      if (to == kNone) continue;
      if (number_[to] == kNone) {
        number_[to] = static_cast<uint32_t>(queue_.size());
        queue_.push_back(edge.to);
      }
      result_.add_edge(edge.symbol, number_[to]);
    }
  }
  return result_;
}

}  // namespace fenceline::automata
