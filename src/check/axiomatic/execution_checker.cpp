// SPDX-License-Identifier: GPL-3.0-or-later
//
// In this order: has the claim the right form (ids that exist, events in their order); does each thread do
// what is claimed; do reads and writes fit together; does the model allow it; is the property violated.
//
// A thread is executed as long as there are claims. After the last one it may have steps left that are no events:
// it stops at the claimed location, the first time it gets there, unless going on leads to an error at that
// very point (such as an assertion in a loop).
#include "check/axiomatic/execution_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "check/axiomatic/base_relations.h"
#include "check/axiomatic/cat_evaluator.h"
#include "check/axiomatic/thread_execution.h"
#include "check/replay/replay_loop.h"
#include "check/replay/waiting.h"
#include "env/errors.h"
#include "ir/walk.h"

namespace fenceline::check {
namespace {

constexpr size_t kMostSilentSteps = 1'000'000;  // steps without a claimed event: an infinite loop

// The claim is not correct; the text is the reason.
struct Rejected {
  std::string why;
};

const char* kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::kRead:
      return "read";
    case EventKind::kWrite:
      return "write";
    case EventKind::kFence:
      return "fence";
  }
  return "unknown event";
}

class Checker {
 public:
  Checker(const Task& task, const CatModel& model, const Execution& claimed)
      : program_(task.program),
        property_(task.property),
        model_(model),
        claimed_(claimed),
        overlay_(task.program, task.fences) {}

  ExecutionCheck run();

 private:
  // A thread at the program counter where it has stopped.
  struct Stopped {
    ThreadExecution execution;
    bool fails = false;
  };

  void check_form() const;
  void check_initial_writes();
  void check_reads() const;
  void check_coherence();
  void check_model();
  void check_end();
  void check_waiting();

  Stopped run_thread(ThreadId thread);
  std::optional<Value> input(const ThreadExecution& execution, size_t event, size_t& choice) const;
  void compare(const ThreadExecution& execution, size_t from, size_t& event) const;
  void record(const ThreadExecution& execution, size_t from, Point at, const Effect& effect);
  bool all_ended() const;
  bool looks_at_memory(ExprId formula) const;
  bool formula_holds() const;

  // How many there are at the beginning.
  size_t initial_writes() const {
    const auto first = std::find_if(claimed_.events.begin(), claimed_.events.end(),
                                    [](const Event& event) { return event.thread.valid(); });
    return static_cast<size_t>(first - claimed_.events.begin());
  }
  bool belongs_to(size_t event, ThreadId thread) const {
    return event < claimed_.events.size() && claimed_.events[event].thread == thread;
  }
  std::string name(size_t event) const {
    const Event& e = claimed_.events[event];
    return e.thread.valid()
               ? fmt::format("event {} ({} of {})", event, kind_name(e.kind), program_.thread(e.thread).name)
               : fmt::format("event {} (initial write)", event);
  }

  const Program& program_;
  const Property& property_;
  const CatModel& model_;
  const Execution& claimed_;
  Overlay overlay_;
  std::vector<CellId> initial_;  // the cells whose initial writes are events
  std::vector<Stopped> threads_;
  ExecutionCheck check_;
};

ExecutionCheck Checker::run() {
  try {
    check_form();
    check_initial_writes();
    threads_.reserve(program_.threads.size());
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      threads_.push_back(run_thread(ThreadId(t)));
      check_.registers.push_back(threads_.back().execution.registers());
    }
    check_reads();
    check_coherence();
    check_model();
    check_end();
    check_.ok = true;
  } catch (const Rejected& rejected) {
    check_.why_not = rejected.why;
  } catch (const ProgramError& error) {
    check_.why_not = "at the end: " + to_string(error);
  } catch (const ValueTooLarge&) {
    check_.why_not = "a value does not fit into 64 bits";
  } catch (const Unsupported& unsupported) {
    check_.why_not = unsupported.what();
  }
  return std::move(check_);
}

// ---- Form

void Checker::check_form() const {
  const auto demand = [](bool condition, const char* what) {
    if (!condition) throw Rejected{what};
  };
  const size_t events = claimed_.events.size(), cells = program_.cell_count, initial = initial_writes();
  const size_t threads = program_.threads.size();
  demand(claimed_.reads_from.size() == events, "reads_from has not one entry per event");
  demand(claimed_.coherence.size() == cells, "coherence has not one list per cell");
  demand(claimed_.choices.size() == threads, "choices has not one list per thread");
  demand(claimed_.locations.size() == threads, "locations has not one point per thread");
  for (size_t e = initial; e < events; ++e) {
    const Event& event = claimed_.events[e];
    if (!event.thread.valid() || event.thread.index() >= threads)
      throw Rejected{fmt::format("event {} is of no thread", e)};
    if (e > initial && event.thread < claimed_.events[e - 1].thread)
      throw Rejected{fmt::format("event {} is not listed with the others of its thread", e)};
  }
  for (const EventId write : claimed_.reads_from)
    demand(!write.valid() || write.index() < events, "a read reads an event that does not exist");
  for (const std::vector<EventId>& order : claimed_.coherence)
    for (const EventId write : order)
      demand(write.valid() && write.index() < events, "coherence has an event that does not exist");
}

