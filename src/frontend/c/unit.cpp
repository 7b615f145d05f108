// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/unit.h"

#include <fmt/format.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <filesystem>

#include "env/errors.h"
#include "frontend/c/assembly.h"
#include "frontend/c/bit_fields.h"
#include "frontend/c/call_targets.h"
#include "frontend/c/coerce.h"
#include "frontend/c/compiler.h"
#include "frontend/c/dynamic_arrays.h"
#include "frontend/c/dynamic_casts.h"
#include "frontend/c/effects.h"
#include "frontend/c/index_checks.h"
#include "frontend/c/index_guards.h"
#include "frontend/c/intrinsics.h"
#include "frontend/c/library.h"
#include "frontend/c/member_pointers.h"
#include "frontend/c/padded_exchanges.h"
#include "frontend/c/size_cases.h"
#include "frontend/c/static_destructors.h"
#include "frontend/c/tail_calls.h"
#include "frontend/c/unknown_allocations.h"
#include "frontend/c/value_choices.h"
#include "frontend/c/variable_copies.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kNeverSet = "fl_never_set";
constexpr size_t kMostInstructions = 50'000;  // of a flat function

// LLVM has no position for it. The first line that mentions assembly is a good guess.
[[noreturn]] void reject_assembly(const SourceFile& file) {
  const std::string& text = file.text;
  const size_t at = std::min(text.find("asm"), text.size());
  const auto line =
      at == text.size() ? 1 : 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
  throw InputError(file,
                   {{{static_cast<uint32_t>(line), 1}, "not supported: assembly outside of functions", ""}});
}

// Headers of the system and our own: their lines mean nothing to users.
bool is_library_file(const std::string& path) {
  return path.starts_with("/usr/") || path.find("/fenceline-") != std::string::npos;
}

// "path/of/file.c", as seen from here.
std::string path_of(llvm::StringRef file, llvm::StringRef directory) {
  const std::filesystem::path name(plain_path(file.str())), folder(directory.str());
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  if (name.is_absolute() || folder.empty() || folder == here) return name.string();
  return (folder / name).string();
}

SourceFile file_for(const std::string& path) {
  try {
    return read_source_file(path);
  } catch (const NoSuchFile&) {
    return {path, ""};
  }
}

// The function is one atomic step: its first and last instructions say so.
void mark_atomic(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  const auto declare = [&](const char* name) {
    return module.getOrInsertFunction(name, llvm::Type::getVoidTy(module.getContext()));
  };
  llvm::SmallVector<llvm::Instruction*> returns;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::ReturnInst>(instruction)) returns.push_back(&instruction);
  const auto call = [&](llvm::Instruction* before, const char* name) {
    llvm::IRBuilder<>(before).CreateCall(declare(name))->setDebugLoc(before->getDebugLoc());
  };
  call(&*function.getEntryBlock().getFirstInsertionPt(), "fl_atomic_begin");
  for (llvm::Instruction* before : returns) call(before, "fl_atomic_end");
}

// The structure that the object is used as: what is said about the variable that points to it. It is written
// down before variables disappear.
void note_type(llvm::CallBase& call, const llvm::DataLayout& layout) {
  const auto note = [&](const llvm::Value& pointer) {
    for (const llvm::User* user : pointer.users()) {
      const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      if (gep == nullptr || gep->getPointerOperand() != &pointer) continue;
      llvm::Type* type = gep->getSourceElementType();
      if (!type->isStructTy() || !type->isSized()) continue;
      const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(call.arg_size() - 1));
      if (size == nullptr || size->getZExtValue() % layout.getTypeAllocSize(type) != 0) continue;
      auto* undefined = llvm::ConstantAsMetadata::get(llvm::UndefValue::get(type));
      call.setMetadata(kTypeNote, llvm::MDNode::get(call.getContext(), undefined));
      return true;
    }
    return false;
  };
  if (note(call)) return;
  for (const llvm::User* user : call.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getValueOperand() != &call) continue;
    for (const llvm::User* other : store->getPointerOperand()->users())
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(other))
        if (note(*load)) return;
  }
}

