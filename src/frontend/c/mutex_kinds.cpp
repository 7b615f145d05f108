// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/mutex_kinds.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace fenceline::frontend::c {
namespace {

constexpr unsigned kKind = 4;  // the member '__kind', on all processors of 64 bits

bool is_mutex(const llvm::Type& type) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(&type);
  return structure != nullptr && structure->hasName() &&
         structure->getName().starts_with("struct.__pthread_mutex_s") &&
         structure->getNumElements() > kKind && structure->getElementType(kKind)->isIntegerTy(32);
}

bool is_zero(const llvm::Value& value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
  return constant != nullptr && constant->isNullValue();
}

bool has_kind(const llvm::Constant& constant) {
  if (llvm::isa<llvm::GlobalValue>(constant) || constant.isNullValue()) return false;
  if (is_mutex(*constant.getType())) {
    const llvm::Constant* kind = constant.getAggregateElement(kKind);
    if (kind != nullptr && !is_zero(*kind)) return true;
  }
  return llvm::any_of(constant.operands(), [](const llvm::Use& use) {
    const auto* part = llvm::dyn_cast<llvm::Constant>(use);
    return part != nullptr && has_kind(*part);
  });
}

// The address of the member.
bool is_kind(const llvm::Value& pointer) {
  const auto* element = llvm::dyn_cast<llvm::GEPOperator>(&pointer);
  if (element == nullptr || element->getNumIndices() != 2 || !is_mutex(*element->getSourceElementType()))
    return false;
  const auto* member = llvm::dyn_cast<llvm::ConstantInt>(element->getOperand(2));
  return member != nullptr && member->getZExtValue() == kKind;
}

}  // namespace

bool sets_mutex_kind(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.hasInitializer() && has_kind(*variable.getInitializer())) return true;
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        if (is_kind(*store->getPointerOperand()) && !is_zero(*store->getValueOperand())) return true;
  return false;
}

}  // namespace fenceline::frontend::c
