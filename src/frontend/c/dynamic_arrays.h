// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arrays of variable length, and alloca(), whose size has turned out to be a constant: they become variables like
// all others.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// True if there was one. Those that remain are rejected where they are lowered: their size is not known, or
// each iteration of a loop has another one (alloca() in a loop).
bool make_arrays_static(llvm::Function& function);

}  // namespace fenceline::frontend::c
