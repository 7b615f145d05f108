// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calls are inlined, and those of recursive functions too, level by level: after each level, variables leave memory and
// constants are folded, so that a call behind a condition that is known not to hold is gone. A recursion whose
// depth follows from constants ends that way; all others are rejected. What is inlined is the function as it was at
// first, since the function itself may be the one that is being made flat.
#include <fmt/format.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr unsigned kDeepest = 64;  // calls inside of each other

}  // namespace

void Unit::keep_recursive(llvm::Function& function) {
  if (recursive_.contains(&function)) return;
  llvm::ValueToValueMapTy values;
  llvm::Function* copy = llvm::CloneFunction(&function, values);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setName(function.getName() + kCopySuffix);
  recursive_[&function] = copy;
}

void Unit::inline_calls(llvm::Function& function) {
  inline_plain_calls(function);
  for (unsigned depth = 0; !calls_of(function).empty(); ++depth) {
    Passes passes(opaque_, layout());
    passes.promote_variables(function);
    passes_.insert(passes_.end(), passes.counts().begin(), passes.counts().end());
    // There may be calls of functions that were pointers before.
    not_recursive_.erase(&function);
    find_recursion(function);
    inline_plain_calls(function);
    const std::vector<llvm::CallBase*> calls = calls_of(function);
    if (calls.empty()) return;
    const auto give_up = [&](const llvm::CallBase& call) {
      reject(
          call,
          fmt::format("recursion: '{}' ends up calling itself, more than {} times or as often as no constant "
                      "tells",
                      readable_name(*call.getCalledFunction()), kDeepest),
          "calls are inlined, so their depth must follow from constants");
    };
    if (depth == kDeepest) give_up(*calls.front());
    for (llvm::CallBase* call : calls) call->setCalledFunction(recursive_.at(call->getCalledFunction()));
    if (!inline_all(function, calls)) give_up(*calls_of(function).front());  // the one that was too much
    inline_plain_calls(function);
  }
}

}  // namespace fenceline::frontend::c
