// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loads whose values have to be constants, if they can be: those that decide how often a loop iterates, how
// large an object is, how far a masked index goes, what a call or a thread executes, and whether what is not supported
// is executed at all. Only these are replaced by what memory is known to hold (known_memory.h): all others stay
// accesses, with their dependencies.
//
// Backwards from these values: through operations to loads, from a load to the values that stores may leave
// there, and from a value that depends on the path to the conditions of the path.
#pragma once

#include <llvm/IR/Function.h>

#include <set>
#include <vector>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

std::set<const llvm::Instruction*> demanded_loads(const std::vector<llvm::Function*>& functions,
                                                  const PointsTo& points_to);

}  // namespace fenceline::frontend::c
