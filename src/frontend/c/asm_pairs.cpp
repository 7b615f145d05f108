// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/asm_pairs.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/AtomicOrdering.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>
#include <set>
#include <vector>

#include "frontend/c/asm_machine.h"
#include "frontend/c/asm_parser.h"

namespace fenceline::frontend::c {
namespace {

using llvm::AtomicOrdering;

bool is_exclusive_store(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() != nullptr &&
         call->getCalledFunction()->getName().starts_with(kExclusiveStore);
}

bool is_exclusive_load(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::LoadInst>(instruction) && instruction.getMetadata(kRmwNote) != nullptr;
}

bool touches_memory(const llvm::Instruction& instruction) {
  return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects();
}

bool depends_on(const llvm::Value& value, const llvm::Instruction& source,
                std::set<const llvm::Value*>& seen) {
  if (&value == &source) return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || !seen.insert(&value).second) return false;
  return llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& use) { return depends_on(*use, source, seen); });
}

bool depends_on(const llvm::Value& value, const llvm::Instruction& source) {
  std::set<const llvm::Value*> seen;
  return depends_on(value, source, seen);
}

// What the value is if `source` is that constant; null if that is not all it depends on.
llvm::Constant* value_if(llvm::Value& value, const llvm::Instruction& source, bool is_true,
                         const llvm::DataLayout& layout) {
  if (&value == &source) return llvm::ConstantInt::getBool(value.getContext(), is_true);
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return constant;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || llvm::isa<llvm::PHINode>(instruction) || touches_memory(*instruction))
    return nullptr;
  llvm::SmallVector<llvm::Constant*> operands;
  for (llvm::Value* operand : instruction->operands()) {
    llvm::Constant* known = value_if(*operand, source, is_true, layout);
    if (known == nullptr) return nullptr;
    operands.push_back(known);
  }
  return llvm::ConstantFoldInstOperands(instruction, operands, layout);
}

// Without what extends and narrows.
llvm::Value& stripped(llvm::Value& value) {
  llvm::Value* result = &value;
  while (llvm::isa<llvm::ZExtInst>(result) || llvm::isa<llvm::SExtInst>(result) ||
         llvm::isa<llvm::TruncInst>(result))
    result = llvm::cast<llvm::CastInst>(result)->getOperand(0);
  return *result;
}

// ---- A pair ----

class Pair {
 public:
  explicit Pair(llvm::CallInst& store)
      : store_(store),
        layout_(store.getModule()->getDataLayout()),
        order_(static_cast<AtomicOrdering>(
            llvm::cast<llvm::ConstantInt>(store.getArgOperand(2))->getZExtValue())) {
    find_load();
  }

  void merge() {
    const bool retried = is_retried();
    if (retried) remove_retry();
    llvm::Value& stored = *store_.getArgOperand(1);
    if (condition_ == nullptr && retried) {
      if (merge_operation(stored)) return;
    } else if (condition_ != nullptr && !depends_on(stored, *load_)) {
      if (llvm::Value* expected = expected_value()) return merge_comparison(*expected, stored, retried);
    }
    if (retried) restore_retry();
    keep_loop(retried);
  }

 private:
  // Upwards from the store, along the only way to it.
  void find_load() {
    llvm::BasicBlock* block = store_.getParent();
    for (llvm::Instruction* at = store_.getPrevNode();; at = at->getPrevNode()) {
      while (at == nullptr) {
        llvm::BasicBlock* before = block->getSinglePredecessor();
        if (before == nullptr) fail("a conditional store that does not follow its load on all paths");
        note_condition(*before, *block);
        block = before;
        at = block->getTerminator();
      }
      if (at->isTerminator()) continue;
      if (is_exclusive_load(*at)) {
        load_ = llvm::cast<llvm::LoadInst>(at);
        break;
      }
      if (touches_memory(*at)) fail("another access or a fence between an exclusive load and its store");
    }
    if (load_->getPointerOperand() != store_.getArgOperand(0) && !same_address())
      fail("an exclusive store to another address than the load before it");
    if (load_->getType() != store_.getArgOperand(1)->getType())
      fail("an exclusive store of another size than the load before it");
  }

  bool same_address() const {
    const auto* a = llvm::dyn_cast<llvm::Instruction>(load_->getPointerOperand());
    const auto* b = llvm::dyn_cast<llvm::Instruction>(store_.getArgOperand(0));
    return a != nullptr && b != nullptr && !touches_memory(*a) && a->isIdenticalTo(b);
  }

  void note_condition(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
    if (branch == nullptr || branch->isUnconditional()) return;
    ++conditions_;
    condition_ = branch->getCondition();
    holds_ = branch->getSuccessor(0) == &to;
  }

