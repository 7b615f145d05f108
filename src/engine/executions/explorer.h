// SPDX-License-Identifier: GPL-3.0-or-later
//
// Walks through the tree of graphs, or a part of it: the algorithm that exploration.h describes. A job among several gives
// the rest of a branch away if another one has nothing to do, that of the branch next to the root, which has most below it.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/executions/branch.h"
#include "engine/executions/branch_stack.h"
#include "engine/executions/exploration.h"
#include "engine/executions/exploration_progress.h"
#include "engine/executions/explored_graph.h"
#include "engine/executions/graph_execution.h"
#include "engine/executions/leaves.h"
#include "engine/executions/next_events.h"
#include "engine/executions/revisits.h"
#include "engine/executions/scheduling.h"
#include "engine/executions/shared_work.h"
#include "engine/executions/symmetric_order.h"
#include "engine/executions/vain_waits.h"
#include "engine/executions/waiting_accesses.h"
#include "env/errors.h"
#include "env/stack.h"

namespace fenceline::executions {

template <size_t kWords>
class Explorer {
  using Set = Bits<kWords>;
  using Event = GraphEvent<kWords>;
  using State = ThreadState<kWords>;
  using Node = ExploredGraph<kWords>;

 public:
  // Keeps references, but not to the code: what that remembers is for one thread. `others`: this is one of several jobs;
  // null: it is the only one.
  Explorer(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
           const LeafVisitor& visit, SharedWork<Subtree<kWords>>* others)
      : code_(code),
        program_(code.overlay().program()),
        plan_(plan),
        options_(options),
        visit_(visit),
        others_(others),
        progress_(code_, plan, options),
        symmetric_(options.symmetric == nullptr ? SymmetricThreads(program_) : *options.symmetric),
        waiting_(plan, symmetric_.threads(), program_.threads.size(), program_.cell_count),
        events_(code_, plan, symmetric_, waiting_),
        scheduling_(code_, symmetric_, events_, options.reversed) {}
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  // These explore all of the tree, all from a leaf on that the visitor has not accepted, or what another job has given away.
  // False: some leaf was not accepted, or a limit or a bound has ended it.
  bool explore_all() {
    Node& node = node_at(0);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      node.states[t].push_back(events_.runner(ThreadId(t)).begin());
      progress_.note_state(ThreadId(t), node.states[t].back());
    }
    return completes([&] { visit(node); });
  }
  bool explore_from(Position leaf) {
    branches_.resume_at(std::move(leaf));
    following_ = true;
    return explore_all();
  }
  bool explore_rest(Subtree<kWords> part) {
    depth_ = 0;
    waiting_.adopt_leading(part.leading);
    Node& node = node_at(0);
    node.graph = std::move(part.graph);
    node.states = std::move(part.states);
    node.relations.assign_allowed(node.graph);
    node.relations.set_unflagged(part.unflagged);
    level_ = part.branch.level;
    Branch<kWords>& branch = branches_.begin_with(part.branch, std::move(part.position));
    return completes([&] { explore_choices(node, branch); });
  }

  // Where the exploration is; after an exception, where it was.
  Position position() const { return branches_.position(); }

  const ExplorationResult& result() const { return progress_.result(); }
  const WaitingAccesses<kWords>& waiting() const { return waiting_; }
  bool may_miss_flags(const WaitingAccesses<kWords>& waiting) const {
    return waiting.may_raise_flag([&](CellId cell) { return events_.initial_write(cell); });
  }

 private:
  // ---- The algorithm

  // Every execution that extends the graph and that no other branch explores.
  void visit(Node& node) {
    if (++level_ > kMostLevels || stack_left() < kStackOfLeaf)
      throw Unsupported("an exploration that is nested too deeply (writes revisit too many reads)");
    visit_next(node);
    --level_;
  }

  void visit_next(Node& node) {
    const bool within_bounds = progress_.note_graph(node.graph);
    if (others_ != nullptr && progress_.result().graphs % options_.grain == 0) look_at_others();
    if (!within_bounds) return;
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
    const size_t places = node.graph.coherence(cell).size();
    const size_t first = node.relations.first_place(node.graph, thread, node.last(thread).position, cell);
    Branch<kWords>& branch = branches_.open(BranchKind::kRead, node.graph, depth_, level_, thread);
    branch.highest = places - 1;
    branch.end = places > first ? places - first : 0;
    explore_choices(node, branch);
    branches_.close();
    if (added) node.remove_last();
  }

  void read_from(Node& node, Branch<kWords>& branch, size_t place) {
    const std::vector<uint32_t>& order = node.graph.coherence(node.last(branch.thread).cell);
    const uint32_t source = order[place];
    const bool last = place + 1 == order.size();
    for_each_reading(node, branch, branch.thread, source, [&](Event&& event, State&& after) {
      event.maximal = last && event.alternative.is_first;
      if (!symmetric_.keeps_order(node.graph, event)) return;
      if (node.add(std::move(event), 0)) visit_unless_waiting(node, branch.thread, std::move(after));
      node.remove_last();
    });
  }

