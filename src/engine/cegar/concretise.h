// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is there an exact run behind an abstract one? The abstract run says which instructions run in which order.
// The exact machine is searched for a run with the same instructions in the same order; when waiting stores
// reach memory is left open, since abstract buffers get just that wrong: they may let a store leave twice or
// overtake another.
#pragma once

#include <optional>

#include "check/replay/replay.h"
#include "env/env.h"
#include "machine/path.h"
#include "task/task.h"

namespace fenceline {

struct Followed {
  Trace trace;
  Replay replay;      // ok
  bool step_by_step;  // the exact run is the abstract one, step by step
};

// None: no exact run was found. `why_not` then says where the abstract run leaves the exact machine.
std::optional<Followed> follow(const Task& task, const Path& abstract_run, Env& env, std::string& why_not);

}  // namespace fenceline
