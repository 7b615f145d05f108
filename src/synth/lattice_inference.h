// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fences by search in the lattice of all sets of positions (propagation.h), with any engine.
#pragma once

#include <functional>
#include <vector>

#include "env/limits.h"
#include "synth/inference.h"
#include "synth/propagation.h"

namespace fenceline::synth {

struct LatticeSearch {
  Strategy strategy = propagation_strategy;
  unsigned jobs = 1;  // queries at once
  // Verifies several tasks, in parallel if possible. None: task.verify, one after the other.
  std::function<std::vector<Result>(const std::vector<Task>&)> verify_together = {};
  Limits* limits = nullptr;  // ends the search with what it has; may be none
};

// The minimal sets of positions with which all properties of the task are verified, full fences at them: with
// task.all every one of them, whatever its size, else one of the smallest (descent: one). Minimal with
// respect to what the engine can verify; Synthesis::minimality is kProved if there are counterexamples.
// `trace`, if given, gets the queries with their times.
Synthesis infer_by_propagation(const SynthesisTask& task, const LatticeSearch& search,
                               std::vector<SearchEvent>* trace = nullptr);

}  // namespace fenceline::synth
