// SPDX-License-Identifier: GPL-3.0-or-later
//
// A set of values: exact while it is small, and the interval around its members once it is not. Pointers and
// marks make sets like {0, 64, 80, 96} or {0, 1, 1 << 46}, which an interval describes poorly.
//
// Pointers and indices also have counters above them, in the high bits of a word, and then there are too many values. So
// of a large set the residues modulo a power of two are kept, if these are few: what the low bits of its members can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/numbers.h"

namespace fenceline {

class ValueSet {
 public:
  // Up to so many members are kept one by one.
  static constexpr size_t kMost = 128;

  ValueSet() = default;  // empty
  // All values of the range. Not explicit: a range is a set.
  ValueSet(Range range) : range_(range.is_empty() ? Range::empty() : range) {}
  static ValueSet single(Value value) { return {Range::single(value)}; }
  // In any order, and any number of times each.
  static ValueSet of(std::vector<Value> values);

  // Modulo these powers of two: where counters begin, next to a pointer, or to an index of 32 or 16 bits.
  static constexpr unsigned kResidueBits[] = {48, 32, 16};
  // What is left of members in their low `bits` bits, ascending; at most kMost.
  struct Residues {
    unsigned bits = 0;
    std::vector<Value> values;
    friend bool operator==(const Residues&, const Residues&) = default;
  };
  // Those of the range that have such residues. Sorts them, and ignores them if they are too many.
  static ValueSet with_residues(Range range, Residues residues);
  // None: too many, or not known. Precondition: bits is one of kResidueBits.
  std::optional<Residues> residues(unsigned bits) const;

  bool is_empty() const { return range_.is_empty(); }
  bool is_single() const { return range_.lo == range_.hi; }
  // The smallest interval around it. A set that is not bounded may hold values outside of 64 bits.
  const Range& range() const { return range_; }
  bool bounded() const { return range_.bounded(); }
  bool contains(Value value) const;
  bool within(Range range) const { return range.contains(range_); }
  // Are there few enough members to go through them?
  bool is_small() const { return members_ != nullptr || is_empty() || width() < kMost; }
  // How many there are. Precondition: is_small().
  size_t size() const;

  // Calls f(value) in ascending order. There may be very many.
  template <class F>
  void for_each(const F& f) const {
    for_each_in(range_, f);
  }
  // Calls f(value) in ascending order for the members inside of the range, however many the set has.
  template <class F>
  void for_each_in(Range range, const F& f) const {
    if (members_ != nullptr) {
      for (const Value value : *members_)
        if (range.contains(value)) f(value);
      return;
    }
    const Range both = range_.meet(range);
    if (both.is_empty()) return;
    for (Value value = both.lo;; ++value) {
      if (residues_ == nullptr || has_residue(value)) f(value);
      if (value == both.hi) return;  // before ++ may leave 64 bits
    }
  }
  // Those for which keep(value) holds. Precondition: is_small().
  template <class F>
  ValueSet filtered(const F& keep) const {
    std::vector<Value> kept;
    for_each([&](Value value) {
      if (keep(value)) kept.push_back(value);
    });
    return of(std::move(kept));
  }
  std::vector<Value> members() const;  // Precondition: is_small().

  ValueSet join(const ValueSet& other) const;
  // All values, but those that have residues which the subset has not. For an ascending chain of sets, to end it.
  ValueSet widened_from(const ValueSet& subset) const;
  // Exact if one of the two is small.
  ValueSet meet(const ValueSet& other) const;
  bool meets(const ValueSet& other) const;

  // The bits that are the same in all members, and what they are there; none of the empty set.
  struct FixedBits {
    uint64_t mask = 0, value = 0;
  };
  FixedBits fixed_bits() const;

  friend bool operator==(const ValueSet& a, const ValueSet& b) {
    const auto same = [](const auto& first, const auto& second) {
      return first == second || (first != nullptr && second != nullptr && *first == *second);
    };
    return a.range_ == b.range_ && same(a.members_, b.members_) && same(a.residues_, b.residues_);
  }

 private:
  uint64_t width() const { return static_cast<uint64_t>(range_.hi) - static_cast<uint64_t>(range_.lo); }

  bool has_residue(Value value) const;  // Precondition: residues_ != nullptr.

  Range range_ = Range::empty();
  // Ascending; null if every value of the range is a member, but for those without a residue. Shared, since sets are
  // copied more often than made.
  std::shared_ptr<const std::vector<Value>> members_;
  std::shared_ptr<const Residues> residues_;  // null if members_ is not
};

}  // namespace fenceline
