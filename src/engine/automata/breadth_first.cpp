// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/breadth_first.h"

#include <algorithm>

#include "engine/automata/options.h"
#include "env/errors.h"

namespace fenceline::automata {
namespace {

constexpr size_t kMaxCycles = 24;   // per subsumption class and thread
constexpr size_t kMaxLookups = 12;  // ancestors of the same class that are tried

bool same_words(const Cycle& a, const Cycle& b) { return a.thread == b.thread && a.appended == b.appended; }

}  // namespace

class BreadthFirst::Sink final : public Observer {
 public:
  explicit Sink(BreadthFirst& search) : Observer(search), search_(search) {}

  void state(machine::PackedState packed) override {
    ++search_.transitions_;
    search_.add(packed, search_.expanded_, search_.worker_->path(), kNoAcceleration);
  }

 private:
  BreadthFirst& search_;
};

BreadthFirst::BreadthFirst(const Task& task, const SymbolicSearchOptions& options, Env& env)
    : SymbolicSearch(task, options, env), antichain_(*worker_) {}

void BreadthFirst::run() {
  Sink sink(*this);
  worker_->record_paths(true);
  worker_->initial(sink);
  while (next_ < queue_.size() && (!found_ || options_.explore_on) && !out_of_resources(bytes_in_use())) {
    expand(queue_[next_++], sink);
    while (!fresh_.empty() && !out_of_resources(bytes_in_use())) {
      const Id id = fresh_.back();
      fresh_.pop_back();
      if (!antichain_.maximal(id)) continue;
      look_for_cycles(id);
      accelerate(id);
    }
  }
  env_.progress.clear();
  require(antichain_.size() > 0 || found_, "a search explored nothing");
}

void BreadthFirst::add(machine::PackedState packed, Id parent, const std::vector<TraceStep>& steps,
                       uint32_t acceleration) {
  machine::KeptState wide;
  if (options_.widen_above != 0) {
    if (const std::optional<machine::PackedState> widened = worker_->widened(packed, options_.widen_above)) {
      wide = machine::KeptState(*widened);
      packed = wide.packed();
      ++widened_;
    }
  }
  const engine::Antichain::Inserted inserted = antichain_.insert(packed, parent);
  if (!inserted.fresh) return;
  queue_.push_back(inserted.id);
  edges_.push_back({steps_.size(), static_cast<uint32_t>(steps.size()), acceleration});
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  if (options_.accelerate && system_.growth()) fresh_.push_back(inserted.id);
}

void BreadthFirst::expand(Id id, Sink& sink) {
  if (!antichain_.maximal(id)) return;  // what subsumes it was found meanwhile, and is in the queue
  expanded_ = id;
  const machine::PackedState packed = antichain_.state(id);
  worker_->successors(packed, sink);
  if (task_.property.kind == PropertyKind::kNoDeadlock && is_deadlock(packed)) found({}, true);
}

void BreadthFirst::found(const std::vector<TraceStep>& failing, bool if_empty) {
  if (found_) return;
  found_ = true;
  bad_ = expanded_;
  failing_ = failing;
  bad_if_empty_ = if_empty;
}

// Walks back along the path to this state. Where it was accelerated, the path without the iterations of that
// cycle may be a cycle, too.
void BreadthFirst::look_for_cycles(Id id) {
  size_t lookups = 0;
  for (Id at = antichain_.parent(id); at != engine::Antichain::kNone; at = antichain_.parent(at)) {
    if (antichain_.class_of(at) != antichain_.class_of(id)) continue;
    if (++lookups > kMaxLookups) return;
    for (size_t t = 0; t < task_.program.threads.size(); ++t)
      if (may_grow(at, id, ThreadId(t))) remember(at, id, ThreadId(t));
  }
}

// A quick check before steps are copied: does the thread store on the path, and is its only queue never
// flushed?
bool BreadthFirst::may_grow(Id from, Id to, ThreadId thread) const {
  const bool one_queue = worker_->cells_of_queues(thread).empty();
  bool stores = false;
  for (Id at = to; at != from; at = antichain_.parent(at)) {
    const Edge& edge = edges_[at];
    for (size_t i = edge.first_step; i < edge.first_step + edge.steps; ++i) {
      if (steps_[i].thread != thread) continue;
      if (steps_[i].kind == StepKind::kFlush && one_queue) return false;
      stores = stores || (steps_[i].kind == StepKind::kExecute &&
                          code().at(thread.index(), steps_[i].point.value()).kind == InstrKind::kStore);
    }
  }
  return stores;
}

// The steps of the path. Where it was accelerated by cycles of this thread, these may iterate there each time;
// other accelerations are left out.
std::vector<Cycle::Stretch> BreadthFirst::stretches_between(Id from, Id to, ThreadId thread) const {
  std::vector<Id> path;
  for (Id at = to; at != from; at = antichain_.parent(at)) path.push_back(at);
  std::vector<Cycle::Stretch> stretches(1);
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    const Edge& edge = edges_[*at];
    const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(edge.first_step);
    stretches.back().steps.insert(stretches.back().steps.end(), first, first + edge.steps);
    if (edge.acceleration == kNoAcceleration) continue;
    const Acceleration& acceleration = accelerations_[edge.acceleration];
    if (acceleration.cycles.front()->thread != thread || acceleration.last != nullptr) continue;
    stretches.back().inner = acceleration.cycles;
    stretches.emplace_back();
  }
  return stretches;
}

