// SPDX-License-Identifier: GPL-3.0-or-later
//
// The hash functions of all tables. None of them resists an adversary; equal hashes are always followed by a
// comparison. Low bits are as good as high ones, so that tables may have a power of two as their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace fenceline {

// 2^64 divided by the golden ratio (Knuth, TAOCP vol. 3, section 6.4): consecutive multiples are far from each
// other.
inline constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15ULL;

// Of a sequence of words, one after the other, by a folded multiplication (as in wyhash): every bit of the
// word reaches the high half of the product, which is folded onto the low half.
constexpr uint64_t hash_combine(uint64_t hash, uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash ^ word) * kGoldenRatio;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Of one word, by the output function of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). Slower than
// hash_combine() and without its linear remains: these hashes can be added to make one of a set.
constexpr uint64_t hash_word(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

inline uint64_t hash_bytes(const uint8_t* bytes, size_t size) {
  uint64_t hash = size;
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    hash = hash_combine(hash, word);
  }
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return hash_combine(hash, word);
}

// Of plain elements without gaps between their bytes.
template <class Element>
uint64_t hash_array(std::span<const Element> array) {
  static_assert(std::has_unique_object_representations_v<Element>);
  // An array without elements may have no address either.
  return array.empty() ? 0 : hash_bytes(reinterpret_cast<const uint8_t*>(array.data()), array.size_bytes());
}

}  // namespace fenceline
