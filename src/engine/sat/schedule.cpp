// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/schedule.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::sat {
namespace {

class Scheduler {
 public:
  Scheduler(const Schedulable& execution, Buffering buffering, PropertyKind kind)
      : execution_(execution),
        buffering_(buffering),
        to_error_(looks_at_errors(kind) && has_error(execution)),
        looks_at_states_(kind == PropertyKind::kNever || kind == PropertyKind::kAlways),
        next_(execution.paths.size()),
        done_(execution.events.size()) {}

  Trace run() {
    begin();
    while (!failed_ && !finished_ && !fail_if_possible() && take_one()) {
    }
    // A state that need not be final: stores that no thread has read there may still be pending.
    if (looks_at_states_ && !finished_)
      while (!trace_.steps.empty() && trace_.steps.back().kind == StepKind::kFlush) trace_.steps.pop_back();
    for (size_t thread = 0; thread < next_.size() && !to_error_; ++thread) advance(thread, kToItsEnd);
    require(failed_ == to_error_, "an execution with an error has a trace without");
    return std::move(trace_);
  }

 private:
  using Event = Schedulable::Event;
  using Step = Schedulable::Step;
  using Path = Schedulable::Path;
  static constexpr size_t kToItsEnd = ~size_t{0};

  static bool has_error(const Schedulable& execution) {
    return std::any_of(execution.paths.begin(), execution.paths.end(),
                       [](const Path& path) { return path.error.has_value(); });
  }

  const Event& event(size_t number) const { return execution_.events[number]; }
  bool initial(size_t number) const { return !event(number).thread.valid() && !event(number).look; }
  bool may_be_pending(size_t number) const {
    return buffering_ != Buffering::kUnbuffered && event(number).kind == EventKind::kWrite &&
           !event(number).at_once;
  }

  // A step that a thread can take before its position in the order: a store, which then is pending; a fence
  // that only orders other accesses.
  bool may_be_early(size_t number) const {
    if (event(number).kind != EventKind::kFence) return may_be_pending(number);
    const FenceKinds kinds = event(number).fence;
    return !kinds.has_store_load() || (buffering_ == Buffering::kPerCell && !kinds.has_store_store());
  }

  void begin() {
    const size_t nodes = execution_.successors.size();
    open_predecessors_.resize(nodes);
    members_.resize(nodes);
    for (const std::set<uint32_t>& successors : execution_.successors)
      for (const uint32_t to : successors) ++open_predecessors_[to];
    for (size_t number = 0; number < execution_.node_of.size(); ++number)
      members_[execution_.node_of[number]].push_back(number);
    for (uint32_t node = 0; node < nodes; ++node)
      if (!members_[node].empty() && open_predecessors_[node] == 0) ready_.insert(node);
  }

  // The least urgency comes first: the observer's reads, which end the trace, and initial writes (which are
  // no steps), then the thread that made the last step, then others; stores are flushed only when nothing
  // else is possible.
  unsigned urgency(uint32_t node) const {
    const size_t first = members_[node].front();
    if (initial(first) || event(first).look) return 0;
    if (may_be_pending(first)) return 3;
    return event(first).thread == last_thread_ ? 1 : 2;
  }

  bool take_one() {
    if (ready_.empty()) return false;
    const uint32_t node = *std::min_element(ready_.begin(), ready_.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(urgency(a), a) < std::pair(urgency(b), b);
    });
    ready_.erase(node);
    const size_t first = members_[node].front();
    for (const size_t member : members_[node]) done_[member] = true;
    if (event(first).look) {
      finished_ = true;
      return false;
    }
    if (!initial(first)) {
      const ThreadId thread = event(first).thread;
      require(advance(thread.index(), first), "an event of an execution that its thread does not come to");
      if (may_be_pending(first)) flush(first);
      last_thread_ = thread;
    }
    for (const uint32_t to : execution_.successors[node])
      if (--open_predecessors_[to] == 0) ready_.insert(to);
    return true;
  }

