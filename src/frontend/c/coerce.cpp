// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/coerce.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace fenceline::frontend::c {
namespace {

// How Clang names the conversions of structures that travel in registers.
constexpr const char* kCoercion = "coerce.";

struct Part {
  uint64_t offset;  // from the beginning of the access
  llvm::Type* type;
};
using Parts = std::vector<Part>;

class Splitter {
 public:
  Splitter(llvm::Function& function, const Opaque& opaque)
      : function_(function), opaque_(opaque), layout_(function.getParent()->getDataLayout()) {}

  void run() {
    drop_extensions();
    split_aggregates();
    retype_temporaries();
    std::vector<llvm::Instruction*> accesses;
    for (llvm::Instruction& instruction : llvm::instructions(function_))
      if (is_plain_integer(instruction)) accesses.push_back(&instruction);
    // Copies first, while both of their ends are there.
    for (llvm::Instruction*& access : accesses)
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) split_copy(*load);
    for (llvm::Instruction* access : accesses) {
      if (std::find(gone_.begin(), gone_.end(), access) != gone_.end()) continue;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) split_load(*load);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) split_store(*store);
    }
    for (llvm::Instruction* instruction : gone_) instruction->eraseFromParent();
  }

 private:
  uint64_t bytes(llvm::Type& type) const { return layout_.getTypeStoreSize(&type).getFixedValue(); }

  // Neither atomic nor volatile in the source.
  bool is_plain(const llvm::Instruction& access) const {
    return !access.isAtomic() && (!access.isVolatile() || opaque_.made_volatile(access));
  }

  bool is_plain_integer(llvm::Instruction& instruction) const {
    const llvm::Type* type = accessed_type(instruction);
    return type != nullptr && type->isIntegerTy();
  }

  // A structure that is smaller than a register is extended by the caller, or put into a variable that is as large, and
  // truncated by the called function: what was never set would be used. Once the call is inlined, only the bytes of the
  // structure are of interest.
  void drop_extensions() {
    std::vector<llvm::Instruction*> truncations;
    std::set<llvm::Instruction*> extended;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* truncation = llvm::dyn_cast<llvm::TruncInst>(&instruction);
      if (truncation == nullptr || !truncation->getName().starts_with(kCoercion)) continue;
      llvm::Value* value = nullptr;
      if (auto* extension = llvm::dyn_cast<llvm::ZExtInst>(truncation->getOperand(0))) {
        if (extension->getName().starts_with(kCoercion) && extension->getSrcTy() == truncation->getType())
          value = extension->getOperand(0);
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(truncation->getOperand(0));
                 load != nullptr && is_plain(*load) && layout_.isLittleEndian()) {
        llvm::IRBuilder<> builder(load);
        value = builder.CreateAlignedLoad(truncation->getType(), load->getPointerOperand(), load->getAlign());
      }
      if (value == nullptr) continue;
      extended.insert(llvm::cast<llvm::Instruction>(truncation->getOperand(0)));
      truncation->replaceAllUsesWith(value);
      truncations.push_back(truncation);
    }
    for (llvm::Instruction* truncation : truncations) truncation->eraseFromParent();
    for (llvm::Instruction* value : extended)
      if (value->use_empty()) value->eraseFromParent();
  }

  // The offset of an element.
  uint64_t offset_of(llvm::Type& aggregate, unsigned element) const {
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(&aggregate))
      return layout_.getStructLayout(structure)->getElementOffset(element);
    return element * layout_.getTypeAllocSize(aggregate.getArrayElementType()).getFixedValue();
  }

  static unsigned elements_of(llvm::Type& aggregate) {
    return aggregate.isStructTy() ? aggregate.getStructNumElements()
                                  : static_cast<unsigned>(aggregate.getArrayNumElements());
  }

  // { i64, i32 } or [2 x i64] as a value: two accesses.
  void split_aggregates() {
    std::vector<llvm::Instruction*> accesses;
    for (llvm::Instruction& instruction : llvm::instructions(function_))
      if (const llvm::Type* type = accessed_type(instruction); type != nullptr && type->isAggregateType())
        accesses.push_back(&instruction);
    for (llvm::Instruction* access : accesses) {
      llvm::Type* type = accessed_type(*access);
      llvm::IRBuilder<> builder(access);
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(access);
      const llvm::Align align = llvm::getLoadStoreAlignment(access);
      llvm::Value* value =
          llvm::isa<llvm::LoadInst>(access) ? llvm::PoisonValue::get(type) : access->getOperand(0);
      for (unsigned i = 0; i < elements_of(*type); ++i) {
        const uint64_t offset = offset_of(*type, i);
        llvm::Type* element = llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t{i});
        llvm::Value* part = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, offset);
        const llvm::Align here = llvm::commonAlignment(align, offset);
        if (llvm::isa<llvm::LoadInst>(access))
          value = builder.CreateInsertValue(value, builder.CreateAlignedLoad(element, part, here), {i});
        else
          builder.CreateAlignedStore(builder.CreateExtractValue(value, {i}), part, here);
      }
      if (llvm::isa<llvm::LoadInst>(access)) access->replaceAllUsesWith(value);
      access->eraseFromParent();
    }
    // What was composed and is decomposed again.
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
      if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction);
          extract != nullptr && extract->getNumIndices() == 1)
        for (llvm::Value* from = extract->getAggregateOperand();;) {
          auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(from);
          if (insert == nullptr || insert->getNumIndices() != 1) break;
          if (insert->getIndices()[0] == extract->getIndices()[0]) {
            extract->replaceAllUsesWith(insert->getInsertedValueOperand());
            extract->eraseFromParent();
            break;
          }
          from = insert->getAggregateOperand();
        }
    drop_unused_compositions();
  }

  // They would be further uses of what was loaded.
  void drop_unused_compositions() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
        if (llvm::isa<llvm::InsertValueInst>(instruction) && instruction.use_empty()) {
          instruction.eraseFromParent();
          changed = true;
        }
    }
  }

  llvm::Type* accessed_type(llvm::Instruction& instruction) const {
    if (!llvm::isa<llvm::LoadInst>(instruction) && !llvm::isa<llvm::StoreInst>(instruction)) return nullptr;
    return is_plain(instruction) ? llvm::getLoadStoreType(&instruction) : nullptr;
  }

  // A variable through which a structure is only copied has the scalars of what it is a copy of.
  void retype_temporaries() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::Instruction& instruction : llvm::instructions(function_)) {
        const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction);
        if (copy == nullptr) continue;
        auto* target = llvm::dyn_cast<llvm::AllocaInst>(copy->getRawDest());
        auto* source = llvm::dyn_cast<llvm::AllocaInst>(copy->getRawSource());
        llvm::Type* target_type = object_type(*copy->getRawDest());
        llvm::Type* source_type = object_type(*copy->getRawSource());
        if (target_type == nullptr || source_type == nullptr) continue;
        if (target != nullptr && is_finer(*source_type, *target_type)) {
          target->setAllocatedType(source_type);
          changed = true;
        } else if (source != nullptr && is_finer(*target_type, *source_type)) {
          source->setAllocatedType(target_type);
          changed = true;
        }
      }
    }
  }

  static llvm::Type* object_type(llvm::Value& object) {
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&object))
      return variable->isArrayAllocation() ? nullptr : variable->getAllocatedType();
    if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&object)) return global->getValueType();
    return nullptr;
  }

  // Has the one type several scalars where the other has one, in about the same bytes?
  bool is_finer(llvm::Type& fine, llvm::Type& coarse) const {
    Parts ours, theirs;
    if (!scalars(fine, 0, ours) || !scalars(coarse, 0, theirs)) return false;
    if ((layout_.getTypeAllocSize(&fine) + 7) / 8 != (layout_.getTypeAllocSize(&coarse) + 7) / 8)
      return false;
    return std::any_of(theirs.begin(), theirs.end(), [&](const Part& wide) {
      return std::any_of(ours.begin(), ours.end(), [&](const Part& part) {
        return part.offset >= wide.offset && part.offset < wide.offset + bytes(*wide.type) &&
               bytes(*part.type) < bytes(*wide.type);
      });
    });
  }

  bool scalars(llvm::Type& type, uint64_t offset, Parts& parts) const {
    constexpr size_t kMost = 64;
    if (parts.size() > kMost) return false;
    if (type.isPointerTy() || type.isIntegerTy()) {
      parts.push_back({offset, &type});
      return true;
    }
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
      for (unsigned i = 0; i < structure->getNumElements(); ++i)
        if (!scalars(*structure->getElementType(i),
                     offset + layout_.getStructLayout(structure)->getElementOffset(i), parts))
          return false;
      return true;
    }
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
      const uint64_t stride = layout_.getTypeAllocSize(array->getElementType());
      for (uint64_t i = 0; i < array->getNumElements(); ++i)
        if (!scalars(*array->getElementType(), offset + i * stride, parts)) return false;
      return true;
    }
    return false;
  }

  // The scalars that an access of so many bytes is about; empty if it is about one, about parts of some, or
  // if that is not known.
  Parts parts_at(llvm::Value& pointer, uint64_t size) const {
    llvm::APInt offset(64, 0);
    llvm::Value* base = pointer.stripAndAccumulateConstantOffsets(layout_, offset, true);
    // Structures of the function's own: what other threads may look at is not torn.
    llvm::Type* type = llvm::isa<llvm::AllocaInst>(base) ? object_type(*base) : nullptr;
    Parts all, result;
    if (type == nullptr || !type->isStructTy() || offset.isNegative() || !scalars(*type, 0, all)) return {};
    const uint64_t begin = offset.getZExtValue(), end = begin + size;
    for (const Part& part : all) {
      const uint64_t last = part.offset + bytes(*part.type);
      if (last <= begin || part.offset >= end) continue;
      if (part.offset < begin || last > end) return {};
      result.push_back({part.offset - begin, part.type});
    }
    if (result.size() == 1 && bytes(*result.front().type) == size) return {};
    return result;
  }

  static llvm::Value* at(llvm::IRBuilder<>& builder, llvm::Value& pointer, const Part& part) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &pointer, part.offset);
  }

  llvm::Value* load_part(llvm::LoadInst& load, const Part& part) const {
    llvm::IRBuilder<> builder(&load);
    return builder.CreateAlignedLoad(part.type, at(builder, *load.getPointerOperand(), part),
                                     llvm::commonAlignment(load.getAlign(), part.offset));
  }

  static bool same(const Parts& a, const Parts& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Part& x, const Part& y) { return x.offset == y.offset && x.type == y.type; });
  }

  // A load whose value goes nowhere but into other locations of the same kind.
  void split_copy(llvm::LoadInst& load) {
    const uint64_t size = bytes(*load.getType());
    Parts parts = parts_at(*load.getPointerOperand(), size);
    std::vector<llvm::StoreInst*> stores;
    for (llvm::User* user : load.users()) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (store == nullptr || !is_plain(*store) || store->getValueOperand() != &load) return;
      stores.push_back(store);
      const Parts others = parts_at(*store->getPointerOperand(), size);
      if (parts.empty()) parts = others;
      if (!others.empty() && !same(parts, others)) return;
    }
    if (parts.empty() || stores.empty()) return;
    for (const Part& part : parts) {
      llvm::Value* value = load_part(load, part);
      for (llvm::StoreInst* store : stores) {
        llvm::IRBuilder<> builder(store);
        builder.CreateAlignedStore(value, at(builder, *store->getPointerOperand(), part),
                                   llvm::commonAlignment(store->getAlign(), part.offset));
      }
    }
    for (llvm::StoreInst* store : stores) gone_.push_back(store);
    gone_.push_back(&load);  // behind its users
  }

  void split_load(llvm::LoadInst& load) {
    const Parts parts = parts_at(*load.getPointerOperand(), bytes(*load.getType()));
    if (parts.empty()) return;
    llvm::IRBuilder<> builder(&load);
    llvm::Value* whole = nullptr;
    for (const Part& part : parts) {
      llvm::Value* value = load_part(load, part);
      if (part.type->isPointerTy()) value = builder.CreatePtrToInt(value, builder.getInt64Ty());
      value = builder.CreateZExt(value, load.getType());
      if (part.offset != 0) value = builder.CreateShl(value, 8 * part.offset);
      whole = whole == nullptr ? value : builder.CreateOr(whole, value);
    }
    load.replaceAllUsesWith(whole);
    gone_.push_back(&load);
  }

  void split_store(llvm::StoreInst& store) {
    llvm::Value& value = *store.getValueOperand();
    const Parts parts = parts_at(*store.getPointerOperand(), bytes(*value.getType()));
    if (parts.empty()) return;
    llvm::IRBuilder<> builder(&store);
    for (const Part& part : parts) {
      llvm::Value* piece = part.offset == 0 ? &value : builder.CreateLShr(&value, 8 * part.offset);
      llvm::Type* integer = builder.getIntNTy(static_cast<unsigned>(layout_.getTypeSizeInBits(part.type)));
      piece = builder.CreateTrunc(piece, integer);
      if (part.type->isPointerTy()) piece = builder.CreateIntToPtr(piece, part.type);
      builder.CreateAlignedStore(piece, at(builder, *store.getPointerOperand(), part),
                                 llvm::commonAlignment(store.getAlign(), part.offset));
    }
    gone_.push_back(&store);
  }

  llvm::Function& function_;
  const Opaque& opaque_;
  const llvm::DataLayout& layout_;
  std::vector<llvm::Instruction*> gone_;
};

}  // namespace

void split_wide_accesses(llvm::Function& function, const Opaque& opaque) { Splitter(function, opaque).run(); }

}  // namespace fenceline::frontend::c
