// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "automata/alphabet.h"
#include "automata/flat_automaton.h"

namespace fenceline::automata {

// Merges the states of a canonical automaton as described at Languages::widened. The result may be
// nondeterministic. Precondition: the automaton has states.
void merge_states(const FlatAutomaton& from, const Alphabet& alphabet, FlatAutomaton& to);

}  // namespace fenceline::automata
