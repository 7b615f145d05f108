// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exclusive pairs (ldxr and stxr, lr and sc, lwarx and stwcx.) as read-modify-writes, which is what the IR has.
//
// The loop around a pair ends when its store succeeds; iterations that fail only read. So the loop is the
// iteration that succeeds: an exchange, an addition and so on by what is stored, or a compare-and-exchange if
// a comparison with what was read decides whether there is a store. If the store is not tried again, the
// compare-and-exchange is a weak one.
//
// Any other computation between the two stays a loop: what was read is the expected value of a
// compare-and-exchange. Then there is one read more, of the same location right before the atomic one. It
// excludes nothing, since it may read the same store; and without it the rest is the pair.
#pragma once

#include <llvm/IR/Function.h>

namespace fenceline::frontend::c {

// Calls of functions whose name begins so are the stores of pairs until they are merged: (pointer, value, order),
// and the result is whether they fail.
inline constexpr const char* kExclusiveStore = "fl.store.exclusive.";

// Loads that are marked as the first of a pair, and these calls. A load without a store is an ordinary load.
// Throws AsmUnsupported.
void merge_exclusive_pairs(llvm::Function& function);

}  // namespace fenceline::frontend::c
