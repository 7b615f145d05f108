// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses of which it is known how far they are from the beginning of their object: a loop over the elements of an
// array that compares pointers (`for (p = a; p != a + 4; ++p)`, and all loops that C++ constructs arrays with) has as
// many iterations as one that counts.
//
// Only variables and allocations count as objects. A pointer that was loaded may be one that was never set, and a
// comparison with it is an error that has to stay.
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {

struct KnownAddress {
  const llvm::Value* object;  // the variable, or the instruction that makes it
  int64_t offset;             // in bytes

  friend bool operator==(const KnownAddress&, const KnownAddress&) = default;
};

// The distance in bytes that an address computation with these indices adds, if it is constant and stays
// inside of the arrays that it names.
std::optional<int64_t> constant_offset(const llvm::GetElementPtrInst& gep,
                                       llvm::ArrayRef<llvm::Value*> indices, const llvm::DataLayout& layout);

// Operations may be hidden.
std::optional<KnownAddress> known_address(const llvm::Value& pointer, const Opaque& opaque,
                                          const llvm::DataLayout& layout);

// None if they are in different objects, or where the order of addresses is not that of the offsets.
std::optional<bool> compare(llvm::ICmpInst::Predicate predicate, const KnownAddress& left,
                            const KnownAddress& right);

}  // namespace fenceline::frontend::c
