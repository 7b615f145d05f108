// SPDX-License-Identifier: GPL-3.0-or-later
//
// References to one of several variables, as `std::max(a, b)` returns them: instead of the address of one of them
// that is loaded from, it is chosen between what is loaded from each. Then the variables need no address.
#pragma once

#include <llvm/IR/Function.h>

#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {

// True if there was such a choice. Precondition: operations are hidden.
bool choose_values(llvm::Function& function, Opaque& opaque);

}  // namespace fenceline::frontend::c
