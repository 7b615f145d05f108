// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace fenceline::report {

// A violation on a model without a machine, in lines: what each thread did in its own order, where its loads
// got their values, in which order stores reached memory, and the violation at the end. Precondition: the
// answer is a violation with a checked execution.
std::vector<std::string> execution_lines(const Answer& answer);

}  // namespace fenceline::report