std::unique_ptr<llvm::Module> parse(const std::string& name, const std::string& bitcode,
                                    llvm::LLVMContext& context) {
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(bitcode, name, false);
  auto parsed = llvm::parseBitcodeFile(*buffer, context);
  if (!parsed)
    throw Unsupported("the compiler's output cannot be read: " + llvm::toString(parsed.takeError()));
  return std::move(*parsed);
}

// What is known about variables is of no use here, and their values are then used by nothing but code.
void drop_variables(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    instruction.dropDbgRecords();
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) instruction.eraseFromParent();
  }
}

// Where an exception would have gone, had one been thrown: when calls that may throw have been replaced by code that
// does not, nothing leads there.
void give_up_landing_pads(llvm::Function& function, Ledger& ledger) {
  llvm::df_iterator_default_set<llvm::BasicBlock*> reachable;
  for (llvm::BasicBlock* block : llvm::depth_first_ext(&function, reachable)) (void)block;
  std::vector<llvm::BasicBlock*> todo;
  std::set<llvm::BasicBlock*> seen;
  for (llvm::BasicBlock& block : function)
    if (block.isLandingPad() && !reachable.contains(&block)) todo.push_back(&block);
  while (!todo.empty()) {
    llvm::BasicBlock* block = todo.back();
    todo.pop_back();
    if (reachable.contains(block) || !seen.insert(block).second) continue;
    ledger.give_up(*block);
    todo.insert(todo.end(), llvm::succ_begin(block), llvm::succ_end(block));
  }
}

bool can_return(llvm::Function& function) {
  for (const llvm::BasicBlock* block : llvm::depth_first(&function))
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
  return false;
}

// Does it read the arguments that have no name?
bool reads_further_arguments(const llvm::Function& function) {
  return function.isVarArg() && llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& i) {
           return llvm::isa<llvm::VAStartInst>(i);
         });
}

}  // namespace

llvm::Constant* never_set(llvm::Module& module, llvm::Type& type) {
  llvm::Constant* variable = module.getOrInsertGlobal(kNeverSet, llvm::Type::getInt8Ty(module.getContext()));
  return type.isPointerTy() ? variable : llvm::ConstantExpr::getPtrToInt(variable, &type);
}

bool is_never_set(const llvm::Value& value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
  if (constant == nullptr) return false;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant))
    return variable->getName() == kNeverSet;
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant);
  return expression != nullptr &&
         llvm::any_of(expression->operands(), [](const llvm::Use& use) { return is_never_set(*use); });
}

std::string source_name(const llvm::Function& function) {
  const std::string name = function.getName().str();
  return name.substr(0, name.find(kCopySuffix));
}

std::string readable_name(const llvm::Function& function) { return llvm::demangle(source_name(function)); }

Unit::Unit(std::string name, const std::string& bitcode)
    : name_(std::move(name)),
      module_(parse(name_, bitcode, context_)),
      opaque_(*module_),
      exceptions_(*this) {
  if (!module_->getModuleInlineAsm().empty()) reject_assembly(file_for(name_));
  native_assembly_ = c::native_assembly(*module_);
  translate_assembly(*module_);
  weaken_padded_exchanges(*module_);
  // A second name of a function is that function: so does Clang write constructors and destructors.
  for (llvm::GlobalAlias& alias : module_->aliases()) alias.replaceAllUsesWith(alias.getAliasee());
  // A function that is chosen when the program is loaded has no code here.
  for (llvm::GlobalIFunc& chosen : llvm::make_early_inc_range(module_->ifuncs())) {
    auto* function = llvm::Function::Create(llvm::cast<llvm::FunctionType>(chosen.getValueType()),
                                            llvm::GlobalValue::ExternalLinkage, "", module_.get());
    function->takeName(&chosen);
    chosen.replaceAllUsesWith(function);
    chosen.eraseFromParent();
  }
  run_static_destructors(*module_, find("main"));
  Exceptions::mark_throwing(*module_);
  for (llvm::Function& function : *module_)
    if (!function.isDeclaration() && function.getName().starts_with("__VERIFIER_atomic_"))
      mark_atomic(function);
  for (llvm::Function& function : *module_)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee != nullptr && call->arg_size() > 0 && call->getType()->isPointerTy() &&
            is_library_call(*callee))
          note_type(*call, layout());
  object_types_.emplace(*module_);
  guard_member_pointers(*module_);
  expand_dynamic_casts(*module_);
  // From here on all operations are opaque to LLVM.
  for (llvm::Function& function : *module_) {
    if (function.isDeclaration()) {
      if (!function.isIntrinsic())
        for (const auto kind :
             {llvm::Attribute::Memory, llvm::Attribute::WillReturn, llvm::Attribute::AllocKind})
          function.removeFnAttr(kind);
      continue;
    }
    drop_variables(function);
    note_bit_fields(function, bit_field_sizes_);
    expand_intrinsics(function);
    make_tail_calls_loops(function);
    llvm::EliminateUnreachableBlocks(function);
    opaque_.keep_undefined_operations(function);
    opaque_.hide(function);
    // Code that Clang marks as unreachable does not count.
    Passes(opaque_, layout()).fold_constants(function);
  }
}

