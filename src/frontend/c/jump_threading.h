// SPDX-License-Identifier: GPL-3.0-or-later
//
// Jump threading: where a register has just been set to a constant and a branch looks at it, the thread goes on where the
// branch leads. Compilers leave such branches behind a loop with several exits: each exit sets a number, and what
// follows asks for it. Without the branch, it is clear that what only one exit needs is not needed behind the others,
// which decides whether a loop is one that waits (ir/analysis/wait_loops.h).
#pragma once

#include "ir/program.h"

namespace fenceline::frontend::c {

void thread_jumps(Program& program);

}  // namespace fenceline::frontend::c
