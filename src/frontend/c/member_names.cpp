// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/member_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace fenceline::frontend::c {
namespace {

namespace dwarf = llvm::dwarf;

// How well a name says which bytes are meant; the best one is taken.
enum class Fit : uint8_t {
  kNone,       // no member has all of these bytes
  kPart,       // so many bytes behind the beginning of a member
  kSeveral,    // several members, or elements of an array
  kAggregate,  // a structure, a union or an array
  kScalar,
};

struct Component {
  std::string text;  // ".head", "[3]", "+4"
  bool reserved = false;
};

struct Path {
  Fit fit = Fit::kNone;
  std::vector<Component> components;
  CellContent content = CellContent::kAnything;
};

// Identifiers of implementations: `_M_i`, `__data`.
bool is_reserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

const llvm::DICompositeType* composite(const llvm::DIType* type, bool arrays = false) {
  const auto* found = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain_type(type));
  if (found == nullptr || found->isForwardDecl()) return nullptr;
  switch (found->getTag()) {
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_union_type:
      return found;
    case dwarf::DW_TAG_array_type:
      return arrays ? found : nullptr;
    default:
      return nullptr;
  }
}

// Members with storage in each object, and base classes.
template <class Visit>
void for_each_member(const llvm::DICompositeType& type, const Visit& visit) {
  for (const llvm::DINode* element : type.getElements())
    if (const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element))
      if ((member->getTag() == dwarf::DW_TAG_member && !member->isStaticMember()) ||
          member->getTag() == dwarf::DW_TAG_inheritance)
        visit(*member);
}

bool is_base(const llvm::DIDerivedType& member) { return member.getTag() == dwarf::DW_TAG_inheritance; }

// The offset of a virtual base class is known at run time only.
bool has_fixed_offset(const llvm::DIDerivedType& member) { return !is_base(member) || !member.isVirtual(); }

bool is_empty(const llvm::DIType* type) {
  const llvm::DICompositeType* structure = composite(type);
  if (structure == nullptr) return false;
  bool empty = true;
  for_each_member(*structure, [&](const llvm::DIDerivedType& member) {
    if (!is_empty(member.getBaseType())) empty = false;
  });
  return empty;
}

// "_vptr$Queue" and its like are how compilers call the pointer to the table of virtual functions.
std::string name_of(const llvm::DIDerivedType& member) {
  return member.getName().starts_with("_vptr") ? "_vptr" : member.getName().str();
}

// How many parts of an object can be meant by the name: its own members hide those of base classes.
unsigned lookup(const llvm::DICompositeType& type, std::string_view name) {
  unsigned own = 0, inherited = 0;
  for_each_member(type, [&](const llvm::DIDerivedType& member) {
    const llvm::DICompositeType* inner = composite(member.getBaseType());
    if (is_base(member)) {
      if (inner != nullptr) inherited += lookup(*inner, name);
    } else if (member.getName().empty()) {
      if (inner != nullptr) own += lookup(*inner, name);
    } else if (name_of(member) == name) {
      ++own;
    }
  });
  return own > 0 ? own : inherited;
}

// A member of a base class whose name means another one in the derived class: ".Base::x".
void qualify(const llvm::DICompositeType& derived, const llvm::DIDerivedType& base, Path& path) {
  if (path.components.empty() || !path.components.front().text.starts_with(".")) return;
  std::string& first = path.components.front().text;
  const std::string name = first.substr(1);
  unsigned own = 0, inherited = 0;
  for_each_member(derived, [&](const llvm::DIDerivedType& member) {
    const llvm::DICompositeType* inner = composite(member.getBaseType());
    if (is_base(member))
      inherited += inner == nullptr ? 0 : lookup(*inner, name);
    else if (member.getName().empty())
      own += inner == nullptr ? 0 : lookup(*inner, name);
    else
      own += name_of(member) == name ? 1 : 0;
  });
  const bool qualified = name.find("::") != std::string::npos;
  if (own > 0 || inherited > 1 || qualified)
    first = fmt::format(".{}::{}", plain_type(base.getBaseType())->getName().str(), name);
}