bool Unit::follows_competitions() const {
  return llvm::any_of(*module_, [](const llvm::Function& function) {
    const llvm::StringRef name = function.getName();
    return name.starts_with("__VERIFIER_") || name == "reach_error" || name == "assume_abort_if_not";
  });
}

llvm::Function* Unit::find(const std::string& name) {
  llvm::Function* function = module_->getFunction(name);
  return function == nullptr || function->isDeclaration() ? nullptr : function;
}

std::vector<llvm::Function*> Unit::constructors() {
  if (const llvm::GlobalVariable* last = module_->getGlobalVariable("llvm.global_dtors"))
    if (const auto* entry = llvm::dyn_cast<llvm::Function>(
            last->getInitializer()->getAggregateElement(0U)->getAggregateElement(1U)))
      reject(*entry, "a function that runs when the program ends");
  std::vector<std::pair<uint64_t, llvm::Function*>> found;
  if (const llvm::GlobalVariable* first = module_->getGlobalVariable("llvm.global_ctors")) {
    const llvm::Constant& list = *first->getInitializer();
    for (unsigned i = 0; const llvm::Constant* entry = list.getAggregateElement(i); ++i) {
      auto* function = llvm::dyn_cast<llvm::Function>(entry->getAggregateElement(1U));
      require(function != nullptr, "a constructor that is no function");
      found.emplace_back(llvm::cast<llvm::ConstantInt>(entry->getAggregateElement(0U))->getZExtValue(),
                         function);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<llvm::Function*> functions;
  for (const auto& [priority, function] : found) functions.push_back(function);
  return functions;
}

llvm::Function& Unit::flat(llvm::Function& function) {
  if (flat_.insert(&function).second)
    make_flat(function);
  else
    opaque_.reveal(function);  // a function that calls it may have been made flat since
  return function;
}

// Precondition: operations are hidden. They are put back.
void Unit::run_passes(llvm::Function& function) {
  Passes passes(opaque_, layout());
  passes.promote_variables(function);
  while (make_arrays_static(function) || choose_values(function, opaque_) || passes.unroll_loops(function)) {
    passes.promote_variables(function);
    if (function.getInstructionCount() > kMostInstructions)
      reject(function,
             fmt::format("'{}' becomes too large when its loops are unrolled", readable_name(function)));
  }
  const Ledger ledger(function);
  opaque_.reveal(function);
  ledger.check(function, "putting operations back");
  guard_indices(function);
  passes_.insert(passes_.end(), passes.counts().begin(), passes.counts().end());
}

bool Unit::simplify(llvm::Function& flat, const KnownLoads& loads) {
  Ledger ledger(flat);
  PassCounts counts{"memory", ledger.total()};
  std::set<const llvm::LoadInst*>
      objects;  // loads of what is surely the address of a variable, or of an allocation
  for (const auto& [load, value, distance] : loads)
    if (llvm::isa<llvm::GlobalVariable>(value->stripInBoundsOffsets()) || is_allocation(*value))
      objects.insert(load);
  const auto is_object = [&](const llvm::LoadInst& load) { return objects.contains(&load); };
  // One that may dereference a null pointer stays an access, which fails then; only its value is known.
  std::vector<llvm::LoadInst*> replaced;
  bool changed = false;
  for (const auto& [load, value, distance] : loads)
    if (opaque_.made_volatile(*load) &&  // if not, it is volatile in the source, and stays
        !may_be_null(*load->getPointerOperand(), is_object))
      replaced.push_back(load);
  for (const auto& [load, value, distance] : loads) {
    if (!opaque_.made_volatile(*load) || load->use_empty()) continue;
    changed = true;
    llvm::IRBuilder<> builder(load);
    load->replaceAllUsesWith(distance == 0 ? value
                                           : builder.CreateConstGEP1_64(builder.getInt8Ty(), value,
                                                                        static_cast<uint64_t>(distance)));
  }
  for (llvm::LoadInst* load : replaced) {
    ledger.give_up(*load);
    ++counts.constant;
    load->eraseFromParent();
  }
  if (!changed && replaced.empty()) return false;
  ledger.check(flat, "the replacement of loads");
  counts.after = Ledger(flat).total();
  passes_.push_back(counts);
  opaque_.hide(flat);
  run_passes(flat);
  return true;
}

bool Unit::simplify(llvm::Function& flat, const KnownNumbers& numbers) {
  for (const auto& [number, constant] : numbers) guard_constant(*number, constant);
  if (numbers.empty()) return false;
  opaque_.hide(flat);
  run_passes(flat);
  return true;
}

bool Unit::limit_allocations(llvm::Function& flat) {
  const std::vector<llvm::CallBase*> calls = avoidable_allocations(flat);
  // One may be behind another one.
  for (llvm::CallBase* call : calls)
    if (llvm::is_contained(avoidable_allocations(flat), call)) limit_at(*call, *this);
  if (calls.empty()) return false;
  llvm::EliminateUnreachableBlocks(flat);
  opaque_.hide(flat);
  run_passes(flat);
  return true;
}

bool Unit::expand_copies(llvm::Function& flat) {
  if (!expand_variable_copies(flat)) return false;
  opaque_.hide(flat);
  run_passes(flat);
  return true;
}

bool Unit::choose_sizes(llvm::Function& flat, SizeOf which, const PointsTo& points_to) {
  if (!split_sizes(flat, which, points_to)) return false;
  opaque_.hide(flat);
  run_passes(flat);
  return true;
}

void Unit::make_flat(llvm::Function& function) {
  // Once variables are constants, there may be calls of functions that were pointers before.
  do {
    not_recursive_.erase(&function);
    find_recursion(function);
    inline_calls(function);
    exceptions_.lower(function);
    opaque_.reveal(function);
    split_wide_accesses(function, opaque_);
    check_indices(function);
    opaque_.hide(function);
    run_passes(function);
  } while (!calls_of(function).empty());
}

// A thread that starts itself, or one that starts it, has no further copy: there would be no end.
llvm::Function& Unit::copy_for_thread(llvm::Function& function, llvm::Function& starter) {
  for (auto at = copies_.find(&starter); at != copies_.end(); at = copies_.find(at->second.starter))
    if (at->second.original == &function) return *at->first;
  llvm::ValueToValueMapTy values;
  llvm::Function* copy = llvm::CloneFunction(&function, values);
  copy->setName(function.getName() + kCopySuffix);
  copies_.emplace(copy, Copy{&function, &starter});
  return *copy;
}

// The roots and the functions of threads, each flat.
std::vector<llvm::Function*> Unit::flatten_reachable(const std::vector<llvm::Function*>& roots) {
  std::vector<llvm::Function*> todo = roots, all;
  std::set<const llvm::Function*> seen;
  while (!todo.empty()) {
    llvm::Function* function = todo.back();
    todo.pop_back();
    if (!seen.insert(function).second) continue;
    all.push_back(&flat(*function));
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* started = call == nullptr ? nullptr : started_by(*call);
      if (started == nullptr || started->isDeclaration()) continue;
      if (!copies_.contains(started)) {
        started = &copy_for_thread(*started, *function);
        call->setArgOperand(started_function_operand(*call).value(), started);
      }
      todo.push_back(started);
    }
  }
  return all;
}

void Unit::flatten(const std::vector<llvm::Function*>& roots) {
  while (true) {
    const std::vector<llvm::Function*> all = flatten_reachable(roots);
    const auto change = [&](const auto& changed) {
      bool any = false;
      for (llvm::Function* function : all)
        if (changed(*function)) {
          make_flat(*function);
          any = true;
        }
      return any;
    };
    std::optional<PointsTo> points_to;
    if (llvm::any_of(all, [](const llvm::Function* function) { return has_pointer_calls(*function); }))
      points_to.emplace(std::vector<const llvm::Function*>(all.begin(), all.end()), layout());
    if (points_to && change([&](llvm::Function& function) {
          return !expand_pointer_calls(function, *points_to, *this).empty();
        }))
      continue;
    if (change([&](llvm::Function& function) { return exceptions_.lower_rethrows(function); })) continue;
    if (points_to)
      change([&](llvm::Function& function) { return close_pointer_calls(function, *points_to); });
    return;
  }
}

// Depth first, with the path. Each cycle of calls has a function that is found here.
void Unit::find_recursion(llvm::Function& root) {
  std::vector<llvm::Function*> call_path;
  const auto visit = [&](const auto& self, llvm::Function& function) -> void {
    if (not_recursive_.contains(&function)) return;
    call_path.push_back(&function);
    if (module_->getFunction((function.getName() + ".resume").str()) != nullptr)
      reject(function, fmt::format("'{}' is a coroutine", readable_name(function)));
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || callee->isDeclaration() || is_library_call(*callee)) continue;
      if (const auto cycle = std::find(call_path.begin(), call_path.end(), callee);
          cycle != call_path.end()) {
        for (auto member = cycle; member != call_path.end(); ++member) keep_recursive(**member);
        continue;
      }
      self(self, *callee);
    }
    call_path.pop_back();
    not_recursive_.insert(&function);
    opaque_.hide(function);  // what choices between targets have added
  };
  visit(visit, root);
}

