// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference/depth_first.h"

#include <algorithm>
#include <utility>

#include "env/errors.h"

namespace fenceline::reference {
namespace {

constexpr size_t kMaxThreads = 32;  // transitions are bits of a word

automata::SymbolicSearchOptions without_reduction(automata::SymbolicSearchOptions options) {
  options.fuse_local = options.fuse;
  options.reduce = false;
  return options;
}

bool overlap(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

// Gathers the successors of the state on top of the stack.
class DepthFirst::Sink final : public Observer {
 public:
  Sink(DepthFirst& search, std::vector<Successor>& successors)
      : Observer(search), search_(search), successors_(successors) {}

  void state(machine::PackedState packed) override {
    const std::vector<TraceStep>& path = search_.worker_->path();
    Transitions transition = 0;
    if (!path.empty()) {
      const size_t thread = path.front().thread.index();
      transition = path.front().kind == StepKind::kFlush ? commits_of(thread) : instruction_of(thread);
    }
    successors_.push_back({machine::KeptState(packed), path, transition});
  }

 private:
  DepthFirst& search_;
  std::vector<Successor>& successors_;
};

DepthFirst::DepthFirst(const Task& task, const automata::SymbolicSearchOptions& options, Env& env)
    : automata::SymbolicSearch(task, without_reduction(options), env) {
  if (task.program.threads.size() > kMaxThreads)
    throw Unsupported("--search dfs: a program has more than 32 threads");
}

void DepthFirst::run() {
  worker_->record_paths(true);
  std::vector<Successor> initial;
  Sink sink(*this, initial);
  worker_->initial(sink);
  for (Successor& state : initial) visit(std::move(state.state), std::move(state.steps), 0);
  while (!stack_.empty() && (!found_ || options_.explore_on) && !out_of_resources(bytes_in_use())) {
    Frame& frame = stack_.back();
    while (frame.next < frame.successors.size() &&
           (frame.successors[frame.next].transition & frame.skipped) != 0)
      ++frame.next;
    if (frame.next == frame.successors.size()) {
      stack_.pop_back();
      continue;
    }
    Successor successor = std::move(frame.successors[frame.next++]);
    ++transitions_;
    const Transitions transition = successor.transition;
    Transitions asleep = 0;
    if (options_.sleep_sets)
      asleep = independent_of(transition, frame.asleep | (frame.taken & ~transition), frame.state.packed());
    frame.taken |= transition;
    visit(std::move(successor.state), std::move(successor.steps), asleep);
  }
  env_.progress.clear();
  require(states_ > 0 || found_, "a search explored nothing");
}

// Pushes the state, unless all that it could do has been done elsewhere.
void DepthFirst::visit(machine::KeptState state, std::vector<TraceStep> steps, Transitions asleep) {
  if (options_.widen_above != 0) {
    if (const auto widened = worker_->widened(state.packed(), options_.widen_above)) {
      state = machine::KeptState(*widened);
      ++widened_;
    }
  }
  Frame frame;
  frame.state = std::move(state);
  frame.steps = std::move(steps);
  frame.asleep = asleep;
  frame.class_hash = worker_->take_candidate(frame.state.packed());
  if (options_.accelerate && system_.growth() && accelerate(frame)) ++accelerated_;

  const Transitions executed = executed_elsewhere(frame.state.packed(), frame.class_hash);
  frame.skipped = frame.asleep | executed;
  const Transitions all = task_.program.threads.size() == kMaxThreads
                              ? ~Transitions{0}
                              : (Transitions{1} << (2 * task_.program.threads.size())) - 1;
  if ((all & ~frame.skipped) == 0) return;
  entries_[frame.class_hash].push_back({frame.state, frame.asleep & ~executed});
  ++states_;
  bytes_ += sizeof(Entry) + frame.state.packed().size() + kBitSlack;
  stack_.push_back(std::move(frame));

  std::vector<Successor> successors;  // the stack must be in place: a violation is found on top of it
  Sink sink(*this, successors);
  worker_->successors(stack_.back().state.packed(), sink);
  stack_.back().successors = std::move(successors);
  if (task_.property.kind == PropertyKind::kNoDeadlock && is_deadlock(stack_.back().state.packed()))
    found({}, true);
}

// What is executed from every state that includes this one is executed from this one, too.
DepthFirst::Transitions DepthFirst::executed_elsewhere(machine::PackedState state, uint64_t class_hash) {
  const auto known = entries_.find(class_hash);
  if (known == entries_.end()) return 0;
  worker_->take_candidate(state);
  Transitions executed = 0;
  for (const Entry& entry : known->second)
    if (worker_->compare_with_candidate(entry.state.packed()) ==
        machine::OrderedSystem::Order::kSubsumesCandidate)
      executed |= ~entry.not_executed;
  return executed;
}

// From the top of the stack to the bottom: a state that differs in one buffer only.
bool DepthFirst::accelerate(Frame& frame) {
  std::optional<machine::SymbolicSnapshot> now;
  for (size_t begin = stack_.size(); begin-- > 0;) {
    const Frame& below = stack_[begin];
    if (below.class_hash != frame.class_hash) continue;
    if (!now) now = worker_->describe(frame.state.packed());
    std::optional<automata::Cycle> cycle = cycle_from(begin, frame, *now);
    if (!cycle) continue;
    const automata::Cycle* const one[] = {&*cycle};
    std::vector<automata::Cycles::Accelerated> result = cycles_.accelerate(below.state.packed(), one);
    if (result.empty()) continue;
    frame.last_iteration_whole = result.front().last.has_value();
    frame.state = std::move(result.front().state);
    frame.asleep &= below.asleep;
    frame.begin = begin;
    frame.cycle = std::move(cycle);
    return true;
  }
  return false;
}

// The cycle from the state of a frame to that of a new one, if they differ by a word in one thread's buffer.
std::optional<automata::Cycle> DepthFirst::cycle_from(size_t begin, const Frame& frame,
                                                      const machine::SymbolicSnapshot& now) {
  const machine::SymbolicSnapshot then = worker_->describe(stack_[begin].state.packed());
  const auto queue = [](const machine::Queues& queues, size_t q) {
    return queues.empty() ? automata::Languages::empty_word() : queues[q];
  };
  std::optional<size_t> grown;
  for (size_t t = 0; t < now.queues.size(); ++t) {
    for (size_t q = 0; q < std::max(now.queues[t].size(), then.queues[t].size()); ++q) {
      if (queue(now.queues[t], q) == queue(then.queues[t], q)) continue;
      if (grown && grown != t) return std::nullopt;
      grown = t;
    }
  }
  if (!grown) return std::nullopt;
  std::vector<TraceStep> steps;
  for (size_t i = begin + 1; i < stack_.size(); ++i)
    steps.insert(steps.end(), stack_[i].steps.begin(), stack_[i].steps.end());
  steps.insert(steps.end(), frame.steps.begin(), frame.steps.end());
  std::optional<automata::Cycle> cycle = cycles_.along({{std::move(steps), {}}}, ThreadId(*grown));
  for (size_t q = 0; cycle && q < cycle->appended.size(); ++q)
    if (worker_->languages().concatenated(queue(then.queues[*grown], q), cycle->appended[q]) !=
        queue(now.queues[*grown], q))
      return std::nullopt;
  return cycle;
}

DepthFirst::Transitions DepthFirst::independent_of(Transitions transition, Transitions others,
                                                   machine::PackedState state) {
  if (others == 0) return 0;
  const machine::SymbolicSnapshot snapshot = worker_->describe(state);
  const Footprint own = footprint(transition, snapshot);
  Transitions independent = 0;
  for (size_t t = 0; t < task_.program.threads.size(); ++t) {
    if (((instruction_of(t) | commits_of(t)) & transition) != 0) continue;  // those of one thread never are
    for (const Transitions other : {instruction_of(t), commits_of(t)}) {
      if ((others & other) == 0) continue;
      const Footprint that = footprint(other, snapshot);
      const bool conflict = own.everything || that.everything || overlap(own.writes, that.writes) ||
                            overlap(own.writes, that.reads) || overlap(own.reads, that.writes);
      if (!conflict) independent |= other;
    }
  }
  return independent;
}

DepthFirst::Footprint DepthFirst::footprint(Transitions transition,
                                            const machine::SymbolicSnapshot& snapshot) {
  Footprint footprint;
  size_t thread = 0;
  while (((instruction_of(thread) | commits_of(thread)) & transition) == 0) ++thread;
  if (transition == commits_of(thread)) {
    for (const automata::Language queue : snapshot.queues[thread])
      for (const Letter& letter : worker_->languages().first(queue))
        if (letter.variable != Letter::kBarrier) footprint.writes.push_back(letter.variable);
    return footprint;
  }
  const machine::Operation& op = code().at(thread, snapshot.locations[thread]);
  if (op.kind == InstrKind::kAtomicBegin || op.fence == machine::FenceEffect::kDrainAll)
    footprint.everything = true;
  const bool writes = op.kind == InstrKind::kRmw ||
                      (op.kind == InstrKind::kStore && code().buffering() == Buffering::kUnbuffered);
  const bool reads = op.kind == InstrKind::kLoad || op.kind == InstrKind::kRmw;
  for (uint32_t i = 0; (reads || writes) && i < op.cells; ++i) {
    if (op.offset.kind == machine::Operand::Kind::kConstant && op.offset.constant != static_cast<Value>(i))
      continue;
    const uint32_t cell = op.first_cell + i;
    if (writes) footprint.writes.push_back(cell);
    if (reads && !always_forwarded(snapshot, thread, cell)) footprint.reads.push_back(cell);
  }
  return footprint;
}

// Has the thread a store to the cell in its buffer, whatever is in there?
bool DepthFirst::always_forwarded(const machine::SymbolicSnapshot& snapshot, size_t thread, uint32_t cell) {
  return std::any_of(snapshot.queues[thread].begin(), snapshot.queues[thread].end(),
                     [&](automata::Language queue) {
                       return worker_->languages().without(queue, cell) == automata::Languages::nothing();
                     });
}

void DepthFirst::found(const std::vector<TraceStep>& failing, bool if_empty) {
  if (found_) return;
  found_ = true;
  path_.failing = failing;
  path_.needs_empty_buffers = if_empty;
  if (stack_.empty()) return;  // it fails before the first state
  path_.end = stack_.back().state;
  std::vector<size_t> length;  // of the path, by frame
  for (const Frame& frame : stack_) {
    if (frame.cycle) {
      // What lies between its ends is an iteration of the cycle.
      path_.pieces.resize(length[frame.begin]);
      path_.pieces.push_back({{},
                              {*frame.cycle},
                              frame.last_iteration_whole ? frame.cycle : std::nullopt,
                              worker_->queues(stack_[frame.begin].state.packed(), frame.cycle->thread)});
    } else {
      path_.pieces.push_back({frame.steps, {}, {}, {}});
    }
    length.push_back(path_.pieces.size());
  }
}

const engine::Antichain& DepthFirst::maximal() const {
  if (!maximal_) {
    maximal_ = std::make_unique<engine::Antichain>(*worker_);
    for (const auto& [class_hash, entries] : entries_)
      for (const Entry& entry : entries) maximal_->insert(entry.state.packed(), engine::Antichain::kNone);
  }
  return *maximal_;
}

void DepthFirst::for_each_maximal(const std::function<void(machine::PackedState)>& f) const {
  for (engine::Antichain::Id id = 0; id < maximal().size(); ++id)
    if (maximal().maximal(id)) f(maximal().state(id));
}

uint64_t DepthFirst::bytes_in_use() const { return bytes_ * 2 + worker_->languages().bytes_in_use(); }

std::unique_ptr<automata::SymbolicSearch> make_depth_first(const Task& task,
                                                           const automata::SymbolicSearchOptions& options,
                                                           Env& env) {
  return std::make_unique<DepthFirst>(task, options, env);
}

}  // namespace fenceline::reference
