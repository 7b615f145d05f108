// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bit_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/rng.h"

namespace fenceline {
namespace {

TEST(BitSet, BehavesAsASet) {
  BitSet set{3, 70, 3};
  EXPECT_EQ(set.elements(), (std::vector<size_t>{3, 70}));
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.has(70));
  EXPECT_FALSE(set.has(200));
  EXPECT_EQ(set.without(70), BitSet{3});
  EXPECT_EQ(set & BitSet{3}, BitSet{3});
  EXPECT_EQ((BitSet{1} | set), (BitSet{1, 3, 70}));
  EXPECT_EQ((set - BitSet{70}), BitSet{3});
  EXPECT_TRUE(BitSet{3}.subset_of(set));
  EXPECT_FALSE(set.subset_of(BitSet{3}));
  EXPECT_TRUE(set.meets(BitSet{1, 70}));
  EXPECT_FALSE(set.meets(BitSet{1, 71}));
  EXPECT_FALSE(set.meets(BitSet()));
  set.remove(3);
  set.remove(70);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set, BitSet());
  EXPECT_EQ(BitSet::first(66).size(), 66u);
}

// Against std::set, around the borders of words. Equal sets must be equal however they came about.
TEST(BitSet, AgreesWithSortedSets) {
  using Set = std::set<size_t>;
  constexpr size_t kBound = 200;
  Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    const size_t bound = round % 2 == 0 ? kBound : 64;
    Set sets[2];
    BitSet bits[2];
    for (int step = 0; step < 60; ++step) {
      const size_t which = rng.below(2), number = rng.below(bound);
      if (rng.chance(40)) {
        sets[which].erase(number);
        bits[which].remove(number);
      } else {
        sets[which].insert(number);
        bits[which].add(number);
      }
    }
    const auto& [a, b] = sets;
    const auto bits_of = [](const Set& set) {
      BitSet result;
      for (const size_t number : set) result.add(number);
      return result;
    };
    Set both, any, rest;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(any, any.end()));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
    ASSERT_EQ(bits[0], bits_of(a));
    ASSERT_EQ(bits[0].elements(), std::vector<size_t>(a.begin(), a.end()));
    ASSERT_EQ(bits[0].size(), a.size());
    ASSERT_EQ(bits[0].empty(), a.empty());
    ASSERT_EQ(bits[0] & bits[1], bits_of(both));
    ASSERT_EQ(bits[0] | bits[1], bits_of(any));
    ASSERT_EQ(bits[0] - bits[1], bits_of(rest));
    ASSERT_EQ(bits[0] == bits[1], a == b);
    ASSERT_EQ(bits[0]<bits[1], bits[1]> bits[0]);
    ASSERT_EQ(bits[0].subset_of(bits[1]), std::includes(b.begin(), b.end(), a.begin(), a.end()));
    ASSERT_TRUE((bits[0] & bits[1]).subset_of(bits[1]));
    ASSERT_EQ(bits[0].meets(bits[1]), !both.empty());
    ASSERT_FALSE(bits[0].meets(bits[1] - bits[0]));
    for (size_t number = 0; number < 2 * kBound; ++number) ASSERT_EQ(bits[0].has(number), a.contains(number));
  }
}

TEST(BitRows, AreWordsOf64) {
  EXPECT_EQ(words_for_bits(0), 0U);
  EXPECT_EQ(words_for_bits(64), 1U);
  EXPECT_EQ(words_for_bits(65), 2U);
  uint64_t row[2] = {};
  add_bit(row, 0);
  add_bit(row, 63);
  add_bit(row, 64);
  remove_bit(row, 0);
  EXPECT_FALSE(has_bit(row, 0));
  EXPECT_TRUE(has_bit(row, 63));
  EXPECT_TRUE(has_bit(row, 64));
  std::vector<size_t> found;
  for_each_bit(row, 2, [&](size_t number) { found.push_back(number); });
  EXPECT_EQ(found, (std::vector<size_t>{63, 64}));
}

}  // namespace
}  // namespace fenceline
