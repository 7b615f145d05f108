// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small structures that functions get and return by value travel in registers: Clang loads them as one or two
// wide integers, of a variable that has other scalars, and stores them so. Here each such access becomes
// accesses of the scalars that are there. A value that is only copied is copied scalar by scalar, so parts of
// it that were never set stay so and are no error; one that is computed with is put together.
//
// Otherwise LLVM, which makes registers of variables later on, would put the parts together with shifts, and
// what was never set would be used.
#pragma once

#include <llvm/IR/Function.h>

#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {

// Precondition: calls are inlined, and operations are not hidden.
void split_wide_accesses(llvm::Function& function, const Opaque& opaque);

}  // namespace fenceline::frontend::c
