// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/cells.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "env/errors.h"
#include "frontend/c/library.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint64_t kWord = 8;  // what a cell has at most

// A pointer to anywhere in its object says nothing about how that is divided.
bool says_where(const Target& target, uint64_t bytes) {
  return !target.vague && (target.stride == 0 || static_cast<uint64_t>(target.stride) >= bytes);
}

}  // namespace

Cells::Cells(const std::vector<const llvm::Function*>& functions, const PointsTo& points_to,
             const llvm::DataLayout& layout, bool tears, const std::set<const llvm::Instruction*>& ignored)
    : tears_(tears) {
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function))
      if (!ignored.contains(&instruction)) add(instruction, layout, points_to);
  find_firm_words();
  for (const Access& access : accesses_)
    for_each_place(access, [&](Object& object, uint64_t at) {
      object.cuts.insert({at, at + access.bytes});
      if (access.is_copy) return;
      std::fill_n(object.is_covered.begin() + static_cast<ptrdiff_t>(at), access.bytes, true);
    });
  for (bool changed = true; changed;) {
    changed = false;
    for (Access& access : accesses_) changed |= spread(access);
  }
}

void Cells::add(const llvm::Instruction& instruction, const llvm::DataLayout& layout,
                const PointsTo& points_to) {
  const bool is_padding = instruction.getMetadata(kPaddingNote) != nullptr;
  if (const uint64_t bytes = accessed_bytes(instruction, layout); bytes != 0)
    return add_access(instruction, accessed_pointer(instruction), bytes, is_padding, points_to);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return;
  if (const uint64_t bytes = bytes_behind_first_argument(*call); bytes != 0)
    add_access(instruction, *call->getArgOperand(0), bytes, false, points_to);
  if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    if (length == nullptr || length->isZero()) return;
    add_access(instruction, *copy->getRawDest(), length->getZExtValue(), true, points_to);
    if (const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
      add_access(instruction, *transfer->getRawSource(), length->getZExtValue(), true, points_to);
  }
}

void Cells::add_access(const llvm::Instruction& by, const llvm::Value& pointer, uint64_t bytes, bool is_copy,
                       const PointsTo& points_to) {
  const llvm::DataLayout& layout = by.getModule()->getDataLayout();
  Access access{bytes, is_copy, by.isAtomic(), {}, {}};
  for (uint64_t at = kWord; at < bytes && !is_copy; at += kWord) access.cuts.insert(at);
  tear(by, pointer, access, points_to);
  for (const Target& target : points_to.of(pointer).locations) {
    const PointsTo::Object& object = points_to.object(target.object);
    if (!says_where(target, bytes)) continue;
    if (object.size == 0 || object.size > kMostBytes) continue;
    access.targets.push_back({target, array_around(object, target, bytes, layout)});
    Object& known = objects_[target.object];
    known.size = object.size;
    known.is_covered.resize(object.size);
    numbers_[object.origin] = target.object;
  }
  if (!is_copy) by_instruction_[&by] = accesses_.size();
  accesses_.push_back(std::move(access));
}

void Cells::tear(const llvm::Instruction& by, const llvm::Value& pointer, Access& access,
                 const PointsTo& points_to) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&by);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&by);
  if (access.is_atomic || access.is_copy || (load == nullptr && store == nullptr)) return;
  const bool tears = tears_ && !points_to.is_private(pointer, *by.getFunction());
  const auto tear_into_bytes = [&](Tearing when) {
    for (uint64_t at = 1; at < access.bytes; ++at) access.cuts.insert(at);
    torn_.try_emplace(&by, when);
  };
  // A bit field may have 3 bytes.
  if (!std::has_single_bit(access.bytes)) {
    if (tears) tear_into_bytes(Tearing::kAlways);
    return;
  }
  if (tears && access.bytes > kWord) torn_[&by] = Tearing::kAlways;
  const uint64_t natural = std::min(access.bytes, kWord);
  if ((load != nullptr ? load->getAlign() : store->getAlign()).value() >= natural) return;

  const Targets targets = points_to.of(pointer);
  const auto step = static_cast<int64_t>(natural);
  const bool is_declared = std::ranges::all_of(targets.locations, [&](const Target& target) {
    return points_to.declared_alignment(target.object) % natural == 0;
  });
  const bool is_tracked = !targets.unknown && !targets.locations.empty();
  if (is_tracked && (is_declared || !tears) &&
      std::ranges::all_of(targets.locations, [&](const Target& target) {
        return target.offset % step == 0 && target.stride % step == 0;
      }))
    return;
  if (!is_tracked || !std::ranges::all_of(targets.locations, [&](const Target& target) {
        return says_where(target, access.bytes);
      }))
    unproved_[&by] = {natural, is_declared && !targets.unknown};
  else if (tears)
    tear_into_bytes(is_declared ? Tearing::kUnlessAligned : Tearing::kAlways);
}

Tearing Cells::tearing(const llvm::Instruction& access) const {
  const auto found = torn_.find(&access);
  return found == torn_.end() ? Tearing::kNever : found->second;
}

std::optional<Cells::Alignment> Cells::unproved_alignment(const llvm::Instruction& access) const {
  const auto found = unproved_.find(&access);
  return found == unproved_.end() ? std::nullopt : std::optional(found->second);
}

