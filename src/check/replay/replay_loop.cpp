// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/replay/replay_loop.h"

#include <fmt/format.h>

#include "check/replay/evaluator.h"
#include "check/replay/interpreter.h"

namespace fenceline::check {
namespace {

bool failed(const Replay& replay) {
  return !replay.steps.empty() && !replay.steps.back().effect.error.none();
}

}  // namespace

void replay_steps(const Trace& trace, Replay& replay,
                  const std::function<void(const TraceStep& claimed, size_t number)>& take,
                  const std::function<void()>& check_end) {
  std::string context;
  try {
    for (size_t number = 0; number < trace.steps.size(); ++number) {
      context = fmt::format("step {}: ", number + 1);
      take(trace.steps[number], number);
    }
    context = "at the end: ";
    check_end();
    replay.ok = true;
  } catch (const RejectedTrace& rejected) {
    replay.why_not = context + rejected.why;
  } catch (const Impossible& impossible) {
    replay.why_not = context + impossible.why;
  } catch (const ProgramError& error) {
    replay.why_not = context + to_string(error);
  } catch (const ValueTooLarge&) {
    replay.why_not = context + "a value does not fit into 64 bits";
  } catch (const TooManyAlternatives&) {
    replay.why_not = context + "an atomic section has too many executions to try them all";
  }
}

void check_thread(const Task& task, const Replay& replay, ThreadId thread) {
  if (failed(replay)) throw RejectedTrace{"the execution has ended with an error before"};
  if (thread.index() >= task.program.threads.size()) throw RejectedTrace{"there is no such thread"};
}

void check_location(const Task& task, const TraceStep& claimed, Point at) {
  if (claimed.point != at)
    throw RejectedTrace{fmt::format("{} is at point {}, not at {}", task.program.thread(claimed.thread).name,
                                    at.index(), claimed.point.index())};
}

bool ends_with_error(const Task& task, const Replay& replay) {
  const PropertyKind kind = task.property.kind;
  if (looks_at_errors(kind) && failed(replay)) return true;
  if (kind == PropertyKind::kNoErrors) throw RejectedTrace{"the last step is not an error"};
  if (failed(replay))
    throw RejectedTrace{fmt::format("the last step fails: {}", to_string(replay.steps.back().effect.error))};
  return false;
}

}  // namespace fenceline::check
