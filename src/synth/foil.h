// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "synth/inference.h"

namespace fenceline {

// Fences by FOIL's rule: one after the statement that the last reordering of a wrong run overtakes, until
// every property of the task holds; foil.cpp tells more. Each fence is of the kind that keeps the two
// accesses in order if task.weaker has it, and full otherwise. Does not look for the fewest, and finds one
// placement. Precondition: task.ask answers with runs of the machine with queues (Replay::queues).
Inference infer_by_last_reordering(const InferenceTask& task);

}  // namespace fenceline
