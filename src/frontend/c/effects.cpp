// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/effects.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <set>

#include "frontend/c/assembly.h"
#include "frontend/c/index_checks.h"
#include "frontend/c/index_guards.h"
#include "frontend/c/library.h"
#include "frontend/c/opaque.h"

namespace fenceline::frontend::c {
namespace {

std::optional<Library> library_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr || callee->isIntrinsic() ? std::nullopt : library_call(*callee);
}

// Functions that write nothing that the program sees, whatever pointers they get.
bool writes_nothing(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  if (callee->getName() == kIndexCheck || is_range_guard(call) ||
      callee->getName().starts_with(kUndefinedOperation))
    return true;
  const auto what = library_of(call);
  return what == Library::kOutput || what == Library::kAssert || what == Library::kFails ||
         what == Library::kFence || what == Library::kObserve || what == Library::kLimit;
}

Effects effects_of_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  Effects effects;
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&intrinsic)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    effects.writes.push_back(
        {memory->getRawDest(), length == nullptr ? std::nullopt : std::optional(length->getZExtValue())});
    return effects;
  }
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_end:  // lifetimes.h is about that
    case llvm::Intrinsic::threadlocal_address:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
      return effects;
    case llvm::Intrinsic::lifetime_start:
      effects.writes.push_back({intrinsic.getArgOperand(1), std::nullopt});
      return effects;
    default:
      for (const llvm::Value* argument : intrinsic.args())
        if (argument->getType()->isPointerTy()) effects.writes.push_back({argument, std::nullopt});
      return effects;
  }
}

std::optional<FenceKinds> fence_of(const llvm::CallBase& call) {
  if (const auto assembly = fence_of_assembly(call)) return assembly->kinds;
  if (library_of(call) == Library::kFenceLoads) return FenceKinds::load_load();
  if (library_of(call) != Library::kFence || call.arg_size() == 0) return std::nullopt;
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  const auto* text = variable != nullptr && variable->hasInitializer()
                         ? llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer())
                         : nullptr;
  // One that is not known is rejected where it is lowered.
  return text == nullptr || !text->isCString() ? std::nullopt : fence_kinds_of(text->getAsCString());
}

// Is there a call about the index, in the same block before the address?
template <class Predicate>
bool has_call_before(const llvm::Value& index, const llvm::Value& address, const Predicate& is_wanted) {
  const auto* element = llvm::dyn_cast<llvm::Instruction>(&address);
  return element != nullptr && llvm::any_of(index.users(), [&](const llvm::User* user) {
           const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
           return call != nullptr && is_wanted(*call) && call->getParent() == element->getParent() &&
                  call->comesBefore(element);
         });
}

}  // namespace

Effects effects_of(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  Effects effects;
  const auto size = [&](const llvm::Value& value) {
    return layout.getTypeStoreSize(value.getType()).getFixedValue();
  };
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    effects.writes.push_back({store->getPointerOperand(), size(*store->getValueOperand())});
  else if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    effects.writes.push_back({rmw->getPointerOperand(), size(*rmw->getValOperand())});
  else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    effects.writes.push_back({exchange->getPointerOperand(), size(*exchange->getNewValOperand())});
  else if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return effects_of_intrinsic(*intrinsic);
  else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if (writes_nothing(*call)) return effects;
    const auto what = library_of(*call);
    effects.starts_thread =
        what == Library::kThreadCreate || what == Library::kThreadCreateC11 || what == Library::kThreadStart;
    // A thread of which it is not known what it runs, and a call of which it is not known what is called.
    effects.writes_anywhere = effects.starts_thread
                                  ? started_by(*call) == nullptr
                                  : !call->isInlineAsm() && call->getCalledFunction() == nullptr;
    for (const llvm::Use& argument : call->args()) {
      // What a new thread gets is written by the thread, if at all.
      if (effects.starts_thread && call->getArgOperandNo(&argument) + 1 == call->arg_size()) continue;
      if (!argument->getType()->isPointerTy()) continue;
      const uint64_t bytes = call->getArgOperandNo(&argument) == 0 ? bytes_behind_first_argument(*call) : 0;
      effects.writes.push_back(
          {argument, bytes == 0 ? std::nullopt : std::optional(bytes), what == Library::kFree});
    }
  } else {
    effects.writes_anywhere = instruction.mayWriteToMemory() && !llvm::isa<llvm::FenceInst>(instruction) &&
                              !llvm::isa<llvm::LoadInst>(instruction);
  }
  return effects;
}

bool allocates_zeroes(const llvm::CallBase& call) { return library_of(call) == Library::kAllocateZeroed; }

bool has_partial_fence(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const auto kinds = fence_of(*call))
        if ((kinds->has_load_load() && !kinds->has_load_store()) ||
            (kinds->has_store_load() && !kinds->has_store_store()))
          return true;
  return false;
}

bool follows_start(const llvm::Instruction& instruction) {
  std::set<const llvm::BasicBlock*> seen;
  std::vector<const llvm::BasicBlock*> todo;
  const auto starts = [](const llvm::Instruction& one) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&one);
    return call != nullptr && starts_thread(*call);
  };
  for (const llvm::Instruction* at = instruction.getPrevNode(); at != nullptr; at = at->getPrevNode())
    if (starts(*at)) return true;
  todo.push_back(instruction.getParent());
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
      if (!seen.insert(before).second) continue;
      if (std::ranges::any_of(*before, starts)) return true;
      todo.push_back(before);
    }
  }
  return false;
}

bool is_checked_index(const llvm::Value& index, const llvm::Value& address) {
  return has_call_before(index, address, [](const llvm::CallBase& call) {
    return call.getCalledFunction() != nullptr && call.getCalledFunction()->getName() == kIndexCheck;
  });
}

