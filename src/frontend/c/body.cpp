// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/body.h"

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <array>

#include "env/errors.h"
#include "frontend/c/source_steps.h"

namespace fenceline::frontend::c {
namespace {

// Expressions of more nodes than that get a register if they are used more than once.
constexpr unsigned kCheap = 4, kLarge = 24;

}  // namespace

Body::Body(Lowering& lowering, ThreadBuilder& thread, RegisterPool& registers, const Call& call,
           std::optional<ExprId> argument)
    : lowering_(lowering),
      builder_(lowering.builder()),
      thread_(thread),
      registers_(registers),
      call_(call),
      function_(*call.function),
      argument_(argument),
      dominators_(*call.function),
      loops_(dominators_),
      current_(&call.function->getEntryBlock().front()),
      end_(thread.label()) {}

void Body::lower() {
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function_);
  for (const llvm::BasicBlock* block : order) {
    labels_.emplace(block, thread_.label());
    order_.emplace(block, order_.size());
  }
  for (const llvm::Function& function : *function_.getParent())
    marks_retries_ |= library_call(function) == Library::kRetry;
  for (const llvm::Instruction& instruction : llvm::instructions(function_))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const llvm::Function* callee = call->getCalledFunction();
          callee != nullptr && callee->getName() == "__assert_fail")
        assertions_[call->getParent()] = lowering_.written_at(*call);
  // What comes from several blocks has a register before any of them is seen.
  for (const llvm::BasicBlock* block : order)
    for (const llvm::PHINode& phi : block->phis()) {
      if (is_wide(*phi.getType())) {
        const uint64_t bytes = bit_width(*phi.getType()) / 8;
        for (uint64_t at = 0; at < bytes; at += 8)
          parts_[&phi].push_back({at, static_cast<uint8_t>(std::min<uint64_t>(8, bytes - at)),
                                  builder_.reg(registers_.take()), true});
        continue;
      }
      if (!is_scalar(*phi.getType()))
        reject(phi, fmt::format("{} (a value that depends on the path taken)", words_for(*phi.getType())));
      values_[&phi] = builder_.reg(registers_.take());
    }
  begin_to_count_failures();
  reached_.insert(&function_.getEntryBlock());
  std::set<const llvm::BasicBlock*> lowered;
  // Once, unless a jump backwards is the only way to a block.
  for (bool again = true; again;) {
    again = false;
    for (const llvm::BasicBlock* block : order)
      if (reached_.contains(block) && lowered.insert(block).second) {
        this->block(*block);
        again = true;
      }
  }
  thread_.bind(end_);
  registers_.release();
}

void Body::block(const llvm::BasicBlock& block) {
  thread_.bind(labels_.at(&block));
  checked_.clear();
  fold_phis(block);
  section_ = sections_[&block];
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    const SourcePos pos = lowering_.position(instruction);
    if (pos.known()) here_ = pos;
    current_ = &instruction;
    thread_.role(is_library_step(instruction) ? StepRole::kInternal : StepRole::kProgram);
    if (instruction.isTerminator())
      terminator(instruction);
    else
      this->instruction(instruction);
  }
}

// What is the same constant on all ways to the block needs no register.
void Body::fold_phis(const llvm::BasicBlock& block) {
  if (llvm::any_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* from) {
        const auto at = order_.find(from);
        return at != order_.end() && at->second >= order_.at(&block);
      }))
    return;  // a loop
  for (const llvm::PHINode& phi : block.phis()) {
    if (is_wide(*phi.getType())) continue;
    std::optional<Value> only;
    bool same = true;
    for (const llvm::BasicBlock* from : phi.blocks()) {
      if (!edges_.contains({from, &block})) continue;
      const auto one = known(*phi.getIncomingValueForBlock(from));
      same &= one && (!only || *only == *one);
      only = one;
    }
    if (!same || !only) continue;
    values_[&phi] = number(*only);
    folded_.insert(&phi);
  }
}

