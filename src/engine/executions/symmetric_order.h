// SPDX-License-Identifier: GPL-3.0-or-later
//
// In which order threads with the same code are explored (symmetric_threads.h has the argument). As long as such a thread
// has done the same as the previous one, it is tied to it: its next event is compared with what the other did, its
// counterpart, and comes after it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/executions/graph.h"
#include "engine/executions/symmetric_threads.h"
#include "env/errors.h"

namespace fenceline::executions {

template <size_t kWords>
class SymmetricOrder {
 public:
  explicit SymmetricOrder(SymmetricThreads threads) : threads_(std::move(threads)) {}

  const SymmetricThreads& threads() const { return threads_; }

  // What the previous thread like this one did when it had done as much as this one. None: there is no such thread, or the
  // two are not tied. Precondition: not must_follow().
  uint32_t counterpart_of_next(const Graph<kWords>& graph, ThreadId thread) const {
    const ThreadId previous = threads_.previous(thread);
    if (!previous.valid() || !is_tied(graph, thread)) return kNoEvent;
    const size_t index = graph.of_thread(thread).size();
    const std::vector<uint32_t>& other = graph.of_thread(previous);
    require(index < other.size(), "a thread is ahead of the one that it is compared with");
    return other[index];
  }

  // The previous thread like this one must go on first.
  bool must_follow(const Graph<kWords>& graph, ThreadId thread) const {
    const ThreadId previous = threads_.previous(thread);
    return previous.valid() && is_tied(graph, thread) &&
           graph.of_thread(previous).size() <= graph.of_thread(thread).size();
  }

  // Of the next event of the thread, a write to the cell, in coherence order: behind its counterpart.
  size_t lowest_place_of_next(const Graph<kWords>& graph, ThreadId thread, CellId cell) const {
    const uint32_t counterpart = counterpart_of_next(graph, thread);
    if (counterpart == kNoEvent || is_of_thread(thread, cell)) return 0;
    require(graph.event(counterpart).kind == GraphEventKind::kWrite && graph.event(counterpart).cell == cell,
            "threads that have done the same do different things");
    return 1 + graph.place_of(counterpart);
  }

  // The event, which has a counterpart or none, is about to be added. Sets event.tied. False: the threads would have to
  // exchange their roles. Writes are where lowest_place_of_next() allows.
  bool keeps_order(const Graph<kWords>& graph, GraphEvent<kWords>& event) const {
    if (event.counterpart == kNoEvent) return true;
    const GraphEvent<kWords>& other = graph.event(event.counterpart);
    const bool own = event.cell.valid() && is_of_thread(event.thread, event.cell);
    require(other.kind == event.kind && correspond(event, other),
            "threads that have done the same do different things");
    const Value value = threads_.exchanged(event.thread, other.thread, event.cell, other.value);
    const bool same_value = event.value == value && event.alternative.number == other.alternative.number;
    switch (event.kind) {
      case GraphEventKind::kFence:
      case GraphEventKind::kChoice:
        event.tied = same_value;
        return true;
      case GraphEventKind::kWrite:
        event.tied = own && same_value;
        return true;
      case GraphEventKind::kRead:
        event.tied =
            same_value && (own ? is_started_alike(graph, event, other) : event.source == other.source);
        return own || event.source == other.source || reads_later(graph, event, other);
    }
    throw Bug("an event without a kind");
  }

 private:
  // Another thread has another cell instead.
  bool is_of_thread(ThreadId thread, CellId cell) const {
    return threads_.is_own(thread, cell) || threads_.is_in_node(thread, cell);
  }

  bool correspond(const GraphEvent<kWords>& event, const GraphEvent<kWords>& other) const {
    if (!event.cell.valid()) return true;
    if (threads_.is_own(event.thread, event.cell)) return threads_.is_own(other.thread, other.cell);
    if (threads_.is_in_node(event.thread, event.cell))
      return threads_.is_in_node(other.thread, other.cell) &&
             threads_.representative(event.cell) == threads_.representative(other.cell);
    return event.cell == other.cell;
  }

  bool is_tied(const Graph<kWords>& graph, ThreadId thread) const {
    const std::vector<uint32_t>& own = graph.of_thread(thread);
    return own.empty() || graph.event(own.back()).tied;
  }

  // Both read their own cells.
  bool is_started_alike(const Graph<kWords>& graph, const GraphEvent<kWords>& event,
                        const GraphEvent<kWords>& other) const {
    return !threads_.is_set_by_starter(event.cell) ||
           (!graph.event(event.source).initial() && !graph.event(other.source).initial());
  }

  // The write that the event reads is not before the one that the other reads, both in (po | rf)+ and in coherence order.
  static bool reads_later(const Graph<kWords>& graph, const GraphEvent<kWords>& event,
                          const GraphEvent<kWords>& other) {
    if (graph.event(event.source).initial()) return false;
    return graph.place_of(event.source) > graph.place_of(other.source) ||
           !graph.event(other.source).porf.has(event.source);
  }

  SymmetricThreads threads_;
};

}  // namespace fenceline::executions