CellContent content_of(const llvm::DIType* type) {
  // Integers that are declared to hold addresses.
  for (const auto* alias = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type); alias != nullptr;
       alias = llvm::dyn_cast_or_null<llvm::DIDerivedType>(alias->getBaseType())) {
    if (alias->getTag() == dwarf::DW_TAG_pointer_type) break;
    if (alias->getName() == "uintptr_t" || alias->getName() == "intptr_t") return CellContent::kAddress;
  }
  const llvm::DIType* plain = plain_type(type);
  if (const auto* enumeration = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain))
    return enumeration->getBaseType() == nullptr ? CellContent::kSigned
                                                 : content_of(enumeration->getBaseType());
  const auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(plain);
  if (basic == nullptr) return CellContent::kAddress;
  switch (basic->getEncoding()) {
    case dwarf::DW_ATE_signed:
    case dwarf::DW_ATE_signed_char:
      return CellContent::kSigned;
    case dwarf::DW_ATE_unsigned:
    case dwarf::DW_ATE_unsigned_char:
    case dwarf::DW_ATE_boolean:
    case dwarf::DW_ATE_UTF:
      return CellContent::kUnsigned;
    default:
      return CellContent::kAnything;
  }
}

Path walk(const llvm::DIType* type, uint64_t offset, uint64_t bytes);

Path behind(uint64_t offset) {
  return {Fit::kPart, {{fmt::format("+{}", offset), false}}, CellContent::kAnything};
}

// Of an array, one or several elements.
Path element(const llvm::DICompositeType& array, uint64_t offset, uint64_t bytes) {
  const uint64_t size = size_of(array.getBaseType());
  if (size == 0) return behind(offset);
  const uint64_t first = offset / size, last = (offset + bytes - 1) / size;
  // The lengths of the inner dimensions, from the last to the second.
  std::vector<uint64_t> inner;
  for (const llvm::DINode* range : array.getElements())
    if (const auto* dimension = llvm::dyn_cast_or_null<llvm::DISubrange>(range)) {
      const auto* count = llvm::dyn_cast_if_present<llvm::ConstantInt*>(dimension->getCount());
      inner.push_back(count == nullptr ? 0 : count->getZExtValue());
    }
  if (!inner.empty()) inner.erase(inner.begin());
  if (std::ranges::count(inner, 0U) > 0) return behind(offset);
  const auto index = [&](uint64_t number) {
    std::string text;
    for (size_t i = inner.size(); i > 0; --i) {
      text = fmt::format("[{}]{}", number % inner[i - 1], text);
      number /= inner[i - 1];
    }
    return fmt::format("[{}]{}", number, text);
  };
  if (first != last) {
    if (offset % size != 0 || bytes % size != 0 || !inner.empty()) return behind(offset);
    return {Fit::kSeveral, {{fmt::format("[{}..{}]", first, last), false}}, CellContent::kAnything};
  }
  Path path = walk(array.getBaseType(), offset - first * size, bytes);
  if (path.fit == Fit::kNone) return path;
  path.components.insert(path.components.begin(), {index(first), false});
  return path;
}

// Bit fields that share bytes, or neighbours that are accessed together. (Padding has no name.)
Path together(const llvm::DICompositeType& type, uint64_t offset, uint64_t bytes) {
  const uint64_t begin = 8 * offset, end = begin + 8 * bytes;
  const bool is_union = type.getTag() == dwarf::DW_TAG_union_type;
  std::vector<std::string> names;
  bool named = true, has_bit_fields = false;
  for_each_member(type, [&](const llvm::DIDerivedType& member) {
    if (!has_fixed_offset(member) || is_empty(member.getBaseType())) return;
    if (is_union && !member.isBitField()) return;  // no other member has these bytes
    const uint64_t from = member.getOffsetInBits();
    const uint64_t to = from + (member.isBitField() ? member.getSizeInBits() : 8 * size_of(&member));
    if (to <= begin || from >= end) return;
    named &= from >= begin && to <= end && !is_base(member) && !member.getName().empty();
    has_bit_fields |= member.isBitField();
    names.push_back(name_of(member));
  });
  constexpr size_t kMost = 4;
  if (names.empty() || names.size() > kMost || !named || (names.size() == 1 && !has_bit_fields))
    return behind(offset);
  if (names.size() == 1) return {Fit::kSeveral, {{"." + names.front(), is_reserved(names.front())}}, {}};
  return {Fit::kSeveral, {{fmt::format(".{{{}}}", fmt::join(names, ", ")), false}}, {}};
}

