// SPDX-License-Identifier: GPL-3.0-or-later
//
// A result on its way from one process to another on the same machine.
#pragma once

#include <string>
#include <string_view>

#include "task/result.h"
#include "task/task.h"

namespace fenceline {

// Of a counterexample the trace or the execution, not what checking it said.
std::string to_bytes(const Result& result);
// A counterexample is checked here, again: the result is as good as one of this process. Throws Bug if the
// check rejects it.
Result from_bytes(std::string_view bytes, const Task& task);

}  // namespace fenceline
