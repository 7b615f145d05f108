// SPDX-License-Identifier: GPL-3.0-or-later
//
// Can program order and rf have a cycle in some execution of the program? Often not, although the model allows it to
// others, and then the executions without one are all there are.
//
// A cycle alternates between reads from other threads and paths from such a load to a later store of its thread. If the
// model orders each of these loads before the store (by a dependency, a branch, a fence, an acquire or a release), the
// cycle is one of the model's own order as well, which has none. So: for each thread a data-flow analysis finds the
// pairs of a load and a later store for which that is not certain, and only if such a pair can be part of a cycle, a
// cycle is possible. Whether the model orders a pair is decided on the model's terms (preserved_order.h).
//
// The analysis looks at the last time that a load was executed, and at all earlier times together. What it knows of
// each is what holds on all paths: which fences and which accesses with a dependent address lie behind it, whether a
// branch depends on it, and to which cells a store that depends on it has been made.
#pragma once

#include "ir/edit/overlay.h"
#include "model/cat/relational.h"

namespace fenceline::executions {

// False if there certainly is none.
bool may_buffer_loads(const Overlay& overlay, const CatModel& model);

}  // namespace fenceline::executions
