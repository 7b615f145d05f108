// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/exploration.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/executions/graph.h"
#include "engine/executions/graph_execution.h"
#include "engine/executions/relations.h"
#include "engine/executions/symmetric_order.h"
#include "engine/executions/waiting_accesses.h"
#include "env/errors.h"

namespace fenceline::executions {
namespace {

// For this number of words. Which thread has most events, and where it is.
struct GraphTooLarge {
  ThreadId thread;
  Point at;
};
struct Stop {};

template <size_t kWords>
class Explorer {
  using Set = Bits<kWords>;
  using Event = GraphEvent<kWords>;
  using State = ThreadState<kWords>;

  // A graph, the relations of the model on it, and by thread its states before each of its events and after the last.
  struct Node {
    Graph<kWords> graph;
    Relations<kWords> relations;
    std::vector<std::vector<State>> states;

    Node(size_t threads, size_t cells, const ModelPlan& plan)
        : graph(threads, cells), relations(plan), states(threads) {}
    const State& last(ThreadId thread) const { return states[thread.index()].back(); }
  };

 public:
  Explorer(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
           const LeafVisitor& visit)
      : code_(code),
        program_(code.overlay().program()),
        plan_(plan),
        options_(options),
        visit_(visit),
        initial_(program_.initial_memory()),
        sets_of_initial_write_(plan.sets_of({})),
        symmetric_(options.symmetric == nullptr ? SymmetricThreads(program_) : *options.symmetric),
        waiting_(plan, symmetric_.threads(), program_.threads.size(), program_.cell_count) {
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      runners_.emplace_back(code, ThreadId(t));
      sets_.emplace_back(code.overlay().points(ThreadId(t)));
    }
  }

  ExplorationResult run() {
    Node& node = node_at(0);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      node.states[t].push_back(runners_[t].begin());
      note_end(ThreadId(t), node.states[t].back());
    }
    try {
      visit(node);
      result_.finished = true;
    } catch (const Stop&) {
    }
    result_.may_miss_flags = waiting_.may_raise_flag([&](CellId cell) { return initial_write(cell); });
    return result_;
  }

 private:
  Node& node_at(size_t depth) {
    if (nodes_.size() == depth)
      nodes_.push_back(std::make_unique<Node>(program_.threads.size(), program_.cell_count, plan_));
    return *nodes_[depth];
  }

  // ---- The algorithm

  // Every execution that extends the graph and that no other branch explores.
  void visit(Node& node) {
    count_graph(node);
    if (options_.bounds != nullptr && !within_bounds(node.graph)) return;
    if (failed(node)) return visit_leaf(node, LeafKind::kFailed);
    const ThreadId thread = next_thread(node);
    if (!thread.valid()) return visit_leaf(node, all_ended(node) ? LeafKind::kComplete : LeafKind::kBlocked);
    switch (node.last(thread).next) {
      case NextStep::kRead:
        return visit_read(node, thread);
      case NextStep::kWrite:
        return visit_write(node, thread);
      case NextStep::kFence:
        return visit_fence(node, thread);
      case NextStep::kChoice:
        return visit_choices(node, thread);
      case NextStep::kEnded:
      case NextStep::kBlocked:
      case NextStep::kFailed:
      case NextStep::kTooLarge:
      case NextStep::kBeyond:
        break;
    }
    throw Bug("a thread is scheduled that has no next event");
  }

  // From every write of its cell, the last one first.
  void visit_read(Node& node, ThreadId thread) {
    runners_[thread.index()].check_section(node.last(thread));
    const CellId cell = node.last(thread).cell;
    const bool added = ensure_initial_write(node, cell);
    const size_t first = node.relations.first_place(node.graph, thread, node.last(thread).position, cell);
    for (size_t place = node.graph.coherence(cell).size(); place-- > first;) {
      const uint32_t source = node.graph.coherence(cell)[place];
      const bool last = place + 1 == node.graph.coherence(cell).size();
      for_each_reading(node, thread, source, [&](Event event, State after) {
        event.source = source;
        event.maximal = last && event.alternative.is_first;
        if (!symmetric_.keeps_order(node.graph, event)) return;
        node.graph.add(std::move(event), 0);
        if (node.relations.add(node.graph)) {
          push_state(node, thread, std::move(after));
          if (!waits_for_ever(node, thread)) visit(node);
          node.states[thread.index()].pop_back();
        }
        node.relations.remove_last();
        node.graph.remove_last();
      });
    }
    if (added) remove_initial_write(node);
  }

