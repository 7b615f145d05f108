// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/value_set.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace fenceline {

ValueSet ValueSet::of(std::vector<Value> values) {
  if (values.empty()) return {};
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  ValueSet result(Range{values.front(), values.back()});
  if (result.width() + 1 != values.size() && values.size() <= kMost)
    result.members_ = std::make_shared<const std::vector<Value>>(std::move(values));
  return result;
}

bool ValueSet::contains(Value value) const {
  if (!range_.contains(value)) return false;
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
    if (std::includes(members_->begin(), members_->end(), other.members_->begin(), other.members_->end()))
      return *this;
    if (std::includes(other.members_->begin(), other.members_->end(), members_->begin(), members_->end()))
      return other;
  }
  if (!is_small() || !other.is_small()) return range_.join(other.range_);
  const std::vector<Value> mine = members(), more = other.members();
  std::vector<Value> all;
  all.reserve(mine.size() + more.size());
  std::set_union(mine.begin(), mine.end(), more.begin(), more.end(), std::back_inserter(all));
  if (all.size() == mine.size()) return *this;
  return of(std::move(all));
}

ValueSet ValueSet::meet(const ValueSet& other) const {
  if (*this == other) return *this;
  if (members_ != nullptr) return filtered([&](Value value) { return other.contains(value); });
  if (other.members_ != nullptr) return other.meet(*this);
  return range_.meet(other.range_);
}

bool ValueSet::meets(const ValueSet& other) const {
  if (range_.meet(other.range_).is_empty()) return false;
  if (members_ != nullptr)
    return std::any_of(members_->begin(), members_->end(),
                       [&](Value value) { return other.contains(value); });
  return other.members_ == nullptr || other.meets(*this);
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
  return {~differing, static_cast<uint64_t>(range_.lo) & ~differing};
}

}  // namespace fenceline
