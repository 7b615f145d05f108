// SPDX-License-Identifier: GPL-3.0-or-later
//
// Removes branches that decide nothing: those on numbers which the thread has computed without memory, where whatever the
// branch leads to, up to the point where its ways meet, is a computation that nothing looks at either. So loops go away
// that only let time pass, and counters that say for how long: the exponential back-off of a lock. An iteration of a loop
// around them then leaves nothing behind (ir/analysis/wait_loops.h).
//
// Only loops go away that certainly end: those that count by one up or down to a number that stays the same. No
// dependency is lost: the conditions depend on no load.
#pragma once

#include <utility>
#include <vector>

#include "ir/program.h"

namespace fenceline::frontend::c {

// `observed`: registers that are looked at when the program has ended, besides those of its properties.
void remove_dead_code(Program& program, const std::vector<std::pair<ThreadId, RegId>>& observed);

}  // namespace fenceline::frontend::c
