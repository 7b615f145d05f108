// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/value_set.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/rng.h"

namespace fenceline {
namespace {

constexpr Value kMax = std::numeric_limits<Value>::max();

ValueSet random_set(Rng& rng) {
  if (rng.between(0, 4) == 0) {
    const Value lo = rng.between(-6, 6);
    return Range{lo, lo + rng.between(-1, 6)};
  }
  std::vector<Value> values;
  for (Value i = rng.between(0, 6); i > 0; --i) values.push_back(rng.between(-8, 12));
  return ValueSet::of(values);
}

std::set<Value> model_of(const ValueSet& set) {
  std::set<Value> result;
  set.for_each([&](Value value) { result.insert(value); });
  return result;
}

TEST(ValueSet, IsASet) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const ValueSet a = random_set(rng), b = random_set(rng);
    const std::set<Value> first = model_of(a), second = model_of(b);
    std::set<Value> both, either = first;
    for (const Value value : second) {
      either.insert(value);
      if (first.contains(value)) both.insert(value);
    }
    EXPECT_EQ(model_of(a.join(b)), either);
    EXPECT_EQ(model_of(a.meet(b)), both);
    EXPECT_EQ(a.meets(b), !both.empty());
    EXPECT_EQ(a == b, first == second);
    EXPECT_EQ(a.size(), first.size());
    for (Value value = -10; value <= 20; ++value) EXPECT_EQ(a.contains(value), first.contains(value));
    if (first.empty()) continue;
    EXPECT_EQ(a.range(), (Range{*first.begin(), *first.rbegin()}));
    for (unsigned bit = 0; bit < 64; ++bit) {
      bool zero = false, one = false;
      for (const Value value : first) ((value >> bit) & 1 ? one : zero) = true;
      EXPECT_EQ((a.fixed_bits().mask >> bit) & 1, zero != one);
      EXPECT_EQ((a.fixed_bits().value >> bit) & 1, one && !zero);
    }
  }
}

TEST(ValueSet, ManyMembersBecomeAnInterval) {
  std::vector<Value> even;
  for (Value i = 0; i < static_cast<Value>(ValueSet::kMost); ++i) even.push_back(2 * i);
  const ValueSet most = ValueSet::of(even);
  EXPECT_TRUE(most.is_small());
  EXPECT_FALSE(most.contains(1));
  const ValueSet more = most.join(ValueSet::single(1000));
  EXPECT_FALSE(more.is_small());
  EXPECT_TRUE(more.contains(1));
  EXPECT_EQ(more.range(), (Range{0, 1000}));
  EXPECT_EQ(more.meet(most), most);
}

// Pointers, with counters above them.
std::vector<Value> tagged(Rng& rng, unsigned bits) {
  std::vector<Value> result;
  for (Value i = rng.between(1, 5); i > 0; --i) {
    const Value pointer = 16 * rng.between(0, 6), counters = rng.between(1, 90);
    for (Value counter = 0; counter < counters; ++counter)
      result.push_back(pointer | static_cast<Value>(static_cast<uint64_t>(rng.between(-9, 99)) << bits));
  }
  return result;
}

TEST(ValueSet, ResiduesOfManyMembers) {
  size_t large = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const unsigned bits = ValueSet::kResidueBits[rng.below(3)];
    const std::vector<Value> first = tagged(rng, bits), second = tagged(rng, bits);
    const ValueSet a = ValueSet::of(first), b = ValueSet::of(second), either = a.join(b);
    const ValueSet low = ValueSet(Range{0, (Value{1} << bits) - 1}), widened = either.widened_from(a);
    for (const Value value : first) {
      EXPECT_TRUE(a.contains(value));
      EXPECT_TRUE(either.contains(value));
      EXPECT_EQ(a.meet(b).contains(value), b.contains(value));
      EXPECT_TRUE(!b.contains(value) || a.meets(b));
      EXPECT_TRUE(widened.contains(value));
      EXPECT_EQ(static_cast<uint64_t>(value) & a.fixed_bits().mask, a.fixed_bits().value);
    }
    for (const Value value : second) {
      EXPECT_TRUE(either.contains(value));
      EXPECT_TRUE(widened.contains(value));
    }
    EXPECT_EQ(either.join(a), either);
    EXPECT_EQ(either.join(b), either);
    EXPECT_FALSE(a.contains(first.front() | 1));
    EXPECT_FALSE(either.contains(first.front() | 8));
    EXPECT_TRUE(a.meet(low).is_small());
    large += !a.is_small();
  }
  EXPECT_GT(large, 500U);
}

TEST(ValueSet, WideningKeepsResiduesThatStayTheSame) {
  const auto counted = [](Value from, Value to) {
    std::vector<Value> values;
    for (Value i = from; i < to; ++i) values.insert(values.end(), {(i << 48) | 64, (i << 48) | 80});
    return ValueSet::of(values);
  };
  const ValueSet grown = counted(0, 99).widened_from(counted(0, 98));
  EXPECT_EQ(grown.range(), Range::all());
  EXPECT_TRUE(grown.contains((Value{77} << 50) | 80));
  EXPECT_FALSE(grown.contains((Value{77} << 50) | 96));
  EXPECT_EQ(counted(0, 99).join(ValueSet::single(96)).widened_from(counted(0, 99)), ValueSet(Range::all()));
  EXPECT_EQ(ValueSet(Range{0, 20}).widened_from(Range{0, 19}), ValueSet(Range::all()));
}

TEST(ValueSet, EndsOfTheNumbers) {
  const ValueSet last = Range{kMax - 1, kMax};
  EXPECT_EQ(last.members(), (std::vector<Value>{kMax - 1, kMax}));
  EXPECT_FALSE(ValueSet(Range::all()).is_small());
  EXPECT_FALSE(ValueSet(Range::all()).bounded());
  EXPECT_EQ(ValueSet(Range::all()).fixed_bits().mask, 0U);
  EXPECT_TRUE(ValueSet().is_empty());
  EXPECT_TRUE(ValueSet(Range::empty()).is_empty());
}

}  // namespace
}  // namespace fenceline