  // Executes the thread until it has done the event (and the atomic section around it), or to where it stops
  // in the execution; if it stops at a step that fails, and that is what the trace is about, with this step.
  // False if it does not come to the event.
  bool advance(size_t thread, size_t until) {
    const Path& path = execution_.paths[thread];
    const auto has = [&](const std::vector<size_t>& events) {
      return std::find(events.begin(), events.end(), until) != events.end();
    };
    for (size_t past = 0; past < next_[thread]; ++past)
      if (has(path.steps[past].events)) return true;
    bool found = false, inside = false;
    const size_t failing = failing_step(path);
    while (next_[thread] < path.steps.size() && (!found || inside)) {
      if (next_[thread] == failing) flush_all(thread);
      const Step& step = path.steps[next_[thread]];
      for (const size_t number : step.events)
        require(done_[number] || may_be_early(number), "the order of an execution contradicts its program");
      ++next_[thread];
      found |= has(step.events);
      execute(thread, step);
      inside = step.kind == InstrKind::kAtomicBegin || (inside && step.kind != InstrKind::kAtomicEnd);
    }
    if (found && !inside) return true;
    if (!to_error_ || !path.error) return found || until == kToItsEnd;
    if (failing == path.steps.size() && is_access(path.error->kind)) flush_all(thread);
    execute(thread, *path.error);
    failed_ = true;
    return found || until == kToItsEnd || has(path.error->events);
  }

  // The step with which a thread fails: the beginning of an atomic section, or what comes behind its last
  // one.
  size_t failing_step(const Path& path) const {
    if (!to_error_ || !path.error) return kToItsEnd;
    for (size_t i = path.steps.size(); i-- > 0;) {
      if (path.steps[i].kind == InstrKind::kAtomicBegin) return i;
      if (path.steps[i].kind == InstrKind::kAtomicEnd) break;
    }
    return path.steps.size();
  }
  static bool is_access(InstrKind kind) {
    return kind == InstrKind::kLoad || kind == InstrKind::kStore || kind == InstrKind::kRmw;
  }

  // An access that fails because of its address or value is no event, so the order says nothing about what it
  // waits for. All pending stores of its thread are flushed first.
  void flush_all(size_t thread) {
    for (size_t past = 0; past < next_[thread]; ++past)
      for (const size_t number : execution_.paths[thread].steps[past].events)
        if (may_be_pending(number) && !done_[number]) {
          done_[number] = true;
          flush(number);
        }
  }

  // If a thread has nothing left to do before a step that fails, that step ends the trace.
  bool fail_if_possible() {
    for (size_t thread = 0; to_error_ && thread < next_.size(); ++thread) {
      const Path& path = execution_.paths[thread];
      const auto possible = [&](const std::vector<size_t>& events) {
        return std::all_of(events.begin(), events.end(),
                           [&](size_t number) { return done_[number] || may_be_early(number); });
      };
      if (path.error && possible(path.error->events) &&
          std::all_of(path.steps.begin() + static_cast<std::ptrdiff_t>(next_[thread]), path.steps.end(),
                      [&](const Step& step) { return possible(step.events); })) {
        advance(thread, kToItsEnd);
        return true;
      }
    }
    return false;
  }

  void execute(size_t thread, const Step& executed) {
    TraceStep step;
    step.thread = ThreadId(thread);
    step.point = executed.point;
    step.chosen = executed.chosen;
    for (const size_t number : executed.events) {
      step.cell = event(number).cell;
      if (event(number).kind == EventKind::kFence) continue;
      (event(number).kind == EventKind::kWrite && event(number).of_rmw ? step.written : step.value) =
          event(number).value;
    }
    trace_.steps.push_back(step);
  }

  void flush(size_t number) {
    TraceStep step;
    step.thread = event(number).thread;
    step.kind = StepKind::kFlush;
    step.cell = event(number).cell;
    step.value = event(number).value;
    trace_.steps.push_back(step);
  }

  const Schedulable& execution_;
  Buffering buffering_;
  bool to_error_, looks_at_states_;
  std::vector<uint32_t> open_predecessors_;   // by node: how many before it have not been taken
  std::vector<std::vector<size_t>> members_;  // by node: its events
  std::set<uint32_t> ready_;
  std::vector<size_t> next_;  // by thread: its next step
  std::vector<bool> done_;    // by event: taken from the order
  ThreadId last_thread_;
  bool finished_ = false, failed_ = false;
  Trace trace_;
};

}  // namespace

Trace schedule(const Schedulable& execution, Buffering buffering, PropertyKind kind) {
  return Scheduler(execution, buffering, kind).run();
}

}  // namespace fenceline::sat
