// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synth/inference.h"

namespace fenceline::synth {

// Fences at the fewest positions with which every property of the task holds, learned from one counterexample
// after the other (lazy.cpp). Terminates because every iteration excludes at least one set of positions.
Synthesis infer_lazily(const SynthesisTask& task);

}  // namespace fenceline::synth
