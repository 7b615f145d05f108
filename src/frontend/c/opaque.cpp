// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/opaque.h"

#include <fmt/format.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "env/errors.h"
#include "frontend/c/bit_fields.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kHidden = "fl.hidden.";
constexpr const char* kOrigin = "fenceline.origin";
constexpr const char* kMadeVolatile = "fenceline.volatile";

bool is_operation(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::UnaryOperator>(instruction) ||
         llvm::isa<llvm::CmpInst>(instruction) || llvm::isa<llvm::CastInst>(instruction) ||
         llvm::isa<llvm::SelectInst>(instruction) || llvm::isa<llvm::GetElementPtrInst>(instruction) ||
         llvm::isa<llvm::FreezeInst>(instruction);
}

// Values that are decomposed and composed, where poison is never used.
bool begins_with_poison(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::InsertValueInst>(instruction) || llvm::isa<llvm::InsertElementInst>(instruction) ||
         llvm::isa<llvm::ShuffleVectorInst>(instruction);
}

bool has_effect(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) return false;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    if (intrinsic->isLifetimeStartOrEnd()) return false;
  return llvm::isa<llvm::CallBase>(instruction) || instruction.mayReadOrWriteMemory();
}

}  // namespace

Opaque::~Opaque() {
  for (llvm::Instruction* operation : templates_) operation->deleteValue();
}

uint64_t Opaque::origin(const llvm::Instruction& instruction) {
  const llvm::MDNode* node = instruction.getMetadata(kOrigin);
  return node == nullptr ? 0 : llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue();
}

void Opaque::give_origin(llvm::Instruction& instruction) {
  if (instruction.getMetadata(kOrigin) != nullptr) return;
  llvm::LLVMContext& context = module_.getContext();
  auto* number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), ++origins_);
  instruction.setMetadata(kOrigin, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
}

void Opaque::share_origin(llvm::Instruction& part, const llvm::Instruction& whole) {
  part.setMetadata(kOrigin, whole.getMetadata(kOrigin));
  part.setDebugLoc(whole.getDebugLoc());
}

void Opaque::keep_undefined_operations(llvm::Function& function) {
  std::vector<llvm::Use*> poisoned;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    for (llvm::Use& use : instruction.operands())
      if (llvm::isa<llvm::PoisonValue>(use) && !begins_with_poison(instruction) &&
          (use->getType()->isIntegerTy() || use->getType()->isPointerTy()))
        poisoned.push_back(&use);
  for (llvm::Use* use : poisoned) {
    auto* user = llvm::cast<llvm::Instruction>(use->getUser());
    // The value is computed where it comes from.
    llvm::Instruction* before = user;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user))
      before = phi->getIncomingBlock(*use)->getTerminator();
    llvm::Type* type = use->get()->getType();
    const std::string name =
        kUndefinedOperation +
        (type->isPointerTy() ? std::string("ptr") : fmt::format("i{}", type->getIntegerBitWidth()));
    auto* call = llvm::CallInst::Create(module_.getOrInsertFunction(name, type), "", before->getIterator());
    call->setDebugLoc(user->getDebugLoc() ? user->getDebugLoc() : before->getDebugLoc());
    use->set(call);
  }
}

bool Opaque::made_volatile(const llvm::Instruction& access) const {
  return access.getMetadata(kMadeVolatile) != nullptr;
}

void Opaque::make_volatile(llvm::Instruction& access) {
  const auto note = [&](bool is_volatile) {
    if (!is_volatile) access.setMetadata(kMadeVolatile, llvm::MDNode::get(module_.getContext(), {}));
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) {
    note(load->isVolatile());
    load->setVolatile(true);
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) {
    note(store->isVolatile());
    store->setVolatile(true);
  }
}

void Opaque::make_plain(llvm::Instruction& access) {
  require(made_volatile(access), "an access that is volatile in the source is none of a variable");
  access.setMetadata(kMadeVolatile, nullptr);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) load->setVolatile(false);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) store->setVolatile(false);
}

const llvm::Instruction* Opaque::operation(const llvm::Value& value) const {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  if (call == nullptr) return nullptr;
  const auto found = by_function_.find(call->getCalledOperand());
  return found == by_function_.end() ? nullptr : found->second;
}