// Behind a call of a function that never returns there is nothing. Of an invoke, the normal destination is behind it.
void Unit::end_behind_calls(llvm::Function& function) {
  const auto never_returns = [&](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    return callee != nullptr && !callee->isDeclaration() && !is_library_call(*callee) && !can_return(*callee);
  };
  std::vector<llvm::Instruction*> ends;  // the first one of each block: those behind it are removed
  for (llvm::BasicBlock& block : function)
    if (const auto end = llvm::find_if(block, never_returns); end != block.end()) ends.push_back(&*end);
  for (llvm::Instruction* end : ends) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(end);
    if (invoke == nullptr) {
      if (!llvm::isa<llvm::UnreachableInst>(end->getNextNode()))
        llvm::changeToUnreachable(end->getNextNode());
    } else if (!llvm::isa<llvm::UnreachableInst>(invoke->getNormalDest()->front())) {
      invoke->getNormalDest()->removePredecessor(invoke->getParent());
      llvm::BasicBlock* nothing = llvm::BasicBlock::Create(function.getContext(), "", &function);
      new llvm::UnreachableInst(function.getContext(), nothing);
      invoke->setNormalDest(nothing);
    }
  }
  llvm::EliminateUnreachableBlocks(function);
}

// All but those of recursive functions.
void Unit::inline_plain_calls(llvm::Function& function) {
  opaque_.hide(function);
  for (bool again = true; again;) {
    end_behind_calls(function);
    std::vector<llvm::CallBase*> calls;
    for (llvm::CallBase* call : calls_of(function)) {
      llvm::Function& callee = *call->getCalledFunction();
      if (!recursive_.contains(&callee)) calls.push_back(call);
    }
    again = !calls.empty();
    if (!inline_all(function, calls))
      reject(function, fmt::format("'{}' is too large with all that it calls", readable_name(function)));
  }
}

