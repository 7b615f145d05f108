// SPDX-License-Identifier: GPL-3.0-or-later
//
// A structure that is copied scalar by scalar cuts what it is copied to into cells. Where a constructor does that to an
// atomic variable, `std::atomic<tagged> head{{3, 0}}`, all other accesses would cover several cells, although each is to
// the whole. If the scalars are constants, they are stored as one number instead: nothing is lost, since it is done only
// where no other thread runs yet, and only where the number is one cell to the rest of the program.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

// `before`: what is executed one after the other, up to where the last of these functions starts the first thread.
// `functions`: the whole program. True if there was something to join.
bool join_copied_constants(const std::vector<llvm::Function*>& before,
                           const std::vector<const llvm::Function*>& functions, const PointsTo& points_to);

}  // namespace fenceline::frontend::c
