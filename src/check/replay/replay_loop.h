// SPDX-License-Identifier: GPL-3.0-or-later
//
// What replaying has in common on both machines: the loop over the steps of a trace, and what errors mean at its end.
// Nothing in a trace can make it throw: whatever is not as the trace says ends the loop with a sentence that says where.
#pragma once

#include <functional>
#include <string>

#include "task/counterexample.h"
#include "task/task.h"
#include "task/trace.h"

namespace fenceline::check {

// The trace is wrong; the text says how.
struct RejectedTrace {
  std::string why;
};

// Takes the steps in their order, then checks the end; both throw if something is wrong. Sets `ok` and `why_not`.
void replay_steps(const Trace& trace, Replay& replay,
                  const std::function<void(const TraceStep& claimed, size_t number)>& take,
                  const std::function<void()>& check_end);

// Throws RejectedTrace if no step by this thread is possible: there is none, or the execution has failed before.
void check_thread(const Task& task, const Replay& replay, ThreadId thread);

// Throws RejectedTrace if a thread that is at `at` cannot execute this step next.
void check_location(const Task& task, const TraceStep& claimed, Point at);

// True if the trace ends with the error that violates the property. Throws RejectedTrace if it lacks one, or ends with
// one that does not count.
bool ends_with_error(const Task& task, const Replay& replay);

// All of it, with the state of either machine at the end.
template <class Machine>
Replay replay_on(const Machine& machine, const Program& program, const Trace& trace, Replay& replay,
                 const std::function<void(const TraceStep& claimed, size_t number)>& take,
                 const std::function<void()>& check_end) {
  replay_steps(trace, replay, take, check_end);
  replay.memory = machine.memory();
  for (size_t t = 0; t < program.threads.size(); ++t) {
    replay.registers.push_back(machine.registers(ThreadId(t)));
    replay.locations.push_back(machine.location(ThreadId(t)));
  }
  return std::move(replay);
}

}  // namespace fenceline::check
