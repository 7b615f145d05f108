// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/size_cases.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "frontend/c/effects.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

// Numbers of elements: of a vector that doubles its capacity, and of a small one that is made as large as another.
constexpr std::array<uint64_t, 5> kAllocated = {1, 2, 3, 4, 8};
constexpr std::array<uint64_t, 7> kCopied = {0, 1, 2, 3, 4, 6, 8};
constexpr uint64_t kMostCharacters = 16;  // what a std::string holds without an allocation

// Is the number computed from the distance of two pointers?
bool has_distance(const llvm::Value& number) {
  std::vector<const llvm::Value*> todo{&number};
  std::set<const llvm::Value*> seen{&number};
  while (!todo.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(todo.back());
    todo.pop_back();
    if (instruction == nullptr) continue;
    if (instruction->getOpcode() == llvm::Instruction::Sub &&
        llvm::all_of(instruction->operands(),
                     [](const llvm::Use& operand) { return llvm::isa<llvm::PtrToIntInst>(operand); }))
      return true;
    if (!llvm::isa<llvm::BinaryOperator>(instruction) && !llvm::isa<llvm::PHINode>(instruction) &&
        !llvm::isa<llvm::SelectInst>(instruction))
      continue;
    for (const llvm::Value* operand : instruction->operands())
      if (seen.insert(operand).second) todo.push_back(operand);
  }
  return false;
}

// The argument that is an unknown size, for which a choice is made.
std::optional<unsigned> unknown_size(const llvm::CallBase& call) {
  const auto is_unknown = [&](unsigned i) { return !llvm::isa<llvm::Constant>(call.getArgOperand(i)); };
  if (llvm::isa<llvm::MemIntrinsic>(call))
    return is_unknown(2) && has_distance(*call.getArgOperand(2)) ? std::optional(2U) : std::nullopt;
  if (!allocated_size(call) || !call.getType()->isPointerTy()) return std::nullopt;
  const auto what = library_call(*call.getCalledFunction());
  if (what != Library::kAllocate && what != Library::kAllocateNew) return std::nullopt;
  for (unsigned i = 1; i < call.arg_size(); ++i)
    if (is_unknown(i)) return std::nullopt;
  return is_unknown(0) && has_distance(*call.getArgOperand(0)) ? std::optional(0U) : std::nullopt;
}

// Is there an object that so many bytes may be accessed in?
bool fits(const llvm::Value& pointer, uint64_t bytes, const PointsTo& points_to) {
  const Targets targets = points_to.of(pointer);
  return bytes == 0 || targets.unknown || llvm::any_of(targets.locations, [&](const Target& target) {
           const uint64_t size = points_to.object(target.object).size;
           const int64_t first = target.first();
           return size == 0 || (first >= 0 && bytes <= size && static_cast<uint64_t>(first) <= size - bytes);
         });
}

std::vector<uint64_t> likely_sizes(const llvm::CallBase& call, llvm::Value& size, const PointsTo& points_to) {
  std::vector<uint64_t> sizes;
  const auto unit = static_cast<uint64_t>(scaled_index(size).factor);
  const bool is_copy = llvm::isa<llvm::MemIntrinsic>(call);
  if (is_copy && unit == 1)
    for (uint64_t i = 0; i <= kMostCharacters; ++i) sizes.push_back(i);
  else if (is_copy)
    for (const uint64_t count : kCopied) sizes.push_back(count * unit);
  else
    for (const uint64_t count : kAllocated) sizes.push_back(count * unit);
  if (is_copy)
    std::erase_if(sizes, [&](uint64_t bytes) {
      return !fits(*call.getArgOperand(0), bytes, points_to) ||
             (llvm::isa<llvm::MemTransferInst>(call) && !fits(*call.getArgOperand(1), bytes, points_to));
    });
  return sizes;
}

// The call once for each size, and a limitation for all others.
void split(llvm::CallBase& call, unsigned argument, const std::vector<uint64_t>& sizes) {
  llvm::Function& function = *call.getFunction();
  llvm::LLVMContext& context = function.getContext();
  llvm::Value* size = call.getArgOperand(argument);
  auto* type = llvm::cast<llvm::IntegerType>(size->getType());
  llvm::BasicBlock* before = call.getParent();
  llvm::BasicBlock* behind = before->splitBasicBlock(call.getIterator(), "sized");
  before->getTerminator()->eraseFromParent();

  auto* other = llvm::BasicBlock::Create(context, "other.size", &function, behind);
  llvm::IRBuilder<> limiting(other);
  limiting.SetCurrentDebugLocation(call.getDebugLoc());
  const llvm::DILocation* at = Unit::location_of(call);
  const std::string where = at == nullptr ? "" : fmt::format(" ({}:{})", Unit::file_of(*at), at->getLine());
  const char* what = llvm::isa<llvm::MemIntrinsic>(call) ? "a copy of so many bytes"
                                                         : "a container that grows so far while threads run";
  const llvm::FunctionCallee limit = call.getModule()->getOrInsertFunction(
      "fl_limit", limiting.getVoidTy(), limiting.getInt32Ty(), limiting.getPtrTy());
  limiting.CreateCall(limit, {limiting.getInt32(0),
                              limiting.CreateGlobalString(
                                  fmt::format("Fenceline does not support {}{}", what, where), "fl.text")});
  limiting.CreateUnreachable();

  llvm::IRBuilder<> choosing(before);
  choosing.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::SwitchInst* choice = choosing.CreateSwitch(size, other);
  llvm::PHINode* result =
      call.getType()->isVoidTy() ? nullptr : llvm::PHINode::Create(call.getType(), 0, "", behind->begin());
  for (const uint64_t bytes : sizes) {
    auto* block = llvm::BasicBlock::Create(context, "size", &function, behind);
    auto* copy = llvm::cast<llvm::CallBase>(call.clone());
    copy->setArgOperand(argument, llvm::ConstantInt::get(type, bytes));
    copy->insertInto(block, block->end());
    llvm::BranchInst::Create(behind, block);
    if (result != nullptr) result->addIncoming(copy, block);
    choice->addCase(llvm::ConstantInt::get(type, bytes), block);
  }
  if (result != nullptr) call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

}  // namespace

bool split_sizes(llvm::Function& function, SizeOf which, const PointsTo& points_to) {
  struct Choice {
    llvm::CallBase* call;
    unsigned argument;
    std::vector<uint64_t> sizes;
  };
  std::vector<Choice> choices;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call != nullptr && !call->isInlineAsm() &&
        llvm::isa<llvm::MemIntrinsic>(call) == (which == SizeOf::kCopies))
      if (const auto argument = unknown_size(*call))
        choices.push_back({call, *argument, likely_sizes(*call, *call->getArgOperand(*argument), points_to)});
  for (const Choice& choice : choices) split(*choice.call, choice.argument, choice.sizes);
  return !choices.empty();
}

}  // namespace fenceline::frontend::c