  // At every place of the coherence order, the last one first; and read by every read that it may revisit.
  void visit_write(Node& node, ThreadId thread) {
    events_.runner(thread).check_section(node.last(thread));
    const CellId cell = node.last(thread).cell;
    const bool added = ensure_initial_write(node, cell);
    Branch<kWords>& branch = branches_.open(BranchKind::kWrite, node.graph, depth_, level_, thread);
    set_places(node, branch);
    branch.prefix = node.graph.prefix_of_next(thread, symmetric_.counterpart_of_next(node.graph, thread)) |
                    node.graph.initial_writes();
    branch.reads = reads_outside(node.graph, cell, branch.prefix);
    branch.end = branch.places + branch.reads.size();
    explore_choices(node, branch);
    branches_.close();
    if (added) node.remove_last();
  }

  void write_at(Node& node, ThreadId thread, size_t place) {
    if (node.add(events_.next(node, thread, GraphEventKind::kWrite), place))
      visit_unless_waiting(node, thread, events_.behind_next(node, thread, 0));
    node.remove_last();
  }

  // The next event of the thread, a write, revisits the read r, which is not in the prefix of the write: the write is added
  // at every place of the coherence order, and the read reads it.
  void revisit(const Node& node, const Branch<kWords>& by, uint32_t r) {
    const std::optional<Set> kept = kept_by_revisit(node.graph, r, by.prefix);
    if (!kept) return;
    progress_.note_revisit();
    Node& child = node_at(++depth_);
    child.assign_restricted(node, *kept);
    Branch<kWords>& branch = branches_.open(BranchKind::kRevisit, child.graph, depth_, level_, by.thread);
    set_places(child, branch);
    branch.end = branch.places;
    branch.reader = node.graph.event(r).thread;
    branch.time = node.graph.event(r).time;
    explore_choices(child, branch);
    branches_.close();
    --depth_;
  }

  void revisit_at(Node& node, Branch<kWords>& branch, size_t place) {
    if (node.add(events_.next(node, branch.thread, GraphEventKind::kWrite), place)) {
      push_state(node, branch.thread, events_.behind_next(node, branch.thread, 0));
      const auto source = static_cast<uint32_t>(node.graph.size() - 1);
      for_each_reading(node, branch, branch.reader, source, [&](Event&& event, State&& after) {
        event.maximal = event.alternative.is_first;  // it may be revisited again
        event.time = branch.time;
        if (!symmetric_.keeps_order(node.graph, event)) return;
        if (node.add_revisited(std::move(event))) visit_behind(node, branch.reader, std::move(after));
        node.remove_last();
      });
      node.states[branch.thread.index()].pop_back();
    }
    node.remove_last();
  }

  void visit_fence(Node& node, ThreadId thread) {
    if (node.add(events_.next(node, thread, GraphEventKind::kFence), 0))
      visit_behind(node, thread, events_.behind_next(node, thread, 0));
    node.remove_last();
  }

  void visit_choices(Node& node, ThreadId thread) {
    const Range choices = events_.choices(node, thread);
    Branch<kWords>& branch = branches_.open(BranchKind::kChoice, node.graph, depth_, level_, thread);
    branch.end = static_cast<size_t>(choices.hi - choices.lo + 1);
    explore_choices(node, branch);
    branches_.close();
  }

  void choose(Node& node, ThreadId thread, size_t choice) {
    Event event = events_.next(node, thread, GraphEventKind::kChoice);
    event.value = node.last(thread).choices.lo + static_cast<Value>(choice);
    event.maximal = choice == 0;
    symmetric_.keeps_order(node.graph, event);
    const Value value = event.value;
    if (node.add(std::move(event), 0)) visit_behind(node, thread, events_.behind_next(node, thread, value));
    node.remove_last();
  }

  // ---- Branches

  void explore_choices(Node& node, Branch<kWords>& branch) {
    while (branch.next < branch.end) {
      const size_t choice = branch.next++;
      switch (branch.kind) {
        case BranchKind::kRead:
          read_from(node, branch, branch.highest - choice);
          break;
        case BranchKind::kWrite:
          if (choice < branch.places)
            write_at(node, branch.thread, branch.highest - choice);
          else
            revisit(node, branch, static_cast<uint32_t>(branch.reads.member(choice - branch.places)));
          break;
        case BranchKind::kRevisit:
          revisit_at(node, branch, branch.highest - choice);
          break;
        case BranchKind::kChoice:
          choose(node, branch.thread, choice);
          break;
      }
      branch.reading = 0;
    }
  }