  // At every place of the coherence order, the last one first; and read by every read that it may revisit.
  void visit_write(Node& node, ThreadId thread) {
    runners_[thread.index()].check_section(node.last(thread));
    const CellId cell = node.last(thread).cell;
    const bool added = ensure_initial_write(node, cell);
    const auto [lowest, highest] = places(node, thread);
    for (size_t place = highest; place >= lowest; --place) {
      node.graph.add(next_event(node, thread, GraphEventKind::kWrite), place);
      if (node.relations.add(node.graph)) {
        push_state(node, thread, 0);
        if (!waits_for_ever(node, thread)) visit(node);
        node.states[thread.index()].pop_back();
      }
      node.relations.remove_last();
      node.graph.remove_last();
    }
    const Set before = node.graph.prefix_of_next(thread, symmetric_.counterpart_of_next(node.graph, thread)) |
                       node.graph.initial_writes();
    const Set others = node.graph.accesses(cell).minus(before);
    others.for_each([&](size_t e) {
      if (node.graph.event(e).kind == GraphEventKind::kRead)
        revisit(node, thread, static_cast<uint32_t>(e), before);
    });
    if (added) remove_initial_write(node);
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

  void visit_fence(Node& node, ThreadId thread) {
    node.graph.add(next_event(node, thread, GraphEventKind::kFence), 0);
    if (node.relations.add(node.graph)) {
      push_state(node, thread, 0);
      visit(node);
      node.states[thread.index()].pop_back();
    }
    node.relations.remove_last();
    node.graph.remove_last();
  }

  void visit_choices(Node& node, ThreadId thread) {
    constexpr Value kMostChoices = 1 << 16;
    const Range choices = node.last(thread).choices;
    if (!choices.bounded() || choices.hi - choices.lo >= kMostChoices)
      throw Unsupported("an arbitrary value of too large a range");
    for (Value value = choices.lo; value <= choices.hi; ++value) {
      Event event = next_event(node, thread, GraphEventKind::kChoice);
      event.value = value;
      event.maximal = value == choices.lo;
      symmetric_.keeps_order(node.graph, event);
      node.graph.add(std::move(event), 0);
      if (node.relations.add(node.graph)) {
        push_state(node, thread, value);
        visit(node);
        node.states[thread.index()].pop_back();
      }
      node.relations.remove_last();
      node.graph.remove_last();
    }
  }

  // The next event of `thread`, a write whose prefix is `before`, and the read r, which is not in that prefix.
  void revisit(Node& node, ThreadId thread, uint32_t r, const Set& before) {
    const Graph<kWords>& graph = node.graph;
    if (!added_maximally(graph, r, before)) return;
    Set kept = before;
    bool maximal = true;
    for (size_t e = 0; e < graph.size() && maximal; ++e) {
      if (before.has(e)) continue;
      if (graph.event(e).time < graph.event(r).time)
        kept.add(e);
      else
        maximal = e == r || added_maximally(graph, e, before);
    }
    if (!maximal) return;

    ++result_.revisits;
    const ThreadId reader = graph.event(r).thread;
    Node& child = node_at(++depth_);
    child.graph.assign_restricted(graph, kept);
    child.relations.assign_allowed(child.graph);
    child.relations.set_unflagged((kept & Set::first(node.relations.unflagged())).size());
    for (size_t t = 0; t < child.states.size(); ++t) {
      const size_t events = child.graph.of_thread(ThreadId(t)).size();
      child.states[t].assign(node.states[t].begin(),
                             node.states[t].begin() + static_cast<std::ptrdiff_t>(events) + 1);
    }
    const Event write = next_event(child, thread, GraphEventKind::kWrite);
    const auto [lowest, highest] = places(child, thread);
    for (size_t place = highest; place >= lowest; --place) {
      child.graph.add(write, place);
      if (child.relations.add(child.graph)) {
        push_state(child, thread, 0);
        visit_revisited(child, reader, graph.event(r).time);
        child.states[thread.index()].pop_back();
      }
      child.relations.remove_last();
      child.graph.remove_last();
    }
    --depth_;
  }

  // The next event of the thread, a read, reads the write that was added last.
  void visit_revisited(Node& node, ThreadId thread, uint64_t time) {
    const auto source = static_cast<uint32_t>(node.graph.size() - 1);
    for_each_reading(node, thread, source, [&](Event event, State after) {
      event.source = source;
      event.maximal = event.alternative.is_first;  // it may be revisited again
      event.time = time;
      if (!symmetric_.keeps_order(node.graph, event)) return;
      node.graph.add_revisited(std::move(event), 0);
      if (node.relations.add(node.graph)) {
        push_state(node, thread, std::move(after));
        visit(node);
        node.states[thread.index()].pop_back();
      }
      node.relations.remove_last();
      node.graph.remove_last();
    });
  }

  // Is the event what would have been added without a choice, if only what was there before it, and `before`, is there?
  bool added_maximally(const Graph<kWords>& graph, size_t e, const Set& before) const {
    const Event& event = graph.event(e);
    const auto previous = [&](size_t other) {
      return graph.event(other).time <= event.time || before.has(other);
    };
    const auto last_of_previous = [&](uint32_t write) {
      const std::vector<uint32_t>& order = graph.coherence(event.cell);
      for (size_t i = order.size(); order[i - 1] != write; --i)
        if (previous(order[i - 1])) return false;
      return true;
    };
    switch (event.kind) {
      case GraphEventKind::kRead:
        return event.alternative.is_first && previous(event.source) && last_of_previous(event.source);
      case GraphEventKind::kWrite: {
        bool read = false;
        graph.readers(e).for_each([&](size_t reader) { read = read || previous(reader); });
        return !read && last_of_previous(static_cast<uint32_t>(e));
      }
      case GraphEventKind::kFence:
        return true;
      case GraphEventKind::kChoice:
        return event.maximal;
    }
    throw Bug("an event without a kind");
  }

  // ---- Scheduling

  // A thread in the middle of a read-modify-write or of an atomic section goes on first. Those that would have to wait if
  // they read the last write come last: perhaps another thread writes what they wait for.
  ThreadId next_thread(const Node& node) {
    std::vector<ThreadId> last;
    ThreadId chosen;
    for (size_t i = 0; i < node.states.size(); ++i) {
      const size_t t = options_.reversed ? node.states.size() - 1 - i : i;
      const State& state = node.states[t].back();
      if (!is_event(state.next) || symmetric_.must_follow(node.graph, ThreadId(t))) continue;
      if (state.next == NextStep::kWrite && state.of_rmw) return ThreadId(t);
      if (state.in_section && state.events > state.section_events) return ThreadId(t);
      if (chosen.valid()) continue;
      if (!may_wait(ThreadId(t), state))
        chosen = ThreadId(t);
      else
        last.push_back(ThreadId(t));
    }
    if (chosen.valid()) return chosen;
    for (const ThreadId thread : last)
      if (!waits_at_last_write(node, thread)) return thread;
    return last.empty() ? ThreadId() : last.front();
  }

  bool may_wait(ThreadId thread, const State& state) const {
    if (!state.alternatives) return code_.may_wait(thread, state.location);
    return std::any_of(state.alternatives->begin(), state.alternatives->end(), [&](const State& alternative) {
      return code_.may_wait(thread, alternative.location);
    });
  }

  bool waits_at_last_write(const Node& node, ThreadId thread) {
    const State& state = node.last(thread);
    const ThreadRunner<kWords>& runner = runners_[thread.index()];
    const std::vector<uint32_t>& order = node.graph.coherence(state.cell);
    const Value value = order.empty() ? initial_[state.cell.index()] : node.graph.event(order.back()).value;
    const ReadSource source = order.empty() ? ReadSource() : source_of(node.graph, thread, order.back());
    const size_t alternatives = state.alternatives ? state.alternatives->size() : 1;
    for (size_t i = 0; i < alternatives; ++i) {
      probe_ = state.alternatives ? (*state.alternatives)[i] : state;
      runner.step(probe_, value, source);
      if (probe_.next == NextStep::kWrite && probe_.of_rmw) runner.step(probe_, 0);
      if (!runner.is_wrong_guess(probe_)) break;
    }
    return probe_.next == NextStep::kBlocked;
  }

  bool all_ended(const Node& node) const {
    return std::all_of(node.states.begin(), node.states.end(),
                       [](const auto& states) { return states.back().next == NextStep::kEnded; });
  }
  bool failed(const Node& node) const {
    return options_.stop_at_errors &&
           std::any_of(node.states.begin(), node.states.end(),
                       [](const auto& states) { return states.back().next == NextStep::kFailed; });
  }

  // The thread does not go on, and no write can revisit its last read, which did not read the last write. So no execution
  // below is complete; and what other threads do in them they also do without this read.
  bool waits_for_ever(const Node& node, ThreadId thread) {
    const State& state = node.last(thread);
    if (!options_.prune_waits || is_event(state.next) || state.next == NextStep::kEnded) return false;
    if (state.next == NextStep::kFailed && options_.stop_at_errors) return false;
    const std::vector<uint32_t>& own = node.graph.of_thread(thread);
    const auto read = std::find_if(own.rbegin(), own.rend(), [&](uint32_t e) {
      return node.graph.event(e).kind == GraphEventKind::kRead;
    });
    if (read == own.rend() || node.graph.event(*read).maximal) return false;
    // Another alternative of a choice is not maximal either; but it may read the last write.
    const Event& event = node.graph.event(*read);
    if (options_.looks_for_waits &&
        (read != own.rbegin() || node.graph.coherence(event.cell).back() == event.source))
      return false;
    // No write that counts is behind the read.
    if (read != own.rbegin() && !(state.idle && node.graph.event(*read).index >= state.idle_from))
      return false;
    for (auto e = own.rbegin(); e != read + 1; ++e) waiting_.note_waiting(node.graph.event(*e));
    return true;
  }

  // ---- Events and states

  // The thread reads from the write: the event, but for its source, and the state behind it. More than once if it chooses
  // between alternatives, of which the first that is no wrong guess counts as no choice.
  template <typename Visit>
  void for_each_reading(const Node& node, ThreadId thread, uint32_t write, const Visit& visit_reading) {
    const ThreadRunner<kWords>& runner = runners_[thread.index()];
    const Value value = node.graph.event(write).value;
    const ReadSource source = source_of(node.graph, thread, write);
    const auto visit_behind = [&](const State& state, GraphAlternative alternative, bool even_if_wrong) {
      State after = state;
      runner.step(after, value, source);
      if (!even_if_wrong && runner.is_wrong_guess(after)) return false;
      Event event = next_event(node, state, thread, GraphEventKind::kRead);
      event.value = value;
      event.alternative = alternative;
      visit_reading(std::move(event), std::move(after));
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

  Event next_event(const Node& node, ThreadId thread, GraphEventKind kind) {
    return next_event(node, node.last(thread), thread, kind);
  }
  Event next_event(const Node& node, const State& state, ThreadId thread, GraphEventKind kind) {
    if (node.graph.size() + 2 > Set::kCapacity) throw too_large(node);
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

  Event initial_write(CellId cell) const {
    Event event;
    event.kind = GraphEventKind::kWrite;
    event.cell = cell;
    event.value = initial_[cell.index()];
    event.sets = sets_of_initial_write_;
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

  void push_state(Node& node, ThreadId thread, Value input) {
    State after = node.last(thread);
    runners_[thread.index()].step(after, input);
    push_state(node, thread, std::move(after));
  }
  void push_state(Node& node, ThreadId thread, State after) {
    std::vector<State>& states = node.states[thread.index()];
    states.push_back(std::move(after));
    const State& state = states.back();
    note_end(thread, state);
    if (!state.idle) return;
    const std::vector<uint32_t>& own = node.graph.of_thread(thread);
    for (size_t i = state.idle_from; i < own.size(); ++i) waiting_.note_waiting(node.graph.event(own[i]));
  }

  void note_end(ThreadId thread, const State& state) {
    if (state.next == NextStep::kTooLarge) result_.too_large = true;
    if (state.next == NextStep::kBeyond) note_too_long(thread, state);
    // Its write has not happened, but other threads would read it.
    if (state.next == NextStep::kBlocked && state.in_section && state.section_wrote &&
        (options_.stop_at_errors || !plan_.flags().empty()))
      throw Unsupported(fmt::format("an atomic section with an assumption behind its store (line {})",
                                    program_.line_name(code_.overlay().at(thread, state.section_begin).pos)));
  }
  void note_too_long(ThreadId thread, const State& state) {
    result_.too_long = true;
    result_.too_long_at = state.location;
    result_.too_long_thread = thread;
  }

  // True: it was not there before.
  bool ensure_initial_write(Node& node, CellId cell) {
    if (!node.graph.coherence(cell).empty()) return false;
    if (node.graph.size() + 2 > Set::kCapacity) throw too_large(node);
    node.graph.add(initial_write(cell), 0);
    require(node.relations.add(node.graph), "an initial write violates an axiom");
    return true;
  }
  void remove_initial_write(Node& node) {
    node.relations.remove_last();
    node.graph.remove_last();
  }

  // ---- Leaves

  bool within_bounds(const Graph<kWords>& graph) {
    ExplorationBounds& bounds = *options_.bounds;
    if (!bounds.active) return true;
    if (bounds.work < graph.size()) throw Stop();
    bounds.work -= graph.size();
    return graph.size() - graph.initial_writes().size() <= bounds.most_events;
  }

  void count_graph(const Node& node) {
    ++result_.graphs;
    result_.largest = std::max(result_.largest, node.graph.size());
    if (options_.limits == nullptr || result_.graphs % 256 != 0) return;
    result_.limit = options_.limits->poll();
    if (result_.limit != LimitReached::kNone) throw Stop();
  }

  void visit_leaf(Node& node, LeafKind kind) {
    Leaf leaf;
    leaf.kind = kind;
    if (kind == LeafKind::kComplete) {
      ++result_.executions;
      result_.fingerprint += fingerprint(node.graph);
    }
    if (kind == LeafKind::kBlocked) ++result_.blocked;
    if (!plan_.flags().empty()) leaf.flags = raised_flags(node);
    leaf.execution = [&] { return execution_of(node.graph, node.states, program_.cell_count); };
    leaf.cell = [&](CellId cell) {
      const std::vector<uint32_t>& order = node.graph.coherence(cell);
      return order.empty() ? initial_[cell.index()] : node.graph.event(order.back()).value;
    };
    leaf.reg = [&](ThreadId thread, RegId reg) { return node.last(thread).registers[reg.index()]; };
    leaf.location = [&](ThreadId thread) { return node.last(thread).location; };
    leaf.ended = [&](ThreadId thread) { return node.last(thread).next == NextStep::kEnded; };
    leaf.waits = [&](const ThreadCode& alone, const RetriedWaits& retried, ThreadId thread) {
      std::vector<Value> memory;
      for (size_t cell = 0; cell < program_.cell_count; ++cell) memory.push_back(leaf.cell(CellId(cell)));
      // What a thread did in an atomic section that it does not end has not happened.
      const State& last = node.last(thread);
      if (last.in_section && last.section_wrote) return Waits::kUndecided;
      const State& from = last.in_section ? node.states[thread.index()][last.section_events] : last;
      return SoloRun<kWords>(alone, retried, thread).waits(from, std::move(memory));
    };
    if (!visit_(leaf)) throw Stop();
  }

  // Of the events that have happened.
  std::vector<size_t> raised_flags(Node& node) {
    Set happened = Set::first(node.graph.size());
    for (size_t t = 0; t < node.states.size(); ++t) {
      const State& state = node.states[t].back();
      const std::vector<uint32_t>& own = node.graph.of_thread(ThreadId(t));
      for (size_t i = state.section_events; is_before_section(state) && i < own.size(); ++i)
        happened.remove(own[i]);
    }
    if (happened.size() == node.graph.size()) return node.relations.raised_flags(node.graph);
    Node& part = node_at(depth_ + 1);
    part.graph.assign_restricted(node.graph, happened);
    part.relations.assign_allowed(part.graph);
    return part.relations.raised_flags(part.graph);
  }

  struct Cached {
    uint64_t sets[4] = {};
    bool known[4] = {};
  };

  const ThreadCode& code_;
  const Program& program_;
  const ModelPlan& plan_;
  const ExplorationOptions& options_;
  const LeafVisitor& visit_;
  const std::vector<Value> initial_;
  const uint64_t sets_of_initial_write_;
  std::vector<ThreadRunner<kWords>> runners_;
  std::vector<std::vector<Cached>> sets_;  // by thread and point
  const SymmetricOrder<kWords> symmetric_;
  WaitingAccesses<kWords> waiting_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by depth of revisits
  size_t depth_ = 0;
  State probe_;
  ExplorationResult result_;
};

template <size_t kWords>
ExplorationResult explore_with(const ThreadCode& code, const ModelPlan& plan,
                               const ExplorationOptions& options, const LeafVisitor& visit) {
  return Explorer<kWords>(code, plan, options, visit).run();
}

}  // namespace

ExplorationResult explore(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
                          const LeafVisitor& visit) {
  ExplorationResult result;
  result.too_long = true;
  for (const auto& with :
       {explore_with<1>, explore_with<2>, explore_with<4>, explore_with<8>, explore_with<16>}) {
    try {
      return with(code, plan, options, visit);
    } catch (const GraphTooLarge& large) {
      result.longest_thread = large.thread;
      result.longest_at = large.at;
      if (options.restart) options.restart();
    }
  }
  return result;
}

}  // namespace fenceline::executions