// ---- Control ----

void Body::reach(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  reached_.insert(&to);
  edges_.insert({&from, &to});
  enter(*from.getTerminator(), to);
}

// Control goes there. All edges to a block agree on whether it is in an atomic section.
void Body::enter(const llvm::Instruction& from, const llvm::BasicBlock& to) {
  if (section_ != nullptr && order_.at(&to) <= order_.at(from.getParent()))
    reject(from, "a loop inside of an atomic section");
  const auto [found, added] = sections_.emplace(&to, section_);
  if (!added && found->second != section_)
    reject(section_ != nullptr ? *section_ : *found->second,
           "an atomic section that not all paths through it begin and end");
}

// A thread does not end inside of an atomic section; that one is over, too.
void Body::stop() {
  if (section_ != nullptr) thread_.atomic_end(here_);
  thread_.halt(here_);
}

void Body::outside_of_atomic(const llvm::Instruction& at, const char* what) {
  if (section_ != nullptr) reject(at, fmt::format("{} inside of an atomic section", what));
}

// A further iteration, where that counts as a retry. A file that calls fl_retry() marks the retries of all
// its operations: other loops are not retries, they traverse a list, for instance. In a file without it,
// every further iteration counts.
bool Body::is_retry(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  return call_.no_retries && !marks_retries_ && order_.at(&to) <= order_.at(&from);
}

bool Body::needs_edge_code(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  return !to.phis().empty() || is_retry(from, to);
}

// From the end of one block to the beginning of the other: what the phis of the other one become, all at
// once.
void Body::go(const llvm::BasicBlock& from, const llvm::BasicBlock& to, SourcePos pos) {
  if (is_retry(from, to)) {
    thread_.assume(number(0), pos);
    stop();
    return;
  }
  reach(from, to);
  std::vector<std::pair<RegId, ExprId>> moves;
  std::set<const llvm::Value*> targets;
  for (const llvm::PHINode& phi : to.phis()) targets.insert(&phi);
  for (const llvm::PHINode& phi : to.phis()) {
    const llvm::Value& incoming = *phi.getIncomingValueForBlock(&from);
    if (&incoming == &phi) continue;
    if (folded_.contains(&phi)) reject(*from.getTerminator(), "a loop that is entered in the middle");
    if (is_wide(*phi.getType())) {
      const Parts from_there = parts(incoming);
      for (const Part& word : parts_.at(&phi))
        moves.emplace_back(builder_.expr(word.value).reg, gathered(from_there, word.offset, word.bytes));
      continue;
    }
    moves.emplace_back(builder_.expr(values_.at(&phi)).reg,
                       may_be_undefined(phi) ? copied(incoming) : value(incoming));
  }
  // With several of them, none may overwrite what another one still reads: all are read first.
  if (moves.size() > 1) {
    std::vector<std::pair<RegId, ExprId>> last;
    for (auto& [reg, source] : moves) {
      if (builder_.constant_value(source)) {
        last.emplace_back(reg, source);
        continue;
      }
      const RegId copy = thread_.temp();
      thread_.assign({copy}, source, pos);
      last.emplace_back(reg, builder_.reg(copy));
    }
    moves = std::move(last);
  }
  for (const auto& [reg, source] : moves) thread_.assign({reg}, source, pos);
  thread_.jump(labels_.at(&to));
}

// The assertion that a branch is about: one that leads to its failure, or that is at the same position, as all
// parts of `a && b` do when a macro has them.
SourcePos Body::decided(SourcePos branch, const llvm::BasicBlock& yes, const llvm::BasicBlock* no) const {
  for (const llvm::BasicBlock* to : {&yes, no})
    if (const auto found = assertions_.find(to); found != assertions_.end()) return found->second;
  const bool same_position =
      branch.known() && std::any_of(assertions_.begin(), assertions_.end(),
                                    [&](const auto& one) { return one.second == branch; });
  return same_position ? branch : SourcePos();
}

