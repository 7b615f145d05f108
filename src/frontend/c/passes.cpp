// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/passes.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <optional>
#include <set>

#include "env/errors.h"
#include "frontend/c/library.h"
#include "frontend/c/lifetimes.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr size_t kMostLeaves = 256;  // of a structure that is copied variable by variable
constexpr const char* kAddress = "fl.address";

struct ScalarLeaf {
  int64_t offset;
  llvm::Type* type;
};

// The scalars of a type; false if it has too many, or some that are none.
bool scalars_of(llvm::Type& type, int64_t offset, const llvm::DataLayout& layout,
                std::vector<ScalarLeaf>& result) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout& offsets = *layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (!scalars_of(*structure->getElementType(i),
                      offset + static_cast<int64_t>(offsets.getElementOffset(i).getFixedValue()), layout,
                      result))
        return false;
    return true;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    const auto stride =
        static_cast<int64_t>(layout.getTypeAllocSize(array->getElementType()).getFixedValue());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      if (!scalars_of(*array->getElementType(), offset + static_cast<int64_t>(i) * stride, layout, result))
        return false;
    return true;
  }
  if ((!type.isIntegerTy() && !type.isPointerTy()) || result.size() >= kMostLeaves) return false;
  result.push_back({offset, &type});
  return true;
}

// An address whose origin is opaque to LLVM.
llvm::CallInst& hide_address(llvm::AllocaInst& alloca) {
  llvm::Type* pointer = alloca.getType();
  const llvm::FunctionCallee hidden = alloca.getModule()->getOrInsertFunction(kAddress, pointer, pointer);
  auto* call = llvm::CallInst::Create(hidden, {&alloca}, "", std::next(alloca.getIterator()));
  alloca.replaceUsesWithIf(call, [&](const llvm::Use& use) { return use.getUser() != call; });
  return *call;
}

// SROA makes a load of several parts of a variable from a value that does not matter, and replaces its bits part by
// part. All of them: only variables that are set as a whole before have parts that overlap. (The conjunctions of the
// program are opaque here.)
void fill_placeholders(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (instruction.getOpcode() == llvm::Instruction::And)
      for (llvm::Use& use : instruction.operands())
        if (llvm::isa<llvm::UndefValue>(use)) use.set(llvm::Constant::getNullValue(use->getType()));
}

std::vector<llvm::AllocaInst*> variables_of(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> found;
  for (llvm::Instruction& instruction : function.getEntryBlock())
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) found.push_back(alloca);
  return found;
}

// The distance in bytes that an address computation with these indices adds, if it is constant and stays
// inside of the arrays that it names.
std::optional<int64_t> constant_offset(const llvm::GetElementPtrInst& gep,
                                       llvm::ArrayRef<llvm::Value*> indices, const llvm::DataLayout& layout) {
  if (!gep.getType()->isPointerTy()) return std::nullopt;
  for (const llvm::Value* index : indices)
    if (!llvm::isa<llvm::ConstantInt>(index)) return std::nullopt;
  llvm::Type* type = gep.getSourceElementType();
  for (llvm::Value* index : indices.drop_front()) {
    const auto* array = llvm::dyn_cast<llvm::ArrayType>(type);
    if (array != nullptr && llvm::cast<llvm::ConstantInt>(index)->getValue().uge(array->getNumElements()))
      return std::nullopt;
    type = llvm::GetElementPtrInst::getTypeAtIndex(type, index);
  }
  return layout.getIndexedOffsetInType(gep.getSourceElementType(), indices);
}

// What lies between the scalars and behind them.
std::vector<ScalarLeaf> gaps_between(const std::vector<ScalarLeaf>& leaves, int64_t size,
                                     const llvm::DataLayout& layout, llvm::LLVMContext& context) {
  std::vector<ScalarLeaf> gaps;
  int64_t end = 0;
  const auto skip_to = [&](int64_t begin) {
    while (end < begin) {
      const int64_t bytes = std::min<int64_t>(8, begin - end);
      gaps.push_back({end, llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * bytes))});
      end += bytes;
    }
  };
  for (const ScalarLeaf& leaf : leaves) {
    skip_to(leaf.offset);
    end = std::max(end, leaf.offset + static_cast<int64_t>(layout.getTypeStoreSize(leaf.type)));
  }
  skip_to(size);
  return gaps;
}

}  // namespace

