// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a symbolic trace to one of the exact machine. The symbolic trace ends in a state that represents many;
// one content of the buffers is chosen there, and traced backwards: undoing a flush puts a letter in front,
// undoing a store takes one from the end, and undoing an acceleration X·(w1|w2|...)* splits the content into
// a word of X and the iterations that appended the others. The result is how often each cycle has to iterate.
#pragma once

#include <optional>
#include <string>

#include "engine/automata/symbolic_search.h"
#include "engine/cegar/concretise.h"

namespace fenceline::automata {

// None: no exact execution was found; `why_not` then says where the symbolic trace leaves the exact machine.
std::optional<engine::Concretised> concretise_symbolic(const Task& task, machine::SymbolicSystem& system,
                                                       const machine::Code& code, const SymbolicPath& path,
                                                       Env& env, std::string& why_not);

}  // namespace fenceline::automata
