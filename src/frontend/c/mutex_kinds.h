// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mutexes that are initialised without a call: PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, and std::recursive_mutex, whose
// constructor writes the same numbers. Plain mutexes are cheaper, so support/mutex.c, which distinguishes kinds, is
// linked only if the program sets one.
#pragma once

#include <llvm/IR/Module.h>

namespace fenceline::frontend::c {

// Does the program write a kind other than the plain one into a mutex, or define a variable with one?
bool sets_mutex_kind(const llvm::Module& module);

}  // namespace fenceline::frontend::c
