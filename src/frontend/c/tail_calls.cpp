// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/tail_calls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <set>
#include <vector>

namespace fenceline::frontend::c {
namespace {

// Is the variable accessed by nothing but loads and stores of this function? Then each level may use the same one.
bool stays_here(const llvm::Value& address) {
  return llvm::all_of(address.uses(), [](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    if (llvm::isa<llvm::LoadInst>(user) || llvm::isa<llvm::MemIntrinsic>(user)) return true;
    if (llvm::isa<llvm::StoreInst>(user))
      return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user))
      return intrinsic->isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic);
    return llvm::isa<llvm::GetElementPtrInst>(user) && stays_here(*user);
  });
}

// Without optimisation the result goes through a variable, and so does the number of the way out of nested scopes. What
// is left to do behind the call is followed with what these variables are known to hold.
class WayOut {
 public:
  explicit WayOut(const llvm::CallInst& call) : call_(call) {}

  bool returns_result() {
    std::set<const llvm::BasicBlock*> seen;
    const llvm::Instruction* at = call_.getNextNode();
    while (at != nullptr) {
      if (const auto* end = llvm::dyn_cast<llvm::ReturnInst>(at))
        return end->getReturnValue() == nullptr || value(*end->getReturnValue()) == &call_;
      if (at->isTerminator()) {
        const llvm::BasicBlock* next = successor(*at);
        if (next == nullptr || !seen.insert(next).second || llvm::isa<llvm::PHINode>(next->front()))
          return false;
        at = &next->front();
        continue;
      }
      if (!step(*at)) return false;
      at = at->getNextNode();
    }
    return false;
  }

 private:
  const llvm::Value* value(const llvm::Value& value) const {
    const auto known = values_.find(&value);
    return known == values_.end() ? &value : known->second;
  }

  // Does it only move values between variables?
  bool step(const llvm::Instruction& instruction) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (!llvm::isa<llvm::AllocaInst>(store->getPointerOperand()) || store->isVolatile()) return false;
      values_[store->getPointerOperand()] = value(*store->getValueOperand());
      return true;
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      const auto known = values_.find(load->getPointerOperand());
      if (known == values_.end() || load->isVolatile() || known->second->getType() != load->getType())
        return false;
      values_[load] = known->second;
      return true;
    }
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic != nullptr && (llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic) ||
                                    intrinsic->getIntrinsicID() == llvm::Intrinsic::lifetime_end);
  }

  const llvm::BasicBlock* successor(const llvm::Instruction& end) const {
    if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&end); jump != nullptr && jump->isUnconditional())
      return jump->getSuccessor(0);
    const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end);
    const auto* number =
        choice == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(value(*choice->getCondition()));
    return number == nullptr ? nullptr : choice->findCaseValue(number)->getCaseSuccessor();
  }

  const llvm::CallInst& call_;
  std::map<const llvm::Value*, const llvm::Value*> values_;  // of variables, and what was loaded from them
};

// Does control come to an end without one of the calls?
bool ends_without(llvm::Function& function, const std::vector<llvm::CallInst*>& calls) {
  std::set<const llvm::BasicBlock*> seen;
  for (const llvm::CallInst* call : calls) seen.insert(call->getParent());
  std::vector<const llvm::BasicBlock*> todo{&function.getEntryBlock()};
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    if (!seen.insert(block).second) continue;
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
    todo.insert(todo.end(), llvm::succ_begin(block), llvm::succ_end(block));
  }
  return false;
}

}  // namespace

void make_tail_calls_loops(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call != nullptr && call->getCalledFunction() == &function) {
      if (!WayOut(*call).returns_result()) return;
      calls.push_back(call);
    }
  if (calls.empty() || function.isVarArg() || !ends_without(function, calls)) return;
  llvm::BasicBlock& entry = function.getEntryBlock();
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        variable != nullptr && (variable->getParent() != &entry || !stays_here(*variable)))
      return;
  auto first = entry.begin();
  while (llvm::isa<llvm::AllocaInst>(first)) ++first;
  if (llvm::any_of(llvm::make_range(first, entry.end()),
                   [](const llvm::Instruction& later) { return llvm::isa<llvm::AllocaInst>(later); }))
    return;
  llvm::BasicBlock* begin = entry.splitBasicBlock(first, "again");
  std::vector<llvm::PHINode*> arguments;
  for (llvm::Argument& argument : function.args()) {
    auto* phi = llvm::PHINode::Create(argument.getType(), 0, argument.getName(), begin->getFirstNonPHIIt());
    argument.replaceAllUsesWith(phi);
    phi->addIncoming(&argument, &entry);
    arguments.push_back(phi);
  }
  for (llvm::CallInst* call : calls) {
    llvm::BasicBlock* before = call->getParent();
    for (size_t i = 0; i < arguments.size(); ++i)
      arguments[i]->addIncoming(call->getArgOperand(static_cast<unsigned>(i)), before);
    // What follows is not reached any more.
    before->splitBasicBlock(call->getIterator(), "returned");
    llvm::Instruction* jump = llvm::BranchInst::Create(begin);
    jump->setDebugLoc(call->getDebugLoc());
    llvm::ReplaceInstWithInst(before->getTerminator(), jump);
  }
  llvm::EliminateUnreachableBlocks(function);
}

}  // namespace fenceline::frontend::c
