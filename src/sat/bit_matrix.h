// SPDX-License-Identifier: GPL-3.0-or-later
//
// Relations between n things as n rows of n bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bit_set.h"

namespace fenceline::sat {

class BitMatrix {
 public:
  explicit BitMatrix(size_t size = 0) : size_(size), words_(words_for_bits(size)), bits_(size * words_) {}

  size_t size() const { return size_; }
  bool at(size_t x, size_t y) const { return has_bit(row(x), y); }
  void set(size_t x, size_t y) { add_bit(row(x), y); }
  void clear(size_t x, size_t y) { remove_bit(row(x), y); }

  // Calls f(y) for each y with (x, y) in the relation.
  template <class F>
  void for_row(size_t x, const F& f) const {
    for_each_bit(row(x), words_, f);
  }
  template <class F>
  void for_all(const F& f) const {
    for (size_t x = 0; x < size_; ++x) for_row(x, [&](size_t y) { f(x, y); });
  }

  // Row x of this |= row y of the other.
  void add_row(size_t x, const BitMatrix& other, size_t y) {
    for (size_t word = 0; word < words_; ++word) bits_[x * words_ + word] |= other.bits_[y * words_ + word];
  }
  BitMatrix& operator|=(const BitMatrix& other) {
    for (size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
    return *this;
  }
  BitMatrix& operator&=(const BitMatrix& other) {
    for (size_t i = 0; i < bits_.size(); ++i) bits_[i] &= other.bits_[i];
    return *this;
  }
  BitMatrix& subtract(const BitMatrix& other) {
    for (size_t i = 0; i < bits_.size(); ++i) bits_[i] &= ~other.bits_[i];
    return *this;
  }

  bool row_includes(size_t x, size_t y) const {  // all of row y
    for (size_t word = 0; word < words_; ++word)
      if ((bits_[y * words_ + word] & ~bits_[x * words_ + word]) != 0) return false;
    return true;
  }
  bool includes(const BitMatrix& other) const {
    for (size_t i = 0; i < bits_.size(); ++i)
      if ((other.bits_[i] & ~bits_[i]) != 0) return false;
    return true;
  }

  BitMatrix sequence(const BitMatrix& other) const {
    BitMatrix result(size_);
    for_all([&](size_t x, size_t y) { result.add_row(x, other, y); });
    return result;
  }
  BitMatrix inverse() const {
    BitMatrix result(size_);
    for_all([&](size_t x, size_t y) { result.set(y, x); });
    return result;
  }
  BitMatrix closure() const {  // transitive (Warshall)
    BitMatrix result = *this;
    for (size_t k = 0; k < size_; ++k)
      for (size_t x = 0; x < size_; ++x)
        if (result.at(x, k)) result.add_row(x, result, k);
    return result;
  }

  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

 private:
  uint64_t* row(size_t x) { return bits_.data() + x * words_; }
  const uint64_t* row(size_t x) const { return bits_.data() + x * words_; }

  size_t size_, words_;
  std::vector<uint64_t> bits_;
};

}  // namespace fenceline::sat
