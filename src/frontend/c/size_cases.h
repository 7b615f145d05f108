// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sizes that are known only when the program executes, as choices between a few constants: a vector that several
// threads append to has grown so often when one of them has to make room. The allocation of the new elements, and the
// copy of the old ones, happen once for each number of elements that is likely; any other number is a limitation, and
// the answer is `unknown` if an execution gets there.
//
// That is done for allocations and copies whose size is computed from the distance of two pointers, as that of a
// container is. Allocations of another unknown size are a limitation as such (unknown_allocations.h), and other copies
// become loops (variable_copies.h). The choice is a branch on the size; the functions of the C library have it, too.
#pragma once

#include <llvm/IR/Function.h>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

// Copies depend on how large the objects are, so their sizes come after those of all allocations.
enum class SizeOf : uint8_t { kAllocations, kCopies };

// True if there was such a size. Precondition: the function is flat, and its operations are not hidden.
bool split_sizes(llvm::Function& function, SizeOf which, const PointsTo& points_to);

}  // namespace fenceline::frontend::c
