// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of automata certificates: what their words mean, and small certificates made by two methods.
#pragma once

#include <vector>

#include "task/automata_certificate.h"
#include "unit/check/statespace/concrete_exploration.h"

namespace fenceline::testing {

// The buffer as words, one per queue.
std::vector<Word> words_of(const ConcreteBuffer& buffer, Buffering buffering, size_t cell_count);

bool accepts(const Automaton& automaton, const Word& word);
Automaton only(const std::vector<Word>& words);

// A state with one word per queue for each state that was reached.
AutomataCertificate symbolically(const Exploration& exploration, const Task& task);

// Is there a state in the certificate that represents this one?
bool means(const AutomataCertificate& certificate, const ConcreteState& state, const Task& task);

// Closes the initial state under the checker's steps. Of a language with more than `exact` states in its
// automaton only its letters and the last letters of its words are remembered. Stops with what it has
// when there are `max_states`; `complete` is false then.
AutomataCertificate close_symbolically(const Task& task, size_t exact, size_t max_states, bool& complete);

}  // namespace fenceline::testing
