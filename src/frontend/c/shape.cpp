// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/shape.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fenceline::frontend::c {
namespace {

// The accesses to an object by their offsets; none if two of them overlap and are not the same, or if some
// may begin anywhere.
std::optional<std::map<uint64_t, uint8_t>> pieces(const std::vector<PointsTo::Access>& accesses,
                                                  uint64_t size) {
  std::map<uint64_t, uint8_t> result;
  std::set<std::pair<std::pair<int64_t, int64_t>, uint64_t>> seen;
  for (const PointsTo::Access& access : accesses) {
    if (access.bytes == 0) continue;
    if (!seen.insert({{access.offset, access.stride}, access.bytes}).second) continue;
    const auto bytes = static_cast<int64_t>(access.bytes);
    if (bytes > 8 || access.offset % bytes != 0 || access.stride % bytes != 0) return std::nullopt;
    for (int64_t at = access.offset; at + bytes <= static_cast<int64_t>(size); at += access.stride) {
      if (at >= 0) {
        const auto [entry, added] = result.emplace(static_cast<uint64_t>(at), static_cast<uint8_t>(bytes));
        if (!added && entry->second != bytes) return std::nullopt;
      }
      if (access.stride == 0) break;
    }
  }
  for (auto next = result.begin(), piece = next; next != result.end(); piece = next)
    if (++next != result.end() && piece->first + piece->second > next->first) return std::nullopt;
  return result;
}

// What is accessed, and what was declared where that leaves room for it.
std::vector<Leaf> fitted(const std::vector<PointsTo::Access>& accesses, uint64_t size,
                         std::vector<Leaf> declared) {
  const auto accessed = pieces(accesses, size);
  if (!accessed) return declared;
  std::map<uint64_t, Leaf> leaves;
  bool fits = true;
  for (const Leaf& leaf : declared) leaves.emplace(leaf.offset, leaf);
  for (const auto& [offset, bytes] : *accessed) {
    const auto found = leaves.find(offset);
    if (found != leaves.end() && found->second.bytes == bytes) continue;
    fits = false;
    // A leaf is at most 8 bytes long, so no other can reach into this one.
    for (uint64_t at = offset < 8 ? 0 : offset - 7; at < offset + bytes; ++at)
      if (const auto other = leaves.find(at);
          other != leaves.end() && other->first + other->second.bytes > offset && !accessed->contains(at))
        leaves.erase(other);
    leaves.insert_or_assign(offset, Leaf{offset, bytes, fmt::format("+{}", offset)});
  }
  if (fits) return declared;
  // An array, if all are of one size.
  const uint8_t first = leaves.begin()->second.bytes;
  const bool alike =
      std::all_of(leaves.begin(), leaves.end(), [&](const auto& leaf) { return leaf.second.bytes == first; });
  std::vector<Leaf> result;
  for (auto& [offset, leaf] : leaves) {
    if (alike && leaves.size() > 1) leaf.name = fmt::format("[{}]", offset / first);
    result.push_back(std::move(leaf));
  }
  return result;
}

// As the structure that the uses of the pointer imply. If they imply none, as the only structure of that size
// that the program has; if there is none, as words.
std::vector<Leaf> guessed(const llvm::CallBase& call, uint64_t size, Unit& unit, Memory& memory) {
  const llvm::DataLayout& layout = unit.layout();
  const auto as = [&](llvm::Type& type) -> std::optional<std::vector<Leaf>> {
    const uint64_t one = type.isSized() ? layout.getTypeAllocSize(&type).getFixedValue() : 0;
    if (one == 0 || size % one != 0) return std::nullopt;
    std::vector<Leaf> leaves;
    for (uint64_t at = 0; at < size; at += one)
      if (!memory.leaves(type, at, size == one ? "" : fmt::format("[{}]", at / one), leaves))
        return std::nullopt;
    return leaves;
  };
  if (const llvm::MDNode* note = call.getMetadata(kTypeNote))
    if (auto leaves = as(*llvm::mdconst::extract<llvm::Constant>(note->getOperand(0))->getType()))
      return *leaves;
  // Its users, copies of the pointer included.
  std::vector<const llvm::Value*> pointers{&call};
  std::set<const llvm::Value*> seen{&call};
  std::optional<std::vector<Leaf>> scalar;
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
  std::optional<std::vector<Leaf>> only;
  bool several = false;
  for (llvm::StructType* type : unit.module().getIdentifiedStructTypes()) {
    if (!type->isSized() || layout.getTypeAllocSize(type) != size) continue;
    auto leaves = as(*type);
    const auto positions = [](const std::vector<Leaf>& all) {
      std::vector<std::pair<uint64_t, uint8_t>> result;
      for (const Leaf& leaf : all) result.emplace_back(leaf.offset, leaf.bytes);
      return result;
    };
    if (leaves && only && positions(*leaves) != positions(*only)) several = true;
    if (leaves && !only) only = std::move(leaves);
  }
  if (only && !several) return *only;
  if (scalar) return *scalar;
  llvm::LLVMContext& context = call.getContext();
  return as(*llvm::Type::getIntNTy(context, size % 8 == 0 ? 64 : size % 4 == 0 ? 32 : 8)).value();
}

}  // namespace

