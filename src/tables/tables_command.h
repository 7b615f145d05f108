// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command of fenceline-bench: published tables beside our results.
#pragma once

#include "app/command_line.h"

namespace fenceline::tables {

// Precondition: line.command is Command::kBench. Prints to standard output and returns the exit status. Throws UsageError.
int tables_command(const app::CommandLine& line);

}  // namespace fenceline::tables
