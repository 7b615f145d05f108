// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the threads do in an execution, step by step: an execution has their events only.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "check/axiomatic/thread_execution.h"
#include "ir/edit/overlay.h"
#include "ir/instruction.h"
#include "task/execution.h"

namespace fenceline::executions {

struct FollowedStep {
  Point point;
  InstrKind kind = InstrKind::kHalt;
  size_t first_event = 0, events = 0;  // in Execution::events
  std::optional<Value> chosen;         // havoc, choose
};

struct FollowedThread {
  check::ThreadExecution end;  // the thread where it stops
  std::vector<FollowedStep> steps;
  std::optional<FollowedStep> error;  // the next one, if it fails
};

// By thread. `failing`: the thread that fails, if one does. Precondition: check::check_execution() accepts the execution.
std::vector<FollowedThread> follow_threads(const Overlay& overlay, const Execution& execution,
                                           ThreadId failing);

}  // namespace fenceline::executions
