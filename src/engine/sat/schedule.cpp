// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace of a machine for an execution that its axioms allow.
//
// The axioms demand that some relation has no cycle; every linear extension of it is the order of a trace. In
// it, loads, fences, rmws and atomic sections represent themselves; a store that may be pending represents
// its flush. So: take them one after the other; before one that represents itself, execute its thread up to
// it, and before a store is flushed, execute its thread at least past the store. What the order leaves open
// goes to the thread that made the last step, which makes traces easy to read.
#include <algorithm>
#include <set>

#include "engine/sat/solution.h"
#include "env/errors.h"

namespace fenceline::sat {

// The base relations of a solved execution: all of them constants.
class SolvedRelations : public BaseRelations {
 public:
  explicit SolvedRelations(const Solution& solution) : solution_(solution) {}

  size_t events() const override { return solution_.events_.size(); }
  Lit executed(size_t) const override { return kTrue; }
  Lit in_set(std::string_view, size_t) override { return kTrue; }
  Lit in_relation(std::string_view, size_t, size_t) override { return kTrue; }

  SetBounds set_bounds(std::string_view name) const override {
    require(name != "FW", "a model of a machine uses final writes");
    const SetBounds symbolic = solution_.formula_.events().set_bounds(name);
    SetBounds bounds{std::vector<bool>(events()), {}};
    for (size_t x = 0; x < events(); ++x) bounds.upper[x] = symbolic.upper[solution_.events_[x].number];
    bounds.lower = bounds.upper;
    return bounds;
  }

  RelationBounds relation_bounds(std::string_view name) const override {
    const RelationBounds symbolic = solution_.formula_.events().relation_bounds(name);
    BitMatrix pairs(events());
    for (size_t x = 0; x < events(); ++x)
      for (size_t y = 0; y < events(); ++y)
        if (symbolic.upper.at(solution_.events_[x].number, solution_.events_[y].number) && holds(name, x, y))
          pairs.set(x, y);
    return {pairs, pairs};
  }

 private:
  bool holds(std::string_view name, size_t x, size_t y) const {
    require(name != "addr" && name != "data" && name != "ctrl", "a model of a machine uses dependencies");
    if (name == "rf") return solution_.reads_from(x, y);
    if (name == "co") return solution_.coherence(x, y);
    if (name == "fr") return solution_.source_[x] == y ? false : solution_.coherence(solution_.source_[x], y);
    if (name == "waited")
      return solution_.waited_.contains({solution_.events_[x].number, solution_.events_[y].number});
    if (name == "loc") return solution_.events_[x].cell == solution_.events_[y].cell;
    return true;  // the others hold between any two executed events for which they can
  }

  const Solution& solution_;
};

class Scheduler {
 public:
  Scheduler(const Solution& solution, Buffering buffering, PropertyKind kind)
      : solution_(solution),
        formula_(solution.formula_),
        buffering_(buffering),
        to_error_(looks_at_errors(kind) && has_error(solution)),
        looks_at_states_(kind == PropertyKind::kNever || kind == PropertyKind::kAlways),
        next_(solution.paths_.size()),
        done_(solution.events_.size()) {}

