// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/exceptions.h"

#include <fmt/format.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <set>

#include "frontend/c/exception_types.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr unsigned kHeader = 16;  // bytes in front of an exception,
constexpr int64_t kTypeAt = -4;   // among them the number of its type
constexpr const char* kAllocate = "__cxa_allocate_exception";
constexpr const char* kRethrow = "__cxa_rethrow";

llvm::StringRef callee_name(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee == nullptr ? "" : callee->getName();
}

template <class F>
std::vector<llvm::CallBase*> calls_where(llvm::Function& function, const F& wanted) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call != nullptr && wanted(*call))
      calls.push_back(call);
  return calls;
}

// A function that must not be left by an exception ends the program if it is.
bool ends_program(const llvm::LandingPadInst& pad) {
  return llvm::any_of(*pad.getParent(), [](const llvm::Instruction& instruction) {
    return callee_name(instruction) == "__clang_call_terminate";
  });
}

// The library's constructors of exceptions, strings and so on do nothing but that.
bool is_library_constructor(const llvm::Function& declaration) {
  llvm::ItaniumPartialDemangler name;
  return declaration.getName().starts_with("_ZNSt") && !name.partialDemangle(declaration.getName().data()) &&
         name.isCtorOrDtor();
}

// What takes the place of a `throw` that is not caught, or the end of a function that must not be left so.
bool ends_by_exception(const llvm::Function& declaration) {
  return declaration.getName().starts_with(kUncaught) || declaration.getName() == "__clang_call_terminate";
}

// Computes or allocates, and nothing of other threads is seen: control goes on behind it, in all executions.
bool goes_on(const llvm::Instruction& instruction) {
  if (instruction.isAtomic()) return false;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return intrinsic->getIntrinsicID() != llvm::Intrinsic::assume && !intrinsic->doesNotReturn();
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return true;
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  if (callee->getName().starts_with("fl.hidden") || ends_by_exception(*callee) ||
      is_library_constructor(*callee))
    return true;
  switch (library_call(*callee).value_or(Library::kWait)) {
    case Library::kNothing:
    case Library::kOutput:
    case Library::kStream:
    case Library::kNondet:
    case Library::kNondetOfType:
    case Library::kAllocate:
    case Library::kAllocateZeroed:
    case Library::kAllocateAligned:
    case Library::kAllocateNew:
    case Library::kAllocateInto:
    case Library::kFree:
      return true;
    default:
      return false;
  }
}

// Whatever is executed from there on ends with an exception that is not caught. Precondition: nothing throws any more.
bool ends_uncaught(llvm::BasicBlock& first) {
  for (const llvm::BasicBlock* block : llvm::depth_first(&first)) {
    if (!llvm::all_of(*block, goes_on)) return false;
    const llvm::Instruction* end = block->getTerminator();
    if (end->getNumSuccessors() > 0) continue;
    const auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(end->getPrevNode());
    if (!llvm::isa<llvm::UnreachableInst>(end) || call == nullptr || call->getCalledFunction() == nullptr ||
        !ends_by_exception(*call->getCalledFunction()))
      return false;
  }
  return true;
}

// pthread_exit() and its like: what the C++ library does on the way is what an exception would do.
bool ends_thread(const llvm::Function& declaration) {
  return library_call(declaration) == Library::kThreadEnd;
}

// Does the code behind the landing pad do more than go on to the next one, with what the pad has got?
bool does_something(const llvm::LandingPadInst& pad) {
  const auto has_effect = [](const llvm::Instruction& instruction) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return !llvm::isa<llvm::ExtractValueInst>(store->getValueOperand());
    if (instruction.isTerminator() && !llvm::isa<llvm::InvokeInst>(instruction))
      return instruction.getNumSuccessors() == 0 && !llvm::isa<llvm::ResumeInst>(instruction);
    return instruction.mayWriteToMemory() && !llvm::isa<llvm::LoadInst>(instruction) &&
           !llvm::isa<llvm::IntrinsicInst>(instruction) && !callee_name(instruction).starts_with("fl.hidden");
  };
  return llvm::any_of(llvm::depth_first(pad.getParent()),
                      [&](const llvm::BasicBlock* block) { return llvm::any_of(*block, has_effect); });
}

// The type of the handler; null: all types.
const llvm::Constant& clause_of(const llvm::LandingPadInst& pad, unsigned i) {
  return *llvm::cast<llvm::Constant>(pad.getClause(i)->stripPointerCasts());
}

bool may_be_caught(const llvm::CallBase& call) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  return invoke != nullptr && invoke->getLandingPadInst()->getNumClauses() > 0;
}

