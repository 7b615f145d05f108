// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/replay/queue_replay.h"

#include "check/replay/history_checker.h"
#include "check/replay/queue_interpreter.h"
#include "check/replay/replay_loop.h"
#include "env/errors.h"

namespace fenceline::check {
namespace {

class Replayer {
 public:
  explicit Replayer(const Task& task)
      : task_(task),
        overlay_(task.program, task.fences),
        table_(table_of(task.model).value()),
        machine_(overlay_, table_) {}

  Replay run(const Trace& trace);

 private:
  void take(const TraceStep& claimed, size_t number);
  ReplayedStep execute(const TraceStep& claimed, size_t number);
  ReplayedStep perform(const TraceStep& claimed, size_t number);
  void check_end();

  const Task& task_;
  Overlay overlay_;
  ReorderTable table_;
  QueueInterpreter machine_;
  Replay replay_;
};

Replay Replayer::run(const Trace& trace) {
  replay_.queues = true;
  return replay_on(
      machine_, task_.program, trace, replay_,
      [this](const TraceStep& claimed, size_t number) { take(claimed, number); }, [this] { check_end(); });
}

void Replayer::take(const TraceStep& claimed, size_t number) {
  check_thread(task_, replay_, claimed.thread);
  ReplayedStep replayed =
      claimed.kind == StepKind::kPerform ? perform(claimed, number) : execute(claimed, number);
  if (machine_.failed_guess()) throw RejectedTrace{"a branch was not taken as was guessed"};
  replayed.after = machine_.location(claimed.thread);
  replay_.steps.push_back(std::move(replayed));
}

ReplayedStep Replayer::execute(const TraceStep& claimed, size_t number) {
  if (claimed.kind != StepKind::kExecute) throw RejectedTrace{"a queue has no buffers to flush"};
  const Point at = machine_.location(claimed.thread);
  check_location(task_, claimed, at);
  const Instruction& instruction = overlay_.at(claimed.thread, at);
  ReplayedStep replayed;
  replayed.step = claimed;
  replayed.pos = instruction.pos;
  if (instruction.kind == InstrKind::kMark && instruction.history)
    replayed.history = HistoryStep{*instruction.history, claimed.thread.value(), 0};
  const Effect effect = machine_.execute(claimed.thread, claimed.chosen, number);
  replayed.step.cell = effect.cell;
  replayed.effect = effect;
  return replayed;
}

ReplayedStep Replayer::perform(const TraceStep& claimed, size_t number) {
  if (!claimed.point.valid() || claimed.point.index() >= overlay_.points(claimed.thread))
    throw RejectedTrace{"there is no such point"};
  const Instruction& instruction = overlay_.at(claimed.thread, claimed.point);
  ReplayedStep replayed;
  replayed.step = claimed;
  replayed.pos = instruction.pos;
  QueueInterpreter::Passing passing;
  const Effect effect = machine_.perform(claimed.thread, claimed.point,
                                         static_cast<size_t>(claimed.chosen.value_or(0)), number, passing);
  if (claimed.cell.valid() && claimed.cell != effect.cell)
    throw RejectedTrace{"it is an access to another cell"};
  replayed.step.cell = effect.cell;
  replayed.step.value = effect.value;
  replayed.step.written = effect.written;
  replayed.effect = effect;
  if (const auto variable = transactional_variable(task_.program, effect.cell)) {
    const HistoryOp op = instruction.history                    ? *instruction.history
                         : instruction.kind == InstrKind::kLoad ? HistoryOp::kLoad
                                                                : HistoryOp::kStore;
    replayed.history = HistoryStep{op, claimed.thread.value(), *variable};
  }
  replayed.overtaken = std::move(passing.overtaken);
  return replayed;
}

void Replayer::check_end() {
  const PropertyKind kind = task_.property.kind;
  // An error counts only where nothing before it is open. What other threads have guessed has had no effect:
  // their stores wait for it.
  if (ends_with_error(task_, replay_)) return;
  if (looks_at_history(kind)) {
    std::vector<HistoryStep> history;
    for (const ReplayedStep& step : replay_.steps)
      if (step.history) history.push_back(*step.history);
    while (!history.empty() && machine_.open(ThreadId(history.back().thread))) history.pop_back();
    const HistoryCheck check = check_history(history, kind);
    if (!check.bad) throw RejectedTrace{"its history is correct"};
    replay_.history_error = check.why;
    return;
  }
  if (!looks_at_end(kind)) throw RejectedTrace{"the deferral-queue machine does not support such properties"};
  if (!machine_.final()) throw RejectedTrace{"some thread has not ended or some access is still pending"};
  if (machine_.formula(task_.property.formula) != 0)
    throw RejectedTrace{"the formula that must finally hold does hold"};
}

}  // namespace

Replay replay_queues(const Task& task, const Trace& trace) { return Replayer(task).run(trace); }

std::vector<LateAccess> late_accesses(const Task& task, const Replay& replay) {
  const Overlay overlay(task.program, task.fences);
  const auto issues = [&](const TraceStep& step) {
    return step.kind == StepKind::kExecute && overlay.at(step.thread, step.point).is_memory_access();
  };
  std::vector<LateAccess> late;
  std::vector<size_t> pending;  // the steps that issued it
  for (size_t i = 0; i < replay.steps.size(); ++i) {
    const ReplayedStep& now = replay.steps[i];
    if (issues(now.step)) pending.push_back(i);
    if (now.effect.stored_by) std::erase(pending, *now.effect.stored_by);
    if (now.step.kind != StepKind::kExecute || !now.history) continue;
    for (const size_t issued : pending)
      if (replay.steps[issued].step.thread == now.step.thread) late.push_back({issued, i});
  }
  return late;
}

}  // namespace fenceline::check
