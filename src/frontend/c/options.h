// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options that say how C and C++ files are compiled and read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/option_group.h"

namespace fenceline::frontend {

// What an access to a volatile object is.
enum class VolatileAccess : uint8_t {
  kPlain,   // not atomic, as the standards have it
  kAtomic,  // atomic and relaxed: how kernels and servers written before C11 use it
};

// What an exception of C++ is that is not caught.
enum class UncaughtException : uint8_t {
  kError,
  kAssumedAway,  // executions with one do not count
};

// Which processor programs are compiled for.
enum class Target : uint8_t {
  kModel,  // that of the model, if it has one
  kHost,   // the machine that Fenceline runs on
  kX86,
  kArm,
  kRiscv,
  kPower,
};

struct CompileOptions {
  std::vector<std::string> undefines;      // "NAME"; they follow all definitions
  std::vector<std::string> include_files;  // read before the file itself
  std::vector<std::string> flags;          // "-fsigned-char"
  std::string standard;                    // "c11"; empty: gnu17, gnu++20
  VolatileAccess volatile_access = VolatileAccess::kPlain;
  UncaughtException uncaught = UncaughtException::kError;
  std::vector<std::string> linked_files;  // compiled too, and linked with each program
  std::string compile_commands;           // the folder of a compile_commands.json; empty: none
  Target target = Target::kModel;
};

OptionGroup compile_options();

}  // namespace fenceline::frontend