  Trace run() {
    build_graph();
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
  static constexpr size_t kToItsEnd = ~size_t{0};

  static bool has_error(const Solution& solution) {
    return std::any_of(solution.paths_.begin(), solution.paths_.end(),
                       [](const Solution::Path& path) { return path.reason == StopReason::kError; });
  }

  const SymbolicEvent& symbolic(size_t event) const {
    return formula_.events().all()[solution_.events_[event].number];
  }
  bool initial(size_t event) const { return !symbolic(event).thread.valid(); }
  bool look(size_t event) const { return solution_.events_[event].number >= formula_.events().first_look(); }
  bool may_be_pending(size_t event) const {
    return buffering_ != Buffering::kUnbuffered && symbolic(event).kind == EventKind::kWrite &&
           symbolic(event).section == Unfolding::kNone;
  }

  // A step that a thread can take before its position in the order: a store, which then is pending; a fence
  // that only orders other accesses.
  bool may_be_early(size_t event) const {
    if (symbolic(event).kind != EventKind::kFence) return may_be_pending(event);
    const FenceKinds kinds = symbolic(event).instruction->fence;
    return !kinds.has_store_load() || (buffering_ == Buffering::kPerCell && !kinds.has_store_store());
  }

  void build_graph() {
    Solver unused;
    Circuit circuit(unused);
    SolvedRelations relations(solution_);
    RelationEncoder encoder(formula_.model(), relations, circuit);
    const Constraint* order = nullptr;
    for (const Constraint& constraint : formula_.model().constraints)
      if (constraint.kind == ConstraintKind::kAcyclic && !constraint.negated && !constraint.flag)
        order = &constraint;
    require(order != nullptr, "the model of a machine demands no order");
    const ConditionalGraph graph = encoder.graph_of(*order, false, node_of_);
    successors_.resize(graph.size);
    open_predecessors_.resize(graph.size);
    members_.resize(graph.size);
    for (const ConditionalEdge& edge : graph.edges) {
      require(edge.condition.constant(), "an order that a solved execution leaves open");
      if (edge.condition == kTrue && edge.from != edge.to && successors_[edge.from].insert(edge.to).second)
        ++open_predecessors_[edge.to];
    }
    for (size_t event = 0; event < node_of_.size(); ++event) members_[node_of_[event]].push_back(event);
    for (uint32_t node = 0; node < graph.size; ++node)
      if (!members_[node].empty() && open_predecessors_[node] == 0) ready_.insert(node);
  }

  // The least urgency comes first: the observer's reads, which end the trace, and initial writes (which are
  // no steps), then the thread that made the last step, then others; stores are flushed only when nothing
  // else is possible.
  unsigned urgency(uint32_t node) const {
    const size_t event = members_[node].front();
    if (initial(event) || look(event)) return 0;
    if (may_be_pending(event)) return 3;
    return symbolic(event).thread == last_thread_ ? 1 : 2;
  }

  bool take_one() {
    if (ready_.empty()) return false;
    const uint32_t node = *std::min_element(ready_.begin(), ready_.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(urgency(a), a) < std::pair(urgency(b), b);
    });
    ready_.erase(node);
    const size_t event = members_[node].front();
    for (const size_t member : members_[node]) done_[member] = true;
    if (look(event)) {
      finished_ = true;
      return false;
    }
    if (!initial(event)) {
      const ThreadId thread = symbolic(event).thread;
      require(advance(thread.index(), event), "an event of an execution that its thread does not come to");
      if (may_be_pending(event)) flush(event);
      last_thread_ = thread;
    }
    for (const uint32_t to : successors_[node])
      if (--open_predecessors_[to] == 0) ready_.insert(to);
    return true;
  }

  // Executes the thread until it has done the event (and the atomic section around it), or to where it stops
  // in the execution; if it stops at a step that fails, and that is what the trace is about, with this step.
  // False if it does not come to the event.
  bool advance(size_t thread, size_t until) {
    const Solution::Path& path = solution_.paths_[thread];
    const auto has = [&](const std::vector<size_t>& events) {
      return std::find(events.begin(), events.end(), until) != events.end();
    };
    for (size_t past = 0; past < next_[thread]; ++past)
      if (has(path.steps[past].events)) return true;
    bool found = false, inside = false;
    const size_t failing = failing_step(path);
    while (next_[thread] < path.steps.size() && (!found || inside)) {
      if (next_[thread] == failing) flush_all(thread);
      const Solution::Step& step = path.steps[next_[thread]];
      for (const size_t event : step.events)
        require(done_[event] || may_be_early(event), "the order of an execution contradicts its program");
      ++next_[thread];
      found |= has(step.events);
      const InstrKind kind = execute(thread, step.node, step.events, step.chosen);
      inside = kind == InstrKind::kAtomicBegin || (inside && kind != InstrKind::kAtomicEnd);
    }
    if (found && !inside) return true;
    if (to_error_ && path.reason == StopReason::kError) {
      if (failing == path.steps.size() && is_access(path.stop)) flush_all(thread);
      execute(thread, path.stop, path.at_stop, path.chosen);
      failed_ = true;
    }
    return found || until == kToItsEnd || has(path.at_stop);
  }

