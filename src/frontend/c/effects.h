// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an instruction of a flat function does to memory beside computing a value, for analyses that must not
// miss a write.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fenceline::frontend::c {

struct Effects {
  struct Write {
    const llvm::Value* pointer;
    std::optional<uint64_t> bytes;  // none: any part of the object that it points into
    bool frees = false;             // if it was allocated; variables stay as they are
  };
  std::vector<Write> writes;
  bool writes_anywhere = false;  // it is not known what it does
  bool starts_thread = false;
};

Effects effects_of(const llvm::Instruction& instruction, const llvm::DataLayout& layout);

// Is what the call allocates zero at first?
bool allocates_zeroes(const llvm::CallBase& call);

// Is there a fence that orders earlier accesses with later loads, but not with later stores? Then a load
// behind it, and a store that depends on the load, are a detour that orders them, too.
bool has_partial_fence(const llvm::Function& function);

// Is there a way from a call that starts a thread to this instruction?
bool follows_start(const llvm::Instruction& instruction);

// Is the index of 64 bits checked beside the address that is computed with it (index_checks.h)?
bool is_checked_index(const llvm::Value& index, const llvm::Value& address);
// Is it checked or guarded there (index_guards.h), was it extended without a sign, or masked? Then no distance that is computed with it overflows.
bool is_not_negative(const llvm::Value& index, const llvm::Value& address);

// An index as the product of a number and a constant, such as a number of elements and their size.
struct ScaledIndex {
  llvm::Value* number;
  int64_t factor;  // 1 <= factor < 2^31
};
ScaledIndex scaled_index(llvm::Value& index);
// The instruction that bounds the number whatever it is made of, a mask or a remainder (`n & mask`, `n % size`): the
// second operand says how far it goes. Null if there is none.
const llvm::BinaryOperator* bound_by_operation(const llvm::Value& number);
// How large such a number is at most; none if that is not known.
std::optional<uint64_t> largest(const llvm::Value& number);

// An address is that of `root` and a distance of `least` bytes or more: of an element of an array behind a header,
// for instance.
struct AddressBound {
  const llvm::Value* root;
  int64_t least;
};
// None if it may be anywhere around what it was computed from.
std::optional<AddressBound> bound_of(const llvm::Value& address, const llvm::DataLayout& layout);

// Is the address computed from what was read from memory, or from a call that is not known to be without? Loads for
// which `ignored` holds count only if their own address is.
// One that acquires does not count: all that follows comes after it, with a dependency or without.
bool depends_on_load(const llvm::Value& address, const std::function<bool(const llvm::LoadInst&)>& ignored);

// Is the address anything else than one in an object, or one that was loaded where `is_object` holds?
bool may_be_null(const llvm::Value& address, const std::function<bool(const llvm::LoadInst&)>& is_object);

}  // namespace fenceline::frontend::c