// The calls of functions that have a body. Those that read a variable number of arguments stay, and are rejected where
// they are lowered: they may be in code that is never executed.
std::vector<llvm::CallBase*> Unit::calls_of(llvm::Function& function) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee != nullptr && !callee->isDeclaration() && !reads_further_arguments(*callee) &&
        !is_library_call(*callee))
      calls.push_back(call);
  }
  return calls;
}

// False if the function becomes too large.
bool Unit::inline_all(llvm::Function& function, const std::vector<llvm::CallBase*>& calls) {
  size_t size = function.getInstructionCount();
  Ledger ledger(function);
  PassCounts counts{"calls", ledger.total()};
  for (llvm::CallBase* call : calls) {
    llvm::Function& callee = *call->getCalledFunction();
    size += callee.getInstructionCount();
    if (size > kMostInstructions) return false;
    opaque_.hide(callee);  // it may be flat already
    ledger.give_up(*call);
    ledger.add(callee);
    // Where exceptions go to a landing pad, such calls are made again.
    if (llvm::isa<llvm::InvokeInst>(call))
      for (const llvm::BasicBlock* block : llvm::depth_first(&callee))
        for (const llvm::Instruction& instruction : *block)
          if (const auto* inner = llvm::dyn_cast<llvm::CallInst>(&instruction);
              inner != nullptr && !inner->doesNotThrow())
            ledger.give_up(*inner);
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess())
      reject(*call, fmt::format("this call cannot be inlined ({})", result.getFailureReason()));
  }
  opaque_.hide(function);
  give_up_landing_pads(function, ledger);
  ledger.check(function, "inlining calls");
  counts.after = Ledger(function).total();
  passes_.push_back(counts);
  return true;
}

