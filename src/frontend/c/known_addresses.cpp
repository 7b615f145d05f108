// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/known_addresses.h"

#include <llvm/IR/GlobalVariable.h>

#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

// Every execution of it is another object: what is compared must be of the same one.
bool is_object(const llvm::Value& value) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value))
    return !variable->isThreadLocal() && !is_never_set(*variable);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction != nullptr && instruction->getType()->isPointerTy() &&
         (llvm::isa<llvm::AllocaInst>(instruction) || allocated_size(*instruction));
}

}  // namespace

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

std::optional<KnownAddress> known_address(const llvm::Value& pointer, const Opaque& opaque,
                                          const llvm::DataLayout& layout) {
  if (!pointer.getType()->isPointerTy()) return std::nullopt;
  KnownAddress address{&pointer, 0};
  while (true) {
    llvm::APInt distance(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
    address.object = address.object->stripAndAccumulateConstantOffsets(layout, distance, true);
    address.offset += distance.getSExtValue();
    const auto* element = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(opaque.operation(*address.object));
    if (element == nullptr) break;
    const auto& call = llvm::cast<llvm::CallInst>(*address.object);
    const llvm::SmallVector<llvm::Value*> indices(std::next(call.arg_begin()), call.arg_end());
    const auto further = constant_offset(*element, indices, layout);
    if (!further) return std::nullopt;
    address = {call.getArgOperand(0), address.offset + *further};
  }
  return is_object(*address.object) ? std::optional(address) : std::nullopt;
}

std::optional<bool> compare(llvm::ICmpInst::Predicate predicate, const KnownAddress& left,
                            const KnownAddress& right) {
  constexpr int64_t kLargest = int64_t{1} << 31;  // of objects, and more
  if (left.object != right.object) return std::nullopt;
  if (!llvm::ICmpInst::isEquality(predicate))
    for (const int64_t offset : {left.offset, right.offset})
      if (llvm::ICmpInst::isSigned(predicate) || offset < 0 || offset > kLargest) return std::nullopt;
  return llvm::ICmpInst::compare(llvm::APInt(64, static_cast<uint64_t>(left.offset), true),
                                 llvm::APInt(64, static_cast<uint64_t>(right.offset), true), predicate);
}

}  // namespace fenceline::frontend::c
