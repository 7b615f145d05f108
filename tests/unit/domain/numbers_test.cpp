// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all four numerical domains must do, and what each of them can express. What a domain cannot express it
// forgets; it must never know too much.
#include "domain/numeric/numbers.h"

#include <gtest/gtest.h>

#include <cfenv>

#include <algorithm>
#include <limits>

namespace fenceline {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min();
constexpr Value kMax = std::numeric_limits<Value>::max();

Linear linear(Value constant, Value x, Value y = 0) {
  Linear result = Linear::of(constant);
  if (x != 0) result.terms[0] = x;
  if (y != 0) result.terms[1] = y;
  return result;
}

class EachDomain : public testing::TestWithParam<NumericDomain> {
 protected:
  bool boxes() const { return GetParam() == NumericDomain::kBoxes; }

  Numbers plane() const {
    Numbers numbers(GetParam());
    numbers.add();
    numbers.add();
    return numbers;
  }
  Numbers box(Range x, Range y) const {
    Numbers numbers = plane();
    numbers.assume_not_negative(linear(-x.lo, 1));
    numbers.assume_not_negative(linear(x.hi, -1));
    numbers.assume_not_negative(linear(-y.lo, 0, 1));
    numbers.assume_not_negative(linear(y.hi, 0, -1));
    return numbers;
  }
  Numbers point(Value x, Value y) const { return box(Range::single(x), Range::single(y)); }