  // The step with which a thread fails: the beginning of an atomic section, or what comes behind its last
  // one.
  size_t failing_step(const Solution::Path& path) const {
    if (!to_error_ || path.reason != StopReason::kError) return kToItsEnd;
    for (size_t i = path.steps.size(); i-- > 0;) {
      const Unfolding::Node& unfolded = formula_.unfolding().nodes()[path.steps[i].node];
      const InstrKind kind = formula_.overlay().at(unfolded.thread, unfolded.point).kind;
      if (kind == InstrKind::kAtomicBegin) return i;
      if (kind == InstrKind::kAtomicEnd) break;
    }
    return path.steps.size();
  }
  bool is_access(uint32_t node) const {
    const Unfolding::Node& unfolded = formula_.unfolding().nodes()[node];
    return formula_.overlay().at(unfolded.thread, unfolded.point).is_memory_access();
  }

  // An access that fails because of its address or value is no event, so the order says nothing about what it
  // waits for. All pending stores of its thread are flushed first.
  void flush_all(size_t thread) {
    for (size_t past = 0; past < next_[thread]; ++past)
      for (const size_t event : solution_.paths_[thread].steps[past].events)
        if (may_be_pending(event) && !done_[event]) {
          done_[event] = true;
          flush(event);
        }
  }

  // If a thread has nothing left to do before a step that fails, that step ends the trace.
  bool fail_if_possible() {
    for (size_t thread = 0; to_error_ && thread < next_.size(); ++thread) {
      const Solution::Path& path = solution_.paths_[thread];
      const auto possible = [&](const std::vector<size_t>& events) {
        return std::all_of(events.begin(), events.end(),
                           [&](size_t event) { return done_[event] || may_be_early(event); });
      };
      if (path.reason == StopReason::kError && possible(path.at_stop) &&
          std::all_of(path.steps.begin() + static_cast<std::ptrdiff_t>(next_[thread]), path.steps.end(),
                      [&](const Solution::Step& step) { return possible(step.events); })) {
        advance(thread, kToItsEnd);
        return true;
      }
    }
    return false;
  }

  InstrKind execute(size_t thread, uint32_t node, const std::vector<size_t>& events,
                    std::optional<Value> chosen) {
    const Unfolding::Node& unfolded = formula_.unfolding().nodes()[node];
    TraceStep step;
    step.thread = ThreadId(thread);
    step.point = unfolded.point;
    step.chosen = chosen;
    for (const size_t event : events) {
      const Solution::SolvedEvent& solved = solution_.events_[event];
      step.cell = solved.cell;
      if (symbolic(event).kind == EventKind::kFence) continue;
      (symbolic(event).kind == EventKind::kWrite && symbolic(event).of_rmw ? step.written : step.value) =
          solved.value;
    }
    trace_.steps.push_back(step);
    return formula_.overlay().at(unfolded.thread, unfolded.point).kind;
  }

  void flush(size_t event) {
    TraceStep step;
    step.thread = symbolic(event).thread;
    step.kind = StepKind::kFlush;
    step.cell = solution_.events_[event].cell;
    step.value = solution_.events_[event].value;
    trace_.steps.push_back(step);
  }

  const Solution& solution_;
  Formula& formula_;
  Buffering buffering_;
  bool to_error_, looks_at_states_;
  std::vector<uint32_t> node_of_;
  std::vector<std::set<uint32_t>> successors_;  // by node of the order
  std::vector<uint32_t> open_predecessors_;     // by node: how many before it have not been taken
  std::vector<std::vector<size_t>> members_;    // by node: its events
  std::set<uint32_t> ready_;
  std::vector<size_t> next_;  // by thread: its next step
  std::vector<bool> done_;    // by event: taken from the order
  ThreadId last_thread_;
  bool finished_ = false, failed_ = false;
  Trace trace_;
};

Trace Solution::trace(Buffering buffering, PropertyKind kind) const {
  return Scheduler(*this, buffering, kind).run();
}

}  // namespace fenceline::sat
