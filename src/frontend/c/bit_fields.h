// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bit fields that are set one by one.
//
// Clang sets a bit field by a load of all bits around it, two operations and a store. The first such store to an object
// without initial values reads what was never set, and that is no error: only the other bits are kept, and they stay what
// they were. So what is loaded and stored may be *set in part*. That is a number of its own: the bits in its low half, and
// in the high one which of them are set, so that no bit is set in the mark of what was never set. A number of which all
// bits are set is an ordinary one. An access that reads a field checks the bits of the field; any other use of such
// a number is a limitation. There are no such numbers for units of more than 32 bits.
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <set>

namespace fenceline::frontend::c {

inline constexpr unsigned kMostBitsInPart = 32;  // of a unit that may be set in part
inline constexpr const char* kBitFieldNote = "fenceline.bitfield";

// What an operation does with its first operand, the unit that was loaded.
enum class BitFieldUse : uint8_t {
  kRead,   // needs the bits of the mask
  kClear,  // makes them 0, and so set; the others are kept
  kSet,    // sets some of those that were cleared
};
struct BitFieldNote {
  BitFieldUse use;
  uint64_t mask;
};

// Finds the accesses to bit fields as Clang has written them. The sizes of units in which one is set are added, in bits.
void note_bit_fields(llvm::Function& function, std::set<unsigned>& sizes);

std::optional<BitFieldNote> bit_field_note(const llvm::Instruction& operation);

}  // namespace fenceline::frontend::c
