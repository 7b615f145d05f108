// SPDX-License-Identifier: GPL-3.0-or-later
//
// An execution as a trace of the model's machine.
#pragma once

#include "task/counterexample.h"
#include "task/execution.h"
#include "task/task.h"
#include "task/trace.h"

namespace fenceline::executions {

// Precondition: the model has a machine, and `check` is what checking the execution has shown; it accepts it.
Trace machine_trace(const Task& task, const Execution& execution, const ExecutionCheck& check);

}  // namespace fenceline::executions
