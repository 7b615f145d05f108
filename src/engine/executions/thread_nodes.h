// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads with the same code that get different pointers: each has a node of its own, as in queue locks. They can exchange
// their roles if they exchange their nodes with them (symmetric_threads.h).
//
// The pointers are constants p1, p2, ..., which the starter stores as arguments. An exchange of threads 1 and 2 renames
// p1 and p2 into each other, wherever they are values of pointers, and so the cells p1 + c and p2 + c, where c is an offset
// that is added to a pointer somewhere. That turns executions into executions if all code, that of other threads
// included, does the same with the renamed values:
//
// - Which registers and cells hold pointers is found by following the arguments through assignments, loads, stores,
//   exchanges and comparisons, to wherever they come and from wherever values come that are compared with them. All others
//   hold numbers, which are not renamed even if they are p1 by chance.
// - Pointers are copied, compared for equality and with 0, and used as addresses, perhaps with a constant offset.
//   Anything else (order, arithmetic, a range that they must be in) and the program has no nodes.
// - No other constant is a pointer to a node: not in the code of any thread, and not in initial memory. So a pointer is
//   p1, p2, ..., or one that is not renamed, and of those none leads to a cell of a node.
// - The cells of nodes are accessed by pointers alone, do not overlap, and correspond to each other: the same size, the
//   same initial value.
//
// As long as two threads are tied, neither has given its pointer to others: it has not written anything but its own cells
// and its node. So what they read outside of these is no pointer to the nodes of both, and their states are the same but for
// the exchange of p1 and p2. (If the first one reads its own pointer from a write of a third thread, that thread has it
// from a write of the first one: a later one, and po | rf would have a cycle.)
#pragma once

#include <optional>
#include <vector>

#include "base/bit_set.h"
#include "engine/executions/thread_groups.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/edit/overlay.h"

namespace fenceline::executions {

struct ThreadNodes {
  std::vector<Value> pointers;             // by thread of the group
  std::vector<std::vector<CellId>> cells;  // by thread of the group: its node; those of one place correspond
  BitSet pointer_cells;                    // that hold pointers
};

// `own`: by thread of the group, its own cells; `starter` stores the pointers to some of these. Nothing if the threads
// cannot exchange their nodes. Precondition: the starter is fair.
std::optional<ThreadNodes> thread_nodes(const Overlay& overlay, const AccessedCells& accessed,
                                        const ThreadGroup& group, const std::vector<BitSet>& own,
                                        ThreadId starter);

}  // namespace fenceline::executions
