// SPDX-License-Identifier: GPL-3.0-or-later
//
// The thread that starts and joins others, and does not distinguish them: why that leaves threads with the same code
// exchangeable (symmetric_threads.h).
//
// Each thread has cells of its own, and only the starter accesses them besides: it stores to some (the start, an
// argument) and loads from others (the end of the thread). The starter has a line of instructions that it executes once,
// in that order:
//
//   before; g1 = v; F; s1 = 1; g2 = v; F; s2 = 1; between; a = d1; wait(a); F; a = d2; wait(a); F; after
//
// Exchange the roles of two threads in an execution. All events stay, and so do the relations among the events of the
// starter, and among those of all other threads. What changes is rf between the threads and the starter: who did as s1
// demanded now reads s2, and who had written d2 has now written d1. So these relations must make no difference.
//
// - Nothing but the starter's own past is ordered before its stores. Each cell is stored to once, by the starter alone,
//   and the threads read all of these cells before they do anything else. A read of the initial value, which is before
//   the store (fr), makes the thread different from all others: SymmetricOrder does not tie it, and a thread that reads it
//   later could have been compared by then.
// - Nothing but the starter's own future is ordered behind its loads. The thread writes the cell once, and it is the only
//   value that the starter does not wait for; so a load that the starter passes is not before another write. If it does
//   not pass, nothing follows, and without the load the execution is allowed as well. Nor does the starter fail between
//   the loads: whether it comes that far would depend on which of the threads ends.
// - What the starter did before is ordered before s1 and before s2 in the same way: by the same tags of the stores, by no
//   dependency, and by fences: each s has a fence directly before it, or none has. Where only some stores have one, as
//   above, the others (g) are ordered with something else at times: g2 behind s1, g1 not. That makes no difference if
//   the thread reads g behind s and a fence: then all that it does from there on, reading g included, is ordered behind s,
//   and what is ordered before g2 but not before g1 is ordered before s1 and s2.
// - What the starter does afterwards is ordered behind d1 and d2 in the same way: by the same tags of the loads, by
//   control dependencies on each of them, by no other dependency, and by fences: the last one has a fence behind it, and
//   so all have, or none has.
//
// Only full fences without a name are considered, which order all before them with all behind them. A store of the
// starter between two others is taken not to order them, other than by being ordered with both of them itself.
#pragma once

#include <optional>
#include <vector>

#include "base/bit_set.h"
#include "engine/executions/thread_groups.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/edit/overlay.h"

namespace fenceline::executions {

// The cells of the threads that the starter stores to, if it treats the threads alike. `own`: by thread of the group, its
// cells. Precondition: only the thread itself, at these points, and the starter access them.
std::optional<BitSet> stored_by_fair_starter(const Overlay& overlay, const AccessedCells& accessed,
                                             const ThreadGroup& group, const std::vector<BitSet>& own,
                                             ThreadId starter);

}  // namespace fenceline::executions