std::string Unit::file_of(const llvm::DILocation& location) {
  return path_of(location.getFilename(), location.getDirectory());
}

bool Unit::is_in_library(const llvm::DILocation& location) { return is_library_file(file_of(location)); }

const llvm::DILocation* Unit::location_of(const llvm::Instruction& instruction) {
  return outside_of_library(instruction.getDebugLoc().get());
}

const llvm::DILocation* Unit::outside_of_library(const llvm::DILocation* location) {
  for (const llvm::DILocation* outer = location; outer != nullptr; outer = outer->getInlinedAt())
    if (outer->getLine() != 0 && !is_in_library(*outer)) return outer;
  return location;
}

std::string Unit::thread_name(const llvm::Function& flat) {
  if (source_name(flat) != kThreadEntry) {
    const llvm::DISubprogram* function = flat.getSubprogram();
    return function == nullptr || function->getName().empty() ? source_name(flat) : function->getName().str();
  }
  for (const llvm::Instruction& instruction : llvm::instructions(flat)) {
    const llvm::DILocation* own = nullptr;  // the first call of something that is not of the library
    for (const llvm::DILocation* at = instruction.getDebugLoc().get(); at != nullptr; at = at->getInlinedAt())
      if (!is_in_library(*at)) own = at;
    const llvm::DISubprogram* function = own == nullptr ? nullptr : own->getScope()->getSubprogram();
    if (function == nullptr) continue;
    const std::string name = function->getName().str();
    return name == "operator()" ? fmt::format("lambda:{}", function->getLine()) : name;
  }
  return "std::thread";
}

void Unit::reject(const llvm::Instruction& at, const std::string& feature, const std::string& hint) {
  const llvm::DILocation* location = location_of(at);
  if (location == nullptr || location->getLine() == 0) {
    // Code of the compiler's own has no position; its function has.
    const llvm::DISubprogram* inlined = location == nullptr ? nullptr : location->getScope()->getSubprogram();
    if (inlined == nullptr || inlined->getLine() == 0) reject(*at.getFunction(), feature, hint);
    throw InputError(file_for(path_of(inlined->getFilename(), inlined->getDirectory())),
                     {{{inlined->getLine(), 1}, "not supported: " + feature, hint}});
  }
  throw InputError(
      file_for(file_of(*location)),
      {{{location->getLine(), std::max(1U, location->getColumn())}, "not supported: " + feature, hint}});
}

void Unit::reject(const llvm::Function& at, const std::string& feature, const std::string& hint) {
  const llvm::DISubprogram* position = at.getSubprogram();
  if (position == nullptr) throw InputError(file_for(name_), {{{1, 1}, "not supported: " + feature, hint}});
  throw InputError(file_for(path_of(position->getFilename(), position->getDirectory())),
                   {{{std::max(1U, position->getLine()), 1}, "not supported: " + feature, hint}});
}

void Unit::reject(const llvm::GlobalVariable& at, const std::string& feature, const std::string& hint) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*> positions;
  at.getDebugInfo(positions);
  if (positions.empty()) throw InputError(file_for(name_), {{{1, 1}, "not supported: " + feature, hint}});
  const llvm::DIGlobalVariable& position = *positions.front()->getVariable();
  throw InputError(file_for(path_of(position.getFilename(), position.getDirectory())),
                   {{{position.getLine(), 1}, "not supported: " + feature, hint}});
}

}  // namespace fenceline::frontend::c