// The handler in which control is: the last one before that has begun and not ended.
llvm::CallBase* current_handler(llvm::CallBase& rethrow) {
  const llvm::DominatorTree dominators(*rethrow.getFunction());
  unsigned ended = 0;
  llvm::BasicBlock* block = rethrow.getParent();
  llvm::Instruction* at = &rethrow;
  while (true) {
    for (; at != nullptr; at = at->getPrevNode()) {
      if (callee_name(*at) == "__cxa_end_catch") ++ended;
      if (callee_name(*at) == "__cxa_begin_catch" && ended-- == 0) return llvm::cast<llvm::CallBase>(at);
    }
    const auto* node = dominators.getNode(block);
    if (node == nullptr || node->getIDom() == nullptr) return nullptr;
    block = node->getIDom()->getBlock();
    at = &block->back();
  }
}

// Nothing but its own object: it makes no difference whether it is executed.
bool is_plain_destructor(const llvm::Function& function, std::set<const llvm::Function*>& seen) {
  if (function.isDeclaration()) return function.getName().starts_with("_ZNSt");
  if (!seen.insert(&function).second) return true;
  const auto is_hidden = [](const llvm::Value& value) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
    return call != nullptr && callee_name(*call).starts_with("fl.hidden");
  };
  const auto own = [&](const llvm::Value* pointer) {
    while (is_hidden(*pointer) && pointer->getType()->isPointerTy())
      pointer = llvm::cast<llvm::CallInst>(pointer)->getArgOperand(0);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) pointer = load->getPointerOperand();
    return llvm::isa<llvm::AllocaInst>(pointer);
  };
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.isAtomic() || llvm::isa<llvm::MemIntrinsic>(instruction)) return false;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      if (!own(store->getPointerOperand())) return false;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call) || is_hidden(*call)) continue;
    if (call->getCalledFunction() == nullptr || !is_plain_destructor(*call->getCalledFunction(), seen))
      return false;
  }
  return true;
}

// A structure that comes from several blocks, as one value for each of its members.
void split_phis(llvm::Function& function) {
  std::vector<llvm::PHINode*> phis;
  for (llvm::BasicBlock& block : function)
    for (llvm::PHINode& phi : block.phis())
      if (phi.getType()->isStructTy()) phis.push_back(&phi);
  for (llvm::PHINode* phi : phis) {
    llvm::IRBuilder<> builder(&*phi->getParent()->getFirstInsertionPt());
    llvm::Value* whole = llvm::PoisonValue::get(phi->getType());
    std::vector<llvm::PHINode*> parts;
    for (unsigned i = 0; i < phi->getType()->getStructNumElements(); ++i) {
      parts.push_back(llvm::PHINode::Create(phi->getType()->getStructElementType(i),
                                            phi->getNumIncomingValues(), "", phi->getIterator()));
      whole = builder.CreateInsertValue(whole, parts.back(), i);
    }
    phi->replaceAllUsesWith(whole);
    for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k) {
      llvm::IRBuilder<> before(phi->getIncomingBlock(k)->getTerminator());
      for (unsigned i = 0; i < parts.size(); ++i)
        parts[i]->addIncoming(before.CreateExtractValue(phi->getIncomingValue(k), i),
                              phi->getIncomingBlock(k));
    }
    phi->eraseFromParent();
  }
}

}  // namespace

bool is_throwing(const llvm::Function& declaration) {
  const llvm::StringRef name = declaration.getName();
  return name == "__cxa_throw" || name == kRethrow || name == "__cxa_bad_cast" ||
         name == "__cxa_bad_typeid" || name == "__cxa_throw_bad_array_new_length" || is_library_throw(name);
}

void Exceptions::mark_throwing(llvm::Module& module) {
  for (llvm::Function& function : module) {
    // The handler of what must not throw; it is known by its name.
    if (function.getName() == "__clang_call_terminate") function.deleteBody();
    if (function.isDeclaration() && !is_throwing(function) && !ends_thread(function))
      function.setDoesNotThrow();
  }
}

void Exceptions::lower(llvm::Function& function) {
  entries_.clear();
  uncaught_.clear();
  for (llvm::CallBase* call : calls_where(function, [](const llvm::CallBase& one) {
         const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&one);
         const llvm::Function* callee = one.getCalledFunction();
         return invoke != nullptr && callee != nullptr && ends_thread(*callee) &&
                does_something(*invoke->getLandingPadInst());
       }))
    reject_there("the end of a thread in reach of destructors or handlers", *call, cut_before(*call));
  calls_that_do_not_throw(function);
  keep_objects(function);
  for (llvm::CallBase* call : calls_where(function, [](const llvm::CallBase& one) {
         const llvm::Function* callee = one.getCalledFunction();
         return callee != nullptr && callee->isDeclaration() && is_throwing(*callee) &&
                (callee->getName() != kRethrow || !may_be_caught(one));
       }))
    lower_throw(*call);
  for (const auto& [thrown, call] : uncaught_) end_where_created(thrown, *call);
  clean_up(function);
}

