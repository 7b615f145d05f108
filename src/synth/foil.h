// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synth/inference.h"

namespace fenceline::synth {

// Fences by FOIL's rule: one after the statement that the last reordering of a counterexample overtakes, until
// every property of the task holds (foil.cpp). Each fence is of the kind that keeps the two
// accesses in order if task.weaker has it, and full otherwise. Does not look for the fewest, and finds one
// placement. Precondition: task.verify returns traces of the deferral-queue machine (Replay::queues).
Synthesis infer_by_last_reordering(const SynthesisTask& task);

}  // namespace fenceline::synth
