// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does a model still allow an execution when reads and fences are removed from it that no other event depends
// on? And does it still raise its flags?
#pragma once

#include "model/cat/relational.h"

namespace fenceline::sat {

// True if it certainly does. Removing events can only make a term smaller if nothing is subtracted in it that
// gets smaller too: so the operand of a difference or complement must be about its two events alone, not
// about a path between them.
bool allows_omitting_events(const CatModel& model);

// True if every flag that is raised because of an event, or of a pair of events of two threads, is certainly
// still raised when reads and fences are removed and that event or pair stays. So it is for a data race:
// two accesses race if no happens-before path orders them, and with fewer events there are fewer paths.
bool flags_stay_raised(const CatModel& model);
bool has_flags(const CatModel& model);

}  // namespace fenceline::sat
