// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs as Promela models, so that SPIN verifies the same task on the same machine. Only the
// benchmarks use this: it is our yardstick, so it is written to make SPIN fast, not to make it look slow.
#pragma once

#include <cstdint>
#include <string>

#include "task/task.h"

namespace fenceline::bench {

struct PromelaOptions {
  // Off: every instruction is one step and every state one state, exactly as in our machine without
  // reduction; SPIN then stores as many states as we do. On: steps that touch nothing but their own thread
  // are part of the step before them, and busy waiting blocks.
  bool fuse = false;
  // Where the code alone puts no bound on buffers: they have room for so many entries, and a store waits for
  // room, unless it is known that there is always enough.
  uint32_t buffer_limit = 8;
  bool limit_suffices = false;
};

// Does the code alone put no bound on the thread's buffers?
bool needs_buffer_limit(const Task& task);

// Precondition: the model has store buffers or none. Throws Unsupported for what the translation does not do:
// store-store barriers and store-load marks, values of more than 32 bits, expressions that may fail.
std::string to_promela(const Task& task, const PromelaOptions& options);

}  // namespace fenceline::bench
