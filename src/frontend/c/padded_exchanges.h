// SPDX-License-Identifier: GPL-3.0-or-later
//
// A compare-and-exchange compares all bytes of a structure, also its padding. In C padding has unspecified values
// whenever a member or the structure is assigned, so such an operation may fail although all members are equal: it is
// one that may fail without a reason, as the weak one may. (C++20 compares values, without the padding.)
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

// Makes those of C files weak in which what is to be stored is a structure with padding. That is found where the
// structure is a variable, as it is for the operations of <stdatomic.h>. What Clang adds to a structure of 3, 5, 6 or 7
// bytes to make it atomic is set, to 0.
void weaken_padded_exchanges(llvm::Module& module);

}  // namespace fenceline::frontend::c