bool Exceptions::lower_rethrows(llvm::Function& function) {
  const auto calls =
      calls_where(function, [](const llvm::CallBase& call) { return callee_name(call) == kRethrow; });
  if (calls.empty()) return false;
  entries_.clear();
  rethrown_.insert(&function);
  for (llvm::CallBase* call : calls) lower_rethrow(*call);
  clean_up(function);
  return true;
}

// The object of an exception is a local variable, with a header: a thread has at most one at a time that comes from
// the same place. What a handler gets is its address.
void Exceptions::keep_objects(llvm::Function& function) {
  for (llvm::CallBase* call : calls_where(function, [](const llvm::CallBase& one) {
         const llvm::StringRef name = callee_name(one);
         return name == kAllocate || name == "__cxa_free_exception" || name == "__cxa_begin_catch" ||
                name == "__cxa_get_exception_ptr" || callee_name(one).starts_with("llvm.eh.typeid.for");
       })) {
    if (callee_name(*call) == "__cxa_free_exception") {
      call->eraseFromParent();
    } else if (call->use_empty()) {
      continue;  // done before
    } else if (callee_name(*call) == kAllocate) {
      const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
      if (size == nullptr) unit_.reject(*call, "an exception whose size is not a constant");
      call->replaceAllUsesWith(&object_at(*call, size->getZExtValue()));
    } else if (callee_name(*call).starts_with("llvm.")) {
      const auto* type = llvm::cast<llvm::Constant>(call->getArgOperand(0)->stripPointerCasts());
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), number_of(type)));
      call->eraseFromParent();
    } else {
      call->replaceAllUsesWith(call->getArgOperand(0));
      // The other call stays: it is where the handler begins.
      if (callee_name(*call) == "__cxa_get_exception_ptr") call->eraseFromParent();
    }
  }
}

// The address of `size` bytes behind a header, computed before `at`.
llvm::Instruction& Exceptions::object_at(llvm::Instruction& at, uint64_t size) {
  llvm::IRBuilder<> first(&*at.getFunction()->getEntryBlock().getFirstInsertionPt()), builder(&at);
  llvm::AllocaInst* memory =
      first.CreateAlloca(llvm::ArrayType::get(first.getInt8Ty(), kHeader + size), nullptr, "exception");
  memory->setAlignment(llvm::Align(kHeader));
  return *llvm::cast<llvm::Instruction>(
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, kHeader));
}

void Exceptions::calls_that_do_not_throw(llvm::Function& function) {
  for (llvm::CallBase* call : calls_where(function, [](const llvm::CallBase& one) {
         const llvm::Function* callee = one.getCalledFunction();
         return llvm::isa<llvm::InvokeInst>(one) &&
                (one.isInlineAsm() ||
                 (callee != nullptr && callee->isDeclaration() && !is_throwing(*callee)));
       }))
    llvm::changeToCall(llvm::cast<llvm::InvokeInst>(call));
}

void Exceptions::clean_up(llvm::Function& function) {
  // A landing pad is entered for a handler that is there. If none of them took the exception, that would be an error.
  for (llvm::BasicBlock& block : function)
    if (auto* resume = llvm::dyn_cast<llvm::ResumeInst>(block.getTerminator())) {
      llvm::IRBuilder<> builder(resume);
      builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::trap, {});
      builder.CreateUnreachable();
      resume->eraseFromParent();
    }
  llvm::EliminateUnreachableBlocks(function);
  split_phis(function);
  const llvm::SimplifyQuery query(unit_.layout());
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!llvm::isa<llvm::InsertValueInst>(instruction) && !llvm::isa<llvm::ExtractValueInst>(instruction))
        continue;
      if (llvm::isa<llvm::ExtractValueInst>(instruction))
        if (llvm::Value* simpler = llvm::simplifyInstruction(&instruction, query.getWithoutUndef()))
          instruction.replaceAllUsesWith(simpler);
      if (!instruction.use_empty()) continue;
      instruction.eraseFromParent();
      changed = true;
    }
  }
}

// ---- Throwing ----

// The block in front of the call, without an end: what follows takes the place of the call.
llvm::BasicBlock& Exceptions::cut_before(llvm::CallBase& call) {
  llvm::BasicBlock* before = call.getParent();
  before->splitBasicBlock(call.getIterator());
  before->getTerminator()->eraseFromParent();
  return *before;
}

