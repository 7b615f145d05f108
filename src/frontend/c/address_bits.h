// SPDX-License-Identifier: GPL-3.0-or-later
//
// The low bits of addresses. Code that aligns a buffer itself computes `p + (8 - (uintptr_t)p % 8) % 8`, or adds a
// number of the same kind in some other way. Objects lie at multiples of their alignment (memory.h), so `p % 8` is
// known if it is known how far into its object `p` points.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

// Numbers of 64 bits that are remainders of addresses, and what they are unless the address is none of those that
// `points_to` has (a null pointer). To replace one loses no ordering: it depends on no load, or comes before the first
// thread is started.
std::vector<std::pair<llvm::Instruction*, uint64_t>> known_remainders(llvm::Function& function,
                                                                      const PointsTo& points_to,
                                                                      bool is_before_threads);

}  // namespace fenceline::frontend::c
