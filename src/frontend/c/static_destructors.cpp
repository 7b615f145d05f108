// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/static_destructors.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>
#include <vector>

#include "frontend/c/entry.h"
#include "frontend/c/library.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kEnd = "fl.static_destructors";
constexpr const char* kRegister = "fl_at_end";               // support/exit.c
constexpr const char* kRunRegistered = "fl_run_registered";  // support/exit.c
constexpr const char* kDestroy = "fl_destroy";               // (number): called there
constexpr size_t kMostCopies =
    32;  // of destructors that are registered at run time, between those in sequence

struct Registration {
  llvm::CallBase* call;
  llvm::Function* destructor;
  llvm::Constant* object;
};

bool is_registration(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->isDeclaration() && callee->getName() == "__cxa_atexit";
}

// All that are of a known function and object.
std::vector<Registration> registrations(llvm::Module& module) {
  std::vector<Registration> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!is_registration(instruction)) continue;
      auto& call = llvm::cast<llvm::CallBase>(instruction);
      auto* destructor = llvm::dyn_cast<llvm::Function>(call.getArgOperand(0)->stripPointerCastsAndAliases());
      auto* object = llvm::dyn_cast<llvm::Constant>(call.getArgOperand(1));
      if (destructor != nullptr && object != nullptr && destructor->arg_size() == 1)
        found.push_back({&call, destructor, object});
    }
  return found;
}

void remove(const Registration& one) {
  one.call->replaceAllUsesWith(llvm::Constant::getNullValue(one.call->getType()));
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(one.call)) {
    llvm::BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
  }
  one.call->eraseFromParent();
}

// Those without an effect.
void remove_plain(std::vector<Registration>& all) {
  llvm::erase_if(all, [](const Registration& one) {
    if (library_call(*one.destructor) != Library::kNothing) return false;
    remove(one);
    return true;
  });
}

// What code may execute: all functions that it refers to, directly or through constants and global variables. A pointer
// to a function comes from code that refers to it.
class Reach {
 public:
  void add(const llvm::Instruction& instruction) {
    if (is_registration(instruction)) {
      registers_ = true;
      return;  // the destructor is not called here
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    calls_pointers_ |= call != nullptr && call->getCalledFunction() == nullptr && !call->isInlineAsm();
    for (const llvm::Value* operand : instruction.operands())
      if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) add(*constant);
  }
  void add(const llvm::Constant& constant) {
    if (!seen_.insert(&constant).second) return;
    if (const auto* function = llvm::dyn_cast<llvm::Function>(&constant)) {
      const llvm::StringRef name = function->getName();
      if (function->isDeclaration()) {
        registers_ |= name == "atexit" || name == "__cxa_atexit";
        ends_ |= name == "exit";
      }
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) add(instruction);
      return;
    }
    for (const llvm::Value* operand : constant.operands())
      if (const auto* part = llvm::dyn_cast<llvm::Constant>(operand)) add(*part);
  }

  bool registers() const { return registers_; }
  bool ends_process() const { return ends_; }
  bool calls_pointers() const { return calls_pointers_; }

 private:
  std::set<const llvm::Constant*> seen_;
  bool registers_ = false, ends_ = false, calls_pointers_ = false;
};

// The functions that run before main(), in their order.
std::vector<llvm::Function*> initialisers(const llvm::Module& module) {
  std::vector<std::pair<uint64_t, llvm::Function*>> found;
  if (const llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global_ctors"))
    for (unsigned i = 0; const llvm::Constant* entry = list->getInitializer()->getAggregateElement(i); ++i)
      if (auto* function = llvm::dyn_cast<llvm::Function>(entry->getAggregateElement(1U)))
        found.emplace_back(llvm::cast<llvm::ConstantInt>(entry->getAggregateElement(0U))->getZExtValue(),
                           function);
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<llvm::Function*> functions;
  for (const auto& [priority, function] : found) functions.push_back(function);
  return functions;
}

// The registrations that every execution begins with, in their order.
class FirstRegistrations {
 public:
  explicit FirstRegistrations(const llvm::Module& module) {
    for (const llvm::Function* function : initialisers(module)) follow(*function);
  }
  const std::vector<const llvm::Instruction*>& calls() const { return calls_; }

 private:
  // Along the instructions that are always executed.
  void follow(const llvm::Function& function) {
    std::set<const llvm::BasicBlock*> path;
    for (const llvm::BasicBlock* block = function.isDeclaration() ? nullptr : &function.getEntryBlock();
         block != nullptr && path.insert(block).second; block = next(*block))
      for (const llvm::Instruction& instruction : *block) look_at(instruction);
    for (const llvm::BasicBlock& block : function)
      if (!path.contains(&block))
        for (const llvm::Instruction& instruction : block) before_.add(instruction);
  }
  static const llvm::BasicBlock* next(const llvm::BasicBlock& block) {
    if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator()))
      return invoke->getNormalDest();
    return block.getSingleSuccessor();
  }
  void look_at(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee != nullptr && callee->getName().starts_with("__cxx_global_var_init"))
      follow(*callee);
    else if (is_registration(instruction) && !before_.registers() && !before_.ends_process())
      calls_.push_back(&instruction);
    else
      before_.add(instruction);
  }

  Reach before_;
  std::vector<const llvm::Instruction*> calls_;
};