ScaledIndex scaled_index(llvm::Value& index) {
  constexpr int64_t kMost = int64_t{1} << 31;
  ScaledIndex result{&index, 1};
  while (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(result.number)) {
    auto* by = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    auto* of = operation->getOperand(0);
    const bool product = operation->getOpcode() == llvm::Instruction::Mul;
    if (product && by == nullptr) {
      by = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(0));
      of = operation->getOperand(1);
    }
    if (by == nullptr || !(product || operation->getOpcode() == llvm::Instruction::Shl) ||
        by->getValue().uge(product ? kMost : 31))
      break;
    const int64_t factor = product ? by->getSExtValue() : int64_t{1} << by->getZExtValue();
    if (factor == 0 || result.factor * factor >= kMost) break;
    result = {of, result.factor * factor};
  }
  return result;
}

const llvm::BinaryOperator* bound_by_operation(const llvm::Value& number) {
  const llvm::Value* from = &number;
  while (llvm::isa<llvm::ZExtInst>(from) || llvm::isa<llvm::SExtInst>(from))
    from = llvm::cast<llvm::CastInst>(from)->getOperand(0);
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(from);
  return operation != nullptr && (operation->getOpcode() == llvm::Instruction::And ||
                                  operation->getOpcode() == llvm::Instruction::URem)
             ? operation
             : nullptr;
}

std::optional<uint64_t> largest(const llvm::Value& number) {
  const llvm::BinaryOperator* operation = bound_by_operation(number);
  const auto* by =
      operation == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
  // No result has the highest bit set then, so it does not matter how it is extended.
  if (by == nullptr || by->isZero() || by->isNegative() || by->getBitWidth() > 64) return std::nullopt;
  return by->getZExtValue() - (operation->getOpcode() == llvm::Instruction::URem ? 1 : 0);
}

bool is_not_negative(const llvm::Value& index, const llvm::Value& address) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&index)) return !number->isNegative();
  const llvm::Value& number = *scaled_index(const_cast<llvm::Value&>(index)).number;
  if (const auto* extended = llvm::dyn_cast<llvm::ZExtInst>(&number))
    return &number == &index || extended->getSrcTy()->getIntegerBitWidth() <= 32;
  if (const auto* mask = llvm::dyn_cast<llvm::BinaryOperator>(&number);
      mask != nullptr && mask->getOpcode() == llvm::Instruction::And)
    for (const llvm::Value* operand : mask->operands())
      if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operand);
          constant != nullptr && !constant->isNegative())
        return constant->getValue().isIntN(32);
  return is_checked_index(index, address) || has_call_before(number, address, [](const llvm::CallBase& call) {
           return is_range_guard(call) && !llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isNegative();
         });
}

std::optional<AddressBound> bound_of(const llvm::Value& address, const llvm::DataLayout& layout) {
  AddressBound bound{&address, 0};
  while (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(bound.root)) {
    const unsigned bits = layout.getIndexTypeSizeInBits(element->getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> indices;
    llvm::APInt distance(bits, 0);
    if (!element->collectOffset(layout, bits, indices, distance)) return std::nullopt;
    for (const auto& [index, scale] : indices)
      if (!is_not_negative(*index, *element) || scale.isNegative()) return std::nullopt;
    bound.least += distance.getSExtValue();
    bound.root = element->getPointerOperand();
  }
  return bound;
}

bool depends_on_load(const llvm::Value& address, const std::function<bool(const llvm::LoadInst&)>& ignored) {
  std::vector<const llvm::Value*> todo{&address};
  std::set<const llvm::Value*> seen{&address};
  while (!todo.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(todo.back());
    todo.pop_back();
    if (instruction == nullptr || llvm::isa<llvm::AllocaInst>(instruction)) continue;
    if (instruction->mayReadOrWriteMemory()) {
      if (allocated_size(*instruction)) continue;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
      if (load != nullptr && llvm::isAcquireOrStronger(load->getOrdering())) continue;
      if (load != nullptr && ignored(*load)) {
        if (seen.insert(load->getPointerOperand()).second) todo.push_back(load->getPointerOperand());
        continue;
      }
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
      if (intrinsic == nullptr || intrinsic->getIntrinsicID() != llvm::Intrinsic::threadlocal_address)
        return true;
    }
    for (const llvm::Value* operand : instruction->operands())
      if (seen.insert(operand).second) todo.push_back(operand);
  }
  return false;
}

bool may_be_null(const llvm::Value& address, const std::function<bool(const llvm::LoadInst&)>& is_object) {
  std::vector<const llvm::Value*> todo{&address};
  std::set<const llvm::Value*> seen{&address};
  const auto add = [&](const llvm::Value& value) {
    if (seen.insert(&value).second) todo.push_back(&value);
  };
  while (!todo.empty()) {
    const llvm::Value* from = todo.back()->stripInBoundsOffsets();
    todo.pop_back();
    if (llvm::isa<llvm::AllocaInst>(from) || llvm::isa<llvm::GlobalVariable>(from)) continue;
    if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(from)) {
      add(*element->getPointerOperand());
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(from)) {
      for (const llvm::Value* incoming : phi->incoming_values()) add(*incoming);
    } else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(from)) {
      add(*choice->getTrueValue());
      add(*choice->getFalseValue());
    } else {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(from);
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(from);
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(from);
      const bool is_local =
          intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
      if (instruction == nullptr ||
          !(allocated_size(*instruction) || is_local || (load != nullptr && is_object(*load))))
        return true;
    }
  }
  return false;
}

}  // namespace fenceline::frontend::c
