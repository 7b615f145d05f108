// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks claimed executions: every thread is executed again with the values that its loads are claimed to have
// read, its events are compared with the claimed ones, and the model is evaluated on the resulting relations.
// See execution.h for what is claimed.
//
// Where a thread may stop, if it has not ended, depends on the property:
//   errors          one thread is at a step that fails. If the step reads and got that far, its read is
//                   the last event of the thread (whether it fails may depend on it); if it writes, there is
//                   no such event. The others are anywhere outside of atomic sections.
//                   A flag that the model raises violates it too: then no thread need fail.
//   finally         nowhere: all threads have ended, every store has reached memory.
//   never, always   anywhere outside of atomic sections if the formula looks at registers and locations only:
//                   then it does not matter which stores have reached memory. A formula that looks at memory
//                   is accepted at the end of complete executions only, where memory no longer changes.
//   liveness        anywhere outside of atomic sections. Each one that has not ended waits for ever on the memory that the
//                   last writes leave (check/replay/waiting.h).
//   no deadlock     not visible in an execution.
#pragma once

#include "model/cat/relational.h"
#include "task/counterexample.h"
#include "task/execution.h"
#include "task/task.h"

namespace fenceline::check {

// Never throws on a bad claim; that is `ok == false`, and so is what cannot be checked: a `sync`, a property
// as above, a value outside of 64 bits. The events are those of the program with the fences of the task.
ExecutionCheck check_execution(const Task& task, const CatModel& model, const Execution& execution);

}  // namespace fenceline::check
