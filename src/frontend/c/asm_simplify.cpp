// SPDX-License-Identifier: GPL-3.0-or-later
//
// Only pure operations of the translation are removed or replaced, never an access. They have no undefined
// results, so removing one that nothing uses changes nothing.
#include "frontend/c/asm_simplify.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "frontend/c/asm_parser.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

bool is_pure(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::CmpInst>(instruction) ||
         llvm::isa<llvm::CastInst>(instruction) || llvm::isa<llvm::SelectInst>(instruction) ||
         llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::GetElementPtrInst>(instruction) ||
         llvm::isa<llvm::ExtractValueInst>(instruction) ||
         (llvm::isa<llvm::CallInst>(instruction) && !instruction.mayHaveSideEffects() &&
          !instruction.mayReadFromMemory());
}

unsigned bits(const llvm::Value& value) { return value.getType()->getIntegerBitWidth(); }

// trunc(zext x), trunc(sext x), trunc(trunc x).
llvm::Value* simpler_trunc(llvm::TruncInst& trunc) {
  llvm::Value* inside = trunc.getOperand(0);
  llvm::IRBuilder<> builder(&trunc);
  if (llvm::isa<llvm::ZExtInst>(inside) || llvm::isa<llvm::SExtInst>(inside)) {
    llvm::Value* source = llvm::cast<llvm::CastInst>(inside)->getOperand(0);
    if (bits(*source) == bits(trunc)) return source;
    if (bits(*source) > bits(trunc)) return builder.CreateTrunc(source, trunc.getType());
    return llvm::isa<llvm::ZExtInst>(inside) ? builder.CreateZExt(source, trunc.getType())
                                             : builder.CreateSExt(source, trunc.getType());
  }
  if (auto* other = llvm::dyn_cast<llvm::TruncInst>(inside))
    return builder.CreateTrunc(other->getOperand(0), trunc.getType());
  // (y & ~mask) | z, of which no more than the bits of z are left.
  if (auto* merge = llvm::dyn_cast<llvm::BinaryOperator>(inside);
      merge != nullptr && merge->getOpcode() == llvm::Instruction::Or)
    if (auto* kept = llvm::dyn_cast<llvm::BinaryOperator>(merge->getOperand(0));
        kept != nullptr && kept->getOpcode() == llvm::Instruction::And)
      if (auto* mask = llvm::dyn_cast<llvm::ConstantInt>(kept->getOperand(1));
          mask != nullptr && mask->getValue().countr_zero() >= bits(trunc))
        return builder.CreateTrunc(merge->getOperand(1), trunc.getType());
  return nullptr;
}

// inttoptr(ptrtoint p), also with something added.
llvm::Value* simpler_pointer(llvm::IntToPtrInst& pointer) {
  llvm::IRBuilder<> builder(&pointer);
  if (auto* number = llvm::dyn_cast<llvm::PtrToIntOperator>(pointer.getOperand(0)))
    return number->getPointerOperand();
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(pointer.getOperand(0));
  if (sum == nullptr || sum->getOpcode() != llvm::Instruction::Add) return nullptr;
  for (unsigned side : {0U, 1U})
    if (auto* number = llvm::dyn_cast<llvm::PtrToIntOperator>(sum->getOperand(side)))
      return builder.CreateGEP(builder.getInt8Ty(), number->getPointerOperand(), sum->getOperand(1 - side));
  return nullptr;
}

