// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a stored state back to the steps that led there. The store keeps parents but no labels: the labels are
// found by expanding each parent once more and looking for the child. That costs nothing during the search.
#pragma once

#include "engine/search/state_store.h"
#include "machine/transition_system.h"
#include "task/trace.h"

namespace fenceline::engine {

// The steps from the initial state to `to`, and then, with `then_failing_step`, one step that is an error of the program.
// `to` may be kNone with an error in the steps before the first state.
Trace find_path(const machine::SystemSource& system, const StateStore& store, StateStore::Ref to,
                bool then_failing_step);

}  // namespace fenceline::engine
