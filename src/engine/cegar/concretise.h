// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is an abstract counterexample feasible? It says which instructions are executed in which order. The exact
// machine is searched for an execution with the same instructions in the same order. When pending stores are
// flushed is left open, since that is what abstract buffers over-approximate: a store may be flushed twice or
// overtake another.
#pragma once

#include <optional>

#include "check/replay/replay.h"
#include "env/env.h"
#include "machine/path.h"
#include "task/task.h"

namespace fenceline::engine {

struct Concretised {
  Trace trace;
  Replay replay;      // ok
  bool step_by_step;  // the trace is the abstract one, step by step
};

// None: it is spurious, within the limits of this search. `why_not` says where it leaves the exact machine.
std::optional<Concretised> concretise(const Task& task, const machine::Path& abstract_trace, Env& env,
                                      std::string& why_not);

}  // namespace fenceline::engine
