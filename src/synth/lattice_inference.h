// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fences by search in the lattice of all sets of places (propagation.h), with any engine.
#pragma once

#include <functional>
#include <vector>

#include "env/limits.h"
#include "synth/inference.h"
#include "synth/propagation.h"

namespace fenceline {

struct LatticeSearch {
  Strategy strategy = propagation_strategy;
  unsigned jobs = 1;  // questions at once
  // Answers so many, at the same time if that is possible. None: task.ask, one after the other.
  std::function<std::vector<Result>(const std::vector<Task>&)> ask_together = {};
  Limits* limits = nullptr;  // ends the search with what it has; may be none
};

// The minimal sets of places with which all properties of the task are verified, full fences at them: with
// task.all every one of them, whatever its size, else one of the smallest (descent: one). Minimal as far as
// the engine can tell; Inference::exact says whether that is because of real runs. `trace`, if given, gets
// what was asked when.
Inference infer_by_propagation(const InferenceTask& task, const LatticeSearch& search,
                               std::vector<SearchEvent>* trace = nullptr);

}  // namespace fenceline
