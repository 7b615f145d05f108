// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/index_checks.h"

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <vector>

namespace fenceline::frontend::c {
namespace {

// Is what the pointer points to accessed, and not only the address taken? (One past the end may be formed.)
bool is_accessed(const llvm::Value& pointer) {
  for (const llvm::Use& use : pointer.uses()) {
    const llvm::User* user = use.getUser();
    if (llvm::isa<llvm::LoadInst>(user)) return true;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        store && store->getPointerOperand() == &pointer)
      return true;
    if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(user);
        rmw && rmw->getPointerOperand() == &pointer)
      return true;
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(user);
        exchange && exchange->getPointerOperand() == &pointer)
      return true;
    if (llvm::isa<llvm::MemIntrinsic>(user)) return true;
    // A member or an element of the element: that is inside of it.
    if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
        gep != nullptr && gep->getPointerOperand() == &pointer && gep->getNumIndices() > 1 &&
        is_accessed(*gep))
      return true;
  }
  return false;
}

// The array is the last thing in its structure, and short or not known to be part of a variable.
bool may_be_longer(const llvm::GEPOperator& element) {
  const auto* member = llvm::dyn_cast<llvm::GEPOperator>(element.getPointerOperand());
  if (member == nullptr || member->getNumIndices() < 2) return false;
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(*(member->idx_end() - 1));
  llvm::SmallVector<llvm::Value*> outer(member->idx_begin(), member->idx_end() - 1);
  const auto* structure = llvm::dyn_cast_or_null<llvm::StructType>(
      llvm::GetElementPtrInst::getIndexedType(member->getSourceElementType(), outer));
  if (structure == nullptr || last == nullptr || last->getZExtValue() + 1 < structure->getNumElements())
    return false;
  if (element.getSourceElementType()->getArrayNumElements() < 2) return true;
  const llvm::Value* base = member;
  while (const auto* outside = llvm::dyn_cast<llvm::GEPOperator>(base)) base = outside->getPointerOperand();
  return !llvm::isa<llvm::AllocaInst>(base) && !llvm::isa<llvm::GlobalVariable>(base);
}

// Is it an element of an array of known length, and if so, which?
bool names_element(const llvm::GEPOperator& gep) {
  return gep.getSourceElementType()->isArrayTy() && gep.getNumIndices() == 2 &&
         gep.getType()->isPointerTy() && gep.getSourceElementType()->getArrayNumElements() != 0 &&
         (*(gep.idx_begin() + 1))->getType()->isIntegerTy(64) && !may_be_longer(gep);
}

void check(llvm::Instruction& before, const llvm::GEPOperator& gep, bool accessed) {
  const uint64_t length = gep.getSourceElementType()->getArrayNumElements();
  llvm::Value* index = *(gep.idx_begin() + 1);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (known != nullptr && known->getValue().ult(length)) return;
  llvm::IRBuilder<> builder(&before);
  llvm::FunctionCallee call = before.getModule()->getOrInsertFunction(
      kIndexCheck, builder.getVoidTy(), builder.getInt64Ty(), builder.getInt64Ty());
  // One past the end is an address, and no element.
  llvm::Value* end = builder.getInt64(accessed ? length : length + 1);
  if (const auto* last = llvm::dyn_cast_or_null<llvm::CallInst>(before.getPrevNode());
      last != nullptr && last->getCalledOperand() == call.getCallee() && last->getArgOperand(0) == index &&
      last->getArgOperand(1) == end)
    return;  // from the last time
  builder.CreateCall(call, {index, end});
}

}  // namespace

void check_indices(llvm::Function& function) {
  std::vector<llvm::Instruction*> all;
  for (llvm::Instruction& instruction : llvm::instructions(function)) all.push_back(&instruction);
  for (llvm::Instruction* instruction : all) {
    if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(instruction);
        gep != nullptr && names_element(*gep))
      check(*instruction, *gep, is_accessed(*instruction));
    // An element of a global array with a constant index is a constant.
    for (const llvm::Use& use : instruction->operands())
      if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(use))
        if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(constant);
            gep != nullptr && names_element(*gep))
          if (!llvm::isa<llvm::PHINode>(instruction))
            check(*instruction, *gep, llvm::getLoadStorePointerOperand(instruction) == constant);
  }
}

}  // namespace fenceline::frontend::c
