// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/memory.h"

#include <fmt/format.h>
#include <llvm/IR/DerivedTypes.h>

#include "env/errors.h"

namespace fenceline::c {
namespace {

constexpr uint64_t kAlignment = 16;
constexpr size_t kLargestMemory = 1 << 20;

}  // namespace

bool Memory::leaves(llvm::Type& type, uint64_t offset, const std::string& name, std::vector<Leaf>& result) {
  if (result.size() > kLargestMemory) return false;
  if (type.isPointerTy() || type.isIntegerTy()) {
    const uint64_t bytes = unit_.layout().getTypeStoreSize(&type);
    if (bytes > 8) return false;
    result.push_back({offset, static_cast<uint8_t>(bytes), name});
    return true;
  }
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout& layout = *unit_.layout().getStructLayout(structure);
    const auto& fields = unit_.fields(*structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      const uint64_t at = layout.getElementOffset(i);
      const auto field = fields.find(at);
      const std::string part =
          field == fields.end() ? fmt::format(".{}", i) : field->second.empty() ? "" : "." + field->second;
      if (!leaves(*structure->getElementType(i), offset + at, name + part, result)) return false;
    }
    return true;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    const uint64_t stride = unit_.layout().getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      if (!leaves(*array->getElementType(), offset + i * stride, fmt::format("{}[{}]", name, i), result)) return false;
    return true;
  }
  return false;
}

Value Memory::place(const std::string& name, uint64_t size, const std::vector<Leaf>& leaves, Value initial) {
  // At least one byte between two objects: the end of one is not the beginning of the next.
  const size_t base = (cells_.size() + kAlignment) / kAlignment * kAlignment;
  if (base + size > kLargestMemory) throw Unsupported("the program's memory is too large");
  cells_.resize(base + size, 0);
  bytes_.resize(base + size, 0);
  blocks_.push_back({name, static_cast<Value>(base), size});
  for (const Leaf& leaf : leaves) {
    if (leaf.offset + leaf.bytes > size) break;
    cells_[base + leaf.offset] = initial;
    bytes_[base + leaf.offset] = leaf.bytes;
    names_[static_cast<uint32_t>(base + leaf.offset)] = name + leaf.name;
  }
  return static_cast<Value>(base);
}

}  // namespace fenceline::c
