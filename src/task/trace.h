// SPDX-License-Identifier: GPL-3.0-or-later
//
// One trace type for every engine: what happened, step by step. An engine fills in thread, kind, point and,
// where the machine had a choice, what was chosen; and it claims an address and a value for every memory
// access. check/replay/replay re-executes the steps, rejects any claim that is not so, and works out the
// rest.
#pragma once

#include <vector>

#include "ir/step.h"

namespace fenceline {

// Steps inside an atomic section appear one by one, from its kAtomicBegin to its kAtomicEnd, with nothing of
// another thread and no flush in between. A trace of a failed step (assert, range, index, division) ends with
// that step.
struct Trace {
  std::vector<TraceStep> steps;
};

}  // namespace fenceline
