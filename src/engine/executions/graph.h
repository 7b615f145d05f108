// SPDX-License-Identifier: GPL-3.0-or-later
//
// An execution graph: the events that threads have executed so far, where reads read (rf), and in which order the
// writes to a cell reach memory (co). Events are numbered such that po and rf lead to higher numbers. Apart from that, an
// event has a time when it was added: a read that a later write revisits gets a higher number, but keeps its time.
//
// The initial write of a cell is added before the first access to the cell, and never removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/numbers.h"
#include "engine/executions/bits.h"
#include "engine/executions/model_plan.h"
#include "ir/instruction.h"

namespace fenceline::executions {

constexpr uint32_t kNoEvent = ~0U;

enum class GraphEventKind : uint8_t {
  kRead,
  kWrite,
  kFence,
  kChoice,  // of a havoc or choose: in no relation of the model
};

// Where a thread chooses between alternatives that all begin with a read of one cell, the read is the event of the
// choice, too (ThreadState::alternatives).
struct GraphAlternative {
  uint32_t number = ~0U;  // ~0: there was no choice
  bool is_first = true;   // of those that the value leaves

  bool is_chosen() const { return number != ~0U; }
};

template <size_t kWords>
struct GraphEvent {
  GraphEventKind kind = GraphEventKind::kRead;
  bool maximal =
      false;  // a read that read the co-last write, a choice of the first alternative, when it was added
  bool of_rmw = false;
  ThreadId thread;  // invalid: an initial write
  Point point;
  uint32_t position = 0;  // instructions that the thread had executed before
  uint32_t index = 0;     // among the events of its thread
  uint32_t section = 0;   // the number of its atomic section, from 1; 0: it is in none
  uint64_t time = 0;      // when it was first added: events that were added later have higher ones
  CellId cell;            // reads, writes
  Value value = 0;
  GraphAlternative alternative;  // reads
  uint64_t sets = 0;             // ModelPlan::sets_of
  uint32_t source = kNoEvent;    // reads: the write it reads
  // Reads that its address, its value, that it happens depend on, as indices among the events of its thread.
  Bits<kWords> addr, data, ctrl;
  // Where a thread has done so far what the previous one like it has done (symmetric_threads.h): the event of that thread
  // that corresponds to this one, and whether this one is the same again.
  uint32_t counterpart = kNoEvent;
  bool tied = false;
  Bits<kWords> porf;    // what is before it in (po | rf)+; initial writes are left out
  Bits<kWords> prefix;  // the same, with counterparts

  bool initial() const { return !thread.valid(); }
};

template <size_t kWords>
class Graph {
 public:
  using Set = Bits<kWords>;
  using Event = GraphEvent<kWords>;

  Graph(size_t threads, size_t cells)
      : of_thread_(threads), thread_sets_(threads), coherence_(cells), accesses_(cells) {}

  size_t size() const { return events_.size(); }
  const Event& event(size_t e) const { return events_[e]; }
  const std::vector<uint32_t>& of_thread(ThreadId thread) const { return of_thread_[thread.index()]; }
  // The writes to a cell in coherence order, the initial one first; empty if the cell was never accessed.
  const std::vector<uint32_t>& coherence(CellId cell) const { return coherence_[cell.index()]; }
  const Set& readers(size_t write) const { return readers_[write]; }
  const Set& accesses(CellId cell) const { return accesses_[cell.index()]; }  // reads and writes of the cell
  const Set& initial_writes() const { return initial_; }
  // The events of a thread, without choices.
  const Set& of_thread_set(ThreadId thread) const { return thread_sets_[thread.index()]; }

  // Where a write, or the write that a read reads, is in coherence order.
  size_t place_of(uint32_t e) const {
    const Event& event = events_[e];
    const std::vector<uint32_t>& order = coherence(event.cell);
    const uint32_t write = event.kind == GraphEventKind::kRead ? event.source : e;
    return static_cast<size_t>(std::find(order.begin(), order.end(), write) - order.begin());
  }

  // What must be there before the next event of the thread, if that is no read.
  Set prefix_of_next(ThreadId thread, uint32_t counterpart) const {
    Set result;
    for (const uint32_t e : {last_of(thread), last_of_step(counterpart)}) {
      if (e == kNoEvent) continue;
      result |= events_[e].prefix;
      result.add(e);
    }
    return result;
  }