void destroy(llvm::IRBuilder<>& builder, const Registration& one) {
  builder.CreateCall(one.destructor, {one.object})->setAttributes(one.destructor->getAttributes());
}

// fl_destroy(number): the destructor of that registration, from 1.
void define_destroy(llvm::Function& function, const std::vector<Registration>& all) {
  llvm::LLVMContext& context = function.getContext();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", &function));
  llvm::BasicBlock* end = llvm::BasicBlock::Create(context, "", &function);
  llvm::SwitchInst* which = builder.CreateSwitch(function.getArg(0), end);
  for (const Registration& one : all) {
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", &function));
    which->addCase(builder.getInt32(which->getNumCases() + 1), builder.GetInsertBlock());
    destroy(builder, one);
    builder.CreateBr(end);
  }
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
}

size_t calls_of_atexit(const llvm::Module& module) {
  const llvm::Function* function = module.getFunction("atexit");
  return function == nullptr ? 0 : function->getNumUses();
}

// exit() of the library, where support/exit.c does not define it.
void define_exit(llvm::Module& module, llvm::Function& end) {
  llvm::Function* leave = module.getFunction("exit");
  if (leave == nullptr || !leave->isDeclaration()) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", leave));
  builder.CreateCall(&end);
  const llvm::FunctionCallee rest =
      module.getOrInsertFunction("_Exit", builder.getVoidTy(), builder.getInt32Ty());
  builder.CreateCall(rest, {builder.getInt32(0)});
  builder.CreateUnreachable();
}

void run_before_return(llvm::Function& function, llvm::Function& called) {
  std::vector<llvm::Instruction*> returns;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::ReturnInst>(instruction)) returns.push_back(&instruction);
  for (llvm::Instruction* before : returns)
    llvm::IRBuilder<>(before).CreateCall(&called)->setDebugLoc(before->getDebugLoc());
}

}  // namespace

void register_at_run_time(llvm::Module& module) {
  const llvm::Function* main = module.getFunction("main");
  if (main == nullptr || main->isDeclaration()) return;
  std::vector<Registration> all = registrations(module);
  remove_plain(all);
  const std::vector<const llvm::Instruction*> first = FirstRegistrations(module).calls();
  std::vector<Registration> later = all;
  llvm::erase_if(later, [&](const Registration& one) { return llvm::is_contained(first, one.call); });
  const size_t at_run_time = later.size() + calls_of_atexit(module);
  if (at_run_time * (all.size() - later.size() + 1) > kMostCopies) later = all;
  if (later.empty()) return;
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  llvm::Type* nothing = llvm::Type::getVoidTy(module.getContext());
  llvm::FunctionCallee destroy = module.getOrInsertFunction(kDestroy, nothing, number);
  define_destroy(*llvm::cast<llvm::Function>(destroy.getCallee()), later);
  const llvm::FunctionCallee add = module.getOrInsertFunction(kRegister, nothing, number);
  for (size_t i = 0; i < later.size(); ++i) {
    llvm::IRBuilder<> builder(later[i].call);
    builder.CreateCall(add, {builder.getInt32(static_cast<uint32_t>(i + 1))});
    remove(later[i]);
  }
}

void run_static_destructors(llvm::Module& module, llvm::Function* main) {
  std::vector<Registration> all = registrations(module);
  if (main == nullptr) {
    for (const Registration& one : all) remove(one);
    return;
  }
  if (llvm::Function* function = module.getFunction(kDestroy);
      function != nullptr && function->isDeclaration())
    define_destroy(*function, {});
  remove_plain(all);
  if (all.empty()) return;
  // In the order of registrations.
  const std::vector<const llvm::Instruction*> order = FirstRegistrations(module).calls();
  std::ranges::sort(all, {}, [&](const Registration& one) { return llvm::find(order, one.call); });
  llvm::Function* registered = module.getFunction(kRunRegistered);
  auto* end =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false),
                             llvm::GlobalValue::InternalLinkage, kEnd, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", end));
  for (const Registration& one : llvm::reverse(all)) {
    destroy(builder, one);
    if (registered != nullptr) builder.CreateCall(registered);  // what has been registered meanwhile
    remove(one);
  }
  builder.CreateRetVoid();
  llvm::Function* handlers = exit_handlers(module);
  run_before_return(handlers != nullptr ? *handlers : *main, *end);
  define_exit(module, *end);
}

bool runs_at_end(const llvm::Module& module) {
  return module.getFunction(kEnd) != nullptr || module.getFunction(kRunRegistered) != nullptr;
}

}  // namespace fenceline::frontend::c
