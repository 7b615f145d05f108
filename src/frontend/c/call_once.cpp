// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/call_once.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace fenceline::frontend::c {
namespace {

// Of libstdc++. An instance of call_once() makes a closure of its arguments, which it calls `__callable`.
constexpr const char* kCallOnce = "_ZSt9call_onceI";
constexpr const char* kPrepare = "_ZNSt9once_flag18_Prepare_executionC";
constexpr const char* kEnd = "_ZNSt9once_flag18_Prepare_executionD";
constexpr const char* kOnce = "_ZL14__gthread_once";
constexpr const char* kProxy = "__once_proxy";
constexpr const char* kWithArgument = "fl_call_once";  // c++/runtime.h

void rewrite(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  llvm::Function* closure =
      module.getFunction(("_ZZ" + function.getName().drop_front(2) + "ENKUlvE_clEv").str());
  if (closure == nullptr || closure->arg_size() != 1) return;
  std::vector<llvm::CallBase*> prepare, once, end;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr) continue;
    if (callee->getName().starts_with(kPrepare) && call->arg_size() == 2) prepare.push_back(call);
    if (callee->getName().starts_with(kEnd)) end.push_back(call);
    if (callee->getName().starts_with(kOnce) && call->arg_size() == 2 &&
        call->getArgOperand(1)->getName() == kProxy)
      once.push_back(call);
  }
  const auto is_call = [](const llvm::CallBase* call) { return llvm::isa<llvm::CallInst>(call); };
  if (prepare.size() != 1 || once.size() != 1 || !llvm::all_of(prepare, is_call) ||
      !llvm::all_of(end, is_call))
    return;
  llvm::CallBase& old = *once.front();
  llvm::Type* pointer = closure->getArg(0)->getType();
  const llvm::FunctionCallee with_argument =
      module.getOrInsertFunction(kWithArgument, old.getType(), pointer, pointer, pointer);
  const std::vector<llvm::Value*> arguments = {old.getArgOperand(0), closure,
                                               prepare.front()->getArgOperand(1)};
  llvm::CallBase* call = nullptr;
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&old))
    call = llvm::InvokeInst::Create(with_argument, invoke->getNormalDest(), invoke->getUnwindDest(),
                                    arguments, "", old.getIterator());
  else
    call = llvm::CallInst::Create(with_argument, arguments, "", old.getIterator());
  call->setDebugLoc(old.getDebugLoc());
  old.replaceAllUsesWith(call);
  old.eraseFromParent();
  prepare.front()->eraseFromParent();
  for (llvm::CallBase* one : end) one->eraseFromParent();
}

}  // namespace

void pass_callables_of_once(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && function.getName().starts_with(kCallOnce)) rewrite(function);
}

}  // namespace fenceline::frontend::c