void Exceptions::lower_throw(llvm::CallBase& call) {
  Thrown thrown{nullptr, call.getCalledFunction()};
  if (callee_name(call) == "__cxa_throw") {
    thrown = {call.getArgOperand(0), llvm::dyn_cast<llvm::Constant>(call.getArgOperand(1))};
    if (thrown.type == nullptr) unit_.reject(call, "an exception whose type is not known here");
  }
  const std::string unsupported = unsupported_reason(thrown, call);
  if (!unsupported.empty()) return reject_there(unsupported, call, cut_before(call));
  const bool is_caught = handler_of(thrown, call).pad != nullptr;
  if (is_caught) {
    if (rethrown_.contains(call.getFunction()))
      unit_.reject(call, "an exception in reach of a handler that throws it again");
    if (auto& types = caught_[call.getFunction()]; !llvm::is_contained(types, thrown.type))
      types.push_back(thrown.type);
  }
  raise(thrown, call, cut_before(call));
  if (!is_caught) uncaught_.emplace_back(thrown, &call);
}

// if (type is the first one) raise it; else if ...: all types that are caught in this function.
void Exceptions::lower_rethrow(llvm::CallBase& call) {
  llvm::CallBase* handler = current_handler(call);
  if (handler == nullptr) unit_.reject(call, "'throw' without an operand outside of a handler");
  llvm::Value* object = handler->getArgOperand(0);
  llvm::BasicBlock* before = &cut_before(call);
  llvm::IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::Value* type = builder.CreateLoad(builder.getInt32Ty(),
                                         builder.CreateConstGEP1_64(builder.getInt8Ty(), object, kTypeAt));
  for (const llvm::Constant* one : caught_[call.getFunction()]) {
    llvm::BasicBlock* hit = llvm::BasicBlock::Create(call.getContext(), "again", call.getFunction());
    llvm::BasicBlock* next = llvm::BasicBlock::Create(call.getContext(), "other", call.getFunction());
    builder.CreateCondBr(builder.CreateICmpEQ(type, builder.getInt32(number_of(one))), hit, next);
    raise({object, one}, call, *hit);
    builder.SetInsertPoint(next);
  }
  end_with(kUncaught + type_name(*call.getCalledFunction()), call, *builder.GetInsertBlock());
}

// Why it is not known where the exception goes, or what happens then; empty if it is.
std::string Exceptions::unsupported_reason(const Thrown& thrown, llvm::CallBase& call) {
  if (!may_be_caught(call)) return "";
  const llvm::LandingPadInst& pad = *llvm::cast<llvm::InvokeInst>(call).getLandingPadInst();
  for (unsigned i = 0; i < pad.getNumClauses(); ++i) {
    if (pad.isFilter(i)) return "an exception in reach of an exception specification";
    const auto takes = catches(clause_of(pad, i), *thrown.type);
    if (!takes)
      return fmt::format("an exception ('{}') in reach of a handler for '{}'", type_name(*thrown.type),
                         type_name(clause_of(pad, i)));
    if (*takes && !clause_of(pad, i).isNullValue() && thrown.type->getName().starts_with("_ZTIP"))
      return fmt::format("a pointer ('{}') that is thrown and caught", type_name(*thrown.type));
    if (*takes) break;
  }
  if (handler_of(thrown, call).pad == nullptr || callee_name(call) != "__cxa_throw") return "";
  const auto* destructor = llvm::dyn_cast<llvm::Function>(call.getArgOperand(2));
  std::set<const llvm::Function*> seen;
  if (destructor == nullptr || is_plain_destructor(*destructor, seen)) return "";
  return fmt::format("an exception that is caught, and whose destructor ('{}') has effects",
                     readable_name(*destructor));
}

// It is rejected where it is lowered, if control can come there.
void Exceptions::reject_there(const std::string& why, llvm::CallBase& call, llvm::BasicBlock& from) {
  end_with(kRejected + why, call, from);
}

// The first clause of the landing pad that takes it. Those of the landing pads around it are among them.
// Precondition: unsupported_reason() is empty.
Exceptions::Handler Exceptions::handler_of(const Thrown& thrown, llvm::CallBase& call) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  if (invoke == nullptr) return {};
  llvm::LandingPadInst* pad = invoke->getLandingPadInst();
  for (unsigned i = 0; i < pad->getNumClauses(); ++i) {
    if (!catches(clause_of(*pad, i), *thrown.type).value_or(false)) continue;
    if (ends_program(*pad)) return {};
    return {pad, number_of(&clause_of(*pad, i))};
  }
  return {};
}

