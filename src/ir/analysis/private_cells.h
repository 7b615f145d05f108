// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory that only one thread accesses: local variables that are kept in memory, and what else no other thread
// can reach. Which cells an access can have (accessed_cells.h) is asked without regard to the order of accesses, so this
// holds on every memory model. Like registers, private cells are live or dead (liveness.h): a store to exactly one cell
// overwrites it, a load may read each cell that it can have.
#pragma once

#include <vector>

#include "base/bit_set.h"
#include "ir/program.h"

namespace fenceline {

class PrivateCells {
 public:
  // Cells of `observed`, by cell, are private to no thread. Precondition: the program passes ir/verify.
  PrivateCells(const Program& program, const std::vector<bool>& observed);

  // True if no other thread accesses the cell.
  bool is_private(ThreadId thread, CellId cell) const { return owner_[cell.index()] == thread; }

  // Can the thread, before this point, read the content of the cell before it stores to it?
  // Precondition: is_private(thread, cell).
  bool live(ThreadId thread, Point point, CellId cell) const {
    return live_[thread.index()][point.index()].has(cell.index());
  }

 private:
  std::vector<ThreadId> owner_;            // by cell; invalid: accessed by several threads, or by none
  std::vector<std::vector<BitSet>> live_;  // by thread and point: cells
};

}  // namespace fenceline
