// SPDX-License-Identifier: GPL-3.0-or-later
//
// How accesses of C and C++ with a memory order are compiled for a model: docs/semantics.md, "Memory orders
// of C on machines". It is part of a model: a C program has a meaning on a machine only after compilation for
// it.
#pragma once

#include <cstdint>

namespace fenceline {

enum class CompilationScheme : uint8_t {
  kLanguage,  // the model is about C11 itself
  kFences,    // the model has one order of all stores that all threads agree on
  kLoadFences,  // the same, with the full fence of a seq_cst pair before the load, and an rmw with its own order: RISC-V
  kLeadingFences,   // stores may reach other threads at different times: a full fence before what is seq_cst
  kAcquireRelease,  // the machine has loads that acquire and stores that release: ARM
};

}  // namespace fenceline
