// SPDX-License-Identifier: GPL-3.0-or-later
//
// Serialises results, to send them from one process to another on the same machine.
#pragma once

#include <string>
#include <string_view>

#include "task/result.h"
#include "task/task.h"

namespace fenceline::engine {

// Of a counterexample the trace or the execution, without the result of checking it.
std::string to_bytes(const Result& result);
// A counterexample is checked here, again: the result is as good as one of this process. Throws Bug if the
// check rejects it.
Result from_bytes(std::string_view bytes, const Task& task);

}  // namespace fenceline::engine
