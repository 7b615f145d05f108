// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "app/command_line.h"

namespace fenceline::app {

enum class HelpLevel : uint8_t {
  kCommon,  // --help
  kAll,     // --help-all: the options for experts too
};

std::string help();                                  // `fenceline --help`
std::string help(Command command, HelpLevel level);  // `fenceline check --help` and the like
std::string version();                               // "fenceline 0.1.0\n"

}  // namespace fenceline::app
