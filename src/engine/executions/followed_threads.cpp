// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/followed_threads.h"

#include <utility>

#include "env/errors.h"

namespace fenceline::executions {
namespace {

using Outcome = check::ThreadExecution::Outcome;

// The next instruction reads what it is claimed to read, or picks what it is claimed to pick.
std::optional<Value> input(const Execution& execution, const check::ThreadExecution& thread, size_t event,
                           size_t choice) {
  const Instruction& next = thread.next();
  const auto& choices = execution.choices[thread.thread().index()];
  if (next.reads_memory() && event < execution.events.size() &&
      execution.events[event].thread == thread.thread())
    return execution.events[event].value;
  if ((next.kind == InstrKind::kChoose || next.kind == InstrKind::kHavoc) && choice < choices.size())
    return choices[choice];
  return std::nullopt;
}

FollowedThread follow(const Overlay& overlay, const Execution& execution, ThreadId thread, size_t& event,
                      bool fails) {
  constexpr size_t kMostSteps = 10'000'000;
  FollowedThread followed{check::ThreadExecution(overlay, thread), {}, {}};
  check::ThreadExecution& end = followed.end;
  size_t choice = 0;
  for (size_t steps = 0; steps < kMostSteps; ++steps) {
    const bool all_used = (event == execution.events.size() || execution.events[event].thread != thread) &&
                          choice == execution.choices[thread.index()].size();
    if (all_used && !fails && end.location() == execution.locations[thread.index()]) return followed;
    const size_t before = end.events().size();
    FollowedStep step{end.location(), end.next().kind, event, 0, {}};
    Effect effect;
    const Outcome outcome = end.step(input(execution, end, event, choice), effect);
    step.events = end.events().size() - before;
    step.chosen = effect.chosen;
    event += step.events;
    choice += step.chosen.has_value();
    if (outcome == Outcome::kFailed) {
      followed.error = step;
      return followed;
    }
    require(outcome == Outcome::kMoved, "a thread does not do what its execution claims");
    followed.steps.push_back(step);
  }
  throw Bug("a thread does not come to the end of its execution");
}

}  // namespace

std::vector<FollowedThread> follow_threads(const Overlay& overlay, const Execution& execution,
                                           ThreadId failing) {
  std::vector<FollowedThread> threads;
  size_t event = 0;
  while (event < execution.events.size() && !execution.events[event].thread.valid()) ++event;
  for (size_t t = 0; t < execution.locations.size(); ++t)
    threads.push_back(follow(overlay, execution, ThreadId(t), event, ThreadId(t) == failing));
  return threads;
}

}  // namespace fenceline::executions
