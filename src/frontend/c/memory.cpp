// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/memory.h"

#include <fmt/format.h>
#include <llvm/IR/DerivedTypes.h>

#include <algorithm>

#include "env/errors.h"
#include "ir/cell_bytes.h"

namespace fenceline::frontend::c {
namespace {

constexpr const char* kOther = "this type";

}  // namespace

std::string words_for(const llvm::Type& type) {
  if (type.isFloatingPointTy()) return "floating-point numbers";
  if (type.isVectorTy()) return "vector types";
  if (type.isIntegerTy() && type.getIntegerBitWidth() > 64)
    return fmt::format("integers of {} bits, and structures of that size that are accessed at once",
                       type.getIntegerBitWidth());
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) return words_for(*array->getElementType());
  if (const auto* structure = llvm::dyn_cast<llvm::StructType>(&type))
    for (const llvm::Type* element : structure->elements())
      if (std::string words = words_for(*element); words != kOther) return words;
  return kOther;
}

const Memory::Block* Memory::block(Value address, uint64_t size) const {
  const auto next = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                     [](Value at, const Block& block) { return at < block.base; });
  if (next == blocks_.begin()) return nullptr;
  const Block& block = *std::prev(next);
  const auto offset = static_cast<uint64_t>(address - block.base);
  return offset <= block.size && size <= block.size - offset ? &block : nullptr;
}

bool Memory::leaves(llvm::Type& type, uint64_t offset, std::vector<Leaf>& result) {
  if (result.size() > kMostBytes) return false;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout& layout = *unit_.layout().getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (!leaves(*structure->getElementType(i), offset + layout.getElementOffset(i), result)) return false;
    return true;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    const uint64_t stride = unit_.layout().getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      if (!leaves(*array->getElementType(), offset + i * stride, result)) return false;
    return true;
  }
  if (!type.isSized()) return false;
  const uint64_t bytes = unit_.layout().getTypeStoreSize(&type);
  for (uint64_t at = 0; at < bytes; at += 8)
    result.push_back({offset + at, static_cast<uint8_t>(std::min<uint64_t>(8, bytes - at))});
  return true;
}

Value Memory::allocate(const std::string& name, uint64_t size, uint64_t alignment,
                       const std::vector<Leaf>& leaves, Value initial) {
  // Some bytes between two objects: the end of one is not the beginning of the next, and a pointer that runs
  // over the end of one is noticed.
  const uint64_t step = std::max(alignment, kAlignment);
  require(has_room(size, step), "there is no room for another object");
  const size_t base = (cells_.size() + kGap + step - 1) / step * step;
  cells_.resize(base + size, 0);
  bytes_.resize(base + size, kNoCellHere);
  std::fill(bytes_.begin() + static_cast<ptrdiff_t>(end_), bytes_.begin() + static_cast<ptrdiff_t>(base),
            uint8_t{0});
  end_ = base + size;
  blocks_.push_back({name, static_cast<Value>(base), size});
  for (const Leaf& leaf : leaves) {
    require(leaf.offset + leaf.bytes <= size, "a cell beyond the end of its object");
    cells_[base + leaf.offset] = initial;
    bytes_[base + leaf.offset] = leaf.bytes;
    const auto at = static_cast<uint32_t>(base + leaf.offset);
    names_[at] = name + leaf.name;
    if (leaf.content != CellContent::kAnything) contents_[at] = leaf.content;
  }
  return static_cast<Value>(base);
}

}  // namespace fenceline::frontend::c
