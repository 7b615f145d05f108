// SPDX-License-Identifier: GPL-3.0-or-later
//
// Can a store that comes after a loop in its thread be visible to other threads before the loads that decide
// how often the loop iterates? Then the store may be the reason for further iterations:
//
//   P { r = x; while (n < r) n = n + 1; y = 1; }      Q { s = y; if (s == 1) x = 5; }
//
// The search for bounds (unrolling.h) does not find such iterations. It queries whether a thread can exceed a
// bound, and a thread that does so stops there: its later stores do not exist, and so neither does what they
// cause. On a model that keeps control dependencies (preserved_order.h) this is right. Take an execution in
// which some loop exceeds its bound, and order its events by control dependencies to stores and by rf; there is
// no cycle. Cut all threads where they first exceed a bound. No store behind a cut is read by what is left in
// front of the earliest cut in this order, so that cut is reached in an execution that has only what is in
// front of it.
#pragma once

#include <optional>

#include "ir/analysis/liveness.h"
#include "ir/edit/overlay.h"
#include "model/cat/relational.h"

namespace fenceline::sat {

// A loop that may iterate more often because of a later store of its thread: whether it is left, or reached
// at all, depends on a load, it can iterate without being idle (threads.h), and there is a store inside of it
// or behind it. Besides, some thread has a store behind a load without a fence that orders the two: what such
// a store and such a loop cause is a cycle: W1, R1 that reads it in another thread, W2 that depends on R1,
// and so on; each Ri comes after Wi in the order of the model, so some Wi+1 must come before Ri. Where the
// loop begins; nothing if there is none. Precondition: !keeps_control_dependencies(model).
std::optional<SourcePos> loop_with_early_stores(const Overlay& overlay, const Liveness& liveness,
                                                const CatModel& model);

}  // namespace fenceline::sat
