// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls through pointers: of functions whose address is somewhere in memory, of virtual functions, and threads
// whose function is not a constant.
//
// Which functions a pointer may hold is what the analysis of pointers (points_to.h) finds in all flat functions
// together. Such a call becomes a choice: `if (pointer == &f) f(...); else pointer(...)`. The code of `f` is
// inlined then, and with it there may be more functions that flow to this call or to others. So the call stays
// behind the choice until the analysis finds no function for it that is not among the choices; then control
// cannot come there without an error, and a trap takes its place. Until then the analysis ignores what the call
// would do, which is right as soon as it cannot be reached.
//
// Where the pointer cannot be tracked, all functions of its type whose address is taken are candidates.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

class Unit;

// Is there a call through a pointer, or a thread whose function is not known?
bool has_pointer_calls(const llvm::Function& function);

// Adds choices for functions that may be called here and are not among the choices yet, and returns these
// functions. Throws through Unit::reject() if one of them is being executed already: recursion.
// Precondition: the function is flat.
std::vector<llvm::Function*> expand_pointer_calls(llvm::Function& function, const PointsTo& points_to,
                                                  Unit& unit);

// The calls for which expand_pointer_calls() has found all there is become traps. True if there was one.
bool close_pointer_calls(llvm::Function& function, const PointsTo& points_to);

}  // namespace fenceline::frontend::c
