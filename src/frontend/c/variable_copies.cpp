// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/variable_copies.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <vector>

#include "frontend/c/effects.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kWord = 8;

class Expansion {
 public:
  explicit Expansion(llvm::MemIntrinsic& copy)
      : copy_(copy),
        set_(llvm::dyn_cast<llvm::MemSetInst>(&copy)),
        transfer_(llvm::dyn_cast<llvm::MemTransferInst>(&copy)),
        step_(llvm::Align(element_bytes())) {
    llvm::IRBuilder<> builder(&copy);
    element_ = builder.getIntNTy(static_cast<unsigned>(8 * step_.value()));
    count_ = builder.CreateLShr(builder.CreateZExtOrTrunc(copy.getLength(), builder.getInt64Ty()),
                                llvm::Log2(step_));
  }

  void run() {
    llvm::BasicBlock* before = copy_.getParent();
    llvm::BasicBlock* after = before->splitBasicBlock(copy_.getIterator(), "copied");
    before->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(copy_.getDebugLoc());
    if (llvm::isa<llvm::MemMoveInst>(copy_)) {
      llvm::BasicBlock *up = block(), *down = block();
      builder.CreateCondBr(builder.CreateICmpULT(copy_.getRawDest(), transfer_->getRawSource()), up, down);
      loop(*up, *after, true);
      loop(*down, *after, false);
    } else {
      loop(*before, *after, true);
    }
    copy_.eraseFromParent();
  }

 private:
  uint64_t element_bytes() const {
    const int64_t factor = scaled_index(*copy_.getLength()).factor;
    uint64_t bytes =
        std::min({kWord, static_cast<uint64_t>(factor & -factor), copy_.getDestAlign().valueOrOne().value()});
    if (transfer_ != nullptr) bytes = std::min(bytes, transfer_->getSourceAlign().valueOrOne().value());
    return set_ != nullptr ? 1 : bytes;
  }

  llvm::BasicBlock* block() const {
    return llvm::BasicBlock::Create(copy_.getContext(), "copy", copy_.getFunction());
  }

  // for (i = 0; i != count; ++i) element i; or for (i = count; i != 0;) element --i;
  void loop(llvm::BasicBlock& before, llvm::BasicBlock& after, bool upwards) {
    llvm::BasicBlock *head = block(), *body = block();
    llvm::IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(copy_.getDebugLoc());
    builder.CreateBr(head);
    builder.SetInsertPoint(head);
    llvm::Type* number = builder.getInt64Ty();
    llvm::PHINode* i = builder.CreatePHI(number, 2);
    llvm::Value* zero = llvm::ConstantInt::get(number, 0);
    builder.CreateCondBr(builder.CreateICmpEQ(i, upwards ? count_ : zero), &after, body);
    builder.SetInsertPoint(body);
    llvm::Value* next = builder.CreateAdd(i, llvm::ConstantInt::getSigned(number, upwards ? 1 : -1));
    copy_element(builder, upwards ? i : next);
    builder.CreateBr(head);
    i->addIncoming(upwards ? zero : count_, &before);
    i->addIncoming(next, body);
  }

  void copy_element(llvm::IRBuilder<>& builder, llvm::Value* index) const {
    const auto at = [&](llvm::Value* pointer) { return builder.CreateGEP(element_, pointer, index); };
    llvm::Value* value = set_ != nullptr ? set_->getValue()
                                         : builder.CreateAlignedLoad(element_, at(transfer_->getRawSource()),
                                                                     step_, copy_.isVolatile());
    builder.CreateAlignedStore(value, at(copy_.getRawDest()), step_, copy_.isVolatile());
  }

  llvm::MemIntrinsic& copy_;
  llvm::MemSetInst* set_;
  llvm::MemTransferInst* transfer_;
  llvm::Align step_;
  llvm::Type* element_;
  llvm::Value* count_;
};

}  // namespace

bool expand_variable_copies(llvm::Function& function) {
  std::vector<llvm::MemIntrinsic*> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
        copy != nullptr && !llvm::isa<llvm::ConstantInt>(copy->getLength()))
      copies.push_back(copy);
  for (llvm::MemIntrinsic* copy : copies) Expansion(*copy).run();
  return !copies.empty();
}

}  // namespace fenceline::frontend::c
