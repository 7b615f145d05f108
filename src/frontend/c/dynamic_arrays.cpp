// SPDX-License-Identifier: GPL-3.0-or-later
//
// An array lives from where it is declared to the end of its block, where Clang restores the stack. The marks of
// lifetimes.h say the same of other variables.
#include "frontend/c/dynamic_arrays.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kMostElements = 1 << 16;

std::vector<llvm::IntrinsicInst*> intrinsics_of(llvm::Function& function, llvm::Intrinsic::ID which) {
  std::vector<llvm::IntrinsicInst*> result;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        intrinsic != nullptr && intrinsic->getIntrinsicID() == which)
      result.push_back(intrinsic);
  return result;
}

}  // namespace

bool make_arrays_static(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> arrays;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (const auto* count = llvm::dyn_cast<llvm::ConstantInt>(alloca->getArraySize());
          !(alloca->isStaticAlloca() && !alloca->isArrayAllocation()) && count != nullptr &&
          count->getValue().ult(kMostElements) && !count->isZero())
        arrays.push_back(alloca);
  if (arrays.empty()) return false;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const auto saves = intrinsics_of(function, llvm::Intrinsic::stacksave),
             restores = intrinsics_of(function, llvm::Intrinsic::stackrestore);
  bool changed = false;
  for (llvm::AllocaInst* array : arrays) {
    // Does an iteration of a loop end the array of the one before?
    const llvm::Loop* loop = loops.getLoopFor(array->getParent());
    const bool ends = llvm::any_of(saves, [&](const llvm::IntrinsicInst* save) {
      return dominators.dominates(save, array) && loops.getLoopFor(save->getParent()) == loop;
    });
    if (loop != nullptr && !ends) continue;
    const uint64_t count = llvm::cast<llvm::ConstantInt>(array->getArraySize())->getZExtValue();
    llvm::Type* type =
        count == 1 ? array->getAllocatedType() : llvm::ArrayType::get(array->getAllocatedType(), count);
    llvm::BasicBlock& entry = function.getEntryBlock();
    auto* fixed = new llvm::AllocaInst(type, array->getAddressSpace(), nullptr, array->getAlign(), "",
                                       entry.getFirstInsertionPt());
    fixed->takeName(array);
    fixed->setDebugLoc(array->getDebugLoc());
    llvm::IRBuilder<> at_begin(array);
    llvm::ConstantInt* bytes =
        at_begin.getInt64(function.getParent()->getDataLayout().getTypeAllocSize(type).getFixedValue());
    at_begin.CreateLifetimeStart(fixed, bytes);
    for (llvm::IntrinsicInst* restore : restores) {
      const auto* save = llvm::dyn_cast<llvm::Instruction>(restore->getArgOperand(0));
      if (save == nullptr || !dominators.dominates(save, array) || !dominators.dominates(array, restore))
        continue;
      llvm::IRBuilder<> at_end(restore);
      at_end.CreateLifetimeEnd(fixed, bytes);
    }
    array->replaceAllUsesWith(fixed);
    array->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace fenceline::frontend::c