  // Adds an event at the end of its thread. `place` is where a write goes in the coherence order of its cell.
  void add(Event event, size_t place) {
    event.time = next_time_;
    add_revisited(std::move(event), place);
  }
  // The same for an event that keeps its time.
  void add_revisited(Event event, size_t place) {
    const auto e = static_cast<uint32_t>(events_.size());
    next_time_ = std::max(next_time_, event.time + 1);
    if (event.initial()) {
      initial_.add(e);
    } else {
      event.prefix = prefix_of_next(event.thread, event.counterpart);
      event.porf = Set();
      if (const uint32_t last = last_of(event.thread); last != kNoEvent) {
        event.porf = events_[last].porf;
        event.porf.add(last);
      }
      event.index = static_cast<uint32_t>(of_thread_[event.thread.index()].size());
      of_thread_[event.thread.index()].push_back(e);
      if (event.kind != GraphEventKind::kChoice) thread_sets_[event.thread.index()].add(e);
    }
    readers_.emplace_back();
    if (event.kind == GraphEventKind::kWrite) {
      std::vector<uint32_t>& order = coherence_[event.cell.index()];
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), e);
    }
    if (event.kind == GraphEventKind::kRead) read(e, event, event.source);
    if (event.cell.valid()) accesses_[event.cell.index()].add(e);
    events_.push_back(std::move(event));
  }

  // Undoes the last add().
  void remove_last() {
    const auto e = static_cast<uint32_t>(events_.size() - 1);
    const Event& event = events_.back();
    if (event.initial()) {
      initial_.remove(e);
    } else {
      of_thread_[event.thread.index()].pop_back();
      thread_sets_[event.thread.index()].remove(e);
    }
    if (event.kind == GraphEventKind::kWrite) {
      std::vector<uint32_t>& order = coherence_[event.cell.index()];
      order.erase(std::find(order.begin(), order.end(), e));
    }
    if (event.kind == GraphEventKind::kRead) readers_[event.source].remove(e);
    if (event.cell.valid()) accesses_[event.cell.index()].remove(e);
    readers_.pop_back();
    events_.pop_back();
  }

  // Only the events of `kept`, which is closed under po and rf, in the same order.
  void assign_restricted(const Graph& from, const Set& kept);

 private:
  void read(uint32_t e, Event& event, uint32_t source) {
    readers_[source].add(e);
    if (events_[source].initial()) return;
    event.prefix |= events_[source].prefix;
    event.prefix.add(source);
    event.porf |= events_[source].porf;
    event.porf.add(source);
  }
  // A read-modify-write, and an atomic section, is there as a whole or not at all.
  uint32_t last_of_step(uint32_t e) const {
    if (e == kNoEvent) return kNoEvent;
    const Event& event = events_[e];
    const std::vector<uint32_t>& own = of_thread_[event.thread.index()];
    for (size_t i = event.index + 1; i < own.size(); ++i) {
      const Event& next = events_[own[i]];
      if (next.position != event.position && (next.section == 0 || next.section != event.section)) break;
      e = own[i];
    }
    return e;
  }
  uint32_t last_of(ThreadId thread) const {
    const std::vector<uint32_t>& own = of_thread_[thread.index()];
    return own.empty() ? kNoEvent : own.back();
  }

  std::vector<Event> events_;
  std::vector<std::vector<uint32_t>> of_thread_;
  std::vector<Set> thread_sets_;                  // by thread
  std::vector<std::vector<uint32_t>> coherence_;  // by cell
  std::vector<Set> readers_;                      // by event
  std::vector<Set> accesses_;                     // by cell
  Set initial_;
  uint64_t next_time_ = 0;
};

template <size_t kWords>
void Graph<kWords>::assign_restricted(const Graph& from, const Set& kept) {
  std::vector<uint32_t> number(from.size(), kNoEvent);
  initial_.for_each([&](size_t e) {
    coherence_[events_[e].cell.index()].clear();
    accesses_[events_[e].cell.index()] = Set();
  });
  events_.clear();
  initial_ = Set();
  next_time_ = from.next_time_;
  for (std::vector<uint32_t>& own : of_thread_) own.clear();
  thread_sets_.assign(thread_sets_.size(), Set());
  kept.for_each([&](size_t e) {
    number[e] = static_cast<uint32_t>(events_.size());
    events_.push_back(from.events_[e]);
    const Event& event = events_.back();
    if (event.initial()) {
      initial_.add(number[e]);
      return;
    }
    of_thread_[event.thread.index()].push_back(number[e]);
    if (event.kind != GraphEventKind::kChoice) thread_sets_[event.thread.index()].add(number[e]);
  });
  readers_.assign(events_.size(), Set());
  const auto renumbered = [&](const Set& old) {
    Set result;
    old.for_each([&](size_t e) {
      if (number[e] != kNoEvent) result.add(number[e]);
    });
    return result;
  };
  for (uint32_t e = 0; e < events_.size(); ++e) {
    Event& event = events_[e];
    event.prefix = renumbered(event.prefix);
    event.porf = renumbered(event.porf);
    if (event.counterpart != kNoEvent) event.counterpart = number[event.counterpart];
    if (event.kind != GraphEventKind::kRead) continue;
    event.source = number[event.source];
    readers_[event.source].add(e);
  }
  initial_.for_each([&](size_t e) {
    const size_t cell = events_[e].cell.index();
    for (const uint32_t write : from.coherence_[cell])
      if (number[write] != kNoEvent) coherence_[cell].push_back(number[write]);
    accesses_[cell] = renumbered(from.accesses_[cell]);
  });
}

}  // namespace fenceline::executions
