// SPDX-License-Identifier: GPL-3.0-or-later
//
// What main() does before it starts the first thread has one execution, whatever the memory model is: nothing else runs
// yet, and starting a thread makes all of it visible to that thread. So it is executed here, and what it leaves in memory
// and in registers is what the program begins with. A constructor that fills a pool of nodes is then no part of any
// execution that an engine looks at.
//
// Nothing is changed if main() fails, waits or makes a choice before it starts a thread, or starts none: such executions
// are to be seen from their beginning.
#pragma once

#include <set>

#include "ir/program.h"

namespace fenceline::frontend::c {

// `starts`: the cells that are stored to in order to start a thread. All other threads begin by waiting for one of them.
void execute_set_up(Program& program, ThreadId main, const std::set<CellId>& starts);

}  // namespace fenceline::frontend::c
