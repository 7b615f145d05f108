// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synth/inference.h"

namespace fenceline {

// Fences at the fewest places that make every property of the task hold, found run by run; lazy.cpp tells
// how. Ends because every round excludes at least one set of places for good.
Inference infer_lazily(const InferenceTask& task);

}  // namespace fenceline
