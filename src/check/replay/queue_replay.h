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

namespace fenceline {

// Never throws on a bad trace; that is `ok == false`. Precondition: the model has a table.
Replay replay_queues(const Task& task, const Trace& trace);

// What took effect, if it did, only after its thread had said how far its transaction is (rfin, commit,
// abort): the steps that issued it and that said so.
struct LateAccess {
  size_t issued = 0;
  size_t said = 0;
};
std::vector<LateAccess> late_accesses(const Task& task, const Replay& replay);

}  // namespace fenceline
