// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses as constants: those of local variables and allocations are not known before the program runs, but
// distances between two addresses in the same object are, and so is whether two addresses are equal. `end - begin` of
// a container whose elements were counted is such a distance, and `it != end` ends a loop over it.
//
// Each allocation has a placeholder, a global variable that is never part of the program, and LLVM's folding of
// constant expressions does the rest. A number that it yields holds wherever the object lies: objects have different
// addresses, none is null, and no address is used twice. It depends on no load, since the allocation does not.
//
// A placeholder represents the instance that the instruction allocated last. In SSA form that is the one which all
// values computed from the instruction refer to, unless a phi of a loop around the allocation holds an earlier one; so
// placeholders are not used for what is allocated inside of the loop that is looked at.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <map>

#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {

// Is it a local variable, or a call that allocates an object and returns its address?
bool is_allocation(const llvm::Value& value);

class AddressConstants {
 public:
  AddressConstants(const Opaque& opaque, const llvm::DataLayout& layout) : opaque_(opaque), layout_(layout) {}
  ~AddressConstants();
  AddressConstants(const AddressConstants&) = delete;
  AddressConstants& operator=(const AddressConstants&) = delete;

  // Represents the address of what the instruction allocates.
  llvm::Constant* placeholder(const llvm::Instruction& allocation);

  // The operation on these operands, which may be expressions of placeholders; such an expression or a number. Null if
  // it cannot be computed.
  llvm::Constant* evaluate(const llvm::Instruction& operation, llvm::ArrayRef<llvm::Constant*> operands);

  // The value, if it is a constant or the address of an allocation moved by constants; null if it is neither.
  // Precondition: operations are hidden.
  llvm::Constant* value(llvm::Value& value);

 private:
  const Opaque& opaque_;
  const llvm::DataLayout& layout_;
  std::map<const llvm::Instruction*, llvm::GlobalVariable*> placeholders_;
};

}  // namespace fenceline::frontend::c