// A local object, and all that is done with it.
struct Passes::Variable {
  llvm::AllocaInst* alloca;
  const llvm::DataLayout* layout;
  int64_t size;
  std::vector<std::pair<llvm::Instruction*, int64_t>> accesses;  // and where
  std::vector<llvm::CallInst*> elements;                         // hidden addresses inside of it
  std::vector<llvm::MemIntrinsic*> copies;
  std::vector<llvm::Instruction*> lifetimes;

  bool contains(int64_t offset, uint64_t bytes) const {
    return offset >= 0 && offset <= size && bytes <= static_cast<uint64_t>(size - offset);
  }
};

Passes::Passes(Opaque& opaque, const llvm::DataLayout& layout)
    : opaque_(opaque), layout_(layout), addresses_(opaque, layout) {
  analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return llvm::AssumptionAnalysis(); });
  analyses_.registerPass([] { return llvm::TargetIRAnalysis(); });
  analyses_.registerPass([] { return llvm::TargetLibraryAnalysis(); });
}

// ---- Variables ----

// Every use of the pointer, which points so far into the object.
bool Passes::track_uses(llvm::Value& pointer, int64_t offset, Variable& variable) {
  const llvm::DataLayout& layout = *variable.layout;
  for (llvm::Use& use : pointer.uses()) {
    auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user == nullptr) return false;
    llvm::Type* accessed = nullptr;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user); load != nullptr && !load->isAtomic())
      accessed = load->getType();
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
             store != nullptr && !store->isAtomic() && use.getOperandNo() == 1)
      accessed = store->getValueOperand()->getType();
    if (accessed != nullptr) {
      if (!opaque_.made_volatile(*user) || !variable.contains(offset, layout.getTypeStoreSize(accessed)))
        return false;
      variable.accesses.emplace_back(user, offset);
      continue;
    }
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        intrinsic != nullptr && intrinsic->isLifetimeStartOrEnd()) {
      variable.lifetimes.push_back(user);
      continue;
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
      if (length == nullptr || copy->isVolatile() || use.getOperandNo() > 1 || offset != 0) return false;
      if (static_cast<int64_t>(length->getZExtValue()) != variable.size) return false;
      if (const auto* set = llvm::dyn_cast<llvm::MemSetInst>(copy))
        if (const auto* byte = llvm::dyn_cast<llvm::ConstantInt>(set->getValue()); !byte || !byte->isZero())
          return false;
      // Both sides of it may be here.
      if (!llvm::is_contained(variable.copies, copy)) variable.copies.push_back(copy);
      continue;
    }
    const auto* element = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(opaque_.operation(*user));
    if (element == nullptr || use.getOperandNo() != 0) return false;
    auto* call = llvm::cast<llvm::CallInst>(user);
    llvm::SmallVector<llvm::Value*> indices(std::next(call->arg_begin()), call->arg_end());
    const auto distance = constant_offset(*element, indices, layout);
    if (!distance || !variable.contains(offset + *distance, 0)) return false;
    variable.elements.push_back(call);
    if (!track_uses(*call, offset + *distance, variable)) return false;
  }
  return true;
}

bool Passes::is_variable(llvm::AllocaInst& alloca, Variable& variable) {
  llvm::Type* type = alloca.getAllocatedType();
  variable.alloca = &alloca;
  variable.layout = &alloca.getModule()->getDataLayout();
  if (!alloca.isStaticAlloca() || alloca.isArrayAllocation() || !type->isSized()) return false;
  variable.size = static_cast<int64_t>(variable.layout->getTypeAllocSize(type).getFixedValue());
  if (!track_uses(alloca, 0, variable)) return false;
  // What is used when it has ended stays in memory, where that is noticed.
  std::set<const llvm::Instruction*> accesses(variable.copies.begin(), variable.copies.end());
  for (const auto& [access, offset] : variable.accesses) accesses.insert(access);
  for (const llvm::Instruction* lifetime : variable.lifetimes)
    if (llvm::cast<llvm::IntrinsicInst>(lifetime)->getIntrinsicID() == llvm::Intrinsic::lifetime_end &&
        comes_after_end(alloca, *lifetime, accesses))
      return false;
  std::vector<ScalarLeaf> leaves;
  return variable.copies.empty() || scalars_of(*type, 0, *variable.layout, leaves);
}

