// SPDX-License-Identifier: GPL-3.0-or-later
//
// The commands, one function each. They print to standard output and return the exit status; errors are
// thrown and become messages and statuses in failure.cpp.
#pragma once

#include "app/command_line.h"

namespace fenceline::app {

int check_command(const CommandLine& line);
int infer_command(const CommandLine& line);
int litmus_command(const CommandLine& line);
int reduce_command(const CommandLine& line);
int bench_command(const CommandLine& line);
int models_command();
int engines_command();

}  // namespace fenceline::app
