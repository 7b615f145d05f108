// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/queue_trace_printer.h"

#include <fmt/format.h>

#include <set>

#include "report/step_printer.h"

namespace fenceline::report {
namespace {

// The position in the text of the access that the step issued.
std::string position(const Answer& answer, const ReplayedStep& step) {
  return answer.program->step_name(step.step.thread, step.step.point);
}

}  // namespace

PrintedTrace print_queue_trace(const Answer& answer) {
  const Replay& replay = *answer.result.replay();
  PrintedTrace printed;
  const FenceSet none;
  const Overlay overlay(*answer.program, answer.fences != nullptr ? *answer.fences : none);
  const std::vector<std::string> texts = step_texts(overlay, replay);
  std::set<ThreadId> threads;
  for (size_t i = 0; i < replay.steps.size(); ++i) {
    const ReplayedStep& step = replay.steps[i];
    threads.insert(step.step.thread);
    const Instruction& instruction = overlay.at(step.step.thread, step.step.point);
    const bool internal = is_internal(instruction) && !step.effect.failed();
    const bool shown = step.step.kind == StepKind::kPerform || step.history || step.effect.failed();
    if (!shown || internal) {
      ++printed.hidden;
      if (internal) ++printed.internal;
      continue;
    }
    TraceLine line;
    line.step = i + 1;
    line.line = answer.program->line_name(step.pos);
    line.thread = step.step.thread;
    line.text = step.effect.failed() ? "error: " + to_string(step.effect.error)
                                     : texts[i] + order_suffix(instruction);
    if (step.history && !has_variable(step.history->op)) {
      const std::string whole = to_string(*step.history);
      line.text = whole.substr(0, whole.find(' '));
      line.tone = Tone::kBold;
    } else if (step.history) {
      line.tone = Tone::kMemory;
    }
    if (step.effect.failed()) line.tone = Tone::kBad;
    if (step.effect.from_own_buffer) line.note = "(from its own pending store)";
    for (const size_t passed : step.overtaken)
      line.note +=
          fmt::format("{}(before {})", line.note.empty() ? "" : " ", position(answer, replay.steps[passed]));
    printed.lines.push_back(std::move(line));
  }
  printed.threads.assign(threads.begin(), threads.end());
  return printed;
}

std::string history_text(const Replay& replay) {
  std::string text;
  for (const ReplayedStep& step : replay.steps)
    if (step.history) text += (text.empty() ? "" : ", ") + to_string(*step.history);
  return text;
}

std::string reorderings(const Answer& answer) {
  const Replay& replay = *answer.result.replay();
  std::string text;
  std::set<std::string> seen;
  for (const ReplayedStep& step : replay.steps)
    for (const size_t passed : step.overtaken) {
      const std::string one =
          fmt::format("{} does {} before {}", answer.program->thread(step.step.thread).name,
                      position(answer, step), position(answer, replay.steps[passed]));
      if (seen.insert(one).second) text += (text.empty() ? "" : "; ") + one;
    }
  return text;
}

}  // namespace fenceline::report
