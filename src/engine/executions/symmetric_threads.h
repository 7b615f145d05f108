// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that execute the same code, and are explored in one order only.
//
// Two threads are alike if their code differs in constant addresses alone: each has its own cells, which only it and one
// other thread, the one that starts and joins them, accesses. It may also have a node, which others access as well, by
// pointers (thread_nodes.h); then all that is said here is meant up to an exchange of the nodes. If their events, one by
// one, read the same writes, they are in the same state, and it makes no difference which of them is called the first. So
// of two executions in which such threads have exchanged their roles, one is enough. exploration.cpp chooses it: as long as
// two neighbours have done the same, the second one does nothing that the first has not done, and the first that they do
// differently decides.
//
// Why each execution has an exchange of roles that is explored. Take an order of its events that contains po and rf, and
// sort the threads by the places of the writes that their first, second, ... events read in that order. Say that an event
// of the second thread comes after the event of the first that corresponds to it, up to the first difference. A cycle of
// this with po and rf would enter the first thread at an event that reads some write; the second thread's event reads the
// same write, or a later one, which is after it in the order of events. So all that such a cycle does is to advance in
// that order, and there is none. An execution is dropped only where the second thread has read a write that is before the
// write of the first in (po | rf)+ and in coherence order, or has written before the first one: the sorted one is not.
// Nor is an execution dropped that a maximal addition leads to: the last write is not before another one.
//
// That another thread starts them one after the other, and joins them likewise, would distinguish them; fair_starter.h
// says when it does not.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/bit_set.h"
#include "ir/edit/overlay.h"
#include "ir/property.h"

namespace fenceline::executions {

class SymmetricThreads {
 public:
  // None are alike.
  explicit SymmetricThreads(const Program& program)
      : previous_(program.threads.size()),
        like_(program.threads.size()),
        own_(program.threads.size()),
        nodes_(program.threads.size()),
        pointers_(program.threads.size()),
        pointer_cells_(program.threads.size()) {}
  // Those that the property does not distinguish. What fair_starter.h takes for granted of fences and stores is true of
  // the shipped models; under a user's, threads that another one starts or joins are not alike.
  SymmetricThreads(const Overlay& overlay, const Property& property, bool shipped_model);

  // The thread before this one that is like it; invalid if there is none.
  ThreadId previous(ThreadId thread) const { return previous_[thread.index()]; }
  // Another one that is like it; invalid if there is none.
  ThreadId like(ThreadId thread) const { return like_[thread.index()]; }
  // The cell is the thread's own: others have another one instead.
  bool is_own(ThreadId thread, CellId cell) const { return own_[thread.index()].has(cell.index()); }
  // It is such a cell, and the thread that starts the others stores to it. One that reads the initial value is different.
  bool is_set_by_starter(CellId cell) const { return started_.has(cell.index()); }
  // The cell is in the node of the thread: others have another one instead, which may be accessed by all.
  bool is_in_node(ThreadId thread, CellId cell) const { return nodes_[thread.index()].has(cell.index()); }
  // The same cell for all that correspond to each other in the nodes of different threads.
  CellId representative(CellId cell) const;
  // What becomes of a value of the cell if two threads that are alike exchange their roles.
  Value exchanged(ThreadId x, ThreadId y, CellId cell, Value value) const;
  // How many threads are like another one.
  size_t size() const;

 private:
  std::vector<ThreadId> previous_, like_;  // by thread
  std::vector<BitSet> own_, nodes_;        // by thread: cells
  BitSet started_;
  std::map<CellId, CellId> representatives_;
  std::vector<std::optional<Value>> pointers_;  // by thread: to its node
  std::vector<BitSet> pointer_cells_;           // by thread: which hold pointers to nodes of its group
};

}  // namespace fenceline::executions
