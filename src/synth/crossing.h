// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which places a run passes while stores of its thread are waiting: a full fence at any one of them would
// stop the run, and fences anywhere else would not.
#pragma once

#include <utility>
#include <vector>

#include "check/replay/replay.h"

namespace fenceline {

using Crossed = std::vector<std::pair<ThreadId, Point>>;  // `after` as in FenceSet; sorted, each once

// Of the watched places of query.fences, those that the run passes with stores waiting. Precondition:
// replayed.ok.
Crossed crossed_by(const Task& query, const Replay& replayed);

// Lets stores reach memory earlier where the run still ends the same way, so that it crosses fewer places.
// Precondition: replay(query, trace).ok. Postcondition: it is for the result, too.
Trace with_early_flushes(const Task& query, const Trace& trace);

// A run of a machine without store buffers, as one of a machine with them: each store reaches memory at once.
// Precondition: the trace replays on such a machine, with the same program and fences.
Trace with_flushes_at_once(const Task& query, const Trace& trace);

// The run without the steps of fences that query.fences adds: a run of the program as it is, unless the
// property can tell standing at such a fence from standing behind it.
Trace without_added_fences(const Task& query, const Trace& trace);

}  // namespace fenceline
