// SPDX-License-Identifier: GPL-3.0-or-later
//
// dynamic_cast: which class an object has is told by the table of virtual functions that it points to. The tables of all
// classes are known, and so is what each class is derived from; so the cast is a choice between the tables of those
// that are derived from the class of the expression. A table that is not among them, of a class that is defined
// elsewhere, is a limitation.
//
// Casts stay what they are, and are rejected, in programs with virtual base classes, and where a base class is not
// public or is there twice.
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

// Precondition: operations are not hidden.
void expand_dynamic_casts(llvm::Module& module);

}  // namespace fenceline::frontend::c
