// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "automata/alphabet.h"
#include "automata/flat_automaton.h"

namespace fenceline::automata {

// Languages::text, for a canonical automaton.
std::string regular_expression(const FlatAutomaton& automaton, const Alphabet& alphabet,
                               const std::function<std::string(const Letter&)>& name);

}  // namespace fenceline::automata