// A copy of the whole object, scalar by scalar.
void Passes::expand_copy(llvm::MemIntrinsic& copy, const Variable& variable, bool only_members) {
  std::vector<ScalarLeaf> leaves;
  require(scalars_of(*variable.alloca->getAllocatedType(), 0, *variable.layout, leaves),
          "a copy of an object");
  llvm::IRBuilder<> builder(&copy);
  const auto part = [&](llvm::Value* base, const ScalarLeaf& leaf) -> llvm::Value* {
    if (leaf.offset == 0) return base;
    llvm::Value* address =
        builder.CreateConstGEP1_64(builder.getInt8Ty(), base, static_cast<uint64_t>(leaf.offset));
    auto* element = llvm::dyn_cast<llvm::Instruction>(address);
    return element == nullptr ? address : opaque_.hide(*element);
  };
  const auto access = [&](llvm::Instruction* made) {
    opaque_.make_volatile(*made);
    opaque_.share_origin(*made, copy);
    return made;
  };
  const auto aligned = [](llvm::MaybeAlign whole, const ScalarLeaf& leaf) {
    return llvm::commonAlignment(whole.valueOrOne(), static_cast<uint64_t>(leaf.offset));
  };
  auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy);
  std::vector<llvm::Value*> values;
  const auto read = [&](const ScalarLeaf& leaf) {
    if (transfer == nullptr)
      values.push_back(llvm::Constant::getNullValue(leaf.type));
    else
      values.push_back(access(builder.CreateAlignedLoad(leaf.type, part(transfer->getRawSource(), leaf),
                                                        aligned(transfer->getSourceAlign(), leaf))));
  };
  const auto write = [&](size_t i) {
    access(builder.CreateAlignedStore(values[i], part(copy.getRawDest(), leaves[i]),
                                      aligned(copy.getDestAlign(), leaves[i])));
  };
  // The two may overlap in a memmove: all is read first.
  const bool at_once = llvm::isa<llvm::MemMoveInst>(copy);
  for (size_t i = 0; i < leaves.size(); ++i) {
    read(leaves[i]);
    if (!at_once) write(i);
  }
  for (size_t i = 0; at_once && i < leaves.size(); ++i) write(i);
  // The padding of a variable whose members were set one by one was never set. (That of variables begins so.)
  only_members &= !llvm::isa<llvm::AllocaInst>(copy.getRawDest());
  for (const ScalarLeaf& gap : gaps_between(leaves, variable.size, *variable.layout, copy.getContext())) {
    const bool is_set = llvm::any_of(variable.accesses, [&](const auto& one) {
      const uint64_t bytes = variable.layout->getTypeStoreSize(llvm::getLoadStoreType(one.first));
      return one.second < gap.offset + static_cast<int64_t>(variable.layout->getTypeStoreSize(gap.type)) &&
             one.second + static_cast<int64_t>(bytes) > gap.offset;
    });
    if (is_set || !only_members) continue;
    auto* unset =
        access(builder.CreateAlignedStore(never_set(*copy.getModule(), *gap.type),
                                          part(copy.getRawDest(), gap), aligned(copy.getDestAlign(), gap)));
    unset->setMetadata(kPaddingNote, llvm::MDNode::get(copy.getContext(), {}));
  }
  copy.eraseFromParent();
}

// The scalars that the accesses are about, by offset; nothing if accesses of different sizes overlap.
std::optional<std::map<int64_t, llvm::Type*>> Passes::parts_of(const Variable& variable) {
  std::map<int64_t, llvm::Type*> parts;
  int64_t end = 0;
  for (const auto& [access, offset] : variable.accesses) {
    llvm::Type* type = llvm::getLoadStoreType(access);
    const bool scalar = type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
    const auto known = parts.emplace(offset, type).first->second;
    if (!scalar || variable.layout->getTypeStoreSize(known) != variable.layout->getTypeStoreSize(type))
      return std::nullopt;
  }
  for (const auto& [offset, type] : parts) {
    if (offset < end) return std::nullopt;
    end = offset + static_cast<int64_t>(variable.layout->getTypeStoreSize(type).getFixedValue());
  }
  return parts;
}

// Is the whole object stored to before every other access? (A store inside of its scope that dominates an
// access is also passed in each iteration of a loop around the scope.)
bool Passes::is_set_first(const Variable& variable, const llvm::DominatorTree& dominators) {
  return llvm::any_of(variable.accesses, [&](const auto& one) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(one.first);
    if (store == nullptr || one.second != 0 ||
        variable.layout->getTypeStoreSize(store->getValueOperand()->getType()) !=
            static_cast<uint64_t>(variable.size))
      return false;
    return llvm::all_of(variable.accesses, [&](const auto& other) {
      return other.first == store || dominators.dominates(store, other.first);
    });
  });
}

