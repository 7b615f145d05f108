// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/cxx_runtime.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <array>

#include "env/errors.h"
#include "frontend/c/call_once.h"

namespace fenceline::frontend::c {
namespace {

// How the names of what may be there begin.
constexpr std::array<const char*, 8> kPrefixes = {
    "_ZNSt", "_ZNKSt", "_ZSt", "_ZTISt", "_ZTVSt", "__cxa_guard_", "__once_proxy", "__libc_single_threaded"};

// std::__throw_out_of_range_fmt(format, ...) is std::__throw_out_of_range(format): a function with a variable
// number of arguments cannot be inlined, and nothing depends on the text of an exception.
void drop_format(llvm::Module& module) {
  llvm::Function* with_format = module.getFunction("_ZSt24__throw_out_of_range_fmtPKcz");
  if (with_format == nullptr || !with_format->isDeclaration()) return;
  llvm::LLVMContext& context = module.getContext();
  const llvm::FunctionCallee plain = module.getOrInsertFunction(
      "_ZSt20__throw_out_of_rangePKc", llvm::Type::getVoidTy(context), llvm::PointerType::getUnqual(context));
  for (llvm::User* user : llvm::make_early_inc_range(with_format->users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledFunction() != with_format) continue;
    llvm::IRBuilder<> builder(call);
    llvm::CallBase* direct = nullptr;
    if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call))
      direct = builder.CreateInvoke(plain, invoke->getNormalDest(), invoke->getUnwindDest(),
                                    {call->getArgOperand(0)});
    else
      direct = builder.CreateCall(plain, {call->getArgOperand(0)});
    direct->setDebugLoc(call->getDebugLoc());
    direct->setDoesNotReturn();
    call->eraseFromParent();
  }
}

// Functions of the headers that are replaced: the ones from here have the same effect, and are simpler.
constexpr std::array kReplaced = {
    // std::promise that is destroyed without a value; in the headers it makes an exception, and its text.
    "_ZNSt13__future_base13_State_baseV216_M_break_promiseESt10unique_ptrINS_12_Result_baseENS2_8_DeleterEE"};

void drop_replaced(llvm::Module& module) {
  for (const char* name : kReplaced)
    if (llvm::Function* function = module.getFunction(name);
        function != nullptr && !function->isDeclaration()) {
      function->deleteBody();
      function->setComdat(nullptr);
    }
}

// std::condition_variable::wait_until() of any clock. In the headers it converts the time to seconds, and asks the
// clock after the wait whether it is over.
constexpr const char* kWaitUntil = "_ZNSt18condition_variable17__wait_until_implI";

void replace_timed_waits(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.getName().starts_with(kWaitUntil)) continue;
    const auto linkage = function.getLinkage();
    function.deleteBody();
    function.setLinkage(linkage);
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", &function));
    const llvm::FunctionCallee wait =
        module.getOrInsertFunction("fl_wait_until", function.getReturnType(), pointer, pointer);
    builder.CreateRet(builder.CreateCall(wait, {function.getArg(0), function.getArg(1)}));
  }
}

}  // namespace

bool needs_cxx_runtime(const llvm::Module& module) {
  const auto needed = [](const llvm::GlobalValue& value) {
    return value.isDeclaration() && !value.use_empty() &&
           llvm::any_of(kPrefixes, [&](const char* prefix) { return value.getName().starts_with(prefix); });
  };
  return llvm::any_of(module, needed) || llvm::any_of(module.globals(), needed);
}

void link_cxx_runtime(llvm::Module& module, const std::string& bitcode) {
  drop_format(module);
  drop_replaced(module);
  replace_timed_waits(module);
  pass_callables_of_once(module);
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(bitcode, "runtime", false);
  auto parsed = llvm::parseBitcodeFile(*buffer, module.getContext());
  if (!parsed)
    throw Unsupported("the compiler's output cannot be read: " + llvm::toString(parsed.takeError()));
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
    throw Unsupported("the C++ library does not fit the program");
  // Never set: nothing reads it from memory.
  if (llvm::GlobalVariable* single = module.getGlobalVariable("__libc_single_threaded"))
    for (llvm::User* user : llvm::make_early_inc_range(single->users()))
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        load->replaceAllUsesWith(llvm::Constant::getNullValue(load->getType()));
        load->eraseFromParent();
      }
}

}  // namespace fenceline::frontend::c
