// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "report/report.h"

namespace fenceline::report {

// A violation on a model without a machine: what each thread did in its own order, where its loads got their values, in
// which order stores reached memory, and the violation at the end. Iterations of a loop that do the same are printed
// once. Precondition: the answer is a violation with a checked execution.
std::string execution_text(const Answer& answer, const TextStyle& style);

}  // namespace fenceline::report
