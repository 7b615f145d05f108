// SPDX-License-Identifier: GPL-3.0-or-later
//
// A set of events as a fixed number of words, so that the compiler unrolls every loop over them. With up to 64 events a
// set is one word.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fenceline::executions {

template <size_t kWords>
class Bits {
 public:
  static constexpr size_t kCapacity = kWords * 64;

  bool has(size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  void add(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void remove(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  static Bits single(size_t i) {
    Bits result;
    result.add(i);
    return result;
  }
  // {0, ..., size - 1}
  static Bits first(size_t size) {
    Bits result;
    for (size_t w = 0; w < kWords; ++w)
      result.words_[w] = size >= (w + 1) * 64 ? ~uint64_t{0}
                         : size <= w * 64     ? 0
                                              : (uint64_t{1} << (size % 64)) - 1;
    return result;
  }

  bool empty() const {
    uint64_t any = 0;
    for (const uint64_t word : words_) any |= word;
    return any == 0;
  }
  size_t size() const {
    size_t members = 0;
    for (const uint64_t word : words_) members += static_cast<size_t>(std::popcount(word));
    return members;
  }
  // Precondition: there is a member.
  size_t highest() const {
    size_t w = kWords - 1;
    while (w > 0 && words_[w] == 0) --w;
    return w * 64 + 63 - static_cast<size_t>(std::countl_zero(words_[w]));
  }
  // The n-th member, from 0. Precondition: n < size().
  size_t member(size_t n) const {
    size_t w = 0;
    for (; n >= static_cast<size_t>(std::popcount(words_[w])); ++w)
      n -= static_cast<size_t>(std::popcount(words_[w]));
    uint64_t rest = words_[w];
    for (; n > 0; --n) rest &= rest - 1;
    return w * 64 + static_cast<size_t>(std::countr_zero(rest));
  }
  bool meets(const Bits& other) const {
    uint64_t any = 0;
    for (size_t w = 0; w < kWords; ++w) any |= words_[w] & other.words_[w];
    return any != 0;
  }
  bool subset_of(const Bits& other) const {
    uint64_t any = 0;
    for (size_t w = 0; w < kWords; ++w) any |= words_[w] & ~other.words_[w];
    return any == 0;
  }

  Bits& operator|=(const Bits& other) {
    for (size_t w = 0; w < kWords; ++w) words_[w] |= other.words_[w];
    return *this;
  }
  Bits& operator&=(const Bits& other) {
    for (size_t w = 0; w < kWords; ++w) words_[w] &= other.words_[w];
    return *this;
  }
  friend Bits operator|(Bits a, const Bits& b) { return a |= b; }
  friend Bits operator&(Bits a, const Bits& b) { return a &= b; }
  Bits minus(const Bits& other) const {
    Bits result;
    for (size_t w = 0; w < kWords; ++w) result.words_[w] = words_[w] & ~other.words_[w];
    return result;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (size_t w = 0; w < kWords; ++w)
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        visit(w * 64 + static_cast<size_t>(std::countr_zero(rest)));
  }

  friend bool operator==(const Bits& a, const Bits& b) {  // the compiler's own version calls memcmp
    uint64_t difference = 0;
    for (size_t w = 0; w < kWords; ++w) difference |= a.words_[w] ^ b.words_[w];
    return difference == 0;
  }

 private:
  std::array<uint64_t, kWords> words_{};
};

}  // namespace fenceline::executions
