// SPDX-License-Identifier: GPL-3.0-or-later
//
// Constants through memory that no other thread can know of yet: what a constructor sets in an object that its thread
// has just allocated, and reads again before the object is published. The capacity of a table that is allocated
// beside it is such a value.
//
// From its allocation on, an object is private until a pointer to it is stored into memory that is not private, or is
// given to a call. A load from a known offset of a private object, at an address that is computed from the allocation
// itself, reads the last store of its own thread there. If that stored a constant, the load is one. It orders nothing
// then: its value depends on no other load, and no other thread can have written it. As in known_memory.h, loads stay
// beside fences that order loads with later loads but not with later stores, and loads that acquire stay.
#pragma once

#include <llvm/IR/Instructions.h>

#include <utility>
#include <vector>

#include "frontend/c/lifetimes.h"
#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

// The loads of a flat function that read a constant from private memory, and the constant.
std::vector<std::pair<llvm::LoadInst*, llvm::Constant*>> private_loads(llvm::Function& function,
                                                                       const PointsTo& points_to,
                                                                       const Lifetimes& lifetimes,
                                                                       const llvm::DataLayout& layout);

}  // namespace fenceline::frontend::c
