// SPDX-License-Identifier: GPL-3.0-or-later
//
// What main() of each executable does around its own work.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line.h"

namespace fenceline::app {

// Catches interrupts and failures, and prints notices. `words` are the arguments without the program's name;
// `command` is what they decide on. Returns the exit status.
int run_program(std::vector<std::string> words, const std::function<int(const CommandLine&)>& command);

}  // namespace fenceline::app
