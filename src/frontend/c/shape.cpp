// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/shape.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fenceline::frontend::c {
namespace {

// As the structure that the uses of the pointer imply. If they imply none, as the only structure of that size
// that the program has; if there is none, as words.
Shape guessed(const llvm::CallBase& call, uint64_t size, Unit& unit, Memory& memory) {
  const llvm::DataLayout& layout = unit.layout();
  const auto as = [&](llvm::Type& type) -> std::optional<Shape> {
    const uint64_t one = type.isSized() ? layout.getTypeAllocSize(&type).getFixedValue() : 0;
    if (one == 0 || size % one != 0) return std::nullopt;
    std::vector<Leaf> leaves;
    for (uint64_t at = 0; at < size; at += one)
      if (!memory.leaves(type, at, leaves)) return std::nullopt;
    return Shape{std::move(leaves), &type};
  };
  if (const llvm::MDNode* note = call.getMetadata(kTypeNote))
    if (auto leaves = as(*llvm::mdconst::extract<llvm::Constant>(note->getOperand(0))->getType()))
      return *leaves;
  // Its users, copies of the pointer included.
  std::vector<const llvm::Value*> pointers{&call};
  std::set<const llvm::Value*> seen{&call};
  std::optional<Shape> scalar;
  while (!pointers.empty()) {
    const llvm::Value* pointer = pointers.back();
    pointers.pop_back();
    for (const llvm::User* user : pointer->users()) {
      if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        if (gep->getPointerOperand() != pointer) continue;
        if (gep->getSourceElementType()->isIntegerTy(8)) continue;
        if (auto leaves = as(*gep->getSourceElementType())) return *leaves;
      } else if (llvm::isa<llvm::PHINode>(user) || llvm::isa<llvm::SelectInst>(user)) {
        if (seen.insert(user).second) pointers.push_back(user);
      } else if (llvm::isa<llvm::LoadInst>(user) && !scalar) {
        scalar = as(*user->getType());
      } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user); store != nullptr && !scalar) {
        if (store->getPointerOperand() == pointer) scalar = as(*store->getValueOperand()->getType());
      }
    }
  }
  std::optional<Shape> only;
  bool several = false;
  for (llvm::StructType* type : unit.module().getIdentifiedStructTypes()) {
    if (!type->isSized() || layout.getTypeAllocSize(type) != size) continue;
    auto leaves = as(*type);
    const auto positions = [](const std::vector<Leaf>& all) {
      std::vector<std::pair<uint64_t, uint8_t>> result;
      for (const Leaf& leaf : all) result.emplace_back(leaf.offset, leaf.bytes);
      return result;
    };
    if (leaves && only && positions(leaves->cells) != positions(only->cells)) several = true;
    if (leaves && !only) only = std::move(leaves);
  }
  if (only && !several) return *only;
  if (scalar) return *scalar;
  llvm::LLVMContext& context = call.getContext();
  return as(*llvm::Type::getIntNTy(context, size % 8 == 0 ? 64 : size % 4 == 0 ? 32 : 8)).value();
}

}  // namespace

Shape shape_of_allocation(const llvm::CallBase& call, uint64_t size, Unit& unit, Memory& memory,
                          const Cells& cells) {
  Shape shape = guessed(call, size, unit, memory);
  shape.cells = cells.fitted(call, size, shape.cells);
  return shape;
}

std::optional<std::vector<Leaf>> cells_behind(const llvm::Value& pointer, uint64_t size, Unit& unit,
                                              Memory& memory, const PointsTo& points_to, const Cells& cells) {
  const Targets targets = points_to.of(pointer);
  if (targets.unknown) return std::nullopt;
  const auto shape = [&](const PointsTo::Object& object) -> std::optional<std::vector<Leaf>> {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(object.origin))
      return shape_of_allocation(*call, object.size, unit, memory, cells).cells;
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(object.origin);
    llvm::Type* type = alloca != nullptr ? alloca->getAllocatedType()
                                         : llvm::cast<llvm::GlobalVariable>(object.origin)->getValueType();
    std::vector<Leaf> declared;
    if (!memory.leaves(*type, 0, declared)) return std::nullopt;
    return cells.fitted(*object.origin, object.size, declared);
  };
  std::optional<std::vector<Leaf>> result;
  const auto same = [](const Leaf& x, const Leaf& y) { return x.offset == y.offset && x.bytes == y.bytes; };
  for (const Target& target : targets.locations) {
    const PointsTo::Object& object = points_to.object(target.object);
    const auto begin = static_cast<uint64_t>(target.first()), end = begin + size;
    if (object.size == 0) return std::nullopt;
    if (target.first() < 0 || end > object.size) continue;  // the execution fails there
    const auto all = shape(object);
    if (!all) return std::nullopt;
    std::vector<Leaf> here;
    for (const Leaf& leaf : *all) {
      if (leaf.offset + leaf.bytes <= begin || leaf.offset >= end) continue;
      if (leaf.offset < begin || leaf.offset + leaf.bytes > end) return std::nullopt;
      here.push_back({leaf.offset - begin, leaf.bytes});
    }
    if (result && !std::equal(here.begin(), here.end(), result->begin(), result->end(), same))
      return std::nullopt;
    result = std::move(here);
  }
  return result;
}

}  // namespace fenceline::frontend::c
