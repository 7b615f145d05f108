// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the threads of a graph may do next, as events: which instruction, which cell, what a read may read, and where a
// write may be in coherence order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/executions/explored_graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/symmetric_order.h"
#include "engine/executions/thread_runner.h"
#include "engine/executions/waiting_accesses.h"
#include "env/errors.h"

namespace fenceline::executions {

// For this number of words. Which thread has most events, and where it is.
struct GraphTooLarge {
  ThreadId thread;
  Point at;
};

template <size_t kWords>
class NextEvents {
 public:
  using Set = Bits<kWords>;
  using Node = ExploredGraph<kWords>;
  using Event = GraphEvent<kWords>;
  using State = ThreadState<kWords>;

  // Keeps references.
  NextEvents(const ThreadCode& code, const ModelPlan& plan, const SymmetricOrder<kWords>& symmetric,
             WaitingAccesses<kWords>& waiting)
      : code_(code),
        plan_(plan),
        symmetric_(symmetric),
        waiting_(waiting),
        initial_(code.overlay().program().initial_memory()),
        sets_of_initial_write_(plan.sets_of({})) {
    for (size_t t = 0; t < code.overlay().program().threads.size(); ++t) {
      runners_.emplace_back(code, ThreadId(t));
      sets_.emplace_back(code.overlay().points(ThreadId(t)));
    }
  }

  const ThreadRunner<kWords>& runner(ThreadId thread) const { return runners_[thread.index()]; }

  // The next event of the thread, of this kind. Throws GraphTooLarge.
  Event next(const Node& node, ThreadId thread, GraphEventKind kind) {
    return next(node, node.last(thread), thread, kind);
  }

  // The state behind the next event, which reads or chooses `input`.
  State behind_next(const Node& node, ThreadId thread, Value input) const {
    State after = node.last(thread);
    runner(thread).step(after, input);
    return after;
  }

  // The thread reads from the write: calls visit(event, state behind it), where the event lacks its source. More than once
  // if the thread chooses between alternatives, of which the first that is no wrong guess counts as no choice.
  template <typename Visit>
  void for_each_reading(const Node& node, ThreadId thread, uint32_t write, const Visit& visit) {
    const Value value = node.graph.event(write).value;
    const ReadSource source = source_of(node.graph, thread, write);
    const auto visit_behind = [&](const State& state, GraphAlternative alternative, bool even_if_wrong) {
      State after = state;
      runner(thread).step(after, value, source);
      if (!even_if_wrong && runner(thread).is_wrong_guess(after)) return false;
      Event event = next(node, state, thread, GraphEventKind::kRead);
      event.value = value;
      event.alternative = alternative;
      visit(std::move(event), std::move(after));
      return true;
    };
    const std::shared_ptr<const std::vector<State>> alternatives = node.last(thread).alternatives;
    if (!alternatives) {
      visit_behind(node.last(thread), {}, true);
      return;
    }
    bool any = false;
    for (uint32_t i = 0; i < alternatives->size(); ++i)
      any = visit_behind((*alternatives)[i], {.number = i, .is_first = !any}, false) || any;
    if (!any) visit_behind(alternatives->front(), {.number = 0, .is_first = true}, true);
  }

  // The values that the next event of the thread, a choice, may have.
  Range choices(const Node& node, ThreadId thread) const {
    constexpr Value kMostChoices = 1 << 16;
    const Range choices = node.last(thread).choices;
    if (!choices.bounded() || choices.hi - choices.lo >= kMostChoices)
      throw Unsupported("an arbitrary value of too large a range");
    return choices;
  }

  // The lowest and the highest place of the coherence order that the next event of the thread, a write, may have, as far as
  // that can be said beforehand. The lowest is higher if there is none.
  std::pair<size_t, size_t> places(const Node& node, ThreadId thread) const {
    const State& state = node.last(thread);
    const std::vector<uint32_t>& order = node.graph.coherence(state.cell);
    size_t lowest = 1 + node.relations.first_place(node.graph, thread, state.position, state.cell);
    lowest = std::max(lowest, symmetric_.lowest_place_of_next(node.graph, thread, state.cell));
    if (!state.of_rmw || !plan_.rmws_are_adjacent()) return {lowest, order.size()};
    size_t highest = 1 + node.graph.place_of(node.graph.of_thread(thread).back());
    while (highest < order.size() && node.graph.event(order[highest]).thread == thread) ++highest;
    return {lowest, highest};
  }

