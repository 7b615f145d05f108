// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operational machine of docs/semantics.md, read literally and run by brute force: every interleaving of
// every step and every flush, no reductions, no sharing with src/. Slow, and simple.
//
// `Plant` breaks one rule on purpose, to show that the comparison with the other readings would notice.
#pragma once

#include <cstddef>

#include "flat.h"
#include "outcomes_of.h"

namespace fenceline::fuzz {

enum class Plant : uint8_t {
  kNone,
  kForwardOldest,        // a load takes the oldest own entry of its cell, not the newest
  kSfenceDrains,         // a store-store fence waits for empty buffers
  kRmwNoDrain,           // an rmw does not wait for the buffer
  kStoreLoadDrains,      // a store-load fence waits for empty buffers on PSO too
  kRmwIgnoresBarriers,   // an rmw on PSO does not wait for entries before a barrier
  kRmwIgnoresMarks,      // an rmw on PSO does not wait for marked entries
  kFailedCasIsFree,      // a cas that would fail does not wait
  kAtomicWaitsForMarks,  // a store in an atomic section waits for marked entries
  kSyncIsAFence,         // a sync waits for the stores of its own thread only
  kMainIsAThread,        // threads that wait when the program has ended are a deadlock
};

struct NaiveOptions {
  Plant plant = Plant::kNone;
  size_t max_states = 15'000;  // beyond: skipped as too large
  size_t max_entries = 6;      // in the buffers of one thread; beyond: skipped as unbounded
  Value max_value = 100;       // in absolute terms; beyond: skipped as unbounded
};

Answer explore_naively(const FlatProgram& program, Model model, const NaiveOptions& options = {});

}  // namespace fenceline::fuzz
