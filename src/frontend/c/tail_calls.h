// SPDX-License-Identifier: GPL-3.0-or-later
//
// `return f(...);` inside of f: a jump to the beginning of f with other arguments. As a loop it needs no bound, while
// other recursion is inlined as far as constants bound its depth (recursion.cpp).
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// All calls of the function by itself, if they are of that kind, unless a local variable may still be used by the next
// call, or nothing but such calls ends it. Precondition: it is as the compiler wrote it.
void make_tail_calls_loops(llvm::Function& function);

}  // namespace fenceline::frontend::c
