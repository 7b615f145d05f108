// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/address_constants.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>

#include <vector>

#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

bool is_scalar(const llvm::Type& type) { return type.isIntegerTy() || type.isPointerTy(); }

bool is_known(const llvm::Constant& constant) {
  return !llvm::isa<llvm::UndefValue>(constant) && !is_never_set(constant) && is_scalar(*constant.getType());
}

// Operations that move an address by a constant, or pass it on.
bool moves_address(const llvm::Instruction& operation) {
  switch (operation.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return true;
    default:
      return false;
  }
}

// The address as a number of bytes behind a variable, if it is one. `inbounds` says only what is so in any case: it does
// not wrap around.
llvm::Constant* address(llvm::Constant* computed, const llvm::DataLayout& layout) {
  constexpr int64_t kMost = int64_t{1} << 31;
  llvm::APInt distance(64, 0);
  auto* base = const_cast<llvm::Value*>(computed->stripAndAccumulateConstantOffsets(layout, distance, true));
  auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (variable == nullptr || distance.isNegative() || distance.getSExtValue() >= kMost) return computed;
  if (distance.isZero()) return variable;
  llvm::LLVMContext& context = computed->getContext();
  return llvm::ConstantExpr::getInBoundsGetElementPtr(
      llvm::Type::getInt8Ty(context), variable,
      llvm::ArrayRef<llvm::Constant*>{llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), distance)});
}

}  // namespace

bool is_allocation(const llvm::Value& value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction != nullptr && instruction->getType()->isPointerTy() &&
         (llvm::isa<llvm::AllocaInst>(instruction) || allocated_size(*instruction));
}

AddressConstants::~AddressConstants() {
  for (const auto& [allocation, variable] : placeholders_) {
    variable->removeDeadConstantUsers();
    variable->eraseFromParent();
  }
}

llvm::Constant* AddressConstants::placeholder(const llvm::Instruction& allocation) {
  llvm::GlobalVariable*& variable = placeholders_[&allocation];
  if (variable == nullptr) {
    auto& module = const_cast<llvm::Module&>(*allocation.getModule());
    variable = new llvm::GlobalVariable(module, llvm::Type::getInt8Ty(module.getContext()), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, "fl.placeholder");
    variable->setAlignment(llvm::Align(1));
  }
  return variable;
}

llvm::Constant* AddressConstants::evaluate(const llvm::Instruction& operation,
                                           llvm::ArrayRef<llvm::Constant*> given) {
  llvm::SmallVector<llvm::Constant*> operands;
  for (llvm::Constant* operand : given) {
    if (!is_known(*operand)) return nullptr;
    operands.push_back(operand->getType()->isPointerTy() ? address(operand, layout_) : operand);
  }
  if (llvm::isa<llvm::SelectInst>(operation)) {
    const auto* condition = llvm::dyn_cast<llvm::ConstantInt>(operands[0]);
    return condition == nullptr ? nullptr : operands[condition->isZero() ? 2 : 1];
  }
  if (llvm::isa<llvm::FreezeInst>(operation)) return operands[0];
  if (!is_scalar(*operation.getType())) return nullptr;
  llvm::Constant* result = nullptr;
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&operation))
    result = address(llvm::ConstantExpr::getGetElementPtr(gep->getSourceElementType(), operands[0],
                                                          llvm::ArrayRef(operands).drop_front()),
                     layout_);
  else
    result = llvm::ConstantFoldInstOperands(const_cast<llvm::Instruction*>(&operation), operands, layout_);
  // A division by zero is poison.
  return result == nullptr || !is_known(*result) ? nullptr : result;
}

llvm::Constant* AddressConstants::value(llvm::Value& value) {
  // From the value to what it was moved from, and back.
  std::vector<const llvm::CallInst*> moves;
  llvm::Value* at = &value;
  llvm::Constant* result = nullptr;
  while (result == nullptr) {
    if (is_allocation(*at)) {
      result = placeholder(llvm::cast<llvm::Instruction>(*at));
    } else if (auto* constant = llvm::dyn_cast<llvm::Constant>(at)) {
      result = constant;
    } else {
      const llvm::Instruction* operation = opaque_.operation(*at);
      if (operation == nullptr || !moves_address(*operation)) return nullptr;
      moves.push_back(llvm::cast<llvm::CallInst>(at));
      for (unsigned i = 1; i < moves.back()->arg_size(); ++i)
        if (!llvm::isa<llvm::ConstantInt>(moves.back()->getArgOperand(i))) return nullptr;
      at = moves.back()->getArgOperand(0);
    }
  }
  for (; !moves.empty() && result != nullptr; moves.pop_back()) {
    llvm::SmallVector<llvm::Constant*> operands{result};
    for (unsigned i = 1; i < moves.back()->arg_size(); ++i)
      operands.push_back(llvm::cast<llvm::ConstantInt>(moves.back()->getArgOperand(i)));
    result = evaluate(*opaque_.operation(*moves.back()), operands);
  }
  return result;
}

}  // namespace fenceline::frontend::c
