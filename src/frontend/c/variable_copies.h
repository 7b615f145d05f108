// SPDX-License-Identifier: GPL-3.0-or-later
//
// memcpy, memmove and memset of a size that is no constant, such as the length of a message in a queue of bytes, as
// loops. An iteration copies one byte, or several where the size and both addresses are multiples of as many.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// True if there was one. Precondition: operations are not hidden.
bool expand_variable_copies(llvm::Function& function);

}  // namespace fenceline::frontend::c