void Body::terminator(const llvm::Instruction& instruction) {
  const llvm::BasicBlock& from = *instruction.getParent();
  if (const auto* end = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
    if (section_ != nullptr)
      reject(*section_, "an atomic section that does not end (fl_atomic_begin without fl_atomic_end)");
    leave_result(end->getReturnValue());
    return thread_.jump(end_);
  }
  if (llvm::isa<llvm::UnreachableInst>(instruction)) {
    // Behind a call that does not return there is nothing; elsewhere the program promises that control never comes
    // here.
    const llvm::Instruction* before = instruction.getPrevNonDebugInstruction();
    const auto* last = before == nullptr ? nullptr : llvm::dyn_cast<llvm::CallBase>(before);
    if (last == nullptr || !last->doesNotReturn())
      thread_.check(number(0), here_, "a point is reached that the program declares unreachable");
    return stop();
  }
  if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction)) call(*invoke);  // rejects it
  // One edge or the other; edges with code of their own get a label.
  const auto branch = [&](ExprId condition, const llvm::BasicBlock& yes, const llvm::BasicBlock* no,
                          Label otherwise) {
    const SourcePos pos = here_;
    reach(from, yes);
    if (no != nullptr) reach(from, *no);
    const bool edge_yes = needs_edge_code(from, yes), edge_no = no != nullptr && needs_edge_code(from, *no);
    const Label to_yes = edge_yes ? thread_.label() : labels_.at(&yes);
    const Label to_no = no == nullptr ? otherwise : edge_no ? thread_.label() : labels_.at(no);
    thread_.branch(condition, to_yes, to_no, pos);
    if (const SourcePos assertion = decided(pos, yes, no); assertion.known()) thread_.decides(assertion);
    if (edge_yes) {
      thread_.bind(to_yes);
      go(from, yes, pos);
    }
    if (edge_no) {
      thread_.bind(to_no);
      go(from, *no, pos);
    }
  };
  if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    if (jump->isUnconditional()) return go(from, *jump->getSuccessor(0), here_);
    const ExprId condition = used(*jump->getCondition());
    if (const auto known = builder_.constant_value(condition))
      return go(from, *jump->getSuccessor(*known != 0 ? 0 : 1), here_);
    return branch(condition, *jump->getSuccessor(0), jump->getSuccessor(1), end_);
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    const ExprId selector = used(*choice->getCondition());
    if (const auto known = builder_.constant_value(selector)) {
      for (const auto& one : choice->cases())
        if (lowering_.constant(*one.getCaseValue(), instruction) == *known)
          return go(from, *one.getCaseSuccessor(), here_);
      return go(from, *choice->getDefaultDest(), here_);
    }
    for (const auto& one : choice->cases()) {
      const ExprId hit =
          op(ExprOp::kEq, selector, number(lowering_.constant(*one.getCaseValue(), instruction)));
      const Label next = thread_.label();
      branch(hit, *one.getCaseSuccessor(), nullptr, next);
      thread_.bind(next);
    }
    return go(from, *choice->getDefaultDest(), here_);
  }
  if (llvm::isa<llvm::IndirectBrInst>(instruction)) reject(instruction, "a computed goto");
  if (llvm::isa<llvm::CallBrInst>(instruction)) reject(instruction, "asm goto");
  reject(instruction, fmt::format("the instruction '{}'", instruction.getOpcodeName()));
}

// ---- Values ----

ExprId Body::value(const llvm::Value& value) {
  if (const auto found = values_.find(&value); found != values_.end()) return found->second;
  if (llvm::isa<llvm::UndefValue>(value)) return number(kUndefined);
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value))
    return number(lowering_.constant(*constant, *current_));
  if (llvm::isa<llvm::Argument>(value) && argument_) return *argument_;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) throw Bug("a C value that is neither constant nor computed");
  reject(*instruction, "a value of this type");
}

