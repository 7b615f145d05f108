// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/index_guards.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <limits>
#include <vector>

#include "frontend/c/effects.h"

namespace fenceline::frontend::c {
namespace {

llvm::CallInst* guard(llvm::Instruction& before, llvm::Value& number, uint64_t least, uint64_t most) {
  llvm::IRBuilder<> builder(&before);
  llvm::Type* word = builder.getInt64Ty();
  const llvm::FunctionCallee callee =
      before.getModule()->getOrInsertFunction(kRangeGuard, builder.getVoidTy(), word, word, word);
  return builder.CreateCall(callee, {&number, builder.getInt64(least), builder.getInt64(most)});
}

// `end - n` or `n - 1`, also of a smaller type.
bool is_difference(const llvm::Value& index) {
  const llvm::Value* number = &index;
  while (const auto* cast = llvm::dyn_cast<llvm::SExtInst>(number)) number = cast->getOperand(0);
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(number);
  return operation != nullptr && operation->getOpcode() == llvm::Instruction::Sub;
}

}  // namespace

bool is_range_guard(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName() == kRangeGuard;
}

void guard_indices(llvm::Function& function) {
  std::vector<llvm::GetElementPtrInst*> elements;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        element != nullptr && element->getType()->isPointerTy() && !element->hasAllConstantIndices())
      elements.push_back(element);
  for (llvm::GetElementPtrInst* element : elements)
    for (const llvm::Use& index : element->indices())
      if (llvm::Value& number = *scaled_index(*index).number;
          number.getType()->isIntegerTy(64) && !llvm::isa<llvm::ConstantInt>(number) &&
          !is_not_negative(*index, *element) && !is_difference(number))
        guard(*element, number, 0, std::numeric_limits<uint32_t>::max());
}

void guard_constant(llvm::Instruction& number, uint64_t constant) {
  llvm::CallInst* call = guard(*number.getNextNode(), number, constant, constant);
  number.replaceUsesWithIf(llvm::ConstantInt::get(number.getType(), constant),
                           [&](const llvm::Use& use) { return use.getUser() != call; });
}

}  // namespace fenceline::frontend::c
