// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/command_line.h"

namespace fenceline {

std::string help();                 // `fenceline --help`
std::string help(Command command);  // `fenceline check --help` and the like
std::string version();              // "fenceline 0.1.0\n"

}  // namespace fenceline
