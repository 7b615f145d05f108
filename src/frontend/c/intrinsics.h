// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler's built-in functions on bits and numbers, written out: __builtin_clz and its like, byte swaps,
// rotations, arithmetic that reports its overflow. What they are made of is arithmetic that every later part knows;
// none of them is mentioned again. Hints (__builtin_prefetch, __builtin_expect) disappear.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// A call of a function whose name begins so: the operand must not be 0. (__builtin_clz(0) is undefined.)
inline constexpr const char* kNotZero = "fl.notzero.";

// Numbers of at most 64 bits; others are left, to be rejected where they are used.
void expand_intrinsics(llvm::Function& function);

}  // namespace fenceline::frontend::c
