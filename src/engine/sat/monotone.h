// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does a model still allow an execution when reads and fences that nobody depends on are taken out of it?
#pragma once

#include "model/cat/relational.h"

namespace fenceline {

// True if it certainly does. Taking events out can only make a term smaller if nothing is subtracted in it
// that gets smaller too: so what stands behind a difference or complement must speak about its two events
// alone, not about a way between them.
bool allows_leaving_out(const CatModel& model);

}  // namespace fenceline
