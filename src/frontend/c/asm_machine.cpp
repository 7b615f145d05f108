// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/asm_machine.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "env/errors.h"
#include "frontend/c/asm_pairs.h"
#include "frontend/c/asm_simplify.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {

AsmMachine::AsmMachine(AsmTarget target, llvm::Function& function)
    : target_(target),
      function_(function),
      ir_(function.getContext()),
      entry_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)) {
  ir_.SetInsertPoint(entry_);
}

void AsmMachine::unsupported(const AsmInstruction& instruction, const std::string& why) const {
  throw AsmUnsupported(why.empty() ? fmt::format("\"{}\"", instruction.text)
                                   : fmt::format("\"{}\": {}", instruction.text, why));
}

// ---- Translation ----

void AsmMachine::translate(const AsmCode& code, const AsmOperands& operands) {
  for (const auto& [label, index] : code.labels)
    labels_[label] = llvm::BasicBlock::Create(function_.getContext(), "label", &function_);
  writable_ = operands.writable;
  take_inputs(operands);
  prepare_outputs(operands);
  for (size_t i = 0; i <= code.instructions.size(); ++i) {
    for (const auto& [label, index] : code.labels)
      if (index == i) enter(labels_.at(label));
    if (i < code.instructions.size()) execute(code.instructions[i]);
  }
  finish();
  return_outputs(operands);
  // Registers are variables of the function until here.
  std::vector<llvm::AllocaInst*> slots;
  for (const auto& [name, one] : registers_) {
    slots.push_back(one.slot);
    if (one.output != nullptr) slots.push_back(one.output);
  }
  for (const auto& [name, slot] : flags_) slots.push_back(slot);
  llvm::EliminateUnreachableBlocks(function_);
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(slots, dominators);
  simplify(function_);
  merge_exclusive_pairs(function_);
  simplify(function_);
  require(!llvm::verifyFunction(function_), "assembly that became code which LLVM rejects");
}

void AsmMachine::take_inputs(const AsmOperands& operands) {
  for (const AsmInput& input : operands.inputs) {
    llvm::Value* value = function_.getArg(input.argument);
    unsigned bits = 64;
    if (value->getType()->isPointerTy()) {
      value = ir_.CreatePtrToInt(value, type(64));
    } else {
      bits = std::max(8U, value->getType()->getIntegerBitWidth());
      value = widen(value, 64, extends_with_sign());
    }
    Register& one = reg(input.reg);
    ir_.CreateStore(value, one.slot);
    one.set_bits = bits;
    one.low = value;
  }
}

// Some paths may not set an output that is narrower than its register. To copy that is no error, but taking a part of the
// register would be one: so the part is kept beside it.
void AsmMachine::prepare_outputs(const AsmOperands& operands) {
  for (const AsmOutput& output : operands.outputs) {
    if (!output.condition.empty() || !output.type->isIntegerTy() || output.type->getIntegerBitWidth() >= 64)
      continue;
    Register& one = reg(output.reg);
    if (one.set_bits == 0 && one.output == nullptr) one.output = new_slot(output.type, output.reg);
  }
}

void AsmMachine::return_outputs(const AsmOperands& operands) {
  // One result is returned; several are stored to where the last parameters point.
  size_t results = 0;
  for (const AsmOutput& output : operands.outputs) results += output.argument ? 0 : 1;
  size_t next = function_.arg_size() - results;
  llvm::Value* returned = nullptr;
  for (const AsmOutput& output : operands.outputs) {
    llvm::Value* value = nullptr;
    const unsigned bits = output.type->isPointerTy() ? 64 : output.type->getIntegerBitWidth();
    if (!output.condition.empty()) {
      value = widen(condition(output.condition), bits);
    } else {
      // What the text does not set is not set: to copy that is no error.
      const Register& one = reg(output.reg);
      const bool is_kept =
          one.output != nullptr && one.output->getAllocatedType() == output.type && one.set_bits >= bits;
      value = is_kept ? ir_.CreateLoad(output.type, one.output) : read_or_unset(output.reg, bits);
      if (output.type->isPointerTy()) value = ir_.CreateIntToPtr(value, output.type);
    }
    if (output.argument)
      ir_.CreateStore(value, function_.getArg(*output.argument));
    else if (function_.getReturnType()->isVoidTy())
      ir_.CreateStore(value, function_.getArg(static_cast<unsigned>(next++)));
    else
      returned = value;
  }
  if (returned == nullptr)
    ir_.CreateRetVoid();
  else
    ir_.CreateRet(returned);
}

void AsmMachine::enter(llvm::BasicBlock* block) {
  if (ir_.GetInsertBlock()->getTerminator() == nullptr) ir_.CreateBr(block);
  block->moveAfter(ir_.GetInsertBlock());
  ir_.SetInsertPoint(block);
  for (auto& [name, one] : registers_) one.low = nullptr;
}

