// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which constructs occur in a program: what engines check before they accept it.
#pragma once

#include <vector>

#include "ir/edit/overlay.h"
#include "ir/program.h"

namespace fenceline {

// The fence of `sync`: it waits for the pending stores of all threads.
bool is_sync(const Instruction& instruction);

bool has_sync(const Program& program);
bool has_sync(const Overlay& overlay);  // the inserted fences as well

// Is there an edge to the same or an earlier point? Every loop has such an edge.
bool has_loops(const Program& program);

// The points of the instructions inside of each atomic section of the thread.
std::vector<std::vector<Point>> atomic_sections(const Overlay& overlay, ThreadId thread);

// What an access of several cells does (Instruction::one_access): a load, a store, or both, which makes it a
// read-modify-write.
struct AccessParts {
  bool loads = false, stores = false;

  bool is_rmw() const { return loads && stores; }
};

// Of the one that begins there. Precondition: it is a kAtomicBegin.
AccessParts parts_of_access(const Overlay& overlay, ThreadId thread, Point begin);

// Is there a store to several cells at once that is no read-modify-write?
bool has_wide_stores(const Overlay& overlay);

}  // namespace fenceline
