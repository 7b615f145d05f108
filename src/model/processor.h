// SPDX-License-Identifier: GPL-3.0-or-later
//
// The processor that a memory model is about. C and C++ are compiled for it: its macros, its headers, its inline
// assembly, the sizes and signs of its types.
#pragma once

#include <compare>
#include <cstdint>

#include "model/compilation_scheme.h"

namespace fenceline {

struct MemoryModel;

enum class Processor : uint8_t {
  kAny,  // no particular one: the machine that Fenceline runs on
  kX86,
  kArm,
  kRiscv,
  kPower,
};

// kAny for models of languages, for those that several processors have in common, and for users' own.
Processor processor_of(const MemoryModel& model);

// All that the lowering of a C program depends on, beside its text and the options.
struct Compilation {
  CompilationScheme scheme = CompilationScheme::kFences;
  Processor target = Processor::kAny;  // what the file is compiled for

  friend auto operator<=>(const Compilation&, const Compilation&) = default;
};

}  // namespace fenceline
