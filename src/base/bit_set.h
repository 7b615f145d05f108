// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sets of small numbers as bits. BitSet grows with its members; most sets have members below 64 only, and
// those need no allocation. The functions on rows are for sets whose words lie in an array that the caller
// owns, such as the rows of a matrix.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace fenceline {

// ---- Rows: number n is bit n % 64 of word n / 64.

constexpr size_t words_for_bits(size_t bits) { return (bits + 63) / 64; }

constexpr bool has_bit(const uint64_t* row, size_t number) { return (row[number / 64] >> (number % 64)) & 1; }
constexpr void add_bit(uint64_t* row, size_t number) { row[number / 64] |= uint64_t{1} << (number % 64); }
constexpr void remove_bit(uint64_t* row, size_t number) {
  row[number / 64] &= ~(uint64_t{1} << (number % 64));
}

// Calls visit(number) for each one in a row of `words` words, in ascending order.
template <class Visit>
constexpr void for_each_bit(const uint64_t* row, size_t words, const Visit& visit) {
  for (size_t w = 0; w < words; ++w)
    for (uint64_t rest = row[w]; rest != 0; rest &= rest - 1)
      visit(w * 64 + static_cast<size_t>(std::countr_zero(rest)));
}

// ---- A set

class BitSet {
 public:
  BitSet() = default;
  BitSet(std::initializer_list<size_t> members) {
    for (const size_t number : members) add(number);
  }
  // {0, ..., size - 1}
  static BitSet first(size_t size) {
    BitSet set;
    for (size_t number = 0; number < size; ++number) set.add(number);
    return set;
  }

  bool has(size_t number) const {
    if (number < 64) return has_bit(&first_, number);
    return number / 64 <= more_.size() && has_bit(more_.data(), number - 64);
  }
  void add(size_t number) {
    if (number < 64) return add_bit(&first_, number);
    if (number / 64 > more_.size()) more_.resize(number / 64);
    add_bit(more_.data(), number - 64);
  }
  void remove(size_t number) {
    if (number < 64) return remove_bit(&first_, number);
    if (number / 64 <= more_.size()) remove_bit(more_.data(), number - 64);
    trim();
  }
  BitSet with(size_t number) const {
    BitSet set = *this;
    set.add(number);
    return set;
  }
  BitSet without(size_t number) const {
    BitSet set = *this;
    set.remove(number);
    return set;
  }

  bool empty() const { return first_ == 0 && more_.empty(); }
  size_t size() const {
    auto sum = static_cast<size_t>(std::popcount(first_));
    for (const uint64_t word : more_) sum += static_cast<size_t>(std::popcount(word));
    return sum;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {  // in ascending order
    for_each_bit(&first_, 1, visit);
    for_each_bit(more_.data(), more_.size(), [&](size_t number) { visit(number + 64); });
  }
  std::vector<size_t> elements() const {  // sorted
    std::vector<size_t> all;
    for_each([&](size_t number) { all.push_back(number); });
    return all;
  }

  bool subset_of(const BitSet& other) const {
    if ((first_ & ~other.first_) != 0 || more_.size() > other.more_.size()) return false;
    for (size_t w = 0; w < more_.size(); ++w)
      if ((more_[w] & ~other.more_[w]) != 0) return false;
    return true;
  }
  bool meets(const BitSet& other) const {  // is there a common member?
    if ((first_ & other.first_) != 0) return true;
    for (size_t w = 0; w < std::min(more_.size(), other.more_.size()); ++w)
      if ((more_[w] & other.more_[w]) != 0) return true;
    return false;
  }
  BitSet& operator&=(const BitSet& other) {
    first_ &= other.first_;
    more_.resize(std::min(more_.size(), other.more_.size()));
    for (size_t w = 0; w < more_.size(); ++w) more_[w] &= other.more_[w];
    trim();
    return *this;
  }
  BitSet& operator|=(const BitSet& other) {
    first_ |= other.first_;
    more_.resize(std::max(more_.size(), other.more_.size()));
    for (size_t w = 0; w < other.more_.size(); ++w) more_[w] |= other.more_[w];
    return *this;
  }
  BitSet& operator-=(const BitSet& other) {
    first_ &= ~other.first_;
    for (size_t w = 0; w < std::min(more_.size(), other.more_.size()); ++w) more_[w] &= ~other.more_[w];
    trim();
    return *this;
  }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }

  // A total order, for sorted containers.
  friend auto operator<=>(const BitSet&, const BitSet&) = default;
  friend bool operator==(const BitSet&, const BitSet&) = default;

 private:
  void trim() {
    while (!more_.empty() && more_.back() == 0) more_.pop_back();
  }

  uint64_t first_ = 0;          // the numbers below 64
  std::vector<uint64_t> more_;  // the others; the last word is not 0
};

}  // namespace fenceline
