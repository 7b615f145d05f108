// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replays a trace step by step on Interpreter, compares every claim with the interpreter's state, and checks
// the property at the end. The first difference ends the replay with a sentence that names the step; nothing in
// a trace can make it throw.
#include "check/replay/replay.h"

#include <fmt/format.h>

#include "check/replay/interpreter.h"
#include "env/errors.h"

namespace fenceline {
namespace {

// The trace is not correct; the text is the reason.
struct Rejected {
  std::string why;
};

template <class T>
void check_claim(const char* what, const std::optional<T>& claimed, const std::optional<T>& actual) {
  if (!claimed || claimed == actual) return;
  throw Rejected{actual ? fmt::format("it claims {} {}, but it is {}", what, *claimed, *actual)
                        : fmt::format("it claims {} {}, but there is none", what, *claimed)};
}

class Replayer {
 public:
  explicit Replayer(const Task& task)
      : task_(task), overlay_(task.program, task.fences), machine_(overlay_, task.model.buffering) {}

  Replay run(const Trace& trace);

 private:
  void take(const TraceStep& claimed, size_t number);
  void check_claims(const TraceStep& claimed, const Effect& effect) const;
  void check_end() const;
  bool formula_holds() const;
  bool failed() const { return !replay_.steps.empty() && !replay_.steps.back().effect.error.empty(); }
  const std::string& name(ThreadId thread) const { return task_.program.thread(thread).name; }

  const Task& task_;
  Overlay overlay_;
  Interpreter machine_;
  Replay replay_;
};

Replay Replayer::run(const Trace& trace) {
  std::string context;
  try {
    for (size_t number = 0; number < trace.steps.size(); ++number) {
      context = fmt::format("step {}: ", number + 1);
      take(trace.steps[number], number);
    }
    context = "at the end: ";
    check_end();
    replay_.ok = true;
  } catch (const Rejected& rejected) {
    replay_.why_not = context + rejected.why;
  } catch (const Impossible& impossible) {
    replay_.why_not = context + impossible.why;
  } catch (const ProgramError& error) {
    replay_.why_not = context + error.what;
  } catch (const ValueTooLarge&) {
    replay_.why_not = context + "a value does not fit into 64 bits";
  } catch (const TooManyAlternatives&) {
    replay_.why_not = context + "an atomic section has too many executions to try them all";
  }
  replay_.memory = machine_.memory();
  for (size_t t = 0; t < task_.program.threads.size(); ++t) {
    replay_.registers.push_back(machine_.registers(ThreadId(t)));
    replay_.locations.push_back(machine_.location(ThreadId(t)));
  }
  return std::move(replay_);
}

void Replayer::take(const TraceStep& claimed, size_t number) {
  if (failed()) throw Rejected{"the execution has ended with an error before"};
  if (claimed.thread.index() >= task_.program.threads.size()) throw Rejected{"there is no such thread"};
  const ThreadId thread = claimed.thread;
  const Point at = machine_.location(thread);

  Effect effect;
  ReplayedStep replayed;
  if (claimed.kind == StepKind::kFlush) {
    if (claimed.cell.valid() && claimed.cell.index() >= task_.program.cell_count)
      throw Rejected{"there is no such cell"};
    effect = machine_.flush(thread, claimed.cell);
    replayed.pos = replay_.steps[*effect.stored_by].pos;
  } else {
    if (claimed.point != at)
      throw Rejected{
          fmt::format("{} is at point {}, not at {}", name(thread), at.index(), claimed.point.index())};
    effect = machine_.execute(thread, claimed.chosen, number);
    replayed.pos = overlay_.at(thread, at).pos;
  }
  check_claims(claimed, effect);

  replayed.step = claimed;
  replayed.step.cell = effect.cell;
  replayed.step.value = effect.value;
  replayed.step.written = effect.written;
  replayed.step.chosen = effect.chosen;
  replayed.buffer = machine_.buffer(thread);
  replayed.after = machine_.location(thread);
  replayed.effect = std::move(effect);
  replay_.steps.push_back(std::move(replayed));
}

void Replayer::check_claims(const TraceStep& claimed, const Effect& effect) const {
  const auto cell_name = [&](CellId cell) -> std::optional<std::string> {
    if (!cell.valid()) return std::nullopt;
    return cell.index() < task_.program.cell_count ? task_.program.cell_name(cell) : "beyond memory";
  };
  check_claim("the cell", cell_name(claimed.cell), cell_name(effect.cell));
  check_claim("the value", claimed.value, effect.value);
  check_claim("the written value", claimed.written, effect.written);
  check_claim("the choice", claimed.chosen, effect.chosen);
}

bool Replayer::formula_holds() const { return machine_.formula(task_.property.formula) != 0; }

void Replayer::check_end() const {
  const PropertyKind kind = task_.property.kind;
  if (looks_at_errors(kind) && failed()) return;
  if (kind == PropertyKind::kNoErrors) throw Rejected{"the last step is not an error"};
  if (failed()) throw Rejected{fmt::format("the last step fails: {}", replay_.steps.back().effect.error)};
  if (machine_.inside_atomic()) throw Rejected{"the trace stops inside an atomic section"};
  switch (kind) {
    case PropertyKind::kNever:
      if (!formula_holds()) throw Rejected{"the formula that must never hold does not hold"};
      return;
    case PropertyKind::kAlways:
      if (formula_holds()) throw Rejected{"the formula that must always hold does hold"};
      return;
    case PropertyKind::kFinally:
    case PropertyKind::kObservations:
      if (!machine_.final()) throw Rejected{"some thread has not ended or some store has not reached memory"};
      if (formula_holds()) throw Rejected{"the formula that must finally hold does hold"};
      return;
    case PropertyKind::kNoDeadlock:
      if (machine_.final()) throw Rejected{"all threads have ended: that is no deadlock"};
      if (machine_.any_step_possible()) throw Rejected{"some step is still possible: that is no deadlock"};
      if (const auto thread = machine_.stopped_by_assume())
        throw Rejected{fmt::format("{} is stopped by an assumption: that is no deadlock", name(*thread))};
      if (const auto thread = machine_.ended_program())
        throw Rejected{fmt::format("{} has ended the program: that is no deadlock", name(*thread))};
      return;
    case PropertyKind::kNoErrors:
    case PropertyKind::kOpacity:
    case PropertyKind::kStrictSerializability:
      break;
  }
  throw Bug("a property without a meaning");
}

}  // namespace

Replay replay(const Task& task, const Trace& trace) { return Replayer(task).run(trace); }

}  // namespace fenceline