// Variables hold what was never set until they are. (Left to itself, LLVM takes a variable that is set on
// one path for one that is set on all.) Where accesses of different sizes overlap there is no such value.
void Passes::leave_unset(const Variable& variable) {
  const auto known = parts_of(variable);
  if (!known) return;
  const std::map<int64_t, llvm::Type*>& parts = *known;
  const auto unset = [&](llvm::IRBuilder<>& builder) {
    for (const auto& [offset, type] : parts) {
      llvm::Value* part = offset == 0 ? variable.alloca
                                      : builder.CreateConstGEP1_64(builder.getInt8Ty(), variable.alloca,
                                                                   static_cast<uint64_t>(offset));
      builder.CreateStore(never_set(*variable.alloca->getModule(), *type), part);
    }
  };
  llvm::IRBuilder<> first(variable.alloca->getParent(), std::next(variable.alloca->getIterator()));
  unset(first);
  // Once more whenever control comes to where it begins: each iteration of a loop has its own.
  for (llvm::Instruction* lifetime : variable.lifetimes)
    if (llvm::cast<llvm::IntrinsicInst>(lifetime)->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
      llvm::IRBuilder<> again(lifetime);
      unset(again);
    }
}

// SROA sees through these accesses, and through no others.
void Passes::prepare(const Variable& variable, Ledger& ledger, PassCounts& counts) {
  for (const auto& [access, offset] : variable.accesses) {
    ledger.give_up(*access);
    ++counts.of_variables;
    opaque_.make_plain(*access);
  }
  for (llvm::CallInst* element : variable.elements) {
    ledger.give_up(*element);
    ++counts.of_variables;
    opaque_.reveal(*element);
  }
  leave_unset(variable);
  for (llvm::Instruction* lifetime : variable.lifetimes) lifetime->eraseFromParent();
}

void Passes::remove_variables(llvm::Function& function) {
  // Copies first. The other side of one may be a variable, too, once the copy is gone.
  for (bool expanded = true; expanded;) {
    expanded = false;
    for (llvm::AllocaInst* alloca : variables_of(function)) {
      Variable variable;
      if (!is_variable(*alloca, variable)) continue;
      const bool only_members = llvm::none_of(
          variable.copies, [&](const llvm::MemIntrinsic* copy) { return copy->getRawDest() == alloca; });
      for (llvm::MemIntrinsic* copy : variable.copies) expand_copy(*copy, variable, only_members);
      expanded |= !variable.copies.empty();
    }
  }
  Ledger ledger(function);
  PassCounts counts{"variables", ledger.total()};
  std::vector<llvm::CallInst*> addresses;
  const llvm::DominatorTree dominators(function);
  for (llvm::AllocaInst* alloca : variables_of(function)) {
    Variable variable;
    // Whether something is used that was never set is only known if it has a value of its own, or cannot be.
    if (is_variable(*alloca, variable) && variable.copies.empty() &&
        (parts_of(variable) || is_set_first(variable, dominators)))
      prepare(variable, ledger, counts);
    else
      addresses.push_back(&hide_address(*alloca));
  }
  llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(function, analyses_);
  analyses_.clear();
  fill_placeholders(function);
  for (llvm::CallInst* address : addresses) {
    address->replaceAllUsesWith(address->getArgOperand(0));
    address->eraseFromParent();
  }
  // What stays in memory is not written: memory begins as what was never set.
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        store != nullptr && !store->isVolatile() && is_never_set(*store->getValueOperand()))
      store->eraseFromParent();
  opaque_.hide(function);
  ledger.check(function, "the promotion of variables");
  counts.after = Ledger(function).total();
  counts_.push_back(counts);
}

// Once some variables are gone, it is known of others where pointers to them go.
void Passes::promote_variables(llvm::Function& function) {
  fold_constants(function);
  for (size_t before = variables_of(function).size();;) {
    remove_variables(function);
    fold_constants(function);
    const size_t now = variables_of(function).size();
    if (now >= before) return;
    before = now;
  }
}

// ---- Constants ----

