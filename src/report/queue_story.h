// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run of the machine with queues as a list of things worth telling: accesses when they take effect, what
// they have overtaken, and how far transactions are. When they were issued is left out.
#pragma once

#include <string>

#include "report/story.h"

namespace fenceline {

// Precondition: the answer is a violation with a replay that has queues.
Story tell_queue_story(const Answer& answer);

// "load v1 by t1, rfin by t1, store v1 by t2"; empty if the run has no history.
std::string history_text(const Replay& replay);

// Which accesses were overtaken by later ones: "T1 does line 31 before line 26". Empty if none was.
std::string reorderings(const Answer& answer);

}  // namespace fenceline
