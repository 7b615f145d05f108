// SPDX-License-Identifier: GPL-3.0-or-later
//
// Store buffers as shared variables. A buffer has k slots, the oldest entry first, and a counter; slots
// without an entry are 0, always, so that equal buffers are equal variables and shifting need not look at the
// counter.
//
// Partial fences of PSO:
//   marks     What is marked is what was there at some moment, so the marked entries of a cell are its oldest
//             ones: a number says which.
//   barriers  Each entry has an epoch, numbered from the oldest one that still has an entry. Epochs of a cell
//             never decrease from its oldest entry on, so that the oldest entries alone determine the oldest
//             epoch. There are at most as many as entries, which keeps the numbers finite.
#pragma once

#include <vector>

#include "ir/builder.h"
#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "transform/to_sc/empty_buffers.h"

namespace fenceline::transform {

// One first-in-first-out buffer.
struct QueueVariables {
  std::vector<CellId> cells;      // what it may have pending stores to; on PSO that is one
  ObjectId count;                 // 0..k
  std::vector<ObjectId> values;   // by slot
  std::vector<ObjectId> numbers;  // TSO, by slot: BufferVariables::number_of() the cell; 0: no entry
  std::vector<ObjectId> epochs;   // PSO with barriers, by slot
  ObjectId marked;                // PSO with marks: how many of the oldest entries are

  bool holds(CellId cell) const;
};

// All buffers of one thread.
struct BufferVariables {
  std::vector<QueueVariables> queues;  // TSO: one, if the thread stores anything; PSO: one for each cell
  // PSO with barriers, else invalid: the epoch of the newest entry, and whether a barrier came after it.
  ObjectId epoch, barrier;
  bool marks = false;

  static Value number_of(CellId cell) { return static_cast<Value>(cell.index()) + 1; }
  // Those that may have pending stores to these cells.
  std::vector<const QueueVariables*> holding(const std::vector<CellId>& cells) const;
  // Null if no store to the cell is ever pending.
  const QueueVariables* of(CellId cell) const;
};

// Declares the variables of a thread. Precondition: slots > 0.
BufferVariables declare_buffers(ProgramBuilder& builder, const Overlay& overlay, const EmptyBuffers& empty,
                                Buffering buffering, ThreadId thread, unsigned slots);

}  // namespace fenceline::transform