// A new cycle goes into the library, and may make any state of its subsumption class grow.
void BreadthFirst::remember(Id from, Id to, ThreadId thread) {
  std::optional<Cycle> cycle = cycles_.along(stretches_between(from, to, thread), thread);
  if (!cycle) return;
  const uint64_t class_hash = antichain_.class_of(to);
  std::vector<std::unique_ptr<Known>>& known = library_[class_hash];
  size_t promising = 0;
  for (const std::unique_ptr<Known>& other : known) {
    if (same_words(*cycle, other->cycle)) return;
    promising += other->cycle.thread == thread && other->promising() ? 1 : 0;
  }
  if (promising >= kMaxCycles) return;
  known.push_back(std::make_unique<Known>(Known{std::move(*cycle)}));
  std::vector<Id> members;
  antichain_.for_each_in_class(class_hash, [&](Id member) { members.push_back(member); });
  for (const Id member : members)
    if (antichain_.maximal(member)) accelerate(member);
}

void BreadthFirst::accelerate(Id id) {
  const auto known = library_.find(antichain_.class_of(id));
  if (known == library_.end()) return;
  for (size_t t = 0; t < task_.program.threads.size(); ++t) {
    std::vector<Known*> own;
    for (const std::unique_ptr<Known>& cycle : known->second)
      if (cycle->cycle.thread == ThreadId(t) && cycle->promising()) own.push_back(cycle.get());
    if (options_.library)
      accelerate(id, own);
    else
      for (Known* cycle : own) accelerate(id, {cycle});
  }
}

void BreadthFirst::accelerate(Id id, const std::vector<Known*>& together) {
  std::vector<const Cycle*> cycles;
  for (const Known* known : together) cycles.push_back(&known->cycle);
  const uint64_t replayed_before = cycles_.replayed();
  std::vector<bool> accepted(cycles.size());
  for (const Cycles::Accelerated& result : cycles_.accelerate(antichain_.state(id), cycles)) {
    ++accelerated_;
    Acceleration acceleration;
    for (const size_t i : result.cycles) {
      acceleration.cycles.push_back(cycles[i]);
      accepted[i] = true;
    }
    if (result.last) acceleration.last = cycles[*result.last];
    accelerations_.push_back(std::move(acceleration));
    add(result.state.packed(), id, {}, static_cast<uint32_t>(accelerations_.size() - 1));
  }
  if (cycles_.replayed() == replayed_before) return;  // there was nothing new to try
  for (size_t i = 0; i < together.size(); ++i)
    ++(accepted[i] ? together[i]->accepted : together[i]->rejected);
}

uint64_t BreadthFirst::bytes_in_use() const {
  return antichain_.bytes_in_use() + edges_.capacity() * sizeof(Edge) +
         steps_.capacity() * sizeof(TraceStep) + worker_->languages().bytes_in_use();
}

SymbolicPath BreadthFirst::path() {
  require(found_, "there is no path without a violation");
  SymbolicPath path;
  path.failing = failing_;
  path.needs_empty_buffers = bad_if_empty_;
  if (bad_ == engine::Antichain::kNone) return path;  // it fails before the first state
  path.end = machine::KeptState(antichain_.state(bad_));
  for (Id at = bad_; at != engine::Antichain::kNone; at = antichain_.parent(at)) {
    const Edge& edge = edges_[at];
    SymbolicPath::Piece& piece = path.pieces.emplace_back();
    if (edge.acceleration == kNoAcceleration) {
      const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(edge.first_step);
      piece.steps.assign(first, first + edge.steps);
      continue;
    }
    const Acceleration& acceleration = accelerations_[edge.acceleration];
    for (const Cycle* cycle : acceleration.cycles) piece.cycles.push_back(*cycle);
    if (acceleration.last != nullptr) piece.last = *acceleration.last;
    piece.before =
        worker_->queues(antichain_.state(antichain_.parent(at)), acceleration.cycles.front()->thread);
  }
  std::reverse(path.pieces.begin(), path.pieces.end());
  return path;
}

void BreadthFirst::for_each_maximal(const std::function<void(machine::PackedState)>& f) const {
  for (Id id = 0; id < antichain_.size(); ++id)
    if (antichain_.maximal(id)) f(antichain_.state(id));
}

std::unique_ptr<SymbolicSearch> make_breadth_first(const Task& task, const SymbolicSearchOptions& options,
                                                   Env& env) {
  return std::make_unique<BreadthFirst>(task, options, env);
}

}  // namespace fenceline::automata
