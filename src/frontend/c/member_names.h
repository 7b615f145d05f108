// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a part of an object is called, by what the compiler says about its type: "ring.prod.head", "slots[3].sequence".
// The part is given by its first byte and its size. Members of base classes, of anonymous structures and of anonymous
// unions are named as in the source; of the members of a union, the one that has this size.
//
// Classes of a library have members that users have never seen: the value of a std::atomic<int> is `_M_i` of a base
// class. Names that the language reserves for implementations are left out where they say nothing: always if there is
// no other member, and at the end of a name if it stays the only one with that beginning (object_names.h).
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <cstdint>
#include <optional>
#include <string>

#include "ir/program.h"

namespace fenceline::frontend::c {

struct PartName {
  std::string full;   // ".prod.head", "[3].sequence"; empty: the whole object
  std::string brief;  // without members at the end whose names are reserved
  CellContent content = CellContent::kAnything;
};

// None if nothing is known about the type.
std::optional<PartName> part_name(const llvm::DIType* type, uint64_t offset, uint64_t bytes);

// In bytes; 0 if that is not known.
uint64_t size_of(const llvm::DIType* type);

// Without typedef, const, volatile and _Atomic; null if nothing remains, as of void.
const llvm::DIType* plain_type(const llvm::DIType* type);

}  // namespace fenceline::frontend::c
