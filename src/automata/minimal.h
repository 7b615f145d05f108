// SPDX-License-Identifier: GPL-3.0-or-later
//
// The canonical automaton of a language: deterministic, minimal, without states that accept nothing,
// its states numbered breadth first along edges sorted by letter.
#pragma once

#include <cstdint>
#include <vector>

#include "automata/alphabet.h"
#include "automata/flat_automaton.h"
#include "automata/tables.h"

namespace fenceline::automata {

class Minimiser {
 public:
  explicit Minimiser(const Alphabet& alphabet) : alphabet_(alphabet) {}

  // All three return a reference to memory of the minimiser, valid until the next call.

  // Precondition: the letters of a state differ and are sorted. Other states may be superfluous.
  const FlatAutomaton& of_deterministic(const FlatAutomaton& automaton);
  // Any automaton.
  const FlatAutomaton& of_nondeterministic(const FlatAutomaton& automaton);
  // Precondition: the automaton is minimal. With another initial state some states are out of reach; those
  // that are left still accept different languages, so they need new numbers only.
  const FlatAutomaton& from_state(const FlatAutomaton& minimal, uint32_t initial);

 private:
  void determinise(const FlatAutomaton& automaton);
  void measure_distances(const FlatAutomaton& automaton);
  void find_useful(const FlatAutomaton& automaton);
  void refine(const FlatAutomaton& automaton);
  template <class ClassOf>
  const FlatAutomaton& number_breadth_first(const FlatAutomaton& automaton, uint32_t initial,
                                            uint32_t class_count, ClassOf class_of);

  const Alphabet& alphabet_;

  // Memory that is used again and again.
  FlatAutomaton deterministic_;
  FlatAutomaton result_;
  SequenceSet sequences_;               // subsets of states, then signatures of states
  std::vector<uint64_t> successors_;    // rank of the letter << 32 | state
  std::vector<uint32_t> sequence_;      // the one that is being built
  std::vector<uint32_t> incoming_;      // for each state where the list of its predecessors ends
  std::vector<uint32_t> predecessors_;  // those lists
  std::vector<uint32_t> distance_;      // of each state to acceptance
  std::vector<uint32_t> queue_;         // of states
  std::vector<uint32_t> useful_;        // states within reach that accept something
  std::vector<uint32_t> class_;         // of each state
  std::vector<uint32_t> refined_class_;
  std::vector<uint32_t> number_;  // of each class in the result
};

}  // namespace fenceline::automata
