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

namespace fenceline::c {
namespace {

// Is what the pointer points to accessed, and not only the address taken? (One past the end may be formed.)
bool is_accessed(const llvm::Value& pointer) {
  for (const llvm::Use& use : pointer.uses()) {
    const llvm::User* user = use.getUser();
    if (llvm::isa<llvm::LoadInst>(user)) return true;
    if (llvm::isa<llvm::StoreInst>(user) || llvm::isa<llvm::AtomicRMWInst>(user) ||
        llvm::isa<llvm::AtomicCmpXchgInst>(user)) {
      if (llvm::getPointerOperand(user) == &pointer) return true;
      if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(user); rmw && rmw->getPointerOperand() == &pointer)
        return true;
      if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(user);
          exchange && exchange->getPointerOperand() == &pointer)
        return true;
    }
    if (llvm::isa<llvm::MemIntrinsic>(user)) return true;
    // A member or an element of the element: that is inside of it.
    if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
        gep != nullptr && gep->getPointerOperand() == &pointer && gep->getNumIndices() > 1 && is_accessed(*gep))
      return true;
  }
  return false;
}

// The array is the last thing in its structure, and the structure is not known to be a variable.
bool may_be_longer(const llvm::GetElementPtrInst& gep) {
  const auto* member = llvm::dyn_cast<llvm::GEPOperator>(gep.getPointerOperand());
  if (member == nullptr) return false;
  const auto* structure = llvm::dyn_cast<llvm::StructType>(member->getSourceElementType());
  if (structure == nullptr || member->getNumIndices() < 2) return false;
  // Any of the structures on the way may have it at its end.
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(*(member->idx_end() - 1));
  llvm::SmallVector<llvm::Value*> outer(member->idx_begin(), member->idx_end() - 1);
  const auto* inner = llvm::dyn_cast_or_null<llvm::StructType>(
      llvm::GetElementPtrInst::getIndexedType(member->getSourceElementType(), outer));
  if (inner == nullptr || last == nullptr || last->getZExtValue() + 1 < inner->getNumElements()) return false;
  const auto* array = llvm::cast<llvm::ArrayType>(gep.getSourceElementType());
  if (array->getNumElements() < 2) return true;
  const llvm::Value* base = member->getPointerOperand()->stripInBoundsOffsets();
  return !llvm::isa<llvm::AllocaInst>(base) && !llvm::isa<llvm::GlobalVariable>(base);
}

}  // namespace

void check_indices(llvm::Function& function) {
  std::vector<llvm::GetElementPtrInst*> elements;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        gep != nullptr && gep->isInBounds() && gep->getSourceElementType()->isArrayTy() &&
        gep->getNumIndices() == 2 && gep->getType()->isPointerTy())
      elements.push_back(gep);
  for (llvm::GetElementPtrInst* gep : elements) {
    const uint64_t length = gep->getSourceElementType()->getArrayNumElements();
    llvm::Value* index = gep->getOperand(2);
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(index);
    if (length == 0 || !index->getType()->isIntegerTy(64)) continue;
    if (known != nullptr && known->getValue().ult(length)) continue;
    if (may_be_longer(*gep)) continue;
    llvm::IRBuilder<> builder(gep);
    const llvm::FunctionCallee check = function.getParent()->getOrInsertFunction(
        kIndexCheck, builder.getVoidTy(), builder.getInt64Ty(), builder.getInt64Ty());
    // One past the end is an address, and no element.
    builder.CreateCall(check, {index, builder.getInt64(is_accessed(*gep) ? length : length + 1)});
  }
}

}  // namespace fenceline::c
