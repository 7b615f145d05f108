// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/exploration.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/executions/explored_graph.h"
#include "engine/executions/graph_execution.h"
#include "engine/executions/leaves.h"
#include "engine/executions/next_events.h"
#include "engine/executions/revisits.h"
#include "engine/executions/scheduling.h"
#include "engine/executions/symmetric_order.h"
#include "engine/executions/waiting_accesses.h"
#include "env/errors.h"

namespace fenceline::executions {
namespace {

struct Stop {};

template <size_t kWords>
class Explorer {
  using Set = Bits<kWords>;
  using Event = GraphEvent<kWords>;
  using State = ThreadState<kWords>;
  using Node = ExploredGraph<kWords>;

 public:
  Explorer(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
           const LeafVisitor& visit)
      : code_(code),
        program_(code.overlay().program()),
        plan_(plan),
        options_(options),
        visit_(visit),
        symmetric_(options.symmetric == nullptr ? SymmetricThreads(program_) : *options.symmetric),
        waiting_(plan, symmetric_.threads(), program_.threads.size(), program_.cell_count),
        events_(code, plan, symmetric_, waiting_),
        scheduling_(code, symmetric_, events_, options.reversed) {}

  ExplorationResult run() {
    Node& node = node_at(0);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      node.states[t].push_back(events_.runner(ThreadId(t)).begin());
      note_end(ThreadId(t), node.states[t].back());
    }
    try {
      visit(node);
      result_.finished = true;
    } catch (const Stop&) {
    }
    result_.may_miss_flags =
        waiting_.may_raise_flag([&](CellId cell) { return events_.initial_write(cell); });
    return result_;
  }

 private:
  // ---- The algorithm

  // Every execution that extends the graph and that no other branch explores.
  void visit(Node& node) {
    count_graph(node);
    if (options_.bounds != nullptr && !within_bounds(node.graph)) return;
    if (options_.stop_at_errors && node.some_failed()) return visit_leaf(node, LeafKind::kFailed);
    const ThreadId thread = scheduling_.next_thread(node);
    if (!thread.valid()) return visit_leaf(node, node.all_ended() ? LeafKind::kComplete : LeafKind::kBlocked);
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
    events_.runner(thread).check_section(node.last(thread));
    const CellId cell = node.last(thread).cell;
    const bool added = ensure_initial_write(node, cell);
    const size_t first = node.relations.first_place(node.graph, thread, node.last(thread).position, cell);
    for (size_t place = node.graph.coherence(cell).size(); place-- > first;) {
      const uint32_t source = node.graph.coherence(cell)[place];
      const bool last = place + 1 == node.graph.coherence(cell).size();
      events_.for_each_reading(node, thread, source, [&](Event event, State after) {
        event.source = source;
        event.maximal = last && event.alternative.is_first;
        if (!symmetric_.keeps_order(node.graph, event)) return;
        if (node.add(std::move(event), 0)) visit_unless_waiting(node, thread, std::move(after));
        node.remove_last();
      });
    }
    if (added) node.remove_last();
  }

  // At every place of the coherence order, the last one first; and read by every read that it may revisit.
  void visit_write(Node& node, ThreadId thread) {
    events_.runner(thread).check_section(node.last(thread));
    const CellId cell = node.last(thread).cell;
    const bool added = ensure_initial_write(node, cell);
    const auto [lowest, highest] = events_.places(node, thread);
    for (size_t place = highest; place >= lowest; --place) {
      if (node.add(events_.next(node, thread, GraphEventKind::kWrite), place))
        visit_unless_waiting(node, thread, events_.behind_next(node, thread, 0));
      node.remove_last();
    }
    const Set prefix = node.graph.prefix_of_next(thread, symmetric_.counterpart_of_next(node.graph, thread)) |
                       node.graph.initial_writes();
    node.graph.accesses(cell).minus(prefix).for_each([&](size_t e) {
      if (node.graph.event(e).kind == GraphEventKind::kRead)
        revisit(node, thread, static_cast<uint32_t>(e), prefix);
    });
    if (added) node.remove_last();
  }

  void visit_fence(Node& node, ThreadId thread) {
    if (node.add(events_.next(node, thread, GraphEventKind::kFence), 0))
      visit_behind(node, thread, events_.behind_next(node, thread, 0));
    node.remove_last();
  }

  void visit_choices(Node& node, ThreadId thread) {
    constexpr Value kMostChoices = 1 << 16;
    const Range choices = node.last(thread).choices;
    if (!choices.bounded() || choices.hi - choices.lo >= kMostChoices)
      throw Unsupported("an arbitrary value of too large a range");
    for (Value value = choices.lo; value <= choices.hi; ++value) {
      Event event = events_.next(node, thread, GraphEventKind::kChoice);
      event.value = value;
      event.maximal = value == choices.lo;
      symmetric_.keeps_order(node.graph, event);
      if (node.add(std::move(event), 0)) visit_behind(node, thread, events_.behind_next(node, thread, value));
      node.remove_last();
    }
  }

