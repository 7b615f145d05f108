// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does each thread that has not ended wait for ever? Written from docs/semantics.md, "Liveness": the thread is
// executed alone on the memory of the end, with every choice that it has. It waits if it cannot end, cannot fail,
// leaves the memory that other threads access as it is, and comes back to where it was, or to a blocking operation
// that is not enabled.
//
// "Where it was" is a head of a loop with the same registers and private memory, as far as they are used later
// (ir/analysis); what is not used later does not decide anything.
#pragma once

#include <vector>

#include "check/replay/interpreter.h"
#include "task/counterexample.h"

namespace fenceline::check {

// The threads that wait, at least one. Stores that are still pending count as flushed, if flushing them changes nothing
// that another thread accesses. Throws RejectedTrace if the end does not violate liveness: all threads have ended, one
// has ended the program, is stopped by an assumption, or does not wait for ever.
std::vector<WaitingThread> waiting_for_ever(const Overlay& overlay, const Interpreter& end);

}  // namespace fenceline::check