// Is it the only member that has bytes?
bool is_sole(const llvm::DICompositeType& type, const llvm::DIDerivedType& member) {
  bool sole = true;
  for_each_member(type, [&](const llvm::DIDerivedType& other) {
    if (&other != &member && !is_empty(other.getBaseType())) sole = false;
  });
  return sole;
}

Path member_of(const llvm::DICompositeType& type, uint64_t offset, uint64_t bytes) {
  Path best;
  for_each_member(type, [&](const llvm::DIDerivedType& member) {
    if (!has_fixed_offset(member) || member.isBitField() || is_empty(member.getBaseType())) return;
    const uint64_t at = member.getOffsetInBits() / 8, size = size_of(&member);
    const bool is_flexible = size == 0 && composite(member.getBaseType(), true) != nullptr;
    if (at > offset || (offset + bytes > at + size && !is_flexible)) return;
    Path path = walk(member.getBaseType(), offset - at, bytes);
    if (path.fit <= best.fit) return;
    const std::string name = name_of(member);
    if (is_base(member))
      qualify(type, member, path);
    else if (!name.empty() && !(is_reserved(name) && is_sole(type, member)))
      path.components.insert(path.components.begin(), {"." + name, is_reserved(name)});
    best = std::move(path);
  });
  if (best.fit < Fit::kSeveral)
    if (Path several = together(type, offset, bytes); several.fit > best.fit) best = std::move(several);
  const bool is_whole = offset == 0 && size_of(&type) == bytes;
  return is_whole && best.fit < Fit::kAggregate ? Path{Fit::kAggregate, {}, CellContent::kAnything} : best;
}

Path walk(const llvm::DIType* type, uint64_t offset, uint64_t bytes) {
  const llvm::DIType* plain = plain_type(type);
  if (plain == nullptr) return {};
  if (const llvm::DICompositeType* parts = composite(plain, true)) {
    if (parts->getTag() != dwarf::DW_TAG_array_type) return member_of(*parts, offset, bytes);
    Path path = element(*parts, offset, bytes);
    const bool is_whole = offset == 0 && size_of(parts) == bytes;
    return is_whole && path.fit < Fit::kAggregate ? Path{Fit::kAggregate, {}, CellContent::kAnything} : path;
  }
  if (const auto* unknown = llvm::dyn_cast<llvm::DICompositeType>(plain);
      unknown != nullptr && unknown->getTag() != dwarf::DW_TAG_enumeration_type)
    return {};
  if (offset == 0 && (size_of(plain) == bytes || size_of(plain) == 0))
    return {Fit::kScalar, {}, content_of(type)};
  return behind(offset);
}

}  // namespace

const llvm::DIType* plain_type(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
      case dwarf::DW_TAG_atomic_type:
      case dwarf::DW_TAG_template_alias:
      case dwarf::DW_TAG_member:
      case dwarf::DW_TAG_inheritance:
        type = derived->getBaseType();
        continue;
      default:
        return derived;
    }
  }
  return type;
}

uint64_t size_of(const llvm::DIType* type) {
  const llvm::DIType* plain = plain_type(type);
  return plain == nullptr ? 0 : plain->getSizeInBits() / 8;
}

std::optional<PartName> part_name(const llvm::DIType* type, uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return std::nullopt;
  const Path path = walk(type, offset, bytes);
  if (path.fit == Fit::kNone) return std::nullopt;
  PartName name;
  name.content = path.content;
  size_t kept = 0;  // up to the last member whose name is not reserved, and its elements
  for (size_t i = 0; i < path.components.size(); ++i)
    if (path.components[i].text.starts_with(".") && !path.components[i].reserved) kept = i + 1;
  while (kept < path.components.size() && !path.components[kept].reserved) ++kept;
  for (size_t i = 0; i < path.components.size(); ++i) {
    name.full += path.components[i].text;
    if (i < kept) name.brief += path.components[i].text;
  }
  return name;
}

}  // namespace fenceline::frontend::c
