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
