// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/call_targets.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>
#include <set>

#include "env/errors.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr size_t kMostTargets = 16;  // of one call
constexpr const char* kExpanded =
    "fenceline.expanded";  // the functions among which there is a choice already

// The operand that says which function it is, if that is not a constant.
std::optional<unsigned> function_operand(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return std::nullopt;
  const auto operand = call.getCalledFunction() != nullptr
                           ? started_function_operand(call)
                           : std::optional(call.getCalledOperandUse().getOperandNo());
  if (!operand || llvm::isa<llvm::Function>(call.getOperand(*operand)->stripPointerCasts()))
    return std::nullopt;
  return operand;
}

std::vector<llvm::CallBase*> pointer_calls(llvm::Function& function) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (function_operand(*call)) calls.push_back(call);
  return calls;
}

std::set<llvm::Function*> expanded(const llvm::CallBase& call) {
  std::set<llvm::Function*> functions;
  if (const llvm::MDNode* node = call.getMetadata(kExpanded))
    for (const llvm::MDOperand& operand : node->operands())
      functions.insert(llvm::mdconst::extract<llvm::Function>(operand));
  return functions;
}

// Can it be called so? Else the call is an error.
bool fits(const llvm::Function& target, const llvm::CallBase& call) {
  if (call.getCalledFunction() != nullptr) return !target.isDeclaration() && target.arg_size() <= 1;
  return target.getFunctionType() == call.getFunctionType();
}

// All functions that may be called here.
std::vector<llvm::Function*> targets_of(llvm::CallBase& call, const PointsTo& points_to) {
  const Targets targets = points_to.of(*call.getOperand(function_operand(call).value()));
  std::vector<llvm::Function*> found;
  // In the order of the file, not in that of their addresses.
  for (llvm::Function& function : *call.getModule())
    if (targets.functions.contains(&function) || (targets.unknown && function.hasAddressTaken()))
      if (fits(function, call)) found.push_back(&function);
  return found;
}

// Is control inside of the function where the call is? Positions have all calls that were inlined.
bool is_inside(const llvm::CallBase& call, const llvm::Function& function) {
  const llvm::DISubprogram* wanted = function.getSubprogram();
  if (wanted == nullptr) return call.getFunction() == &function;
  // Copies of a function have descriptions of their own.
  const auto same = [&](const llvm::DISubprogram* one) {
    return one != nullptr && one->getLine() == wanted->getLine() && one->getFile() == wanted->getFile() &&
           one->getName() == wanted->getName() && one->getLinkageName() == wanted->getLinkageName();
  };
  if (same(call.getFunction()->getSubprogram())) return true;
  for (const llvm::DILocation* at = call.getDebugLoc().get(); at != nullptr; at = at->getInlinedAt())
    if (same(at->getScope()->getSubprogram())) return true;
  return false;
}

// The call with the operand replaced, in a block of its own, from which control goes on to `after`.
llvm::CallBase& copy_call(llvm::CallBase& call, unsigned operand, llvm::Function& target,
                          llvm::BasicBlock& block, llvm::BasicBlock& after) {
  auto* copy = llvm::cast<llvm::CallBase>(call.clone());
  copy->setMetadata(kExpanded, nullptr);
  copy->setOperand(operand, &target);
  copy->insertInto(&block, block.end());
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(copy)) {
    invoke->setNormalDest(&after);
    for (llvm::PHINode& phi : invoke->getUnwindDest()->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(call.getParent()), &block);
  } else {
    llvm::BranchInst::Create(&after, &block);
  }
  return *copy;
}

// The call becomes the last block of its own, and `after` what follows it.
llvm::BasicBlock& separate(llvm::CallBase& call, llvm::BasicBlock*& after) {
  llvm::BasicBlock* before = call.getParent();
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
    llvm::BasicBlock* normal = invoke->getNormalDest();
    after = llvm::BasicBlock::Create(call.getContext(), "called", call.getFunction());
    llvm::BranchInst::Create(normal, after);
    normal->replacePhiUsesWith(before, after);
    invoke->setNormalDest(after);
  } else {
    after = before->splitBasicBlock(std::next(call.getIterator()), "called");
  }
  llvm::BasicBlock* alone = before->splitBasicBlock(call.getIterator(), "other");
  before->getTerminator()->eraseFromParent();
  return *alone;
}

