// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trace rendering for the deferral-queue machine: accesses when they take effect, what they have overtaken,
// and the progress of transactions. When accesses were issued is left out.
#pragma once

#include <string>

#include "report/trace_printer.h"

namespace fenceline::report {

// Precondition: the answer is a violation with a replay that has queues.
PrintedTrace print_queue_trace(const Answer& answer);

// "load v1 by t1, rfin by t1, store v1 by t2"; empty if the trace has no history.
std::string history_text(const Replay& replay);

// Which accesses were overtaken by later ones: "T1 does line 31 before line 26". Empty if none was.
std::string reorderings(const Answer& answer);

}  // namespace fenceline::report
