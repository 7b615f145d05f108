// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/options.h"

namespace fenceline::frontend {

OptionGroup compile_options() {
  constexpr OptionLevel kCommon = OptionLevel::kCommon;
  return {
      "C and C++",
      {
          texts({"-U", "NAME", "undefine a macro for C and C++ files, after all definitions", kOfCheck,
                 kCommon},
                &CompileOptions::undefines),
          texts({"--include", "FILE", "include FILE before each C or C++ file; also -include FILE", kOfCheck,
                 kCommon},
                &CompileOptions::include_files),
          word({"--std", "STANDARD",
                "the language standard, as the compiler names it (c11, gnu++17); without it gnu17 and "
                "gnu++20",
                kOfCheck, kCommon},
               &CompileOptions::standard),
          texts({"--flag", "FLAG",
                 "a flag -f..., -m..., -W..., -O..., -g... or -pthread for the compiler; also the flag by "
                 "itself",
                 kOfCheck, kCommon},
                &CompileOptions::flags),
          choice({"--volatile", "WHAT",
                  "volatile accesses of C and C++: plain, or atomic and relaxed (atomic)", kOfCheck, kCommon},
                 &CompileOptions::volatile_access,
                 {{"plain", VolatileAccess::kPlain}, {"atomic", VolatileAccess::kAtomic}}),
          choice({"--exceptions", "WHAT",
                  "an exception of C++ that is not caught is an error (error), or executions with one do not "
                  "count (assume)",
                  kOfCheck, kCommon},
                 &CompileOptions::uncaught,
                 {{"error", UncaughtException::kError}, {"assume", UncaughtException::kAssumedAway}}),
          texts({"--link", "FILE", "a further C or C++ file of each program that is checked", kOfCheck,
                 kCommon},
                &CompileOptions::linked_files),
          word({"--compile-commands", "DIR",
                "compile C and C++ files with the flags that DIR/compile_commands.json has for them",
                kOfCheck, kCommon},
               &CompileOptions::compile_commands),
          choice({"--target", "CPU",
                  "compile C and C++ for this processor (its macros, headers, assembly): that of the model "
                  "(model), this machine's (host), x86_64, aarch64, riscv64, ppc64le",
                  kOfCheck, kCommon},
                 &CompileOptions::target,
                 {{"model", Target::kModel},
                  {"host", Target::kHost},
                  {"x86_64", Target::kX86},
                  {"aarch64", Target::kArm},
                  {"riscv64", Target::kRiscv},
                  {"ppc64le", Target::kPower}}),
      }};
}

}  // namespace fenceline::frontend