// A number, or null.
llvm::Constant* Passes::folded(const llvm::Instruction& operation, llvm::ArrayRef<llvm::Constant*> operands) {
  if (llvm::isa<llvm::GetElementPtrInst>(operation)) return nullptr;  // they say what is looked at
  llvm::Constant* result = addresses_.evaluate(operation, operands);
  if (result == nullptr ||
      !(llvm::isa<llvm::ConstantInt>(result) || llvm::isa<llvm::ConstantPointerNull>(result)))
    return nullptr;
  return result;
}

// Memory is never exhausted here: what is allocated is not null.
llvm::Constant* Passes::compared_with_null(const llvm::ICmpInst& comparison, const llvm::CallInst& call) {
  if (!comparison.isEquality()) return nullptr;
  for (const unsigned i : {0U, 1U}) {
    const auto* object = llvm::dyn_cast<llvm::Instruction>(call.getArgOperand(i));
    if (object == nullptr || !llvm::isa<llvm::ConstantPointerNull>(call.getArgOperand(1 - i))) continue;
    if (llvm::isa<llvm::AllocaInst>(object) || (object->getType()->isPointerTy() && allocated_size(*object)))
      return llvm::ConstantInt::getBool(call.getContext(),
                                        comparison.getPredicate() == llvm::ICmpInst::ICMP_NE);
  }
  return nullptr;
}

// What the instruction is equal to, with the same dependencies; null if that is not known.
llvm::Value* Passes::folded(llvm::Instruction& instruction) {
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    llvm::Value* same = phi->hasConstantValue();
    return same != nullptr && !llvm::isa<llvm::UndefValue>(same) ? same : nullptr;
  }
  if (llvm::isa<llvm::ExtractValueInst>(instruction))
    return llvm::simplifyInstruction(&instruction, llvm::SimplifyQuery(layout_).getWithoutUndef());
  const llvm::Instruction* operation = opaque_.operation(instruction);
  if (operation == nullptr) return nullptr;
  const auto& call = llvm::cast<llvm::CallInst>(instruction);
  // Which operand of a choice is taken may be known when the operand is not.
  if (llvm::isa<llvm::SelectInst>(operation))
    if (const auto* condition = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)))
      return call.getArgOperand(condition->isZero() ? 2 : 1);
  if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(operation))
    if (llvm::Constant* result = compared_with_null(*comparison, call)) return result;
  llvm::SmallVector<llvm::Constant*> operands;
  for (llvm::Value* operand : call.args()) {
    llvm::Constant* constant = addresses_.value(*operand);
    if (constant == nullptr) return nullptr;
    operands.push_back(constant);
  }
  return folded(*operation, operands);
}

// What is known once arguments are: a memory order that was passed as a parameter, say. No access disappears
// but in code that cannot be reached.
void Passes::fold_constants(llvm::Function& function) {
  Ledger ledger(function);
  PassCounts counts{"constants", ledger.total()};
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value* simpler = folded(instruction);
      if (simpler == nullptr || simpler == &instruction) continue;
      counts.constant += Opaque::origin(instruction) != 0 ? 1 : 0;
      ledger.give_up(instruction);
      instruction.replaceAllUsesWith(simpler);
      instruction.eraseFromParent();
      changed = true;
    }
    for (llvm::BasicBlock& block : function) {
      const llvm::Instruction& end = *block.getTerminator();
      const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&end);
      const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end);
      const llvm::Value* condition = jump != nullptr && jump->isConditional() ? jump->getCondition()
                                     : choice != nullptr                      ? choice->getCondition()
                                                                              : nullptr;
      if (condition != nullptr && llvm::isa<llvm::ConstantInt>(condition))
        changed |= llvm::ConstantFoldTerminator(&block, false);
    }
    llvm::df_iterator_default_set<llvm::BasicBlock*> reachable;
    for (llvm::BasicBlock* block : llvm::depth_first_ext(&function, reachable)) (void)block;
    for (const llvm::BasicBlock& block : function)
      if (!reachable.contains(const_cast<llvm::BasicBlock*>(&block)))
        for (const llvm::Instruction& instruction : block) {
          counts.unreachable += Opaque::origin(instruction) != 0 ? 1 : 0;
          ledger.give_up(instruction);
        }
    changed |= llvm::EliminateUnreachableBlocks(function, nullptr, true);
  }
  ledger.check(function, "the folding of constants");
  counts.after = Ledger(function).total();
  counts_.push_back(counts);
}

}  // namespace fenceline::frontend::c
