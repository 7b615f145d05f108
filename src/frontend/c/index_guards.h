// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is taken for granted about numbers that addresses are computed with, and checked when the program executes:
// where it does not hold, Fenceline does not support the program. An index that is not the one of an array of known
// length is taken for not negative: a buffer in the middle of an object is accessed from its first element on, and the
// fields before it are not touched (points_to.h). So is, for the same reason, the distance from an address to the next
// multiple of some power of two what it is for the objects that the address may point to.
//
// The check is a call of kRangeGuard in the code. It is put there before anything is concluded from it, and stays.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace fenceline::frontend::c {

// void (number, least, most), all of 64 bits, signed.
inline constexpr const char* kRangeGuard = "fl.range";

bool is_range_guard(const llvm::CallBase& call);

// Guards before all addresses that are computed with an index of which that is not known, and that is not a
// difference: such an index is meant to be negative. Precondition: operations are not hidden.
void guard_indices(llvm::Function& function);

// The number is this one: all that is computed from it is computed from the constant, and a guard is put behind it.
// Precondition: it is of 64 bits, and operations are not hidden.
void guard_constant(llvm::Instruction& number, uint64_t constant);

}  // namespace fenceline::frontend::c
