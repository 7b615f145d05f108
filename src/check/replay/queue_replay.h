// SPDX-License-Identifier: GPL-3.0-or-later
//
// Re-executes a trace of the deferral-queue machine, as check/replay/replay.h does those of store buffers: every
// violation passes through here before a user sees it. Where the property is about histories, the one that
// the execution has is judged by its definition (check/replay/history_checker.h).
#pragma once

#include <cstddef>
#include <vector>

#include "check/replay/replay.h"
#include "task/task.h"
#include "task/trace.h"

namespace fenceline::check {

// Never throws on a bad trace; that is `ok == false`. Precondition: the model has a table.
Replay replay_queues(const Task& task, const Trace& trace);

// An access that took effect, if at all, only after its thread had reported the progress of its transaction
// (rfin, commit, abort): the step that issued it and the step that reported.
struct LateAccess {
  size_t issued = 0;
  size_t reported = 0;
};
std::vector<LateAccess> late_accesses(const Task& task, const Replay& replay);

}  // namespace fenceline::check