std::vector<Leaf> shape_of_allocation(const llvm::CallBase& call, uint64_t size, Unit& unit, Memory& memory,
                                      const PointsTo& points_to) {
  return fitted(points_to.accesses(call), size, guessed(call, size, unit, memory));
}

std::vector<Leaf> shape_of_variable(const llvm::Value& variable, uint64_t size, std::vector<Leaf> declared,
                                    const PointsTo& points_to) {
  // What an initialiser writes has the sizes of the type.
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&variable))
    if (!global->hasInitializer() || !global->getInitializer()->isNullValue()) return declared;
  return fitted(points_to.accesses(variable), size, std::move(declared));
}

std::optional<std::vector<Leaf>> cells_behind(const llvm::Value& pointer, uint64_t size, Unit& unit,
                                              Memory& memory, const PointsTo& points_to) {
  const Targets targets = points_to.of(pointer);
  if (targets.unknown) return std::nullopt;
  const auto shape = [&](const PointsTo::Object& object) -> std::optional<std::vector<Leaf>> {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(object.origin))
      return shape_of_allocation(*call, object.size, unit, memory, points_to);
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(object.origin);
    llvm::Type* type = alloca != nullptr ? alloca->getAllocatedType()
                                         : llvm::cast<llvm::GlobalVariable>(object.origin)->getValueType();
    std::vector<Leaf> declared;
    if (!memory.leaves(*type, 0, "", declared)) return std::nullopt;
    return shape_of_variable(*object.origin, object.size, std::move(declared), points_to);
  };
  std::optional<std::vector<Leaf>> result;
  const auto same = [](const Leaf& x, const Leaf& y) { return x.offset == y.offset && x.bytes == y.bytes; };
  for (const Target& target : targets.locations) {
    const PointsTo::Object& object = points_to.object(target.object);
    const auto begin = static_cast<uint64_t>(target.offset), end = begin + size;
    if (target.offset < 0 || object.size == 0 || end > object.size) {
      if (target.stride == 0 && object.size != 0) continue;  // the execution fails there
      return std::nullopt;
    }
    const auto all = shape(object);
    if (!all) return std::nullopt;
    std::vector<Leaf> here;
    for (const Leaf& leaf : *all) {
      if (leaf.offset + leaf.bytes <= begin || leaf.offset >= end) continue;
      if (leaf.offset < begin || leaf.offset + leaf.bytes > end) return std::nullopt;
      here.push_back({leaf.offset - begin, leaf.bytes, ""});
    }
    if (result && !std::equal(here.begin(), here.end(), result->begin(), result->end(), same))
      return std::nullopt;
    result = std::move(here);
  }
  return result;
}

}  // namespace fenceline::frontend::c