void Opaque::hide(llvm::Function& function) {
  std::vector<llvm::Instruction*> operations;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_operation(instruction)) operations.push_back(&instruction);
    make_volatile(instruction);
    if (!has_effect(instruction)) continue;
    give_origin(instruction);
    // What LLVM knows of a library function could make a call of it disappear.
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call != nullptr && !call->isInlineAsm()) {
      const llvm::Function* callee = call->getCalledFunction();
      if (callee != nullptr && callee->isIntrinsic()) continue;
      call->addFnAttr(llvm::Attribute::NoBuiltin);
      for (const auto kind :
           {llvm::Attribute::Memory, llvm::Attribute::WillReturn, llvm::Attribute::AllocKind})
        call->removeFnAttr(kind);
    }
  }
  for (llvm::Instruction* operation : operations) hide(*operation);
}

llvm::Instruction* Opaque::hide(llvm::Instruction& operation) {
  std::vector<llvm::Type*> types;
  std::vector<llvm::Value*> operands;
  for (llvm::Value* operand : operation.operands()) {
    types.push_back(operand->getType());
    operands.push_back(operand);
  }
  // Separated from its operands, or they would have users outside of all functions.
  llvm::Instruction* copy = operation.clone();
  for (unsigned i = 0; i < copy->getNumOperands(); ++i)
    copy->setOperand(i, llvm::PoisonValue::get(operands[i]->getType()));
  copy->dropUnknownNonDebugMetadata({module_.getContext().getMDKindID(kBitFieldNote)});
  copy->setDebugLoc(llvm::DebugLoc());
  templates_.push_back(copy);
  auto* hidden = llvm::Function::Create(llvm::FunctionType::get(operation.getType(), types, false),
                                        llvm::GlobalValue::ExternalLinkage,
                                        kHidden + std::to_string(templates_.size()), module_);
  hidden->setDoesNotThrow();
  by_function_[hidden] = copy;
  auto* call =
      llvm::CallInst::Create(hidden->getFunctionType(), hidden, operands, "", operation.getIterator());
  call->takeName(&operation);
  call->setDebugLoc(operation.getDebugLoc());
  if (llvm::MDNode* known = operation.getMetadata(kOrigin))
    call->setMetadata(kOrigin, known);
  else
    give_origin(*call);
  operation.replaceAllUsesWith(call);
  operation.eraseFromParent();
  return call;
}

llvm::Instruction* Opaque::reveal(llvm::CallInst& call) {
  const llvm::Instruction* hidden = operation(call);
  require(hidden != nullptr, "a call that represents no operation");
  llvm::Instruction* copy = hidden->clone();
  for (unsigned i = 0; i < copy->getNumOperands(); ++i) copy->setOperand(i, call.getArgOperand(i));
  copy->insertBefore(call.getIterator());
  copy->takeName(&call);
  copy->setDebugLoc(call.getDebugLoc());
  copy->setMetadata(kOrigin, call.getMetadata(kOrigin));
  call.replaceAllUsesWith(copy);
  call.eraseFromParent();
  return copy;
}

void Opaque::reveal(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (operation(instruction) != nullptr) reveal(llvm::cast<llvm::CallInst>(instruction));
}

// ---- Ledger ----

Ledger::Counts Ledger::count(const llvm::Function& function) {
  Counts counts;
  for (const llvm::BasicBlock* block : llvm::depth_first(&function))
    for (const llvm::Instruction& instruction : *block)
      if (const uint64_t origin = Opaque::origin(instruction)) {
        Count& one = counts[origin];
        ++one.number;
        one.line = instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
        one.opcode = instruction.getOpcodeName();
      }
  return counts;
}

size_t Ledger::total() const {
  size_t sum = 0;
  for (const auto& [origin, count] : counts_) sum += count.number;
  return sum;
}

void Ledger::add(const llvm::Function& function) {
  for (const auto& [origin, more] : count(function)) {
    Count& one = counts_[origin];
    one = {one.number + more.number, more.line, more.opcode};
  }
}

void Ledger::give_up(const llvm::Instruction& instruction) {
  const auto found = counts_.find(Opaque::origin(instruction));
  if (found == counts_.end()) return;
  if (--found->second.number == 0) counts_.erase(found);
}

void Ledger::give_up(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& instruction : block) give_up(instruction);
}

void Ledger::check(const llvm::Function& function, const char* pass) const {
  Counts now = count(function);
  for (const auto& [origin, count] : counts_)
    if (now[origin].number < count.number)
      throw Bug(fmt::format("{} has lost an access or operation of '{}' ({} in line {})", pass,
                            function.getName().str(), count.opcode, count.line));
}

}  // namespace fenceline::frontend::c