// ---- Values ----

llvm::Value* AsmMachine::narrow(llvm::Value* value, unsigned bits) {
  return ir_.CreateTrunc(value, type(bits));
}

llvm::Value* AsmMachine::widen(llvm::Value* value, unsigned bits, bool with_sign) {
  return with_sign ? ir_.CreateSExt(value, type(bits)) : ir_.CreateZExt(value, type(bits));
}

llvm::AllocaInst* AsmMachine::new_slot(llvm::Type* type, const std::string& name) {
  // Set from the beginning, or LLVM would take it for whatever is convenient.
  llvm::IRBuilder<> first(entry_, entry_->begin());
  llvm::AllocaInst* slot = first.CreateAlloca(type, nullptr, name);
  first.CreateStore(never_set(*function_.getParent(), *type), slot);
  return slot;
}

AsmMachine::Register& AsmMachine::reg(const std::string& whole) {
  Register& one = registers_[whole];
  if (one.slot == nullptr) one.slot = new_slot(type(64), whole);
  return one;
}

llvm::Value* AsmMachine::read(const std::string& whole, unsigned bits, unsigned from) {
  Register& one = reg(whole);
  if (one.set_bits < bits + from && !allows_reading_beyond(one.set_bits, bits + from))
    throw AsmUnsupported(
        one.set_bits == 0
            ? fmt::format("assembly that reads the register '{}', which nothing has set", whole)
            : fmt::format("assembly that reads {} bits of a register ('{}') of which {} are set", bits + from,
                          whole, one.set_bits));
  llvm::Value* value = one.low;
  if (value == nullptr) value = ir_.CreateLoad(type(64), one.slot);
  if (from != 0) value = ir_.CreateLShr(value, number(from, 64));
  return bits == 64 ? value : narrow(value, bits);
}

void AsmMachine::write(const std::string& whole, llvm::Value* value, unsigned from) {
  if (!writable_.contains(whole))
    throw AsmUnsupported(fmt::format(
        "assembly that changes the register '{}', which is neither an output nor clobbered", whole));
  Register& one = reg(whole);
  const unsigned bits = value->getType()->getIntegerBitWidth();
  if (bits < 64) {
    value = widen(value, 64);
    if (from != 0) value = ir_.CreateShl(value, number(from, 64));
    if (one.set_bits > bits + from || from != 0) {
      const uint64_t mask = ((uint64_t{1} << bits) - 1) << from;
      llvm::Value* before = one.low != nullptr ? one.low : ir_.CreateLoad(type(64), one.slot);
      value = ir_.CreateOr(ir_.CreateAnd(before, number(static_cast<int64_t>(~mask), 64)), value);
    }
  }
  ir_.CreateStore(value, one.slot);
  if (one.output != nullptr)
    ir_.CreateStore(narrow(value, one.output->getAllocatedType()->getIntegerBitWidth()), one.output);
  one.low = value;
  one.set_bits = std::max(one.set_bits, bits + from);
}

llvm::Value* AsmMachine::flag(const std::string& name) {
  llvm::AllocaInst*& slot = flags_[name];
  if (slot == nullptr) slot = new_slot(type(1), name);
  return ir_.CreateLoad(type(1), slot);
}

void AsmMachine::set_flag(const std::string& name, llvm::Value* value) {
  llvm::AllocaInst*& slot = flags_[name];
  if (slot == nullptr) slot = new_slot(type(1), name);
  ir_.CreateStore(value, slot);
}

void AsmMachine::forget_flag(const std::string& name) {
  set_flag(name, never_set(*function_.getParent(), *type(1)));
}

llvm::Value* AsmMachine::read_or_unset(const std::string& whole, unsigned bits) {
  if (reg(whole).set_bits < bits) return never_set(*function_.getParent(), *type(bits));
  return read(whole, bits);
}

// ---- Memory ----

llvm::Value* AsmMachine::address(llvm::Value* base, llvm::Value* offset) {
  llvm::Value* pointer = ir_.CreateIntToPtr(base, ir_.getPtrTy());
  return offset == nullptr ? pointer : ir_.CreateGEP(ir_.getInt8Ty(), pointer, offset);
}

llvm::Value* AsmMachine::load(llvm::Value* pointer, unsigned bits, llvm::AtomicOrdering order,
                              const char* strong) {
  llvm::LoadInst* made = ir_.CreateAlignedLoad(type(bits), pointer, llvm::Align(bits / 8));
  made->setAtomic(order);
  if (strong != nullptr) note(*made, kOrderNote, strong);
  return made;
}

