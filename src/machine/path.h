// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a chain of states back to the steps between them. Searches keep states and parents, no labels; the
// labels of one path are found by expanding its states once more.
#pragma once

#include <span>
#include <vector>

#include "machine/code.h"
#include "machine/transition_system.h"

namespace fenceline::machine {

struct Path {
  std::vector<TraceStep> steps;
  std::vector<ViolatedOrdering> violated_orderings;  // monitored positions passed with pending stores
};

// The steps from the start of the program through every state of `chain`, whose first is an initial state, or
// through states that these represent (TransitionSystem::representative); then, with `then_failing_step`, one step that
// fails. Throws Bug if a state is no successor of the one before it.
Path path_along(TransitionSystem& system, const std::vector<PackedState>& chain, bool then_failing_step);

// By step: does it belong to an atomic section, its first and last instruction included?
std::vector<bool> inside_sections(const Code& code, std::span<const TraceStep> steps);

}  // namespace fenceline::machine
