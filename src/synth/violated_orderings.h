// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which monitored positions a trace passes while stores of its thread are pending. Each such position is a
// violated ordering: a full fence there would prevent the execution, and fences anywhere else would not.
#pragma once

#include <vector>

#include "check/replay/replay.h"
#include "task/result.h"

namespace fenceline::synth {

// Of the monitored positions of query.fences, those that the trace passes with pending stores; sorted, each
// once. Precondition: replayed.ok.
std::vector<ViolatedOrdering> violated_orderings(const Task& query, const Replay& replayed);

// Flushes stores earlier where the trace still violates the property, so that it violates fewer orderings.
// Precondition: replay(query, trace).ok. Postcondition: it is for the result, too.
Trace with_early_flushes(const Task& query, const Trace& trace);

// A trace of a machine without store buffers, as one of a machine with them: each store is flushed at once.
// Precondition: the trace replays on such a machine, with the same program and fences.
Trace with_flushes_at_once(const Task& query, const Trace& trace);

// The trace without the steps of fences that query.fences adds: a trace of the program as it is, unless the
// property distinguishes the program counter before such a fence from that behind it.
Trace without_added_fences(const Task& query, const Trace& trace);

}  // namespace fenceline::synth
