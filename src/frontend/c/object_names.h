// SPDX-License-Identifier: GPL-3.0-or-later
//
// What objects and their cells are called: the only place that decides it. A variable has the name and the type that
// the source gives it. An allocation has the type that `new` names, or the one of the pointer that it is stored in, or
// the structure that its uses imply. What is not known is numbered by offset.
//
// LLVM's types and the compiler's description of the source's types are two descriptions of the same objects; which
// structure is which follows from the variables that have both.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fenceline::frontend::c {

struct Leaf;

class ObjectTypes {
 public:
  // Notes what is known about variables and allocations, before the passes lose it.
  explicit ObjectTypes(llvm::Module& module);

  // The type of a global variable, a local one or what a call allocates; null if it is not known. `structure` is what
  // the uses of an allocation imply, or null.
  const llvm::DIType* type_of(const llvm::Value& origin, const llvm::Type* structure = nullptr) const;

  const llvm::DIType* type_of_structure(const llvm::Type& structure) const;

 private:
  void note_variables(llvm::Function& function);
  void note_pointer(const llvm::AllocaInst& variable, const llvm::DIType& type);
  void match(const llvm::Type* type, const llvm::DIType* described);
  void match_names(const llvm::Module& module);

  const llvm::DataLayout& layout_;
  std::map<const llvm::Type*, const llvm::DIType*> structures_;
};

// "mutex", "main::calls", "vtable for Queue".
std::string variable_name(const llvm::GlobalVariable& variable);
std::string variable_name(const llvm::AllocaInst& variable);

// Names the cells of an object of that type, which may be null. No two have the same name.
void name_cells(const llvm::DIType* type, uint64_t size, std::vector<Leaf>& cells);

}  // namespace fenceline::frontend::c
