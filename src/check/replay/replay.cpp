// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replays a trace step by step on Interpreter, compares every claim with the interpreter's state, and checks
// the property at the end. The first difference ends the replay with a sentence that names the step; nothing in
// a trace can make it throw.
#include "check/replay/replay.h"

#include <fmt/format.h>

#include "check/replay/interpreter.h"
#include "check/replay/replay_loop.h"
#include "check/replay/waiting.h"
#include "env/errors.h"

namespace fenceline::check {
namespace {

template <class T>
void check_claim(const char* what, const std::optional<T>& claimed, const std::optional<T>& actual) {
  if (!claimed || claimed == actual) return;
  throw RejectedTrace{actual ? fmt::format("it claims {} {}, but it is {}", what, *claimed, *actual)
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
  void check_end();
  bool formula_holds() const;
  const std::string& name(ThreadId thread) const { return task_.program.thread(thread).name; }

  const Task& task_;
  Overlay overlay_;
  Interpreter machine_;
  Replay replay_;
};

Replay Replayer::run(const Trace& trace) {
  return replay_on(
      machine_, task_.program, trace, replay_,
      [this](const TraceStep& claimed, size_t number) { take(claimed, number); }, [this] { check_end(); });
}

void Replayer::take(const TraceStep& claimed, size_t number) {
  check_thread(task_, replay_, claimed.thread);
  const ThreadId thread = claimed.thread;
  const Point at = machine_.location(thread);

  Effect effect;
  ReplayedStep replayed;
  if (claimed.kind == StepKind::kFlush) {
    if (claimed.cell.valid() && claimed.cell.index() >= task_.program.cell_count)
      throw RejectedTrace{"there is no such cell"};
    effect = machine_.flush(thread, claimed.cell);
    replayed.pos = replay_.steps[*effect.stored_by].pos;
  } else {
    check_location(task_, claimed, at);
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

void Replayer::check_end() {
  const PropertyKind kind = task_.property.kind;
  if (ends_with_error(task_, replay_)) return;
  if (machine_.inside_atomic()) throw RejectedTrace{"the trace stops inside an atomic section"};
  switch (kind) {
    case PropertyKind::kNever:
      if (!formula_holds()) throw RejectedTrace{"the formula that must never hold does not hold"};
      return;
    case PropertyKind::kAlways:
      if (formula_holds()) throw RejectedTrace{"the formula that must always hold does hold"};
      return;
    case PropertyKind::kFinally:
    case PropertyKind::kObservations:
      if (!machine_.final())
        throw RejectedTrace{"some thread has not ended or some store has not reached memory"};
      if (formula_holds()) throw RejectedTrace{"the formula that must finally hold does hold"};
      return;
    case PropertyKind::kNoDeadlock:
      if (machine_.final()) throw RejectedTrace{"all threads have ended: that is no deadlock"};
      if (machine_.any_step_possible())
        throw RejectedTrace{"some step is still possible: that is no deadlock"};
      if (const auto thread = machine_.stopped_by_assume())
        throw RejectedTrace{
            fmt::format("{} is stopped by an assumption: that is no deadlock", name(*thread))};
      if (const auto thread = machine_.ended_program())
        throw RejectedTrace{fmt::format("{} has ended the program: that is no deadlock", name(*thread))};
      return;
    case PropertyKind::kLiveness:
      replay_.waiting = waiting_for_ever(overlay_, machine_);
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

}  // namespace fenceline::check
