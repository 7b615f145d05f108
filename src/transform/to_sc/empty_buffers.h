// SPDX-License-Identifier: GPL-3.0-or-later
//
// At which program points are store buffers empty for sure? Meshman, Dan, Vechev, Yahav: Synthesis of memory
// fences via refinement propagation (SAS 2014), section 4.4: a flush there does nothing, so none is needed.
//
// A forward analysis of each thread on its own: at each point, the cells to which the thread may have pending
// stores. A store adds its cells. An instruction that needs an empty buffer removes cells: a full fence and
// sync all of them; an rmw, or a store inside an atomic section, all of them on TSO and its own on PSO (if it
// is sure which one that is). Nothing else removes any: a flush happens or not, and barriers and marks do not
// wait. So a thread at a point has at most these cells in its buffers, in every execution, with buffers of
// every length.
#pragma once

#include <vector>

#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "transform/to_sc/accessed_cells.h"

namespace fenceline::transform {

// By point: does it lie between the two ends of an atomic section? (kAtomicEnd does, kAtomicBegin does not.)
std::vector<bool> inside_atomic(const Overlay& overlay, ThreadId thread);

class EmptyBuffers {
 public:
  // Precondition: the model has store buffers or none (not Buffering::kNoMachine).
  EmptyBuffers(const Overlay& overlay, const AccessedCells& accessed, Buffering buffering);

  // The cells that may have pending stores when the thread is about to execute this point, in order.
  const std::vector<CellId>& pending(ThreadId thread, Point point) const {
    return pending_[thread.index()][point.index()];
  }
  bool may_be_pending(ThreadId thread, Point point, CellId cell) const;
  bool all_empty(ThreadId thread, Point point) const { return pending(thread, point).empty(); }

 private:
  std::vector<std::vector<std::vector<CellId>>> pending_;  // by thread, by point
};

}  // namespace fenceline::transform
