// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loops with a constant number of iterations. How many there are is found by evaluating the conditions with
// the constants of each iteration; then so many copies of the body are put in front of the loop, and the loop
// stays behind them. Values that are used outside their copy go through memory meanwhile.
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "env/errors.h"
#include "frontend/c/passes.h"

namespace fenceline::frontend::c {
namespace {

constexpr unsigned kMostIterations = 64;  // a loop with more is left as it is
// So many instructions of copies, for a loop around loops that stay: it can be left as it is, too.
constexpr size_t kLargestOuter = 10'000;

// Where control goes from the end of the block if the condition is that; null if that is not known.
const llvm::BasicBlock* target(const llvm::Instruction& end, const llvm::Constant& condition) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&condition);
  if (number == nullptr) return nullptr;
  if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&end))
    return jump->getSuccessor(number->isZero() ? 1 : 0);
  if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end))
    return choice->findCaseValue(number)->getCaseSuccessor();
  return nullptr;
}

llvm::Value* condition_of(const llvm::Instruction& end) {
  if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&end))
    return jump->isConditional() ? jump->getCondition() : nullptr;
  if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) return choice->getCondition();
  return nullptr;
}

}  // namespace

// The value in the iteration whose constants are known, with placeholders for the addresses of what is allocated
// outside of the loop; null if it is no constant.
llvm::Constant* Passes::value_in(const llvm::Loop& loop, llvm::Value& value,
                                 std::map<llvm::Value*, llvm::Constant*>& known) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return constant;
  if (const auto [found, added] = known.emplace(&value, nullptr); !added) return found->second;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) return nullptr;
  // Outside of the loop: the same in each iteration.
  if (!loop.contains(instruction)) return known[&value] = addresses_.value(value);
  llvm::Constant* result = nullptr;
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    for (llvm::Value* incoming : phi->incoming_values()) {
      llvm::Constant* one = value_in(loop, *incoming, known);
      if (one == nullptr || (result != nullptr && one != result)) return nullptr;
      result = one;
    }
  } else if (const llvm::Instruction* operation = opaque_.operation(*instruction)) {
    llvm::SmallVector<llvm::Constant*> operands;
    for (llvm::Value* operand : llvm::cast<llvm::CallInst>(instruction)->args()) {
      llvm::Constant* one = value_in(loop, *operand, known);
      if (one == nullptr) return nullptr;
      operands.push_back(one);
    }
    result = addresses_.evaluate(*operation, operands);
  }
  return known[&value] = result;
}

// How often control comes to the loop's header, at most; 0 if that is not known, or too often.
unsigned Passes::iterations(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  llvm::SmallVector<llvm::BasicBlock*> latches, exiting;
  loop.getLoopLatches(latches);
  loop.getExitingBlocks(exiting);
  // Those that control passes in every iteration.
  llvm::erase_if(exiting, [&](llvm::BasicBlock* block) {
    return llvm::any_of(latches,
                        [&](llvm::BasicBlock* latch) { return !dominators.dominates(block, latch); });
  });
  std::map<llvm::Value*, llvm::Constant*> known;
  const auto from = [&](llvm::PHINode& phi, bool inside, std::map<llvm::Value*, llvm::Constant*>& values) {
    llvm::Constant* result = nullptr;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      if (loop.contains(phi.getIncomingBlock(i)) != inside) continue;
      llvm::Constant* one = value_in(loop, *phi.getIncomingValue(i), values);
      if (one == nullptr || (result != nullptr && one != result))
        return static_cast<llvm::Constant*>(nullptr);
      result = one;
    }
    return result;
  };
  for (llvm::PHINode& phi : loop.getHeader()->phis()) known[&phi] = from(phi, false, known);
  for (unsigned iteration = 1; iteration <= kMostIterations + 1; ++iteration) {
    bool any_known = false;
    for (const llvm::BasicBlock* block : exiting) {
      const llvm::Instruction& end = *block->getTerminator();
      llvm::Value* condition = condition_of(end);
      llvm::Constant* value = condition == nullptr ? nullptr : value_in(loop, *condition, known);
      const llvm::BasicBlock* next = value == nullptr ? nullptr : target(end, *value);
      if (next == nullptr) continue;
      if (!loop.contains(next)) return iteration;
      any_known = true;
    }
    if (!any_known) return 0;
    std::map<llvm::Value*, llvm::Constant*> following;
    for (llvm::PHINode& phi : loop.getHeader()->phis()) following[&phi] = from(phi, true, known);
    known = std::move(following);
  }
  return 0;
}