// icmp of two numbers that were extended alike: whether they are equal is seen before.
llvm::Value* simpler_comparison(llvm::ICmpInst& compare) {
  llvm::IRBuilder<> builder(&compare);
  if (!compare.isEquality()) return nullptr;
  auto* left = llvm::dyn_cast<llvm::CastInst>(compare.getOperand(0));
  if (left == nullptr || (!llvm::isa<llvm::ZExtInst>(left) && !llvm::isa<llvm::SExtInst>(left)))
    return nullptr;
  llvm::Value* source = left->getOperand(0);
  if (auto* right = llvm::dyn_cast<llvm::CastInst>(compare.getOperand(1));
      right != nullptr && right->getOpcode() == left->getOpcode() &&
      right->getOperand(0)->getType() == source->getType())
    return builder.CreateICmp(compare.getPredicate(), source, right->getOperand(0));
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(compare.getOperand(1));
  if (constant == nullptr || !llvm::isa<llvm::ZExtInst>(left) ||
      constant->getValue().getActiveBits() > bits(*source))
    return nullptr;
  // A truth value compared with a truth value.
  if (bits(*source) == 1)
    return constant->isZero() == (compare.getPredicate() == llvm::CmpInst::ICMP_NE)
               ? source
               : builder.CreateNot(source);
  return builder.CreateICmp(
      compare.getPredicate(), source,
      llvm::ConstantInt::get(source->getType(), constant->getValue().trunc(bits(*source))));
}

llvm::Value* simpler(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (is_pure(instruction) && !llvm::isa<llvm::PHINode>(instruction) &&
      llvm::all_of(instruction.operands(),
                   [](const llvm::Use& use) { return llvm::isa<llvm::ConstantInt>(use); }))
    if (llvm::Constant* folded = llvm::ConstantFoldInstruction(&instruction, layout)) return folded;
  if (auto* trunc = llvm::dyn_cast<llvm::TruncInst>(&instruction)) return simpler_trunc(*trunc);
  if (auto* pointer = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction)) return simpler_pointer(*pointer);
  if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) return simpler_comparison(*compare);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return phi->hasConstantValue();
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    auto* right = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    // 0 + x, 0 | x, 0 ^ x
    if (auto* left = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(0));
        left != nullptr && left->isZero() && operation->isCommutative() &&
        operation->getOpcode() != llvm::Instruction::And && operation->getOpcode() != llvm::Instruction::Mul)
      return operation->getOperand(1);
    // x + 0, x ^ 0, x << 0, !!x, !(x == y)
    if (right != nullptr && right->isZero() && operation->getOpcode() != llvm::Instruction::And &&
        operation->getOpcode() != llvm::Instruction::Mul)
      return operation->getOperand(0);
    if (right != nullptr && right->isOne() && bits(*right) == 1 &&
        operation->getOpcode() == llvm::Instruction::Xor) {
      if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(operation->getOperand(0)))
        return llvm::IRBuilder<>(operation).CreateICmp(compare->getInversePredicate(), compare->getOperand(0),
                                                       compare->getOperand(1));
      if (auto* inside = llvm::dyn_cast<llvm::BinaryOperator>(operation->getOperand(0));
          inside != nullptr && inside->getOpcode() == llvm::Instruction::Xor &&
          inside->getOperand(1) == right)
        return inside->getOperand(0);
    }
  }
  return nullptr;
}

// A value that nothing has set may be copied and returned, but not computed with.
void reject_unset(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::ReturnInst>(instruction) ||
        llvm::isa<llvm::InsertValueInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction) ||
        llvm::isa<llvm::SelectInst>(instruction) || llvm::isa<llvm::IntToPtrInst>(instruction))
      continue;
    for (const llvm::Use& use : instruction.operands())
      if (is_never_set(*use))
        throw AsmUnsupported("assembly that reads a register or a flag that is not set");
  }
}

}  // namespace

void simplify(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (is_pure(instruction) && instruction.use_empty()) {
        instruction.eraseFromParent();
        changed = true;
        continue;
      }
      llvm::Value* better = simpler(instruction, layout);
      if (better == nullptr || better == &instruction) continue;
      instruction.replaceAllUsesWith(better);
      changed = true;
    }
    for (llvm::BasicBlock& block : function) changed |= llvm::ConstantFoldTerminator(&block);
    changed |= llvm::EliminateUnreachableBlocks(function);
  }
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(function))
    if (&block != &function.getEntryBlock()) llvm::MergeBlockIntoPredecessor(&block);
  reject_unset(function);
}

}  // namespace fenceline::frontend::c
