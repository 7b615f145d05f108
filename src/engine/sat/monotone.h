// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does a model still allow an execution when events are removed from it? And does it still raise its flags?
// All of this is decided from the terms of the model, so it holds for models that users write.
// ir/analysis/wait_loops.h says what it is needed for.
#pragma once

#include <vector>

#include "model/cat/relational.h"

namespace fenceline::sat {

// True if it certainly does when reads and fences are removed. Removing events can only make a term smaller if
// nothing is subtracted in it that gets smaller too: so the operand of a difference or complement must be
// about its two events, and about writes between them, not about any path.
bool allows_omitting_events(const CatModel& model);

// The same when writes are removed too that no event reads that stays.
bool allows_omitting_writes(const CatModel& model);

// By term: whether a pair is in it depends on no third event.
std::vector<bool> terms_about_their_ends(const CatModel& model);

// True if every flag that is raised because of an event, or of a pair of events of two threads, is certainly
// still raised when events are removed and that event or pair stays. So it is for a data race:
// two accesses race if no happens-before path orders them, and with fewer events there are fewer paths.
bool flags_stay_raised(const CatModel& model);
bool has_flags(const CatModel& model);

}  // namespace fenceline::sat
