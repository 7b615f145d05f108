// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/member_pointers.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "frontend/c/index_guards.h"

namespace fenceline::frontend::c {
namespace {

bool is_member_pointer(const llvm::Type& type) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(&type);
  return structure != nullptr && structure->isLiteral() && structure->getNumElements() == 2 &&
         structure->getElementType(0)->isIntegerTy(64) && structure->getElementType(1)->isIntegerTy(64);
}

// What pointers to member functions a program has.
struct Kinds {
  bool moved = false, virtual_function = false;

  void add(const llvm::Constant& constant) {
    if (!is_member_pointer(*constant.getType())) {
      if (!llvm::isa<llvm::ConstantAggregate>(constant)) return;
      for (const llvm::Use& part : constant.operands()) add(llvm::cast<llvm::Constant>(*part));
      return;
    }
    const auto* function = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant.getAggregateElement(0U));
    const auto* distance = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant.getAggregateElement(1U));
    moved |= distance == nullptr || !distance->isZero();
    virtual_function |= function != nullptr && !function->isZero();
  }
};

// A user of this kind, or null.
template <class Kind>
Kind* user_of(llvm::Value& value) {
  for (llvm::User* user : value.users())
    if (auto* found = llvm::dyn_cast<Kind>(user)) return found;
  return nullptr;
}

void guard(llvm::Instruction& instruction, const Kinds& kinds) {
  auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction);
  if (part == nullptr || part->getNumIndices() != 1 ||
      !is_member_pointer(*part->getAggregateOperand()->getType()))
    return;
  if (*part->idx_begin() == 1) {
    // On ARM the lowest bit says whether the function is virtual.
    const auto* moved = user_of<llvm::GetElementPtrInst>(*part);
    for (llvm::User* user : part->users())
      if (auto* shift = llvm::dyn_cast<llvm::BinaryOperator>(user);
          moved == nullptr && shift != nullptr && shift->getOpcode() == llvm::Instruction::AShr)
        moved = user_of<llvm::GetElementPtrInst>(*shift);
    if (!kinds.moved && moved != nullptr && moved->getSourceElementType()->isIntegerTy(8))
      guard_constant(*part, 0);
    return;
  }
  auto* bit = user_of<llvm::BinaryOperator>(*part);
  if (kinds.virtual_function || bit == nullptr || bit->getOpcode() != llvm::Instruction::And) return;
  const auto* one = llvm::dyn_cast<llvm::ConstantInt>(bit->getOperand(1));
  if (one != nullptr && one->isOne()) guard_constant(*bit, 0);
}

}  // namespace

void guard_member_pointers(llvm::Module& module) {
  Kinds kinds;
  std::vector<llvm::Instruction*> all;
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.hasInitializer()) kinds.add(*variable.getInitializer());
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      all.push_back(&instruction);
      for (const llvm::Use& operand : instruction.operands())
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) kinds.add(*constant);
    }
  for (llvm::Instruction* instruction : all) guard(*instruction, kinds);
}

}  // namespace fenceline::frontend::c
