// SPDX-License-Identifier: GPL-3.0-or-later
//
// Liveness on SC, TSO and PSO by its definition, on the graph of all states: no reduction, nothing about loops, and no
// thread alone. A reachable state violates it if some thread has not ended there, and if in every state that can be
// reached from it the shared memory is the same, the same threads have ended, and no step fails. The states are those of
// the interpreter that replays traces.
#pragma once

#include <optional>

#include "ir/program.h"
#include "model/memory_model.h"

namespace fenceline::fuzz {

// Nothing if there are too many states, or if the program has assumptions outside of atomic sections, which take
// executions out of consideration, or fences that only order some accesses.
std::optional<bool> violates_liveness(const Program& program, const MemoryModel& model, size_t most_states);

}  // namespace fenceline::fuzz