void Cells::find_firm_words() {
  const auto for_each_known = [&](const Access& access, const auto& visit) {
    for (const auto& [target, array] : access.targets)
      if (target.stride == 0 && target.offset >= 0)
        visit(objects_.at(target.object), static_cast<uint64_t>(target.offset));
  };
  for (const Access& access : accesses_)
    if (access.is_atomic && access.bytes <= kWord)
      for_each_known(access,
                     [&](Object& object, uint64_t at) { object.firm.emplace(at, at + access.bytes); });
  const auto cut = [](Object& object, uint64_t at) {
    auto word = object.firm.lower_bound(at);
    if (word == object.firm.begin()) return;
    if (--word; at < word->second) object.firm.erase(word);
  };
  for (const Access& access : accesses_)
    for_each_known(access, [&](Object& object, uint64_t at) {
      cut(object, at);
      cut(object, at + access.bytes);
    });
}

// The outermost array of the declared type in which the target begins; the whole object if there is none, if it is not
// known where that is, or if accesses follow each other without a gap, as those to all bytes of an object do.
Cells::Span Cells::array_around(const PointsTo::Object& object, const Target& target, uint64_t bytes,
                                const llvm::DataLayout& layout) {
  llvm::Type* type = nullptr;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object.origin))
    type = variable->getValueType();
  else if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(object.origin))
    type = alloca->isArrayAllocation() ? nullptr : alloca->getAllocatedType();
  const bool has_gaps = static_cast<uint64_t>(target.stride) > bytes;
  if (target.stride != 0 && (!target.forward || !has_gaps)) type = nullptr;
  uint64_t begin = 0;
  for (const auto at = static_cast<uint64_t>(target.offset); type != nullptr && target.offset >= 0;) {
    if (llvm::isa<llvm::ArrayType>(type)) return {begin, begin + layout.getTypeAllocSize(type)};
    auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    if (structure == nullptr || at - begin >= layout.getTypeAllocSize(type)) break;
    const llvm::StructLayout& members = *layout.getStructLayout(structure);
    const unsigned member = members.getElementContainingOffset(at - begin);
    begin += members.getElementOffset(member);
    type = structure->getElementType(member);
  }
  return {0, object.size};
}

bool Cells::meets_firm_word(const Object& object, uint64_t begin, uint64_t end) {
  const auto word = object.firm.lower_bound(end);
  return word != object.firm.begin() && std::prev(word)->second > begin;
}

template <class Visit>
void Cells::for_each_place(const Access& access, const Visit& visit) {
  for (const auto& [target, array] : access.targets) {
    Object& object = objects_.at(target.object);
    for (int64_t at = target.first();
         at + static_cast<int64_t>(access.bytes) <= static_cast<int64_t>(object.size); at += target.stride) {
      const auto begin = static_cast<uint64_t>(at), end = begin + access.bytes;
      const bool is_in_reach =
          target.stride == 0 || array.contains(begin, end) || !meets_firm_word(object, begin, end);
      if (at >= 0 && is_in_reach) visit(object, begin);
      if (target.stride == 0) break;
    }
  }
}

// What cuts one of its targets cuts all. True if that was new to one of them.
bool Cells::spread(Access& access) {
  const size_t before = access.cuts.size();
  for_each_place(access, [&](const Object& object, uint64_t at) {
    for (auto cut = object.cuts.upper_bound(at); cut != object.cuts.end() && *cut < at + access.bytes; ++cut)
      access.cuts.insert(*cut - at);
  });
  bool changed = access.cuts.size() != before;
  for_each_place(access, [&](Object& object, uint64_t at) {
    for (const uint64_t cut : access.cuts) changed |= object.cuts.insert(at + cut).second;
  });
  return changed;
}

bool Cells::is_one_cell(const Targets& targets, uint64_t bytes) const {
  if (targets.unknown || targets.locations.empty()) return false;
  return std::ranges::all_of(targets.locations, [&](const Target& target) {
    const auto found = objects_.find(target.object);
    if (found == objects_.end() || target.vague || target.stride != 0 || target.offset < 0) return false;
    const Object& object = found->second;
    const auto begin = static_cast<uint64_t>(target.offset), end = begin + bytes;
    const auto cut = object.cuts.upper_bound(begin);
    return end <= object.size && object.is_covered[begin] && (cut == object.cuts.end() || *cut >= end);
  });
}

std::vector<Leaf> Cells::pieces(const llvm::Instruction& access) const {
  const Access& found = accesses_[by_instruction_.at(&access)];
  std::vector<Leaf> result;
  uint64_t begin = 0;
  const auto piece = [&](uint64_t end) {
    result.push_back({begin, static_cast<uint8_t>(end - begin)});
    begin = end;
  };
  for (const uint64_t cut : found.cuts) piece(cut);
  piece(found.bytes);
  return result;
}

std::vector<Leaf> Cells::fitted(const llvm::Value& origin, uint64_t size,
                                const std::vector<Leaf>& declared) const {
  const auto number = numbers_.find(&origin);
  if (number == numbers_.end()) return declared;
  const Object& object = objects_.at(number->second);
  require(object.size == size, "an object of two sizes");
  std::set<uint64_t> cuts = object.cuts;
  cuts.insert({0, size});
  std::vector<Leaf> result;
  auto leaf = declared.begin();
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    const uint64_t begin = *cut, end = *std::next(cut);
    if (object.is_covered[begin]) {
      result.push_back({.offset = begin, .bytes = static_cast<uint8_t>(end - begin), .accessed = true});
      continue;
    }
    while (leaf != declared.end() && leaf->offset + leaf->bytes <= begin) ++leaf;
    for (auto one = leaf; one != declared.end() && one->offset < end; ++one) {
      const uint64_t first = std::max(begin, one->offset);
      const uint64_t last = std::min<uint64_t>(end, one->offset + one->bytes);
      result.push_back({first, static_cast<uint8_t>(last - first)});
    }
  }
  return result;
}

}  // namespace fenceline::frontend::c
