// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/static_destructors.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <set>
#include <string>
#include <vector>

#include "frontend/c/entry.h"
#include "frontend/c/library.h"

namespace fenceline::frontend::c {
namespace {

constexpr size_t kMostUnordered = 4;  // variables whose order is not known before: all orders are tried

struct Registration {
  llvm::CallBase* call;
  llvm::Function* destructor;
  llvm::Constant* object;
  bool before_main;                        // a global variable: these are in a known order
  llvm::GlobalVariable* number = nullptr;  // which registration it was, from 1; 0: there was none
};

// The functions that initialise global variables, with all that they call for that, in their order.
std::vector<const llvm::Function*> initialisers(const llvm::Module& module) {
  std::vector<const llvm::Function*> functions;
  const llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global_ctors");
  if (list == nullptr) return functions;
  for (unsigned i = 0; const llvm::Constant* entry = list->getInitializer()->getAggregateElement(i); ++i) {
    const auto* outer = llvm::dyn_cast<llvm::Function>(entry->getAggregateElement(1U));
    if (outer == nullptr) continue;
    functions.push_back(outer);
    for (const llvm::Instruction& instruction : llvm::instructions(*outer))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const llvm::Function* inner = call->getCalledFunction();
            inner != nullptr && inner->getName().starts_with("__cxx_global_var_init"))
          functions.push_back(inner);
  }
  return functions;
}

std::vector<Registration> registrations(llvm::Module& module) {
  std::vector<Registration> found;
  const auto look_at = [&](llvm::Function& function, bool before_main) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || !callee->isDeclaration() || callee->getName() != "__cxa_atexit") continue;
      auto* destructor = llvm::dyn_cast<llvm::Function>(call->getArgOperand(0)->stripPointerCasts());
      auto* object = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(1));
      // A guard around it: a variable of a function, or of a template.
      const bool always = before_main && call->getParent() == &function.getEntryBlock();
      if (destructor != nullptr && object != nullptr && destructor->arg_size() == 1)
        found.push_back({call, destructor, object, always});
    }
  };
  const std::vector<const llvm::Function*> first = initialisers(module);
  const std::set<const llvm::Function*> known(first.begin(), first.end());
  for (const llvm::Function* function : first) look_at(*const_cast<llvm::Function*>(function), true);
  for (llvm::Function& function : module)
    if (!known.contains(&function)) look_at(function, false);
  return found;
}

llvm::Type* number_type(llvm::Module& module) { return llvm::Type::getInt32Ty(module.getContext()); }

llvm::GlobalVariable* new_number(llvm::Module& module, const std::string& name) {
  return new llvm::GlobalVariable(module, number_type(module), false, llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantInt::get(number_type(module), 0), name);
}

// Registers the variable: it is the next one. Other threads may do the same.
void count(Registration& one, llvm::GlobalVariable& counter) {
  llvm::IRBuilder<> builder(one.call);
  one.number = new_number(*one.call->getModule(), "registered");
  llvm::Value* before = builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, &counter, builder.getInt32(1),
                                                llvm::Align(4), llvm::AtomicOrdering::SequentiallyConsistent);
  builder.CreateAlignedStore(builder.CreateAdd(before, builder.getInt32(1)), one.number, llvm::Align(4))
      ->setAtomic(llvm::AtomicOrdering::SequentiallyConsistent);
}

// What runs at the end.
llvm::Function& write_end(llvm::Module& module, std::vector<Registration>& all) {
  llvm::LLVMContext& context = module.getContext();
  auto* end = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                     llvm::GlobalValue::InternalLinkage, "fl.static_destructors", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", end));
  const auto destroy = [&](const Registration& one) {
    llvm::CallInst* call = builder.CreateCall(one.destructor, {one.object});
    call->setAttributes(one.destructor->getAttributes());
  };
  std::vector<Registration*> unordered;
  for (Registration& one : all)
    if (!one.before_main) unordered.push_back(&one);
  if (!unordered.empty()) {
    llvm::GlobalVariable* counter = new_number(module, "registrations");
    for (Registration* one : unordered) count(*one, *counter);
  }
  for (size_t number = unordered.size(); number > 0; --number)
    for (const Registration* one : unordered) {
      llvm::LoadInst* load = builder.CreateAlignedLoad(number_type(module), one->number, llvm::Align(4));
      load->setAtomic(llvm::AtomicOrdering::SequentiallyConsistent);
      llvm::BasicBlock* yes = llvm::BasicBlock::Create(context, "", end);
      llvm::BasicBlock* next = llvm::BasicBlock::Create(context, "", end);
      builder.CreateCondBr(builder.CreateICmpEQ(load, builder.getInt32(static_cast<uint32_t>(number))), yes,
                           next);
      builder.SetInsertPoint(yes);
      destroy(*one);
      builder.CreateBr(next);
      builder.SetInsertPoint(next);
    }
  for (auto one = all.rbegin(); one != all.rend(); ++one)
    if (one->before_main) destroy(*one);
  builder.CreateRetVoid();
  return *end;
}

// Before main() returns, and before exit(); where there are functions for atexit(), behind those.
void run_at_end(llvm::Module& module, llvm::Function& last, llvm::Function& end) {
  std::vector<llvm::Instruction*> ends;
  for (llvm::Instruction& instruction : llvm::instructions(last))
    if (llvm::isa<llvm::ReturnInst>(instruction)) ends.push_back(&instruction);
  if (llvm::Function* leave = module.getFunction("exit"); leave != nullptr && leave->isDeclaration())
    for (llvm::User* user : leave->users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user);
          call != nullptr && call->getCalledFunction() == leave)
        ends.push_back(call);
  for (llvm::Instruction* before : ends)
    llvm::IRBuilder<>(before).CreateCall(&end)->setDebugLoc(before->getDebugLoc());
}

}  // namespace

void run_static_destructors(llvm::Module& module, llvm::Function* main) {
  std::vector<Registration> all = registrations(module);
  // Those without an effect, and where nothing ends.
  llvm::erase_if(all, [&](const Registration& one) {
    if (main != nullptr && library_call(*one.destructor) != Library::kNothing) return false;
    one.call->replaceAllUsesWith(llvm::Constant::getNullValue(one.call->getType()));
    one.call->eraseFromParent();
    return true;
  });
  const auto unordered = llvm::count_if(all, [](const Registration& one) { return !one.before_main; });
  if (all.empty() || unordered > static_cast<ptrdiff_t>(kMostUnordered)) return;
  // Functions for atexit() are taken to be registered behind global variables, and in no known order with others.
  llvm::Function* handlers = exit_handlers(module);
  if (handlers != nullptr && unordered > 0) return;
  run_at_end(module, handlers != nullptr ? *handlers : *main, write_end(module, all));
  for (const Registration& one : all) {
    one.call->replaceAllUsesWith(llvm::Constant::getNullValue(one.call->getType()));
    one.call->eraseFromParent();
  }
}

}  // namespace fenceline::frontend::c
