// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which programs the deferral-queue machine supports.
#pragma once

#include <string>

#include "ir/program.h"
#include "model/reorder_table.h"

namespace fenceline::machine {

// Empty if the deferral-queue machine supports the program on the table, else why not, to be put behind a subject.
std::string queue_unsupported_reason(const Program& program, const ReorderTable& table);

}  // namespace fenceline::machine