std::optional<Value> Body::known(const llvm::Value& value) {
  return builder_.constant_value(this->value(value));
}

ExprId Body::used(const llvm::Value& value) {
  const ExprId result = this->value(value);
  if (!may_be_undefined(value) || !checked_.insert(&value).second) return result;
  require_set(result, here_);
  if (may_be_set_in_part(bit_width(*value.getType()))) require_whole(result);
  return result;
}

// As value(), where that goes to what may also be a mark. A number that is one by chance is a limitation.
ExprId Body::copied(const llvm::Value& value) {
  const ExprId result = this->value(value);
  if (bit_width(*value.getType()) != 64 || builder_.constant_value(result) || may_be_undefined(value))
    return result;
  const llvm::KnownBits bits = llvm::computeKnownBits(&value, lowering_.unit().layout());
  const bool may_be_mark = llvm::any_of(std::array{kUndefined, kFreed, kEnded}, [&](Value mark) {
    const llvm::APInt number(64, static_cast<uint64_t>(mark));
    return !bits.Zero.intersects(number) && bits.One.isSubsetOf(number);
  });
  if (may_be_mark) require_no_mark(result);
  return result;
}

bool Body::may_be_undefined(const llvm::Value& value) {
  if (const auto found = undefined_.find(&value); found != undefined_.end()) return found->second;
  std::set<const llvm::Value*> seen;
  return undefined_[&value] = may_be_undefined(value, seen);
}

// What comes out of memory, and what is a copy of that.
bool Body::may_be_undefined(const llvm::Value& value, std::set<const llvm::Value*>& seen) {
  if (!seen.insert(&value).second) return false;
  if (llvm::isa<llvm::UndefValue>(value) || is_never_set(value) || llvm::isa<llvm::LoadInst>(value))
    return true;
  if (llvm::isa<llvm::AtomicRMWInst>(value)) return false;  // checked when it was read
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) {
    for (const llvm::Value* incoming : phi->incoming_values())
      if (may_be_undefined(*incoming, seen)) return true;
    return false;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value))
    return may_be_undefined(*select->getTrueValue(), seen) ||
           may_be_undefined(*select->getFalseValue(), seen);
  if (llvm::isa<llvm::PtrToIntInst>(value) || llvm::isa<llvm::IntToPtrInst>(value) ||
      llvm::isa<llvm::FreezeInst>(value) || llvm::isa<llvm::BitCastInst>(value))
    return may_be_undefined(*llvm::cast<llvm::Instruction>(value).getOperand(0), seen);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value))
    if (const auto note = bit_field_note(*operation); note && note->use != BitFieldUse::kRead)
      return bit_width(*value.getType()) <= kMostBitsInPart &&
             may_be_undefined(*operation->getOperand(0), seen);
  return false;
}

// Cheap expressions are repeated wherever they are used; others are computed once.
void Body::define(const llvm::Instruction& instruction, ExprId value) {
  unsigned weight = 1;
  for (const llvm::Value* operand : instruction.operands())
    if (const auto found = weights_.find(operand); found != weights_.end()) weight += found->second;
  if (builder_.constant_value(value)) weight = 0;
  if (weight > kLarge || (weight > kCheap && !instruction.hasOneUse())) {
    const RegId reg = registers_.take();
    thread_.assign({reg}, value, here_);
    value = builder_.reg(reg);
    weight = 0;
  }
  weights_[&instruction] = weight;
  values_[&instruction] = value;
}

RegId Body::result_register(const llvm::Instruction& instruction) {
  const RegId reg = registers_.take();
  values_[&instruction] = builder_.reg(reg);
  return reg;
}

ExprId Body::wrapped(ExprId value, const llvm::Type& type) {
  const unsigned bits = bit_width(type);
  if (bits >= 64) return value;
  return builder_.wrap(value, bits == 1 ? -1 : static_cast<int>(bits));
}

}  // namespace fenceline::frontend::c