// if (pointer == &first) first(...); else if ... else pointer(...);
void expand(llvm::CallBase& call, const std::vector<llvm::Function*>& targets) {
  llvm::Function& function = *call.getFunction();
  llvm::LLVMContext& context = function.getContext();
  const unsigned operand = function_operand(call).value();
  llvm::Value* pointer = call.getOperand(operand);
  llvm::BasicBlock *before = call.getParent(), *after = nullptr;
  llvm::BasicBlock& other = separate(call, after);
  llvm::IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::PHINode* result = nullptr;
  if (!call.getType()->isVoidTy() && !call.use_empty()) {
    result = llvm::PHINode::Create(call.getType(), 0, "result", after->begin());
    call.replaceAllUsesWith(result);
    result->addIncoming(&call, &other);
  }
  for (llvm::Function* target : targets) {
    llvm::BasicBlock* hit = llvm::BasicBlock::Create(context, "target", &function);
    llvm::BasicBlock* next =
        target == targets.back() ? &other : llvm::BasicBlock::Create(context, "other", &function);
    builder.CreateCondBr(builder.CreateICmpEQ(pointer, target), hit, next);
    llvm::CallBase& copy = copy_call(call, operand, *target, *hit, *after);
    if (result != nullptr) result->addIncoming(&copy, hit);
    builder.SetInsertPoint(next);
  }
  llvm::SmallVector<llvm::Metadata*> all;
  for (llvm::Function* target : expanded(call)) all.push_back(llvm::ConstantAsMetadata::get(target));
  for (llvm::Function* target : targets) all.push_back(llvm::ConstantAsMetadata::get(target));
  call.setMetadata(kExpanded, llvm::MDNode::get(context, all));
}

}  // namespace

bool has_pointer_calls(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr && function_operand(*call).has_value();
  });
}

std::vector<llvm::Function*> expand_pointer_calls(llvm::Function& function, const PointsTo& points_to,
                                                  Unit& unit) {
  std::vector<llvm::Function*> added;
  for (llvm::CallBase* call : pointer_calls(function)) {
    const std::set<llvm::Function*> known = expanded(*call);
    std::vector<llvm::Function*> targets = targets_of(*call, points_to);
    if (targets.size() > kMostTargets) continue;  // rejected where it is lowered
    llvm::erase_if(targets, [&](llvm::Function* target) { return known.contains(target); });
    if (targets.empty()) continue;
    for (const llvm::Function* target : targets)
      if (call->getCalledFunction() == nullptr && !target->isDeclaration() && is_inside(*call, *target))
        unit.reject(*call,
                    fmt::format("recursion: '{}' may end up calling itself through a pointer",
                                readable_name(*target)),
                    "calls are inlined, so their depth must be bounded");
    expand(*call, targets);
    added.insert(added.end(), targets.begin(), targets.end());
  }
  return added;
}

bool close_pointer_calls(llvm::Function& function, const PointsTo& points_to) {
  bool closed = false;
  for (llvm::CallBase* call : pointer_calls(function)) {
    const std::set<llvm::Function*> known = expanded(*call);
    const std::vector<llvm::Function*> targets = targets_of(*call, points_to);
    if (!llvm::all_of(targets, [&](llvm::Function* target) { return known.contains(target); })) continue;
    // Where no function is found for a pointer that is not tracked, or for a thread, that is rejected.
    const bool unknown = points_to.of(*call->getOperand(function_operand(*call).value())).unknown;
    if (known.empty() && (unknown || call->getCalledFunction() != nullptr)) continue;
    llvm::IRBuilder<> builder(call);
    builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::trap, {});
    llvm::changeToUnreachable(call);
    closed = true;
  }
  if (closed) llvm::EliminateUnreachableBlocks(function);
  return closed;
}

}  // namespace fenceline::frontend::c
