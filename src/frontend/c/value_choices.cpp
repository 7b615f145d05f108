// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/value_choices.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace fenceline::frontend::c {
namespace {

// A variable of this function, or a part of it at a constant offset: loading from it is no event.
bool is_local(const llvm::Value& pointer, const Opaque& opaque) {
  const llvm::Value* base = &pointer;
  while (llvm::isa_and_nonnull<llvm::GetElementPtrInst>(opaque.operation(*base))) {
    const auto& call = llvm::cast<llvm::CallInst>(*base);
    for (unsigned i = 1; i < call.arg_size(); ++i)
      if (!llvm::isa<llvm::ConstantInt>(call.getArgOperand(i))) return false;
    base = call.getArgOperand(0);
  }
  return llvm::isa<llvm::AllocaInst>(base);
}

// Between the choice and the load nothing is written.
bool is_loaded_at_once(const llvm::PHINode& phi, const llvm::User& user, const Opaque& opaque) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user);
  if (load == nullptr || load->isAtomic() || !opaque.made_volatile(*load)) return false;
  const auto writes = [&](const llvm::Instruction& between) {
    if (llvm::isa<llvm::LoadInst>(between) || opaque.operation(between) != nullptr) return false;
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&between);
    if (intrinsic == nullptr || !intrinsic->isLifetimeStartOrEnd()) return between.mayWriteToMemory();
    return llvm::is_contained(phi.incoming_values(),
                              intrinsic->getArgOperand(1));  // it ends before it is read
  };
  const llvm::Instruction* at = &phi;
  while (at != load) {
    if (writes(*at)) return false;
    if (!at->isTerminator()) {
      at = at->getNextNode();
      continue;
    }
    // Control always goes on to the next block, and comes there only from here.
    const llvm::BasicBlock* next = at->getParent()->getSingleSuccessor();
    if (next == nullptr || next->getSinglePredecessor() == nullptr || next == phi.getParent()) return false;
    at = &next->front();
  }
  return true;
}

}  // namespace

bool choose_values(llvm::Function& function, Opaque& opaque) {
  std::vector<llvm::PHINode*> choices;
  for (llvm::BasicBlock& block : function)
    for (llvm::PHINode& phi : block.phis())
      if (phi.getType()->isPointerTy() && !phi.use_empty() &&
          llvm::all_of(phi.incoming_values(), [&](const llvm::Use& use) { return is_local(*use, opaque); }) &&
          llvm::all_of(phi.users(),
                       [&](const llvm::User* user) { return is_loaded_at_once(phi, *user, opaque); }))
        choices.push_back(&phi);
  for (llvm::PHINode* phi : choices) {
    std::vector<llvm::LoadInst*> loads;
    for (llvm::User* user : phi->users()) loads.push_back(llvm::cast<llvm::LoadInst>(user));
    for (llvm::LoadInst* load : loads) {
      llvm::PHINode* value =
          llvm::PHINode::Create(load->getType(), phi->getNumIncomingValues(), "", phi->getIterator());
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::BasicBlock* from = phi->getIncomingBlock(i);
        // A block may come here in two ways; it has one value then.
        if (const int known = value->getBasicBlockIndex(from); known >= 0) {
          value->addIncoming(value->getIncomingValue(static_cast<unsigned>(known)), from);
          continue;
        }
        llvm::IRBuilder<> builder(from->getTerminator());
        llvm::LoadInst* one = builder.CreateLoad(load->getType(), phi->getIncomingValue(i));
        opaque.make_volatile(*one);
        opaque.share_origin(*one, *load);
        value->addIncoming(one, from);
      }
      load->replaceAllUsesWith(value);
      load->eraseFromParent();
    }
    phi->eraseFromParent();
  }
  return !choices.empty();
}

}  // namespace fenceline::frontend::c
