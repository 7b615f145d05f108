// SPDX-License-Identifier: GPL-3.0-or-later
//
// Can program order and rf have a cycle in some execution of the program? Often not, although the model allows it to
// others, and then the executions without one are all there are.
//
// A cycle alternates between reads from other threads and paths from such a load to a later store of its thread. If the
// model orders each of these loads before the store (by a dependency, a branch, a fence, an acquire or a release), the
// cycle is one of the model's own order as well, which has none. So: for each thread a data-flow analysis finds the
// pairs of a load and a later store for which that is not certain (thread_pairs.h), and only if such a pair can be part of
// a cycle, a cycle is possible. Whether the model orders a pair is decided on the model's terms (preserved_order.h).
//
// Only cycles that are in each thread once have to be considered. Let one be in a thread twice, from load a to store b and
// from load c to store d. If a is before d, then the way from a to d is a short cut past b and c. Otherwise d is before a,
// so c before b, and the way from c to b is one past d and a. The shorter cycle needs a pair that is not ordered as well.
//
// A pair need not be ordered itself where the load is known to read only what the address that it goes to was published
// behind (publication.h).
#pragma once

#include "ir/edit/overlay.h"
#include "model/cat/relational.h"

namespace fenceline::executions {

// False if there certainly is none.
bool may_buffer_loads(const Overlay& overlay, const CatModel& model);

}  // namespace fenceline::executions
