// SPDX-License-Identifier: GPL-3.0-or-later
//
// Could a flag of the model, such as a data race, be missed because a thread waits? An access of an iteration in which a
// thread waits may raise a flag together with an access that no explored graph has beside it. A pair of accesses that
// raises no flag alone, or with only those events that are before both in every graph, raises none among others either
// (flags_stay_raised in engine/sat/monotone.h). So accesses are collected while graphs are explored, and pairs are judged
// afterwards, in graphs of a few events.
//
// What main does before it starts a thread is before all that the thread does: without that, the initialisation of an
// atomic variable would seem to race with every wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/relations.h"
#include "engine/executions/symmetric_threads.h"

namespace fenceline::executions {

template <size_t kWords>
class WaitingAccesses {
 public:
  using Event = GraphEvent<kWords>;
  // By thread: the events before which it reads and chooses nothing. They are the same in all graphs.
  using Leading = std::vector<std::vector<Event>>;

  // Keeps references.
  WaitingAccesses(const ModelPlan& plan, const SymmetricThreads& symmetric, size_t threads, size_t cells)
      : plan_(plan),
        symmetric_(symmetric),
        leading_(threads),
        starts_(threads),
        accessed_(cells),
        waiting_(cells) {}

  // The event is about to be added.
  void note_event(const Graph<kWords>& graph, const Event& event) {
    if (plan_.flags().empty()) return;
    const std::vector<uint32_t>& own = graph.of_thread(event.thread);
    if (own.size() == 1) note_start(graph, graph.event(own.front()));
    const bool leads = is_leading(event.thread, own.size()) || note_leading(event, own.size());
    if (event.cell.valid()) note(accessed_, event, leads ? static_cast<uint32_t>(own.size()) : kNotLeading);
  }

  // The events of the thread, from this one on, are part of an iteration in which it waits, or the graph is dropped because
  // it waits.
  void note_waiting_from(const Graph<kWords>& graph, ThreadId thread, size_t first) {
    if (plan_.flags().empty()) return;
    const std::vector<uint32_t>& own = graph.of_thread(thread);
    for (size_t i = first; i < own.size(); ++i)
      if (const Event& event = graph.event(own[i]); event.cell.valid()) note(waiting_, event, kNotLeading);
  }

  // A graph is explored on that another object has seen growing, with these leading events.
  const Leading& leading() const { return leading_; }
  void adopt_leading(const Leading& others) {
    for (size_t t = 0; t < leading_.size(); ++t)
      if (others[t].size() > leading_[t].size()) leading_[t] = others[t];
  }

  // All that the other object, of the same program, has seen.
  void merge(const WaitingAccesses& other) {
    adopt_leading(other.leading_);
    for (size_t t = 0; t < starts_.size(); ++t)
      if (other.starts_[t]) note_start(*other.starts_[t]);
    for (const auto& [into, from] : {std::pair(&accessed_, &other.accessed_), {&waiting_, &other.waiting_}})
      for (size_t cell = 0; cell < from->size(); ++cell)
        for (const Access& access : (*from)[cell]) note((*into)[cell], access);
  }

  // Is there a pair of a waiting access and another one that may raise a flag? `initial_write` is a function of cells.
  template <typename InitialWrite>
  bool may_raise_flag(const InitialWrite& initial_write) const {
    for (size_t cell = 0; cell < waiting_.size(); ++cell)
      for (const Access& access : waiting_[cell])
        for (const Access& other : accessed_[cell])
          if (may_raise_flag(CellId(cell), access, other, initial_write)) return true;
    return false;
  }

 private:
  static constexpr uint32_t kNotLeading = ~0U;

  // As far as flags can tell accesses to a cell apart.
  struct Access {
    GraphEventKind kind;
    uint64_t sets;
    ThreadId thread;
    uint32_t leading;  // the index of a leading event in its thread; kNotLeading: it is another one

    friend bool operator==(const Access&, const Access&) = default;
  };
  using Accesses = std::vector<std::vector<Access>>;  // by cell

  // The first event of a thread reads a leading event of another thread, always the same one.
  struct Start {
    ThreadId by;     // invalid: it does not
    uint32_t index;  // of the event that is read, in its thread
    Event first;
  };

  // Of threads that are explored in one order only, each could have been the other, with the node of the other.
  template <typename InitialWrite>
  bool may_raise_flag(CellId cell, const Access& access, Access other,
                      const InitialWrite& initial_write) const {
    if (access.thread == other.thread)
      other.thread = symmetric_.is_own(access.thread, cell) ? ThreadId() : symmetric_.like(other.thread);
    return other.thread.valid() && raise_flag(cell, access, other, initial_write);
  }

  void note(Accesses& accesses, const Event& event, uint32_t leading) const {
    note(accesses[symmetric_.representative(event.cell).index()],
         {event.kind, event.sets, event.thread, leading});
  }
  static void note(std::vector<Access>& known, const Access& access) {
    if (std::find(known.begin(), known.end(), access) == known.end()) known.push_back(access);
  }

  bool is_leading(ThreadId thread, size_t index) const { return index < leading_[thread.index()].size(); }
  bool note_leading(const Event& event, size_t index) {
    std::vector<Event>& leading = leading_[event.thread.index()];
    if (index != leading.size() || event.kind == GraphEventKind::kRead ||
        event.kind == GraphEventKind::kChoice)
      return false;
    leading.push_back(event);
    return true;
  }

  void note_start(const Graph<kWords>& graph, const Event& first) {
    Start now{ThreadId(), 0, first};
    if (first.kind == GraphEventKind::kRead && !graph.event(first.source).initial()) {
      const Event& source = graph.event(first.source);
      if (is_leading(source.thread, source.index)) now.by = source.thread, now.index = source.index;
    }
    note_start(now);
  }
  void note_start(const Start& now) {
    std::optional<Start>& start = starts_[now.first.thread.index()];
    if (!start)
      start = now;
    else if (start->by != now.by || start->index != now.index)
      start->by = ThreadId();
  }

  template <typename InitialWrite>
  bool raise_flag(CellId cell, const Access& access, const Access& other,
                  const InitialWrite& initial_write) const {
    Graph<kWords> graph(starts_.size(), accessed_.size());
    const auto add = [&](Event event) {
      if (event.cell.valid() && graph.coherence(event.cell).empty()) graph.add(initial_write(event.cell), 0);
      if (event.kind == GraphEventKind::kRead) event.source = graph.coherence(event.cell).back();
      event.counterpart = kNoEvent;
      graph.add(event, event.cell.valid() ? graph.coherence(event.cell).size() : 0);
    };
    const auto add_access = [&](const Access& of) {
      Event event;
      event.kind = of.kind;
      event.sets = of.sets;
      event.thread = of.thread;
      event.position = ~0U;  // behind what else its thread does
      event.cell = cell;
      add(event);
    };
    const std::optional<Start>& start = starts_[access.thread.index()];
    if (start && start->by == other.thread && other.leading <= start->index) {
      for (size_t i = 0; i <= start->index; ++i) add(leading_[other.thread.index()][i]);
      add(start->first);
    } else {
      add_access(other);
    }
    add_access(access);
    Relations<kWords> relations(plan_);
    return !relations.assign(graph) || !relations.raised_flags(graph).empty();
  }

  const ModelPlan& plan_;
  const SymmetricThreads& symmetric_;
  Leading leading_;
  std::vector<std::optional<Start>> starts_;  // by thread
  Accesses accessed_, waiting_;
};

}  // namespace fenceline::executions