  // What the thread may do if it reads from the write.
  template <typename Visit>
  void for_each_reading(const Node& node, Branch<kWords>& branch, ThreadId thread, uint32_t source,
                        const Visit& visit_reading) {
    const size_t first = branch.reading;  // others come before the position where the exploration is resumed
    size_t reading = 0;
    events_.for_each_reading(node, thread, source, [&](Event&& event, State&& after) {
      if (reading++ < first) return;
      branch.reading = reading - 1;
      event.source = source;
      visit_reading(std::move(event), std::move(after));
    });
  }

  void set_places(const Node& node, Branch<kWords>& branch) {
    const auto [lowest, highest] = events_.places(node, branch.thread);
    branch.highest = highest;
    branch.places = highest >= lowest ? highest - lowest + 1 : 0;
  }

  // Is the work of this job still wanted, and does another one want a part of it?
  void look_at_others() {
    if (others_->has_ended() && (others_->is_cancelled() || others_->is_behind_end(position())))
      throw ExplorationStopped();
    if (!others_->is_wanted()) return;
    if (const std::optional<size_t> i = branches_.first_with_rest()) give_rest(*i);
  }

  void give_rest(size_t i) {
    Branch<kWords>& branch = branches_.at(i);
    others_->give(rest_of(branch, branches_.position(i), *nodes_[branch.depth], waiting_));
    branch.end = branch.next;
  }

  // ---- Adding events

  // The thread has executed the last event of the graph.
  void visit_behind(Node& node, ThreadId thread, State&& after) {
    push_state(node, thread, std::move(after));
    visit(node);
    node.states[thread.index()].pop_back();
  }
  void visit_unless_waiting(Node& node, ThreadId thread, State&& after) {
    push_state(node, thread, std::move(after));
    if (!waits_in_vain(node, thread)) visit(node);
    node.states[thread.index()].pop_back();
  }

  void push_state(Node& node, ThreadId thread, State&& after) {
    std::vector<State>& states = node.states[thread.index()];
    states.push_back(std::move(after));
    const State& state = states.back();
    progress_.note_state(thread, state);
    if (state.idle) waiting_.note_waiting_from(node.graph, thread, state.idle_from);
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

  // Is the graph to be dropped, since the thread waits in it, and reads an old value?
  bool waits_in_vain(const Node& node, ThreadId thread) {
    const size_t waiting = options_.prune_waits ? events_of_vain_wait(node, thread, options_.stop_at_errors,
                                                                      options_.looks_for_waits)
                                                : 0;
    waiting_.note_waiting_from(node.graph, thread, node.graph.of_thread(thread).size() - waiting);
    return waiting > 0;
  }

  // ---- Leaves

  void visit_leaf(Node& node, LeafKind kind) {
    progress_.note_leaf(node.graph, kind);
    Leaf leaf = leaf_at(node, kind, program_, events_);
    if (!plan_.flags().empty()) leaf.flags = raised_flags(node);
    if (!following_ && visit_(leaf)) return;
    if (others_ != nullptr) others_->end_at(position(), nullptr);
    following_ = others_ == nullptr && options_.follow_up != nullptr;
    if (!following_ || !options_.follow_up(leaf)) throw ExplorationStopped();
  }

  std::vector<size_t> raised_flags(Node& node) {
    const Set events = happened(node);
    if (events.size() == node.graph.size()) return node.relations.raised_flags(node.graph);
    Node& part = node_at(depth_ + 1);
    part.graph.assign_restricted(node.graph, events);
    part.relations.assign_allowed(part.graph);
    return part.relations.raised_flags(part.graph);
  }

  template <typename Explore>
  bool completes(const Explore& explore) {
    try {
      explore();
      return !following_;
    } catch (const ExplorationStopped&) {
      return false;
    }
  }

  const ThreadCode code_;
  const Program& program_;
  const ModelPlan& plan_;
  const ExplorationOptions& options_;
  const LeafVisitor& visit_;
  SharedWork<Subtree<kWords>>* const others_;
  ExplorationProgress progress_;
  const SymmetricOrder<kWords> symmetric_;
  WaitingAccesses<kWords> waiting_;
  NextEvents<kWords> events_;
  const Scheduling<kWords> scheduling_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by depth of revisits
  size_t depth_ = 0;
  // Each level takes stack. How many there may be does not depend on the job, so that the answer does not.
  static constexpr size_t kStack = 7 << 20, kStackOfLeaf = 512 << 10;
  static constexpr size_t kMostLevels = kStack / (900 + 2 * (sizeof(State) + sizeof(Event)));
  size_t level_ = 0;
  BranchStack<kWords> branches_;
  bool following_ = false;  // leaves are for options_.follow_up
};

}  // namespace fenceline::executions
