// SPDX-License-Identifier: GPL-3.0-or-later
//
// Allocations whose size is not a constant after all constants have been propagated: a table that is replaced by a
// larger one, in code that most executions never come to. Where such an allocation is certain to be executed, the
// program is rejected. Elsewhere it becomes a limitation: the answer is `unknown`, with the line and the reason, if an
// execution gets there, and says nothing about it if none does. What is behind it is not executed then.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "frontend/c/unit.h"

namespace fenceline::frontend::c {

// The allocations of unknown size in a flat function without which it can return.
std::vector<llvm::CallBase*> avoidable_allocations(llvm::Function& function);

// The limitation in the place of the call, which is gone. Precondition: operations are not hidden.
void limit_at(llvm::CallBase& call, Unit& unit);

}  // namespace fenceline::frontend::c