void AsmMachine::store(llvm::Value* pointer, llvm::Value* value, llvm::AtomicOrdering order,
                       const char* strong) {
  const unsigned bytes = value->getType()->getIntegerBitWidth() / 8;
  llvm::StoreInst* made = ir_.CreateAlignedStore(value, pointer, llvm::Align(bytes));
  made->setAtomic(order);
  if (strong != nullptr) note(*made, kOrderNote, strong);
}

void AsmMachine::note(llvm::Instruction& access, const char* about, const char* text) {
  llvm::LLVMContext& context = function_.getContext();
  access.setMetadata(about, llvm::MDNode::get(context, llvm::MDString::get(context, text)));
}

llvm::Value* AsmMachine::rmw(llvm::AtomicRMWInst::BinOp operation, llvm::Value* pointer, llvm::Value* operand,
                             llvm::AtomicOrdering order, const char* kind) {
  const llvm::Align align(operand->getType()->getIntegerBitWidth() / 8);
  llvm::AtomicRMWInst* made = ir_.CreateAtomicRMW(operation, pointer, operand, align, order);
  note(*made, kRmwNote, kind);
  return made;
}

AsmMachine::Exchanged AsmMachine::compare_exchange(llvm::Value* pointer, llvm::Value* expected,
                                                   llvm::Value* desired, llvm::AtomicOrdering success,
                                                   llvm::AtomicOrdering failure, const char* kind) {
  const llvm::Align align(expected->getType()->getIntegerBitWidth() / 8);
  llvm::AtomicCmpXchgInst* made =
      ir_.CreateAtomicCmpXchg(pointer, expected, desired, align, success, failure);
  note(*made, kRmwNote, kind);
  return {ir_.CreateExtractValue(made, 0), ir_.CreateExtractValue(made, 1)};
}

llvm::Value* AsmMachine::compute_atomically(llvm::Value* pointer, unsigned bits, llvm::AtomicOrdering order,
                                            const char* kind,
                                            const std::function<llvm::Value*(llvm::Value*)>& compute) {
  llvm::BasicBlock* again = llvm::BasicBlock::Create(function_.getContext(), "again", &function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(function_.getContext(), "done", &function_);
  enter(again);
  llvm::Value* old = load(pointer, bits, llvm::AtomicOrdering::Monotonic);
  const Exchanged exchanged =
      compare_exchange(pointer, old, compute(old), order, llvm::AtomicOrdering::Monotonic, kind);
  ir_.CreateCondBr(exchanged.succeeded, done, again);
  enter(done);
  return old;
}

void AsmMachine::fence(FenceKinds kinds, const std::string& name, llvm::Value* behind_branch_on) {
  if (kinds.none() && name.empty()) return;
  const std::string function =
      kAssemblyFence + std::to_string(kinds.bits()) + (name.empty() ? "" : "." + name);
  if (behind_branch_on == nullptr)
    ir_.CreateCall(function_.getParent()->getOrInsertFunction(function, ir_.getVoidTy()));
  else
    ir_.CreateCall(function_.getParent()->getOrInsertFunction(function, ir_.getVoidTy(), type(1)),
                   {behind_branch_on});
}

llvm::Value* AsmMachine::load_exclusive(llvm::Value* pointer, unsigned bits, llvm::AtomicOrdering order,
                                        const char* strong) {
  auto* made = llvm::cast<llvm::LoadInst>(load(pointer, bits, order, strong));
  note(*made, kRmwNote, kRmwPair);
  return made;
}

llvm::Value* AsmMachine::store_exclusive(llvm::Value* pointer, llvm::Value* value,
                                         llvm::AtomicOrdering order) {
  const unsigned bits = value->getType()->getIntegerBitWidth();
  const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
      kExclusiveStore + std::to_string(bits), type(1), ir_.getPtrTy(), type(bits), type(32));
  return ir_.CreateCall(callee, {pointer, value, number(static_cast<int64_t>(order), 32)});
}

// ---- Control ----

llvm::BasicBlock* AsmMachine::block_of(const AsmInstruction& by, const std::string& label) {
  const auto found = labels_.find(label);
  if (found == labels_.end()) unsupported(by, "a jump out of the assembly");
  return found->second;
}

void AsmMachine::jump(const AsmInstruction& by, const std::string& label) {
  ir_.CreateBr(block_of(by, label));
  enter(llvm::BasicBlock::Create(function_.getContext(), "behind", &function_));
}

void AsmMachine::branch(const AsmInstruction& by, llvm::Value* condition, const std::string& label) {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(function_.getContext(), "next", &function_);
  ir_.CreateCondBr(condition, block_of(by, label), next);
  enter(next);
}

void AsmMachine::trap() {
  ir_.CreateIntrinsic(ir_.getVoidTy(), llvm::Intrinsic::trap, {});
  ir_.CreateUnreachable();
  enter(llvm::BasicBlock::Create(function_.getContext(), "behind", &function_));
}

}  // namespace fenceline::frontend::c
