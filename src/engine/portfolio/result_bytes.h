// SPDX-License-Identifier: GPL-3.0-or-later
//
// A result on its way from one process to another on the same machine.
#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"

namespace fenceline {

// All of it but executions (axiomatic models) and languages of buffers; of a violation the run, not what
// replaying it said.
std::string to_bytes(const Result& result);
// The run of a violation is replayed here, again: the result is as good as one of this process. Throws Bug if
// it does not replay.
Result from_bytes(std::string_view bytes, const Task& task);

}  // namespace fenceline
