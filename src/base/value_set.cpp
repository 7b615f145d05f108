// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/value_set.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace fenceline {
namespace {

Value low_bits(Value value, unsigned bits) { return value & ((Value{1} << bits) - 1); }

// In the low bits of numbers that have more of them.
ValueSet::Residues reduced(std::vector<Value> values, unsigned bits) {
  for (Value& value : values) value = low_bits(value, bits);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return {bits, std::move(values)};
}

bool is_subset(const std::vector<Value>& a, const std::vector<Value>& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

}  // namespace

ValueSet ValueSet::of(std::vector<Value> values) {
  if (values.empty()) return {};
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  ValueSet result(Range{values.front(), values.back()});
  if (result.width() + 1 == values.size()) return result;
  if (values.size() <= kMost) {
    result.members_ = std::make_shared<const std::vector<Value>>(std::move(values));
    return result;
  }
  for (const unsigned bits : kResidueBits)
    if (Residues residues = reduced(values, bits); residues.values.size() <= kMost)
      return with_residues(result.range_, std::move(residues));
  return result;
}

ValueSet ValueSet::with_residues(Range range, Residues residues) {
  if (range.is_empty() || residues.values.empty()) return {};
  residues = reduced(std::move(residues.values), residues.bits);
  ValueSet result(range);
  const uint64_t blocks =
      static_cast<uint64_t>((range.hi >> residues.bits) - (range.lo >> residues.bits)) + 1;
  if (residues.values.size() > kMost) return result;
  if (blocks * residues.values.size() > kMost) {
    result.residues_ = std::make_shared<const Residues>(std::move(residues));
    return result;
  }
  std::vector<Value> members;
  for (uint64_t block = 0; block < blocks; ++block)
    for (const Value residue : residues.values) {
      const uint64_t high = (static_cast<uint64_t>(range.lo >> residues.bits) + block) << residues.bits;
      const Value member = static_cast<Value>(high) | residue;
      if (range.contains(member)) members.push_back(member);
    }
  return of(std::move(members));
}

std::optional<ValueSet::Residues> ValueSet::residues(unsigned bits) const {
  if (is_small()) return reduced(members(), bits);
  if (residues_ == nullptr || residues_->bits < bits) return std::nullopt;
  return reduced(residues_->values, bits);
}

bool ValueSet::has_residue(Value value) const {
  return std::binary_search(residues_->values.begin(), residues_->values.end(),
                            low_bits(value, residues_->bits));
}

bool ValueSet::contains(Value value) const {
  if (!range_.contains(value) || (residues_ != nullptr && !has_residue(value))) return false;
  return members_ == nullptr || std::binary_search(members_->begin(), members_->end(), value);
}

size_t ValueSet::size() const {
  if (is_empty()) return 0;
  return members_ != nullptr ? members_->size() : static_cast<size_t>(width()) + 1;
}

std::vector<Value> ValueSet::members() const {
  std::vector<Value> result;
  result.reserve(size());
  for_each([&](Value value) { result.push_back(value); });
  return result;
}

ValueSet ValueSet::join(const ValueSet& other) const {
  if (is_empty() || *this == other) return other;
  if (other.is_empty()) return *this;
  if (other.is_single() && contains(other.range_.lo)) return *this;
  if (is_single() && other.contains(range_.lo)) return other;
  if (members_ != nullptr && other.members_ != nullptr) {  // most of the time nothing is added
    if (is_subset(*other.members_, *members_)) return *this;
    if (is_subset(*members_, *other.members_)) return other;
  }
  if (!is_small() || !other.is_small()) {
    const Range range = range_.join(other.range_);
    for (const unsigned bits : kResidueBits) {
      std::optional<Residues> mine = residues(bits), more = mine ? other.residues(bits) : std::nullopt;
      if (!more) continue;
      mine->values.insert(mine->values.end(), more->values.begin(), more->values.end());
      if (Residues all = reduced(std::move(mine->values), bits); all.values.size() <= kMost)
        return with_residues(range, std::move(all));
    }
    return range;
  }
  const std::vector<Value> mine = members(), more = other.members();
  std::vector<Value> all;
  all.reserve(mine.size() + more.size());
  std::set_union(mine.begin(), mine.end(), more.begin(), more.end(), std::back_inserter(all));
  if (all.size() == mine.size()) return *this;
  return of(std::move(all));
}

ValueSet ValueSet::widened_from(const ValueSet& subset) const {
  for (const unsigned bits : kResidueBits)
    if (std::optional<Residues> all = residues(bits); all && all == subset.residues(bits))
      return with_residues(Range::all(), *std::move(all));
  return Range::all();
}

ValueSet ValueSet::meet(const ValueSet& other) const {
  if (*this == other) return *this;
  if (members_ != nullptr) return filtered([&](Value value) { return other.contains(value); });
  if (other.members_ != nullptr) return other.meet(*this);
  const Range range = range_.meet(other.range_);
  if (residues_ == nullptr)
    return other.residues_ == nullptr ? range : with_residues(range, *other.residues_);
  if (other.residues_ == nullptr) return with_residues(range, *residues_);
  if (residues_->bits < other.residues_->bits) return other.meet(*this);
  Residues both{residues_->bits, {}};
  for (const Value residue : residues_->values)
    if (other.has_residue(residue)) both.values.push_back(residue);
  return with_residues(range, std::move(both));
}

bool ValueSet::meets(const ValueSet& other) const {
  if (range_.meet(other.range_).is_empty()) return false;
  if (members_ != nullptr)
    return std::any_of(members_->begin(), members_->end(),
                       [&](Value value) { return other.contains(value); });
  if (other.members_ != nullptr) return other.meets(*this);
  return (residues_ == nullptr && other.residues_ == nullptr) || !meet(other).is_empty();
}

ValueSet::FixedBits ValueSet::fixed_bits() const {
  if (is_empty()) return {};
  uint64_t differing = static_cast<uint64_t>(range_.lo) ^ static_cast<uint64_t>(range_.hi);
  if (members_ != nullptr) {
    for (const Value value : *members_)
      differing |= static_cast<uint64_t>(value) ^ static_cast<uint64_t>(range_.lo);
  } else if (differing != 0) {  // all that follow the first one that differs
    differing = ~uint64_t{0} >> std::countl_zero(differing);
  }
  uint64_t value = static_cast<uint64_t>(range_.lo) & ~differing;
  if (residues_ != nullptr) {
    const uint64_t mask = (uint64_t{1} << residues_->bits) - 1;
    const auto first = static_cast<uint64_t>(residues_->values.front());
    uint64_t in_residues = 0;
    for (const Value residue : residues_->values) in_residues |= static_cast<uint64_t>(residue) ^ first;
    differing &= ~mask | in_residues;
    value = (value & ~mask) | (first & ~in_residues);
  }
  return {~differing, value};
}

}  // namespace fenceline