  // Would the thread wait if its next event, a read, read the last write?
  bool waits_at_last_write(const Node& node, ThreadId thread) {
    const State& state = node.last(thread);
    const std::vector<uint32_t>& order = node.graph.coherence(state.cell);
    const ReadSource source = order.empty() ? ReadSource() : source_of(node.graph, thread, order.back());
    const Value value = last_value(node, state.cell);
    const size_t alternatives = state.alternatives ? state.alternatives->size() : 1;
    for (size_t i = 0; i < alternatives; ++i) {
      probe_ = state.alternatives ? (*state.alternatives)[i] : state;
      runner(thread).step(probe_, value, source);
      if (probe_.next == NextStep::kWrite && probe_.of_rmw) runner(thread).step(probe_, 0);
      if (!runner(thread).is_wrong_guess(probe_)) break;
    }
    return probe_.next == NextStep::kBlocked;
  }

  // What the last write to the cell has written.
  Value last_value(const Node& node, CellId cell) const {
    const std::vector<uint32_t>& order = node.graph.coherence(cell);
    return order.empty() ? initial_[cell.index()] : node.graph.event(order.back()).value;
  }

  Event initial_write(CellId cell) const {
    Event event;
    event.kind = GraphEventKind::kWrite;
    event.cell = cell;
    event.value = initial_[cell.index()];
    event.sets = sets_of_initial_write_;
    return event;
  }

  // Throws GraphTooLarge unless two more events find room.
  void require_room(const Node& node) const {
    if (node.graph.size() + 2 > Set::kCapacity) throw too_large(node);
  }

 private:
  Event next(const Node& node, const State& state, ThreadId thread, GraphEventKind kind) {
    require_room(node);
    Event event = event_at(state, thread, kind);
    waiting_.note_event(node.graph, event);
    event.counterpart = symmetric_.counterpart_of_next(node.graph, thread);
    if (kind != GraphEventKind::kRead) symmetric_.keeps_order(node.graph, event);
    return event;
  }

  Event event_at(const State& state, ThreadId thread, GraphEventKind kind) {
    Event event;
    event.kind = kind;
    event.of_rmw = state.of_rmw && kind != GraphEventKind::kFence && kind != GraphEventKind::kChoice;
    event.thread = thread;
    event.point = state.location;
    event.position = state.position;
    event.section = state.in_section ? state.sections : 0;
    if (kind == GraphEventKind::kChoice) return event;
    event.sets = sets_at(thread, state, kind);
    event.ctrl = state.ctrl;
    if (kind == GraphEventKind::kFence) return event;
    event.cell = state.cell;
    event.addr = state.addr;
    if (kind == GraphEventKind::kRead) return event;
    event.value = state.value;
    event.data = state.data;
    return event;
  }

  // Looked up once per instruction.
  uint64_t sets_at(ThreadId thread, const State& state, GraphEventKind kind) {
    struct Cached& cached = sets_[thread.index()][state.location.index()];
    const size_t index = (kind == GraphEventKind::kWrite ? 1 : 0) + (state.in_section ? 2 : 0);
    if (!cached.known[index]) {
      const auto part = kind == GraphEventKind::kRead    ? ModelPlan::Part::kRead
                        : kind == GraphEventKind::kWrite ? ModelPlan::Part::kWrite
                                                         : ModelPlan::Part::kFence;
      cached.sets[index] =
          plan_.sets_of({&code_.overlay().at(thread, state.location), part, state.in_section});
      cached.known[index] = true;
    }
    return cached.sets[index];
  }

  static ReadSource source_of(const Graph<kWords>& graph, ThreadId thread, uint32_t write) {
    const Event& event = graph.event(write);
    return {event.thread == thread, event.of_rmw, event.index};
  }

  GraphTooLarge too_large(const Node& node) const {
    size_t longest = 0;
    for (size_t t = 1; t < node.states.size(); ++t)
      if (node.states[t].size() > node.states[longest].size()) longest = t;
    GraphTooLarge result{ThreadId(longest), node.last(ThreadId(longest)).location};
    if (code_.idle().wait_loops == nullptr) return result;
    // It may have just left the loop.
    const Loops& loops = code_.idle().wait_loops->loops(result.thread);
    const std::vector<State>& states = node.states[longest];
    for (size_t i = states.size(); i-- > 0 && loops.innermost(result.at) == Loops::kNone;)
      result.at = states[i].location;
    return result;
  }

  struct Cached {
    uint64_t sets[4] = {};
    bool known[4] = {};
  };

  const ThreadCode& code_;
  const ModelPlan& plan_;
  const SymmetricOrder<kWords>& symmetric_;
  WaitingAccesses<kWords>& waiting_;
  const std::vector<Value> initial_;
  const uint64_t sets_of_initial_write_;
  std::vector<ThreadRunner<kWords>> runners_;
  std::vector<std::vector<Cached>> sets_;  // by thread and point
  State probe_;
};

}  // namespace fenceline::executions
