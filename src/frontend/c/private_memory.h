// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers and addresses through memory that no other thread writes.
//
// Private memory is what no other thread can know of yet: what a constructor sets in an object that its thread has
// just allocated, and reads again before the object is published. From its allocation on, an object is private until a
// pointer to it is stored into memory that is not private, or is given to a call. Own memory may be known to other
// threads, but only the thread that executes the function writes it: the vector that holds the threads that `main`
// starts, global or not. Of `main` and of what is executed before it that is known, since it is executed once.
//
// A load from a known offset of such memory, at an address that is computed from the allocation or the variable
// itself, reads the last store of its own thread there, on every memory model. If that stored a constant, or the
// address of something that the function has allocated, moved by a constant, the load yields it. It orders nothing
// then: its value and its address depend on no other load, and no other thread can have written it. As in
// known_memory.h, loads stay beside fences that order loads with later loads but not with later stores, and loads that
// acquire stay.
#pragma once

#include <llvm/IR/Instructions.h>

#include <set>
#include <vector>

#include "frontend/c/lifetimes.h"
#include "frontend/c/points_to.h"
#include "frontend/c/unit.h"
#include "frontend/c/written_spans.h"

namespace fenceline::frontend::c {

// What is known about a function that is executed once, by the first thread.
struct OwnMemory {
  const WrittenSpans* earlier;     // what is written before the function is executed
  const WrittenSpans* concurrent;  // what other threads write
};

// The loads of a flat function that read something known from such memory; of global variables only those that are
// demanded. Without `own` about private memory alone.
Unit::KnownLoads private_loads(llvm::Function& function, const PointsTo& points_to,
                               const Lifetimes& lifetimes, const llvm::DataLayout& layout,
                               const OwnMemory* own, const std::set<const llvm::Instruction*>& demanded);

}  // namespace fenceline::frontend::c
