// SPDX-License-Identifier: GPL-3.0-or-later
//
// From an execution to the sets and relations that models are made of, straight from the list in
// model/cat/base_names.cpp. What the threads did is an EventStructure; it decides all of them but rf, co, fr
// and the set FW, which come from where reads read and in which order writes reach memory.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "check/axiomatic/cat_evaluator.h"
#include "check/axiomatic/relations.h"
#include "check/axiomatic/thread_execution.h"
#include "ir/program.h"
#include "task/execution.h"

namespace fenceline::check {

// The events of an execution, numbered as in Execution::events: first the initial writes, then the
// events of the threads.
class EventStructure {
 public:
  struct Item {
    EventKind kind = EventKind::kWrite;
    ThreadId thread;                     // invalid: initial write
    CellId cell;                         // reads, writes
    const ThreadEvent* event = nullptr;  // null: initial write

    bool initial() const { return event == nullptr; }
  };

  // `calls`: instructions say which calls of operations they are part of; otherwise each thread is one.
  explicit EventStructure(bool calls) : calls_(calls) {}

  // Starts again with the initial writes of a program with that many cells.
  void begin(size_t cells);
  void begin(std::span<const CellId> cells);  // of these cells only
  // The next thread. Keeps pointers to the events. Throws Unsupported for a `sync`, which no model in this
  // form can express: it waits for what other threads have stored.
  void add_thread(std::span<const ThreadEvent> events);

  size_t size() const { return items_.size(); }
  const Item& item(size_t event) const { return items_[event]; }
  size_t first_of(ThreadId thread) const { return first_[thread.index()]; }

  // The value of a base set or relation that does not depend on rf and co. `out` must be empty and of this
  // size. Precondition: base_sort(name) is that, or for a set: none, which makes it a tag.
  void fill(std::string_view name, EventSet& out) const;
  void fill(std::string_view name, Relation& out) const;
  // All that the evaluator needs. Calls its begin() and evaluate_static().
  void fill_static(CatEvaluator& evaluator) const;

 private:
  template <class Related>
  void relate_in_threads(const Related& related, Relation& out) const;
  void relate_by_cell(Relation& out) const;
  void fill_dependencies(BitSet ThreadEvent::*member, Relation& out) const;

  bool calls_;
  std::vector<Item> items_;
  std::vector<size_t> first_;  // by thread: its first event
};

// The dynamic bases. `reads_from` and `coherence` are as in Execution; reads that read nothing yet and cells
// whose list is not complete give what there is.
struct DynamicRelations {
  Relation rf, co, fr;
  EventSet last_writes;

  // Precondition: all ids are events.
  DynamicRelations(size_t events, std::span<const EventId> reads_from,
                   std::span<const std::vector<EventId>> coherence);
  void fill(CatEvaluator& evaluator) const;
};

}  // namespace fenceline::check
