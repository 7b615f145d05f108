// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transition system whose states represent all states with the same locations, memory and registers, and with
// any words of certain languages in the buffers: the same machine on sets of buffers
// (domain/buffer/automaton_buffer.h). Its steps are exact: everything a successor represents is reached from
// something that the state before it represents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "automata/languages.h"
#include "domain/buffer/automaton_buffer.h"
#include "machine/ordered_system.h"

namespace fenceline::machine {

using Queues = buffer::AutomatonBuffer::Queues;

// A state spelled out.
struct SymbolicSnapshot : Snapshot {
  std::vector<Queues> queues;  // by thread
};

// States that it returns are valid until the next one is returned.
class SymbolicSystem : public OrderedSystem {
 public:
  virtual automata::Languages& languages() = 0;

  // The cell of each queue of the thread; none where one queue has the stores to all cells.
  virtual const std::vector<uint32_t>& cells_of_queues(ThreadId thread) const = 0;
  // Precondition: the thread can store to the cell.
  size_t queue_of(ThreadId thread, CellId cell) const;

  virtual SymbolicSnapshot describe(PackedState state) = 0;
  virtual Queues queues(PackedState state, ThreadId thread) = 0;
  virtual PackedState with_queues(PackedState state, ThreadId thread, const Queues& queues) = 0;

  // Are locations, memory and registers the same?
  virtual bool same_class(PackedState a, PackedState b) = 0;

  // The part of the state in which no store is pending.
  virtual std::optional<PackedState> drained(PackedState state) = 0;

  // The part of the state that can take these steps, after them. None if that is nothing, or if the steps do
  // not say which part is meant.
  virtual std::optional<PackedState> after_steps(PackedState state, std::span<const TraceStep> steps) = 0;

  // The same with every language widened whose automaton has more than so many states; none if there is none.
  virtual std::optional<PackedState> widened(PackedState state, size_t states) = 0;
};

}  // namespace fenceline::machine
