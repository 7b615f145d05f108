// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "domain/buffer/abstraction.h"
#include "env/env.h"
#include "task/labelled_graph.h"
#include "task/task.h"

namespace fenceline::coherence {

// Explores the whole abstract state space of the task, beyond bad states too, with buffers that record which
// instruction stored each value. Every access to memory, every fence and every flush is
// an edge, as in the paper; local computation belongs to the edge before it (unless --no-fusing).
// A task that the machine does not support gives an incomplete graph. Precondition: the abstraction's values
// are exact.
LabelledGraph build_labelled_graph(const Task& task, const buffer::Abstraction& abstraction, Env& env);

}  // namespace fenceline::coherence
