// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where are store buffers empty for sure? Meshman, Dan, Vechev, Yahav: Synthesis of memory fences via
// refinement propagation (SAS 2014), section 4.4: a flush there does nothing, so that none need be looked at.
//
// A forward analysis of each thread on its own: at each point the cells of which stores of the thread may be
// waiting. A store adds its cells. What needs an empty buffer takes away: a full fence and sync all cells; an
// rmw, or a store inside an atomic section, all cells on TSO and its own on PSO (if it is sure which one that
// is). Nothing else does: a flush happens or not, and barriers and marks wait for nothing. So whoever stands
// at a point has at most these cells in its buffers, in every run, with buffers of every length.
#pragma once

#include <vector>

#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "transform/to_sc/accessed_cells.h"

namespace fenceline {

// By point: does it lie between the two ends of an atomic section? (kAtomicEnd does, kAtomicBegin does not.)
std::vector<bool> inside_atomic(const Overlay& overlay, ThreadId thread);

class EmptyBuffers {
 public:
  // Precondition: the model has store buffers or none (not Buffering::kNoMachine).
  EmptyBuffers(const Overlay& overlay, const AccessedCells& accessed, Buffering buffering);

  // The cells of which a store may be waiting when the thread is about to run this point, in order.
  const std::vector<CellId>& waiting(ThreadId thread, Point point) const {
    return waiting_[thread.index()][point.index()];
  }
  bool may_wait(ThreadId thread, Point point, CellId cell) const;
  bool all_empty(ThreadId thread, Point point) const { return waiting(thread, point).empty(); }

 private:
  std::vector<std::vector<std::vector<CellId>>> waiting_;  // by thread, by point
};

}  // namespace fenceline
