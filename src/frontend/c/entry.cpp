// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/entry.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace fenceline::frontend::c {
namespace {

// A list of words that a null pointer ends. The program may overwrite it, and the words too.
llvm::GlobalVariable* list_of_words(llvm::Module& module, const char* name,
                                    const std::vector<const char*>& words) {
  llvm::LLVMContext& context = module.getContext();
  llvm::PointerType* pointer = llvm::PointerType::getUnqual(context);
  const auto define = [&](llvm::Constant* content, const char* called) {
    return new llvm::GlobalVariable(module, content->getType(), false, llvm::GlobalValue::InternalLinkage,
                                    content, called);
  };
  std::vector<llvm::Constant*> elements;
  for (const char* word : words)
    elements.push_back(define(llvm::ConstantDataArray::getString(context, word), word));
  elements.push_back(llvm::ConstantPointerNull::get(pointer));
  llvm::GlobalVariable* list =
      define(llvm::ConstantArray::get(llvm::ArrayType::get(pointer, elements.size()), elements), name);
  list->setAlignment(llvm::Align(8));
  return list;
}

}  // namespace

bool set_main_arguments(llvm::Function& main) {
  bool used = false;
  for (const llvm::Argument& argument : main.args()) used |= !argument.use_empty();
  if (!used) return true;
  if (main.arg_size() > 3 || !main.use_empty() || !main.getArg(0)->getType()->isIntegerTy(32)) return false;
  for (unsigned i = 1; i < main.arg_size(); ++i)
    if (!main.getArg(i)->getType()->isPointerTy()) return false;
  llvm::Module& module = *main.getParent();
  main.getArg(0)->replaceAllUsesWith(llvm::ConstantInt::get(main.getArg(0)->getType(), 1));
  if (main.arg_size() > 1) main.getArg(1)->replaceAllUsesWith(list_of_words(module, "argv", {"program"}));
  if (main.arg_size() > 2) main.getArg(2)->replaceAllUsesWith(list_of_words(module, "envp", {}));
  return true;
}

llvm::Function* exit_handlers(llvm::Module& module) {
  llvm::Function* function = module.getFunction("fl_run_exit_handlers");
  return function == nullptr || function->isDeclaration() ? nullptr : function;
}

void run_exit_handlers(llvm::Function& main) {
  constexpr const char* kDone = "fenceline.ends";  // an attribute of main()
  llvm::Function* handlers = exit_handlers(*main.getParent());
  if (handlers == nullptr || main.hasFnAttribute(kDone)) return;
  main.addFnAttr(kDone);
  std::vector<llvm::ReturnInst*> returns;
  for (llvm::Instruction& instruction : llvm::instructions(main))
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) returns.push_back(end);
  for (llvm::ReturnInst* end : returns)
    llvm::CallInst::Create(handlers, {}, "", end->getIterator())->setDebugLoc(end->getDebugLoc());
}

}  // namespace fenceline::frontend::c
