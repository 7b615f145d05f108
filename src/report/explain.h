// SPDX-License-Identifier: GPL-3.0-or-later
//
// Explains a violation: the part of the last state that violates the property, and which stores were flushed
// late.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace fenceline::report {

// "P[0] at cs (line 12) and P[1] at cs (line 12)". Precondition: the answer is a violation with a replay.
std::string violated_state(const Answer& answer);

// Who waits for ever, where, and what it keeps reading.
std::string waiting_text(const Program& program, const std::vector<WaitingThread>& waiting);

// One sentence on the stores that were not in memory when it mattered; empty on a model without buffers.
// Precondition: the answer is a violation with a replay.
std::string late_stores(const Answer& answer);

}  // namespace fenceline::report