  [[noreturn]] static void fail(const char* why) { throw AsmUnsupported(why); }

  // Is the load executed again when the store has failed, with nothing before it that has an effect?
  bool is_retried() {
    for (llvm::BasicBlock& block : *store_.getFunction()) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      if (branch == nullptr || branch->isUnconditional() || !depends_on(*branch->getCondition(), store_))
        continue;
      const auto* fails =
          llvm::dyn_cast_or_null<llvm::ConstantInt>(value_if(*branch->getCondition(), store_, true, layout_));
      const auto* succeeds = llvm::dyn_cast_or_null<llvm::ConstantInt>(
          value_if(*branch->getCondition(), store_, false, layout_));
      if (fails == nullptr || succeeds == nullptr || fails->isOne() == succeeds->isOne()) continue;
      llvm::BasicBlock* again = branch->getSuccessor(fails->isOne() ? 0 : 1);
      if (leads_to_load(again) && nothing_between(block)) {
        retry_ = branch;
        retry_condition_ = branch->getCondition();
        return true;
      }
    }
    return false;
  }

  bool leads_to_load(llvm::BasicBlock* block) const {
    for (std::set<llvm::BasicBlock*> seen; block != nullptr && seen.insert(block).second;
         block = block->getSingleSuccessor())
      for (const llvm::Instruction& instruction : *block) {
        if (&instruction == load_) return true;
        if (touches_memory(instruction)) return false;
      }
    return false;
  }

  // From the store to the end of the block that decides.
  bool nothing_between(const llvm::BasicBlock& decides) const {
    const llvm::Instruction* at = store_.getNextNode();
    for (const llvm::BasicBlock* block = store_.getParent();;) {
      for (; at != nullptr; at = at->getNextNode())
        if (touches_memory(*at)) return false;
      if (block == &decides) return true;
      block = block->getSingleSuccessor();
      if (block == nullptr || block == store_.getParent()) return false;
      at = &block->front();
    }
  }

  // The branch is decided as if the store had succeeded; simplify() removes the other edge.
  void remove_retry() { retry_->setCondition(value_if(*retry_condition_, store_, false, layout_)); }
  void restore_retry() { retry_->setCondition(retry_condition_); }

  // ---- What is made of it ----

  // Computes the value, which does not depend on the load, before the load.
  void hoist(llvm::Value& value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (instruction == nullptr || llvm::isa<llvm::PHINode>(instruction)) return;
    const llvm::BasicBlock* block = instruction->getParent();
    const bool before =
        block == load_->getParent() ? instruction->comesBefore(load_) : !between_.contains(block);
    if (before) return;
    for (llvm::Value* operand : instruction->operands()) hoist(*operand);
    instruction->moveBefore(load_);
  }

  void collect_blocks() {
    for (llvm::BasicBlock* block = store_.getParent(); block != load_->getParent();
         block = block->getSinglePredecessor())
      between_.insert(block);
  }

  bool acquires() const { return llvm::isAcquireOrStronger(load_->getOrdering()); }
  bool releases() const { return llvm::isReleaseOrStronger(order_); }

  AtomicOrdering order() const {
    if (acquires() && releases()) return AtomicOrdering::AcquireRelease;
    return acquires()   ? AtomicOrdering::Acquire
           : releases() ? AtomicOrdering::Release
                        : AtomicOrdering::Monotonic;
  }
  // Sequentially consistent only if the load is and the store releases: ldaxr and stlxr, lr.aqrl and sc.rl.
  void annotate(llvm::Instruction& made) const {
    made.setMetadata(kRmwNote, load_->getMetadata(kRmwNote));
    llvm::MDNode* strong = load_->getMetadata(kOrderNote);
    if (releases()) return made.setMetadata(kOrderNote, strong);
    if (strong != nullptr && llvm::cast<llvm::MDString>(strong->getOperand(0))->getString() == kStrongOnRiscV)
      fail("lr.aqrl with a conditional store that does not release");
  }
  AtomicOrdering failure() const { return load_->getOrdering(); }

  void finish(llvm::Value& old, llvm::Value& failed) {
    load_->replaceAllUsesWith(&old);
    load_->eraseFromParent();
    store_.replaceAllUsesWith(&failed);
    store_.eraseFromParent();
  }

  // An exchange if the value does not depend on what was read; else one of the operations that there are.
  bool merge_operation(llvm::Value& stored) {
    collect_blocks();
    using Rmw = llvm::AtomicRMWInst;
    Rmw::BinOp operation = Rmw::Xchg;
    llvm::Value* operand = &stored;
    if (depends_on(stored, *load_)) {
      auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&stripped(stored));
      if (binary == nullptr ||
          binary->getType()->getIntegerBitWidth() < load_->getType()->getIntegerBitWidth())
        return false;
      const bool left = &stripped(*binary->getOperand(0)) == load_;
      if (!left && &stripped(*binary->getOperand(1)) != load_) return false;
      operand = binary->getOperand(left ? 1 : 0);
      if (depends_on(*operand, *load_)) return false;
      switch (binary->getOpcode()) {
        case llvm::Instruction::Add:
          operation = Rmw::Add;
          break;
        case llvm::Instruction::Sub:
          if (!left) return false;
          operation = Rmw::Sub;
          break;
        case llvm::Instruction::And:
          operation = Rmw::And;
          break;
        case llvm::Instruction::Or:
          operation = Rmw::Or;
          break;
        case llvm::Instruction::Xor:
          operation = Rmw::Xor;
          break;
        default:
          return false;
      }
    }
    hoist(*operand);
    llvm::IRBuilder<> builder(load_);
    // The low bits of these operations depend on the low bits alone.
    operand = builder.CreateTrunc(operand, load_->getType());
    auto* rmw =
        builder.CreateAtomicRMW(operation, load_->getPointerOperand(), operand, load_->getAlign(), order());
    annotate(*rmw);
    finish(*rmw, *builder.getFalse());
    return true;
  }

  // The value that what was read is compared with, if there is a store only where they are equal.
  llvm::Value* expected_value() const {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition_);
    if (conditions_ != 1 || compare == nullptr || !compare->isEquality()) return nullptr;
    if ((compare->getPredicate() == llvm::CmpInst::ICMP_EQ) != holds_) return nullptr;
    llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
    // a ^ b and a - b are 0 where a and b are equal.
    if (auto* difference = llvm::dyn_cast<llvm::BinaryOperator>(left);
        difference != nullptr && llvm::isa<llvm::ConstantInt>(right) &&
        llvm::cast<llvm::ConstantInt>(right)->isZero() &&
        (difference->getOpcode() == llvm::Instruction::Xor ||
         difference->getOpcode() == llvm::Instruction::Sub)) {
      left = difference->getOperand(0);
      right = difference->getOperand(1);
    }
    if (right == load_) std::swap(left, right);
    // Only whole values: one that was extended may differ from everything that is expected.
    if (left != load_ || depends_on(*right, *load_)) return nullptr;
    return right;
  }

  void merge_comparison(llvm::Value& expected, llvm::Value& stored, bool retried) {
    collect_blocks();
    hoist(expected);
    hoist(stored);
    llvm::IRBuilder<> builder(load_);
    auto* exchange = builder.CreateAtomicCmpXchg(load_->getPointerOperand(), &expected, &stored,
                                                 load_->getAlign(), order(), failure());
    annotate(*exchange);
    exchange->setWeak(!retried);
    llvm::Value* old = builder.CreateExtractValue(exchange, 0);
    llvm::Value* failed =
        retried ? builder.getFalse() : builder.CreateNot(builder.CreateExtractValue(exchange, 1));
    finish(*old, *failed);
  }

  // The load stays, and the store is a compare-and-exchange that expects what it has read.
  void keep_loop(bool retried) {
    llvm::IRBuilder<> builder(&store_);
    auto* exchange = builder.CreateAtomicCmpXchg(load_->getPointerOperand(), load_, store_.getArgOperand(1),
                                                 load_->getAlign(), order(), failure());
    annotate(*exchange);
    exchange->setWeak(!retried);
    load_->setMetadata(kRmwNote, nullptr);
    llvm::Value* failed = builder.CreateNot(builder.CreateExtractValue(exchange, 1));
    store_.replaceAllUsesWith(failed);
    store_.eraseFromParent();
  }

  llvm::CallInst& store_;
  const llvm::DataLayout& layout_;
  AtomicOrdering order_;
  llvm::LoadInst* load_ = nullptr;
  unsigned conditions_ = 0;
  llvm::Value* condition_ = nullptr;
  bool holds_ = false;
  llvm::BranchInst* retry_ = nullptr;
  llvm::Value* retry_condition_ = nullptr;
  std::set<const llvm::BasicBlock*> between_;
};

}  // namespace

void merge_exclusive_pairs(llvm::Function& function) {
  std::vector<llvm::CallInst*> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_exclusive_store(instruction)) stores.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst* store : stores) Pair(*store).merge();
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_exclusive_load(instruction)) instruction.setMetadata(kRmwNote, nullptr);
}

}  // namespace fenceline::frontend::c
