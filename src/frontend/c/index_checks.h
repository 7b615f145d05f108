// SPDX-License-Identifier: GPL-3.0-or-later
//
// Indices of arrays whose length is part of their type. An element that is accessed must be one of them: with
// `struct { int a[2]; int b; } s`, `s.a[2]` is not `s.b`, although it lies there. Before anything is made of
// an index, a call of kIndexCheck is put beside it, which the lowering turns into an assertion.
//
// The last array of a structure may be longer than it says, an old idiom for a flexible array; so
// it is not checked, unless it has more than one element and the structure is a variable.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// void (index, length): 0 <= index < length, both of 64 bits.
inline constexpr const char* kIndexCheck = "fl.index";

// Precondition: operations are not hidden.
void check_indices(llvm::Function& function);

}  // namespace fenceline::frontend::c
