// SPDX-License-Identifier: GPL-3.0-or-later
//
// How threads wait in a program for models without a machine: by a load, and an assumption about what it returned. To a
// machine, every execution in which the load came too early is one more that leads nowhere. As an atomic section the two
// are an await: the machine has no step there as long as the assumption would not hold. For everything but deadlocks
// that makes no difference: an execution whose assumption does not hold does not count.
#pragma once

#include "ir/edit/fence_set.h"
#include "ir/program.h"

namespace fenceline::robustness {

// The program with a section around each such pair. What was there keeps its point; `fences` keep their meaning.
Program with_awaits(const Program& original, const FenceSet& fences);

}  // namespace fenceline::robustness