  // The next event of `thread`, a write with this prefix, revisits the read r, which is not in the prefix: the write is
  // added at every place of the coherence order, and the read reads it.
  void revisit(const Node& node, ThreadId thread, uint32_t r, const Set& prefix) {
    const std::optional<Set> kept = kept_by_revisit(node.graph, r, prefix);
    if (!kept) return;
    ++result_.revisits;
    Node& child = node_at(++depth_);
    child.assign_restricted(node, *kept);
    const Event write = events_.next(child, thread, GraphEventKind::kWrite);
    const auto [lowest, highest] = events_.places(child, thread);
    for (size_t place = highest; place >= lowest; --place) {
      if (child.add(write, place)) {
        push_state(child, thread, events_.behind_next(child, thread, 0));
        visit_revisited(child, node.graph.event(r).thread, node.graph.event(r).time);
        child.states[thread.index()].pop_back();
      }
      child.remove_last();
    }
    --depth_;
  }

  // The next event of the thread, a read that was first added at this time, reads the write that was added last.
  void visit_revisited(Node& node, ThreadId thread, uint64_t time) {
    const auto source = static_cast<uint32_t>(node.graph.size() - 1);
    events_.for_each_reading(node, thread, source, [&](Event event, State after) {
      event.source = source;
      event.maximal = event.alternative.is_first;  // it may be revisited again
      event.time = time;
      if (!symmetric_.keeps_order(node.graph, event)) return;
      if (node.add_revisited(std::move(event))) visit_behind(node, thread, std::move(after));
      node.remove_last();
    });
  }

  // ---- Adding events

  // The thread has executed the last event of the graph.
  void visit_behind(Node& node, ThreadId thread, State after) {
    push_state(node, thread, std::move(after));
    visit(node);
    node.states[thread.index()].pop_back();
  }
  void visit_unless_waiting(Node& node, ThreadId thread, State after) {
    push_state(node, thread, std::move(after));
    if (!waits_for_ever(node, thread)) visit(node);
    node.states[thread.index()].pop_back();
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

  // True: it was not there before.
  bool ensure_initial_write(Node& node, CellId cell) {
    if (!node.graph.coherence(cell).empty()) return false;
    events_.require_room(node);
    require(node.add(events_.initial_write(cell), 0), "an initial write violates an axiom");
    return true;
  }

  Node& node_at(size_t depth) {
    if (nodes_.size() == depth)
      nodes_.push_back(std::make_unique<Node>(program_.threads.size(), program_.cell_count, plan_));
    return *nodes_[depth];
  }

  // ---- Threads that do not go on

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

  void note_end(ThreadId thread, const State& state) {
    if (state.next == NextStep::kTooLarge) result_.too_large = true;
    if (state.next == NextStep::kBeyond) {
      result_.too_long = true;
      result_.too_long_at = state.location;
      result_.too_long_thread = thread;
    }
    // Its write has not happened, but other threads would read it.
    if (state.next == NextStep::kBlocked && state.in_section && state.section_wrote &&
        (options_.stop_at_errors || !plan_.flags().empty()))
      throw Unsupported(fmt::format("an atomic section with an assumption behind its store (line {})",
                                    program_.line_name(code_.overlay().at(thread, state.section_begin).pos)));
  }

  // ---- Leaves and limits

  void visit_leaf(Node& node, LeafKind kind) {
    if (kind == LeafKind::kComplete) {
      ++result_.executions;
      result_.fingerprint += fingerprint(node.graph);
    }
    if (kind == LeafKind::kBlocked) ++result_.blocked;
    Leaf leaf = leaf_at(node, kind, program_, events_);
    if (!plan_.flags().empty()) leaf.flags = raised_flags(node);
    if (!visit_(leaf)) throw Stop();
  }

  std::vector<size_t> raised_flags(Node& node) {
    const Set events = happened(node);
    if (events.size() == node.graph.size()) return node.relations.raised_flags(node.graph);
    Node& part = node_at(depth_ + 1);
    part.graph.assign_restricted(node.graph, events);
    part.relations.assign_allowed(part.graph);
    return part.relations.raised_flags(part.graph);
  }

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

  const ThreadCode& code_;
  const Program& program_;
  const ModelPlan& plan_;
  const ExplorationOptions& options_;
  const LeafVisitor& visit_;
  const SymmetricOrder<kWords> symmetric_;
  WaitingAccesses<kWords> waiting_;
  NextEvents<kWords> events_;
  const Scheduling<kWords> scheduling_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by depth of revisits
  size_t depth_ = 0;
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