unsigned Exceptions::number_of(const llvm::Constant* type) {
  return numbers_.emplace(type, static_cast<unsigned>(numbers_.size()) + 1).first->second;
}

Exceptions::Entry& Exceptions::entry(llvm::LandingPadInst& pad) {
  const auto [found, added] = entries_.try_emplace(&pad);
  Entry& entry = found->second;
  if (!added) return entry;
  llvm::BasicBlock* block = pad.getParent();
  entry.block = block->splitBasicBlock(std::next(pad.getIterator()), "handler");
  for (llvm::PHINode& phi : block->phis()) {
    llvm::PHINode* copy = llvm::PHINode::Create(phi.getType(), 2, "", entry.block->begin());
    phi.replaceUsesOutsideBlock(copy, block);
    copy->addIncoming(&phi, block);
    entry.copies.emplace_back(&phi, copy);
  }
  llvm::IRBuilder<> builder(block->getTerminator()), after(&*entry.block->getFirstInsertionPt());
  const auto member = [&](unsigned i) {
    llvm::Value* from_pad = builder.CreateExtractValue(&pad, i);
    llvm::PHINode* phi = llvm::PHINode::Create(from_pad->getType(), 2, "", entry.block->begin());
    phi->addIncoming(from_pad, block);
    return phi;
  };
  entry.object = member(0);
  entry.number = member(1);
  llvm::Value* whole = after.CreateInsertValue(llvm::PoisonValue::get(pad.getType()), entry.object, 0);
  pad.replaceUsesOutsideBlock(after.CreateInsertValue(whole, entry.number, 1), block);
  return entry;
}

void Exceptions::raise(const Thrown& thrown, llvm::CallBase& call, llvm::BasicBlock& from) {
  const Handler handler = handler_of(thrown, call);
  if (handler.pad == nullptr) return end_with(kUncaught + type_name(*thrown.type), call, from);
  Entry& to = entry(*handler.pad);
  llvm::Instruction* end = llvm::BranchInst::Create(to.block, &from);
  end->setDebugLoc(call.getDebugLoc());
  llvm::IRBuilder<> builder(end);
  // Something to be caught by `catch (...)` if its type is not known: nothing of it can be seen there.
  llvm::Value* object = thrown.object != nullptr ? thrown.object : &object_at(*end, 1);
  builder.CreateStore(builder.getInt32(number_of(thrown.type)),
                      builder.CreateConstGEP1_64(builder.getInt8Ty(), object, kTypeAt));
  to.object->addIncoming(object, &from);
  to.number->addIncoming(builder.getInt32(handler.number), &from);
  for (const auto& [phi, copy] : to.copies)
    copy->addIncoming(phi->getIncomingValueForBlock(call.getParent()), &from);
}

// The last thing in the block: a call of a function of that name, which ends the execution.
void Exceptions::end_with(const std::string& name, llvm::CallBase& call, llvm::BasicBlock& block) {
  llvm::Module& module = *call.getModule();
  llvm::FunctionCallee function =
      module.getOrInsertFunction(name, llvm::Type::getVoidTy(module.getContext()));
  llvm::cast<llvm::Function>(function.getCallee())->setDoesNotReturn();
  llvm::cast<llvm::Function>(function.getCallee())->setDoesNotThrow();
  llvm::IRBuilder<> builder(&block);
  builder.SetCurrentDebugLocation(
      const_cast<llvm::DILocation*>(Unit::outside_of_library(call.getDebugLoc().get())));
  builder.CreateCall(function)->setDoesNotReturn();
  builder.CreateUnreachable();
}

// An exception that nothing catches ends the execution where its object is created, before the constructor, if nothing
// else can happen from there on. Operands of the library do nothing else.
void Exceptions::end_where_created(const Thrown& thrown, llvm::CallBase& call) {
  auto* object = llvm::dyn_cast_or_null<llvm::Instruction>(thrown.object);
  llvm::Instruction* created = object == nullptr ? nullptr : object->getNextNode();
  if (created == nullptr || callee_name(*created) != kAllocate) return;
  llvm::BasicBlock* block = created->getParent();
  llvm::BasicBlock* rest = block->splitBasicBlock(created->getIterator());
  const llvm::DILocation* location = call.getDebugLoc().get();
  if ((location == nullptr || !unit_.is_in_library(*location)) && !ends_uncaught(*rest)) return;
  block->getTerminator()->eraseFromParent();
  end_with(kUncaught + type_name(*thrown.type), call, *block);
}

}  // namespace fenceline::frontend::c
