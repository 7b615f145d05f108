// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

namespace fenceline {
namespace {

uint64_t of_text(std::string_view text) {
  return hash_bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

TEST(Hash, DependsOnOrder) {
  EXPECT_NE(hash_combine(hash_combine(1, 2), 3), hash_combine(hash_combine(1, 3), 2));
  EXPECT_NE(of_text("abcdefgh12345678"), of_text("12345678abcdefgh"));
}

TEST(Hash, DependsOnLength) {
  EXPECT_NE(of_text(""), of_text(std::string_view("\0", 1)));
  EXPECT_NE(of_text("12345678"), of_text(std::string_view("12345678\0", 9)));
}

// Tables take the low bits; 64-bit words that differ in their high bits only must not meet there.
TEST(Hash, SpreadsEveryBitToTheLowOnes) {
  constexpr uint64_t kMask = 0xffff;
  for (uint64_t (*hash)(uint64_t) : {+[](uint64_t word) { return hash_combine(1, word); },
                                     +[](uint64_t word) { return hash_word(word); }}) {
    std::set<uint64_t> seen;
    for (unsigned bit = 0; bit < 64; ++bit) seen.insert(hash(uint64_t{1} << bit) & kMask);
    EXPECT_GE(seen.size(), 62U);
  }
}

TEST(Hash, OfWordsCanBeAdded) {
  // What is linear gives all pairs with the same sum the same hash.
  std::set<uint64_t> sums;
  for (uint64_t word = 0; word < 100; ++word) sums.insert(hash_word(word) + hash_word(200 - word));
  EXPECT_EQ(sums.size(), 100U);
}

TEST(Hash, OfArraysIsThatOfTheirBytes) {
  const std::vector<uint32_t> array{1, 2, 3};
  EXPECT_EQ(hash_array<uint32_t>(array), hash_bytes(reinterpret_cast<const uint8_t*>(array.data()), 12));
  EXPECT_EQ(hash_array<uint32_t>({}), 0U);
}

}  // namespace
}  // namespace fenceline