void Checker::check_initial_writes() {
  const std::vector<Value> initial = program_.initial_memory();
  for (size_t e = 0; e < initial_writes(); ++e) {
    const Event& event = claimed_.events[e];
    if (event.kind != EventKind::kWrite || !event.cell.valid() || event.cell.index() >= initial.size())
      throw Rejected{fmt::format("event {} is not the initial write of a cell", e)};
    if (e > 0 && event.cell <= initial_.back())
      throw Rejected{fmt::format("event {} is not the initial write of a later cell than the one before", e)};
    const std::string cell = program_.cell_name(event.cell);
    const Value value = initial[event.cell.index()];
    if (event.value != value)
      throw Rejected{fmt::format("the initial value of {} is {}, not {}", cell, value, event.value)};
    initial_.push_back(event.cell);
    check_.events.push_back({program_.object(program_.object_of(event.cell)).pos, EventId()});
  }
}

// ---- Threads

// What is claimed to be the input of the next instruction; none if there is no claim left.
std::optional<Value> Checker::input(const ThreadExecution& execution, size_t event, size_t& choice) const {
  const Instruction& i = execution.next();
  if (i.reads_memory()) {
    if (!belongs_to(event, execution.thread())) return std::nullopt;
    return claimed_.events[event].value;  // compare() sees to it that it is a read of this instruction
  }
  const std::vector<Value>& choices = claimed_.choices[execution.thread().index()];
  if ((i.kind != InstrKind::kChoose && i.kind != InstrKind::kHavoc) || choice == choices.size())
    return std::nullopt;
  const Value chosen = choices[choice++];
  const Range possible =
      i.kind == InstrKind::kHavoc ? i.havoc_range : Range{0, static_cast<Value>(i.next.size()) - 1};
  if (!possible.contains(chosen))
    throw Rejected{fmt::format("{} cannot choose {} at point {}", program_.thread(execution.thread()).name,
                               chosen, execution.location().index())};
  return chosen;
}

// Each event of the execution from `from` on is the next claimed one.
void Checker::compare(const ThreadExecution& execution, size_t from, size_t& event) const {
  for (size_t i = from; i < execution.events().size(); ++i, ++event) {
    const ThreadEvent& real = execution.events()[i];
    if (!belongs_to(event, execution.thread()))
      throw Rejected{fmt::format("{} has a {} at point {} that is not claimed",
                                 program_.thread(execution.thread()).name, kind_name(real.kind),
                                 real.point.index())};
    const Event& claim = claimed_.events[event];
    if (claim.kind != real.kind || claim.point != real.point || claim.position != real.position)
      throw Rejected{fmt::format(
          "{} is claimed at point {}, position {}, but there is a {} at point {}, position {}", name(event),
          claim.point.value(), claim.position, kind_name(real.kind), real.point.index(), real.position)};
    if (real.kind == EventKind::kFence) continue;
    if (claim.cell != real.cell)
      throw Rejected{fmt::format("{} is claimed to access another cell, but it is {}", name(event),
                                 program_.cell_name(real.cell))};
    if (claim.value != real.value)
      throw Rejected{
          fmt::format("{} is claimed to write {}, but it is {}", name(event), claim.value, real.value)};
  }
}

void Checker::record(const ThreadExecution& execution, size_t from, Point at, const Effect& effect) {
  const bool has_events = execution.events().size() > from;
  const bool temporary =
      effect.dest.valid() && program_.thread(execution.thread()).registers[effect.dest.index()].temporary;
  if (has_events || temporary || effect.failed())
    check_.steps.back().push_back({at, effect, has_events ? EventId(check_.events.size()) : EventId()});
  for (size_t i = from; i < execution.events().size(); ++i) {
    const ThreadEvent& event = execution.events()[i];
    check_.events.push_back({event.instruction->pos, event.kind == EventKind::kRead
                                                         ? claimed_.reads_from[check_.events.size()]
                                                         : EventId()});
  }
  if (effect.error.none()) return;
  check_.failing = execution.thread();
  check_.failing_pos = overlay_.at(execution.thread(), at).pos;
  check_.error = effect.error;
}

