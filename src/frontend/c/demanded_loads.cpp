// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/demanded_loads.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <memory>

#include "frontend/c/effects.h"
#include "frontend/c/index_guards.h"
#include "frontend/c/library.h"

namespace fenceline::frontend::c {
namespace {

// Arithmetic that is rejected where it can be executed.
bool is_unsupported(const llvm::Instruction& instruction) {
  const auto is_rejected = [](const llvm::Type& type) {
    return type.isFPOrFPVectorTy() || type.isVectorTy();
  };
  if (is_rejected(*instruction.getType()) ||
      llvm::any_of(instruction.operands(),
                   [&](const llvm::Use& operand) { return is_rejected(*operand->getType()); }))
    return true;
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (operation == nullptr || operation->getType()->getIntegerBitWidth() <= 64) return false;
  switch (operation->getOpcode()) {
    case llvm::Instruction::Mul:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return true;
    default:
      return false;
  }
}

class Demand {
 public:
  Demand(const std::vector<llvm::Function*>& functions, const PointsTo& points_to) : points_to_(points_to) {
    for (llvm::Function* function : functions) {
      dominators_[function] = std::make_unique<llvm::DominatorTree>(*function);
      begin(*function);
    }
    while (!todo_.empty()) {
      const llvm::Instruction* next = todo_.back();
      todo_.pop_back();
      trace(*next);
    }
  }

  std::set<const llvm::Instruction*> take_loads() { return std::move(loads_); }

 private:
  void demand(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    if (instruction != nullptr && seen_.insert(instruction).second) todo_.push_back(instruction);
  }

  void demand_condition(const llvm::BasicBlock* block) {
    if (block == nullptr) return;
    const llvm::Instruction& end = *block->getTerminator();
    if (const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&end); jump != nullptr && jump->isConditional())
      demand(jump->getCondition());
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) demand(choice->getCondition());
  }

  const llvm::BasicBlock* dominator_of(const llvm::BasicBlock& block) {
    const auto* node = dominators_.at(block.getParent())->getNode(&block);
    return node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
  }

  // Whether control comes to the block.
  void demand_path(const llvm::BasicBlock& block) {
    for (const llvm::BasicBlock* above = dominator_of(block); above != nullptr;
         above = dominator_of(*above)) {
      if (!paths_.insert(above).second) return;
      demand_condition(above);
    }
  }

  void begin(llvm::Function& function) {
    const llvm::LoopInfo loops(*dominators_.at(&function));
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
      llvm::SmallVector<llvm::BasicBlock*> exiting;
      loop->getExitingBlocks(exiting);
      for (const llvm::BasicBlock* block : exiting) demand_condition(block);
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) demand(array->getArraySize());
      if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) demand(memory->getLength());
      // A choice between the targets of a call.
      if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
        if (llvm::isa<llvm::Function>(comparison->getOperand(1))) demand(comparison->getOperand(0));
      if (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        for (const llvm::Use& index : element->indices())
          if (const auto* bound = bound_by_operation(*scaled_index(*index).number))
            demand(bound->getOperand(1));
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) begin_at(*call);
      if (is_unsupported(instruction)) demand_path(*instruction.getParent());
    }
  }

  void begin_at(const llvm::CallBase& call) {
    if (call.isInlineAsm()) return;
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return demand(call.getCalledOperand());
    if (callee->isIntrinsic() || is_range_guard(call)) return;
    const auto what = library_call(*callee);
    // It is rejected, unless nothing comes there.
    if (!what) return demand_path(*call.getParent());
    switch (*what) {
      case Library::kAllocate:
      case Library::kAllocateZeroed:
      case Library::kAllocateAligned:
      case Library::kAllocateNew:
      case Library::kAllocateInto:
      case Library::kNondet:
      case Library::kThreadCreate:
      case Library::kThreadCreateC11:
      case Library::kThreadStart:
      case Library::kMutexInit:
        for (const llvm::Value* argument : call.args()) demand(argument);
        return;
      default:
        return;
    }
  }

  void trace(const llvm::Instruction& instruction) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      loads_.insert(load);
      return trace_stores(*load->getPointerOperand());
    }
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      demand_condition(dominator_of(*phi->getParent()));
      for (const llvm::BasicBlock* block : phi->blocks()) demand_condition(block);
    }
    if (llvm::isa<llvm::CallBase>(instruction)) return;
    for (const llvm::Value* operand : instruction.operands()) demand(operand);
  }

  // The values that stores may leave where the pointer points to.
  void trace_stores(const llvm::Value& pointer) {
    for (const Target& target : points_to_.of(pointer).locations)
      if (objects_.insert(target.object).second)
        for (const PointsTo::Access& access : points_to_.accesses(*points_to_.object(target.object).origin)) {
          if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(access.by)) {
            demand(store->getValueOperand());
            demand_path(*store->getParent());
          }
          if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(access.by)) {
            demand_path(*copy->getParent());
            trace_stores(*copy->getRawSource());
          }
        }
  }

  const PointsTo& points_to_;
  std::map<const llvm::Function*, std::unique_ptr<llvm::DominatorTree>> dominators_;
  std::vector<const llvm::Instruction*> todo_;
  std::set<const llvm::Instruction*> seen_, loads_;
  std::set<const llvm::BasicBlock*> paths_;
  std::set<uint32_t> objects_;
};

}  // namespace

std::set<const llvm::Instruction*> demanded_loads(const std::vector<llvm::Function*>& functions,
                                                  const PointsTo& points_to) {
  return Demand(functions, points_to).take_loads();
}

}  // namespace fenceline::frontend::c