void Passes::peel(llvm::Function& function, const llvm::Loop& loop, unsigned iterations,
                  std::vector<llvm::AllocaInst*>& slots) {
  llvm::BasicBlock* header = loop.getHeader();
  const std::vector<llvm::BasicBlock*> body(loop.block_begin(), loop.block_end());
  const llvm::BasicBlock::iterator first = function.getEntryBlock().getFirstInsertionPt();
  const auto demote_phis = [&](llvm::BasicBlock& block) {
    while (!block.phis().empty())
      if (llvm::AllocaInst* slot = llvm::DemotePHIToStack(&*block.phis().begin(), first))
        slots.push_back(slot);
  };
  demote_phis(*header);
  llvm::SmallVector<llvm::BasicBlock*> exits;
  loop.getUniqueExitBlocks(exits);
  for (llvm::BasicBlock* exit : exits) demote_phis(*exit);
  for (llvm::BasicBlock* block : body)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      const bool leaves = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        return !loop.contains(llvm::cast<llvm::Instruction>(user));
      });
      if (leaves) slots.push_back(llvm::DemoteRegToStack(instruction, false, first));
    }
  std::vector<llvm::BasicBlock*> before;
  for (llvm::BasicBlock* block : llvm::predecessors(header))
    if (!loop.contains(block)) before.push_back(block);
  // From the last copy to the first: control goes from each to the next, and from the last to the loop.
  llvm::BasicBlock* next = header;
  for (unsigned i = 0; i < iterations; ++i) {
    llvm::ValueToValueMapTy copies;
    std::vector<llvm::BasicBlock*> copied;
    for (llvm::BasicBlock* block : body) {
      copied.push_back(llvm::CloneBasicBlock(block, copies, ".copy", &function));
      copies[block] = copied.back();
    }
    auto* entry = llvm::cast<llvm::BasicBlock>(copies[header]);
    for (llvm::BasicBlock* block : copied) {
      for (llvm::Instruction& instruction : *block)
        llvm::RemapInstruction(&instruction, copies,
                               llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      block->getTerminator()->replaceSuccessorWith(entry, next);
    }
    next = entry;
  }
  for (llvm::BasicBlock* block : before) block->getTerminator()->replaceSuccessorWith(header, next);
}

// All innermost loops at once: they have no block in common, so each stays what it is while others are
// copied. A loop around loops is left for the time when those inside are gone; one whose inner loops stay,
// since their iterations are known only with its own, comes when there is nothing else to do.
bool Passes::unroll_loops(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  const auto preorder = loops.getLoopsInPreorder();
  std::vector<std::pair<const llvm::Loop*, unsigned>> chosen;
  for (const llvm::Loop* loop : preorder)
    if (const unsigned count = loop->isInnermost() ? iterations(*loop, dominators) : 0)
      chosen.emplace_back(loop, count);
  for (const llvm::Loop* loop : llvm::reverse(preorder)) {
    if (!chosen.empty()) break;
    const unsigned count = iterations(*loop, dominators);
    size_t size = 0;
    for (const llvm::BasicBlock* block : loop->blocks()) size += block->size();
    if (count > 0 && size * count <= kLargestOuter) chosen.emplace_back(loop, count);
  }
  if (chosen.empty()) return false;
  const Ledger ledger(function);
  PassCounts counts{"unrolling", ledger.total()};
  std::vector<llvm::AllocaInst*> slots;
  for (const auto& [loop, count] : chosen) peel(function, *loop, count, slots);
  llvm::DominatorTree changed(function);
  llvm::PromoteMemToReg(slots, changed);
  ledger.check(function, "the unrolling of loops");
  counts.after = Ledger(function).total();
  counts_.push_back(counts);
  return true;
}

}  // namespace fenceline::frontend::c