Checker::Stopped Checker::run_thread(ThreadId thread) {
  const Point end = claimed_.locations[thread.index()];
  const std::vector<Value>& choices = claimed_.choices[thread.index()];
  ThreadExecution execution(overlay_, thread);
  std::optional<ThreadExecution> arrived;  // the first time that it was where it is claimed to stop
  size_t steps_until_arrival = 0;          // of those that are recorded
  check_.steps.emplace_back();
  size_t event = check_.events.size(), choice = 0;
  for (size_t silent = 0; silent < kMostSilentSteps; ++silent) {
    const bool all_used = !belongs_to(event, thread) && choice == choices.size();
    if (all_used && execution.location() == end && !arrived) {
      arrived = execution;
      steps_until_arrival = check_.steps.back().size();
      if (!looks_at_errors(property_.kind) || execution.ended()) break;
    }
    const size_t events_before = execution.events().size(), choices_before = choice;
    const Point at = execution.location();
    Effect effect;
    const ThreadExecution::Outcome outcome = execution.step(input(execution, event, choice), effect);
    const bool failed = outcome == ThreadExecution::Outcome::kFailed;
    // Beyond the claims only an error at `end` is of interest.
    if (arrived && (execution.events().size() != events_before || (failed && at != end))) break;
    compare(execution, events_before, event);
    if (!failed && outcome != ThreadExecution::Outcome::kMoved) break;
    record(execution, events_before, at, effect);
    if (failed && at == end && !belongs_to(event, thread) && choice == choices.size())
      return {std::move(execution), true};
    if (failed)
      throw Rejected{fmt::format("{} fails at point {}: {}", program_.thread(thread).name, at.index(),
                                 to_string(effect.error))};
    if (execution.events().size() != events_before || choice != choices_before) silent = 0;
  }
  if (arrived) {
    check_.steps.back().resize(steps_until_arrival);
    return {std::move(*arrived), false};
  }
  if (belongs_to(event, thread))
    throw Rejected{fmt::format("{} is claimed, but {} has stopped at point {}", name(event),
                               program_.thread(thread).name, execution.location().index())};
  if (choice != choices.size())
    throw Rejected{fmt::format("{} makes fewer choices than claimed", program_.thread(thread).name)};
  throw Rejected{fmt::format("{} is claimed to be at point {}, but it is at {}", program_.thread(thread).name,
                             end.value(), execution.location().index())};
}

// ---- Memory

void Checker::check_reads() const {
  for (size_t e = 0; e < claimed_.events.size(); ++e) {
    const Event& read = claimed_.events[e];
    const EventId from = claimed_.reads_from[e];
    if (read.kind != EventKind::kRead) {
      if (from.valid()) throw Rejected{fmt::format("{} is claimed to read", name(e))};
      continue;
    }
    if (!from.valid()) throw Rejected{fmt::format("{} reads nothing", name(e))};
    const Event& write = claimed_.events[from.index()];
    if (write.kind != EventKind::kWrite || write.cell != read.cell)
      throw Rejected{
          fmt::format("{} reads {}, which is no write of the same cell", name(e), name(from.index()))};
    if (write.thread.valid() && write.thread == read.thread && write.position == read.position)
      throw Rejected{fmt::format("{} reads what it writes itself", name(e))};
    if (write.value != read.value)
      throw Rejected{fmt::format("{} reads {}, but the values {} and {} are different", name(e),
                                 name(from.index()), read.value, write.value)};
  }
}

void Checker::check_coherence() {
  check_.memory = program_.initial_memory();
  std::vector<size_t> writes(program_.cell_count);
  for (const Event& event : claimed_.events)
    if (event.kind == EventKind::kWrite) ++writes[event.cell.index()];
  std::vector<bool> seen(claimed_.events.size());
  for (size_t c = 0; c < program_.cell_count; ++c) {
    const std::vector<EventId>& order = claimed_.coherence[c];
    if (order.empty() && writes[c] == 0) continue;
    const std::string cell = program_.cell_name(CellId(c));
    for (const EventId id : order) {
      const Event& event = claimed_.events[id.index()];
      if (event.kind != EventKind::kWrite || event.cell != CellId(c))
        throw Rejected{
            fmt::format("coherence of {} has {}, which is no write of it", cell, name(id.index()))};
      if (seen[id.index()])
        throw Rejected{fmt::format("coherence of {} has {} twice", cell, name(id.index()))};
      seen[id.index()] = true;
    }
    if (order.size() != writes[c])
      throw Rejected{fmt::format("coherence of {} has not all its writes", cell)};
    if (claimed_.events[order.front().index()].thread.valid())
      throw Rejected{fmt::format("coherence of {} does not begin with its initial write", cell)};
    check_.memory[c] = claimed_.events[order.back().index()].value;
  }
}

