// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a symbolic run to a run of the exact machine. The symbolic run ends in a state that stands for many;
// one content of the buffers is chosen there, and found backwards: undoing a flush puts a letter in front,
// undoing a store takes one from the end, and undoing an acceleration X·(w1|w2|...)* takes the content apart
// into a word of X and the rounds that appended the others. So it comes out how often each cycle has to run.
#pragma once

#include <optional>
#include <string>

#include "engine/automata/symbolic_search.h"
#include "engine/cegar/concretise.h"

namespace fenceline {

// None: no exact run was found; `why_not` then says where the symbolic run leaves the exact machine.
std::optional<Concretised> concretise_symbolic(const Task& task, SymbolicSystem& system, const Code& code,
                                               const SymbolicPath& path, Env& env, std::string& why_not);

}  // namespace fenceline
