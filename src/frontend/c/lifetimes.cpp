// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/lifetimes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace fenceline::frontend::c {
namespace {

const llvm::AllocaInst* variable_of(const llvm::Instruction& instruction, llvm::Intrinsic::ID which) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic == nullptr || intrinsic->getIntrinsicID() != which) return nullptr;
  return llvm::dyn_cast<llvm::AllocaInst>(intrinsic->getArgOperand(1));
}

// Is there nothing but the end of other variables up to the end of the function?
bool is_last(const llvm::Instruction& end) {
  for (const llvm::Instruction* next = end.getNextNode();;) {
    if (llvm::isa<llvm::ReturnInst>(next)) return true;
    if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(next)) {
      if (jump->isConditional()) return false;
      next = &jump->getSuccessor(0)->front();
      continue;
    }
    if (variable_of(*next, llvm::Intrinsic::lifetime_end) == nullptr && !llvm::isa<llvm::PHINode>(next))
      return false;
    next = next->getNextNode();
  }
}

}  // namespace

// Forwards from the end, not through where the variable begins again. Only blocks that have an access or such a
// beginning are looked into: after inlining there are thousands of others.
bool comes_after_end(const llvm::AllocaInst& variable, const llvm::Instruction& end,
                     const std::set<const llvm::Instruction*>& accesses) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> concerned, seen;
  for (const llvm::Instruction* access : accesses) concerned.insert(access->getParent());
  for (const llvm::User* user : variable.users())
    if (const auto* start = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        start != nullptr && variable_of(*start, llvm::Intrinsic::lifetime_start) == &variable)
      concerned.insert(start->getParent());
  std::vector<const llvm::Instruction*> todo{end.getNextNode()};
  while (!todo.empty()) {
    const llvm::Instruction* at = todo.back();
    todo.pop_back();
    const llvm::BasicBlock& block = *at->getParent();
    bool begins = false;
    if (concerned.contains(&block))
      for (; at != nullptr && !begins; at = at->getNextNode()) {
        if (accesses.contains(at)) return true;
        begins = variable_of(*at, llvm::Intrinsic::lifetime_start) == &variable;
      }
    if (begins) continue;
    for (const llvm::BasicBlock* next : llvm::successors(&block))
      if (seen.insert(next).second) todo.push_back(&next->front());
  }
  return false;
}

Lifetimes::Lifetimes(const std::vector<const llvm::Function*>& functions, const PointsTo& points_to,
                     const llvm::Function* main) {
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const llvm::AllocaInst* variable = variable_of(instruction, llvm::Intrinsic::lifetime_end);
      if (variable == nullptr || variables_.contains(variable)) continue;
      if (function == main && is_last(instruction)) continue;
      std::set<const llvm::Instruction*> here;
      bool elsewhere = false;
      for (const PointsTo::Access& access : points_to.accesses(*variable)) {
        here.insert(access.by);
        elsewhere |= access.by->getFunction() != function;
      }
      // Another thread may execute the same function; what it gets hold of is in memory.
      elsewhere |= function != main && points_to.is_stored(*variable);
      if (!elsewhere && !comes_after_end(*variable, instruction, here)) continue;
      variables_.insert(variable);
      accesses_.insert(here.begin(), here.end());
    }
}

}  // namespace fenceline::frontend::c