void Checker::check_model() {
  EventStructure structure(has_operations(program_));
  structure.begin(initial_);
  for (const Stopped& thread : threads_) structure.add_thread(thread.execution.events());
  require(structure.size() == claimed_.events.size(), "events that were compared are not there");
  CatEvaluator evaluator(model_);
  structure.fill_static(evaluator);
  DynamicRelations(structure.size(), claimed_.reads_from, claimed_.coherence).fill(evaluator);
  const std::vector<size_t> violated = evaluator.violated();
  if (!violated.empty())
    throw Rejected{fmt::format("the model forbids it: {}", model_.constraints[violated.front()].name)};
  for (const size_t flag : evaluator.flags()) {
    const Constraint& constraint = model_.constraints[flag];
    ExecutionCheck::Flag raised{constraint.name, EventId(), EventId()};
    const bool about_two = constraint.kind == ConstraintKind::kEmpty && constraint.negated &&
                           !model_.term(constraint.term).is_set;
    const Relation& pairs = evaluator.relation(constraint.term);
    for (size_t x = 0; about_two && x < structure.size() && !raised.first.valid(); ++x)
      for (size_t y = 0; y < structure.size(); ++y)
        if (pairs.has(x, y)) {
          raised.first = EventId(x);
          raised.second = EventId(y);
          break;
        }
    check_.flags.push_back(std::move(raised));
  }
}

// ---- The property

bool Checker::all_ended() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const Stopped& t) { return t.execution.ended(); });
}

bool Checker::looks_at_memory(ExprId formula) const {
  bool found = false;
  for_each_expr(program_, formula, [&](const Expr& e) { found |= e.op == ExprOp::kCell; });
  return found;
}

bool Checker::formula_holds() const {
  const auto of = [this](ThreadId thread) -> const ThreadExecution& {
    return threads_[thread.index()].execution;
  };
  return evaluate_formula(program_, property_.formula,
                          {[this](CellId cell) { return check_.memory[cell.index()]; },
                           [of](ThreadId thread, RegId reg) { return of(thread).registers()[reg.index()]; },
                           [of](ThreadId thread) { return of(thread).location(); }}) != 0;
}

void Checker::check_end() {
  for (const Stopped& thread : threads_) {
    const std::string& who = program_.thread(thread.execution.thread()).name;
    if (thread.fails && !looks_at_errors(property_.kind))
      throw Rejected{fmt::format("{} fails: {}", who, to_string(check_.error))};
    if (!thread.fails && thread.execution.inside_section())
      throw Rejected{fmt::format("{} stops inside an atomic section", who)};
  }
  if (looks_at_errors(property_.kind) && (check_.failing.valid() || !check_.flags.empty())) return;
  switch (property_.kind) {
    case PropertyKind::kNoErrors:
      throw Rejected{"no thread is at an error"};
    case PropertyKind::kFinally:
    case PropertyKind::kObservations:
      if (!all_ended()) throw Rejected{"some thread has not ended"};
      if (formula_holds()) throw Rejected{"the formula that must finally hold does hold"};
      return;
    case PropertyKind::kNever:
    case PropertyKind::kAlways:
      if (looks_at_memory(property_.formula) && !all_ended())
        throw Rejected{"an execution does not show what is in memory in the middle of it"};
      if (formula_holds() == (property_.kind == PropertyKind::kAlways))
        throw Rejected{property_.kind == PropertyKind::kAlways
                           ? "the formula that must always hold does hold"
                           : "the formula that must never hold does not hold"};
      return;
    case PropertyKind::kNoDeadlock:
      throw Rejected{"an execution does not show whether some step is still possible"};
    case PropertyKind::kLiveness:
      return check_waiting();
    case PropertyKind::kOpacity:
    case PropertyKind::kStrictSerializability:
      break;
  }
  throw Bug("a property without a meaning");
}

// Memory is that of the last writes. A model whose executions can be extended by reads of them allows each thread to
// wait there as often as it likes.
void Checker::check_waiting() {
  const Interpreter end(overlay_, check_.memory, claimed_.locations, check_.registers);
  try {
    check_.waiting = waiting_for_ever(overlay_, end);
  } catch (const RejectedTrace& rejected) {
    throw Rejected{rejected.why};
  }
}

}  // namespace

ExecutionCheck check_execution(const Task& task, const CatModel& model, const Execution& execution) {
  return Checker(task, model, execution).run();
}

}  // namespace fenceline::check
