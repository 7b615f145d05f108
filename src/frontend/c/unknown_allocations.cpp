// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/unknown_allocations.h"

#include <fmt/format.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <set>

#include "frontend/c/library.h"
#include "frontend/c/unknown_value.h"

namespace fenceline::frontend::c {
namespace {

// The argument that ought to be a constant; null if all are.
const llvm::Value* unknown_argument(const llvm::CallBase& call) {
  if (!allocated_size(call)) return nullptr;
  const bool into = library_call(*call.getCalledFunction()) == Library::kAllocateInto;
  for (unsigned i = into ? 1 : 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isIntegerTy() && !llvm::isa<llvm::Constant>(call.getArgOperand(i)))
      return call.getArgOperand(i);
  return nullptr;
}

// Can the function return without executing the block?
bool is_avoidable(const llvm::BasicBlock& avoided) {
  const llvm::BasicBlock& entry = avoided.getParent()->getEntryBlock();
  std::vector<const llvm::BasicBlock*> todo{&entry};
  std::set<const llvm::BasicBlock*> seen{&entry, &avoided};
  if (&entry == &avoided) return false;
  while (!todo.empty()) {
    const llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
    for (const llvm::BasicBlock* next : llvm::successors(block))
      if (seen.insert(next).second) todo.push_back(next);
  }
  return false;
}

}  // namespace

std::vector<llvm::CallBase*> avoidable_allocations(llvm::Function& function) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call != nullptr && unknown_argument(*call) != nullptr && is_avoidable(*call->getParent()))
      calls.push_back(call);
  return calls;
}

void limit_at(llvm::CallBase& call, Unit& unit) {
  const llvm::DILocation* at = Unit::location_of(call);
  const std::string where = at == nullptr ? "" : fmt::format(" ({}:{})", Unit::file_of(*at), at->getLine());
  const std::string text = fmt::format(
      "Fenceline does not support an allocation whose size is not a constant{}: {} with {}", where,
      readable_name(*call.getCalledFunction()), what_is_unknown(*unknown_argument(call), unit));
  llvm::IRBuilder<> builder(&call);
  const llvm::FunctionCallee limit = call.getModule()->getOrInsertFunction(
      "fl_limit", builder.getVoidTy(), builder.getInt32Ty(), builder.getPtrTy());
  builder.CreateCall(limit, {builder.getInt32(0), builder.CreateGlobalString(text, "fl.text")});
  llvm::changeToUnreachable(&call);
}

}  // namespace fenceline::frontend::c