 private:
  NumbersOwner owner_;
};

// PPL changes it before main(), and other libraries rely on it.
TEST(Numbers, RoundingIsAsEverywhere) { EXPECT_EQ(std::fegetround(), FE_TONEAREST); }

TEST_P(EachDomain, NoDimensionsAreATruthValue) {
  Numbers yes(GetParam()), no(GetParam());
  EXPECT_FALSE(yes.empty());
  EXPECT_TRUE(yes.assume_not_negative(Linear::of(0)));
  EXPECT_FALSE(no.assume_not_negative(Linear::of(-1)));
  EXPECT_TRUE(no.empty());
  EXPECT_TRUE(yes.covers(no) && yes.covers(yes) && no.covers(no));
  EXPECT_FALSE(no.covers(yes));
  EXPECT_EQ(yes.bounds(Linear::of(7)), Range::single(7));
  EXPECT_TRUE(yes.constraints().empty());
  EXPECT_EQ(no.constraints().size(), 1U);
  no.join(yes);
  EXPECT_FALSE(no.empty());
  yes.widen_gently(yes, {});
  EXPECT_FALSE(yes.empty());
}

TEST_P(EachDomain, BoundsOfDimensions) {
  const Numbers numbers = box({-3, 5}, {2, 2});
  EXPECT_EQ(numbers.bounds(linear(0, 1)), (Range{-3, 5}));
  EXPECT_EQ(numbers.bounds(linear(1, -2)), (Range{-9, 7}));
  EXPECT_EQ(numbers.bounds(linear(0, 0, 1)), Range::single(2));
  EXPECT_EQ(plane().bounds(linear(0, 1)), Range::all());
}

// 2x >= 1 is x >= 1 for integers; how much of it is known depends on the domain, but 1 must stay.
TEST_P(EachDomain, BoundsAreThoseOfIntegers) {
  Numbers numbers = plane();
  ASSERT_TRUE(numbers.assume_not_negative(linear(-1, 2)));
  ASSERT_TRUE(numbers.assume_not_negative(linear(3, -2)));
  const Range range = numbers.bounds(linear(0, 1));
  EXPECT_TRUE(range.contains(1));
  EXPECT_GE(range.lo, 0);
  EXPECT_LE(range.hi, 2);
}

TEST_P(EachDomain, Contradictions) {
  Numbers numbers = box({0, 3}, {0, 3});
  EXPECT_FALSE(numbers.assume_zero(linear(-4, 1)));
  EXPECT_TRUE(numbers.empty());
  EXPECT_FALSE(numbers.assume_not_negative(linear(100, 1)));
  numbers.add();
  EXPECT_EQ(numbers.dimensions(), 3U);
  numbers.keep({2, 0});
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(numbers.dimensions(), 2U);
  EXPECT_TRUE(plane().covers(numbers));
}

TEST_P(EachDomain, KeepRenames) {
  Numbers numbers = box({1, 2}, {7, 9});
  const Dimension z = numbers.add();
  numbers.assume_zero({-4, {{z, 1}}});
  numbers.keep({z, 0});
  EXPECT_EQ(numbers.dimensions(), 2U);
  EXPECT_EQ(numbers.bounds(linear(0, 1)), Range::single(4));
  EXPECT_EQ(numbers.bounds(linear(0, 0, 1)), (Range{1, 2}));
  numbers.keep({});
  EXPECT_EQ(numbers.dimensions(), 0U);
  EXPECT_FALSE(numbers.empty());
  EXPECT_EQ(numbers.add(), 0U);
  EXPECT_EQ(numbers.bounds(linear(0, 1)), Range::all());
}

TEST_P(EachDomain, WhatIsForgottenLeavesItsTraces) {
  Numbers numbers = box({1, 2}, {0, 100});
  numbers.assume_zero(linear(0, 1, -1));
  numbers.keep({1});
  EXPECT_EQ(numbers.bounds(linear(0, 1)), (Range{1, 2}));
}

TEST_P(EachDomain, CopiesDoNotShareChanges) {
  const Numbers before = box({0, 9}, {0, 9});
  Numbers after = before;
  after.assume_not_negative(linear(-5, 1));
  after.add();
  EXPECT_EQ(before.bounds(linear(0, 1)), (Range{0, 9}));
  EXPECT_EQ(before.dimensions(), 2U);
  EXPECT_EQ(after.bounds(linear(0, 1)), (Range{5, 9}));
}

TEST_P(EachDomain, JoinCoversBoth) {
  const Numbers first = point(0, 0), second = point(3, 3);
  Numbers joined = first;
  joined.join(second);
  EXPECT_TRUE(joined.covers(first) && joined.covers(second));
  EXPECT_FALSE(first.covers(joined) || second.covers(joined) || first.covers(second));
  EXPECT_EQ(joined.bounds(linear(0, 1)), (Range{0, 3}));
  // x == y is kept by all but boxes.
  EXPECT_EQ(joined.bounds(linear(0, 1, -1)), boxes() ? (Range{-3, 3}) : Range::single(0));
  Numbers nothing = first;
  nothing.assume_not_negative(Linear::of(-1));
  Numbers same = first;
  same.join(nothing);
  EXPECT_TRUE(first.covers(same));
  nothing.join(first);
  EXPECT_TRUE(nothing.covers(first) && first.covers(nothing));
}

TEST_P(EachDomain, PlainWideningLosesWhatMoves) {
  const Numbers older = box({0, 1}, {0, 0});
  Numbers now = box({0, 3}, {0, 0});
  now.widen(older);
  EXPECT_TRUE(now.covers(box({0, 3}, {0, 0})));
  EXPECT_EQ(now.bounds(linear(0, 1)).lo, 0);
  EXPECT_GT(now.bounds(linear(0, 1)).hi, 3);
  EXPECT_EQ(now.bounds(linear(0, 0, 1)), Range::single(0));
}

TEST_P(EachDomain, ThresholdsStopIt) {
  const std::vector<Value> thresholds = {-10, 0, 5, 10};  // of -y, too
  const Numbers older = box({0, 1}, {-1, 0});
  Numbers now = box({0, 6}, {-7, 0});
  now.widen_gently(older, thresholds);
  EXPECT_EQ(now.bounds(linear(0, 1)), (Range{0, 10}));
  EXPECT_EQ(now.bounds(linear(0, 0, 1)), (Range{-10, 0}));
  Numbers beyond = box({0, 11}, {0, 0});
  beyond.widen_gently(box({0, 10}, {0, 0}), thresholds);
  EXPECT_TRUE(beyond.covers(box({0, 11}, {0, 0})));
}

TEST_P(EachDomain, StableDifferencesAreKept) {
  if (boxes()) GTEST_SKIP() << "they know no differences";
  Numbers older = point(0, 0), now = point(0, 0);
  older.join(point(1, 1));
  now.join(point(2, 1));
  now.join(point(2, 2));
  now.join(older);
  now.widen_gently(older, {});
  EXPECT_TRUE(now.covers(point(2, 1)));
  EXPECT_GE(now.bounds(linear(0, 1, -1)).lo, 0);
}

// Each step of a loop widens; it must come to an end, and nothing that was covered may be lost.
TEST_P(EachDomain, WideningEnds) {
  Numbers set = point(0, 0);
  Value i = 0;
  for (; i < 100; ++i) {
    Numbers next = set;
    next.join(point(i, -2 * i));
    if (set.covers(next)) {
      if (i > 10) break;
      continue;
    }
    const Numbers added = next;
    if (i < 5)
      next.widen_gently(set, {});
    else
      next.widen(set);
    EXPECT_TRUE(next.covers(added));
    set = next;
  }
  EXPECT_LT(i, 20);
  EXPECT_TRUE(set.covers(point(1000, -2000)));
}

// No number is cut off on the way in or out: what does not fit is not known.
TEST_P(EachDomain, LargeNumbers) {
  Numbers numbers = plane();
  ASSERT_TRUE(numbers.assume_not_negative({kMin + 1, {{0, 1}}}));  // x >= kMax
  EXPECT_TRUE(numbers.bounds(linear(0, 1)).contains(kMax));
  EXPECT_EQ(numbers.bounds(linear(0, 1)).hi, kMax);
  ASSERT_TRUE(numbers.assume_zero({0, {{0, -3}, {1, 1}}}) || boxes());  // y == 3x has no 64 bits
  EXPECT_TRUE(numbers.bounds(linear(0, 0, 1)).contains(kMax));
  for (const LinearConstraint& constraint : numbers.constraints())
    EXPECT_TRUE(numbers.bounds(constraint.expression).hi >= 0);
  EXPECT_EQ(plane().bounds({kMin, {{0, kMin}}}), Range::all());
}

// What is read out again says no more than the set, and all that the domain can say.
TEST_P(EachDomain, ConstraintsSayTheSame) {
  Numbers numbers = box({0, 4}, {0, 4});
  numbers.assume_not_negative(linear(0, 1, -1));
  Numbers again = plane();
  for (const LinearConstraint& constraint : numbers.constraints()) again.assume(constraint);
  EXPECT_TRUE(again.covers(numbers) && numbers.covers(again));
}

TEST_P(EachDomain, ConstraintsNameEqualities) {
  Numbers numbers = point(0, 0);
  const std::vector<LinearConstraint> constraints = numbers.constraints();
  EXPECT_TRUE(std::all_of(constraints.begin(), constraints.end(), [](const auto& c) { return c.equality; }));
}

INSTANTIATE_TEST_SUITE_P(Numbers, EachDomain,
                         testing::Values(NumericDomain::kPolyhedra, NumericDomain::kOctagons,
                                         NumericDomain::kDifferences, NumericDomain::kBoxes),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// ---- What they know of a sum

TEST(Numbers, DomainsDifferInWhatTheyKnow) {
  const NumbersOwner owner;
  for (const auto& [domain, sums, weighted] :
       {std::tuple{NumericDomain::kPolyhedra, true, true}, std::tuple{NumericDomain::kOctagons, true, false},
        std::tuple{NumericDomain::kDifferences, false, false},
        std::tuple{NumericDomain::kBoxes, false, false}}) {
    SCOPED_TRACE(to_string(domain));
    Numbers numbers(domain);
    numbers.add();
    numbers.add();
    numbers.assume_zero(linear(-3, 1, 1));  // x + y == 3
    EXPECT_EQ(numbers.bounds(linear(0, 1, 1)) == Range::single(3), sums);
    Numbers other(domain);
    other.add();
    other.add();
    other.assume_zero(linear(-3, 1, 2));  // x + 2y == 3
    EXPECT_EQ(other.bounds(linear(0, 1, 2)) == Range::single(3), weighted);
  }
}

}  // namespace
}  // namespace fenceline
