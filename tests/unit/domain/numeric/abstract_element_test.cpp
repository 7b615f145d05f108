// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all four numerical domains must do, and what each of them can express. What a domain cannot express it
// loses; it must never be unsound.
#include "domain/numeric/abstract_element.h"

#include <gtest/gtest.h>

#include <cfenv>

#include <algorithm>
#include <limits>

namespace fenceline::numeric {
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

  AbstractElement plane() const {
    AbstractElement element(GetParam());
    element.add();
    element.add();
    return element;
  }
  AbstractElement box(Range x, Range y) const {
    AbstractElement element = plane();
    element.assume_not_negative(linear(-x.lo, 1));
    element.assume_not_negative(linear(x.hi, -1));
    element.assume_not_negative(linear(-y.lo, 0, 1));
    element.assume_not_negative(linear(y.hi, 0, -1));
    return element;
  }
  AbstractElement point(Value x, Value y) const { return box(Range::single(x), Range::single(y)); }

 private:
  PplSession owner_;
};

// PPL changes it before main(), and other libraries rely on it.
TEST(AbstractElement, RoundingIsAsEverywhere) { EXPECT_EQ(std::fegetround(), FE_TONEAREST); }

TEST_P(EachDomain, NoDimensionsAreATruthValue) {
  AbstractElement yes(GetParam()), no(GetParam());
  EXPECT_FALSE(yes.empty());
  EXPECT_TRUE(yes.assume_not_negative(Linear::of(0)));
  EXPECT_FALSE(no.assume_not_negative(Linear::of(-1)));
  EXPECT_TRUE(no.empty());
  EXPECT_TRUE(yes.subsumes(no) && yes.subsumes(yes) && no.subsumes(no));
  EXPECT_FALSE(no.subsumes(yes));
  EXPECT_EQ(yes.bounds(Linear::of(7)), Range::single(7));
  EXPECT_TRUE(yes.constraints().empty());
  EXPECT_EQ(no.constraints().size(), 1U);
  no.join(yes);
  EXPECT_FALSE(no.empty());
  yes.widen_with_thresholds(yes, {});
  EXPECT_FALSE(yes.empty());
}

TEST_P(EachDomain, BoundsOfDimensions) {
  const AbstractElement element = box({-3, 5}, {2, 2});
  EXPECT_EQ(element.bounds(linear(0, 1)), (Range{-3, 5}));
  EXPECT_EQ(element.bounds(linear(1, -2)), (Range{-9, 7}));
  EXPECT_EQ(element.bounds(linear(0, 0, 1)), Range::single(2));
  EXPECT_EQ(plane().bounds(linear(0, 1)), Range::all());
}

// 2x >= 1 is x >= 1 for integers; how much of it is known depends on the domain, but 1 must stay.
TEST_P(EachDomain, BoundsAreThoseOfIntegers) {
  AbstractElement element = plane();
  ASSERT_TRUE(element.assume_not_negative(linear(-1, 2)));
  ASSERT_TRUE(element.assume_not_negative(linear(3, -2)));
  const Range range = element.bounds(linear(0, 1));
  EXPECT_TRUE(range.contains(1));
  EXPECT_GE(range.lo, 0);
  EXPECT_LE(range.hi, 2);
}

TEST_P(EachDomain, Contradictions) {
  AbstractElement element = box({0, 3}, {0, 3});
  EXPECT_FALSE(element.assume_zero(linear(-4, 1)));
  EXPECT_TRUE(element.empty());
  EXPECT_FALSE(element.assume_not_negative(linear(100, 1)));
  element.add();
  EXPECT_EQ(element.dimensions(), 3U);
  element.keep({2, 0});
  EXPECT_TRUE(element.empty());
  EXPECT_EQ(element.dimensions(), 2U);
  EXPECT_TRUE(plane().subsumes(element));
}

TEST_P(EachDomain, KeepRenames) {
  AbstractElement element = box({1, 2}, {7, 9});
  const Dimension z = element.add();
  element.assume_zero({-4, {{z, 1}}});
  element.keep({z, 0});
  EXPECT_EQ(element.dimensions(), 2U);
  EXPECT_EQ(element.bounds(linear(0, 1)), Range::single(4));
  EXPECT_EQ(element.bounds(linear(0, 0, 1)), (Range{1, 2}));
  element.keep({});
  EXPECT_EQ(element.dimensions(), 0U);
  EXPECT_FALSE(element.empty());
  EXPECT_EQ(element.add(), 0U);
  EXPECT_EQ(element.bounds(linear(0, 1)), Range::all());
}

TEST_P(EachDomain, WhatIsProjectedOutLeavesItsTraces) {
  AbstractElement element = box({1, 2}, {0, 100});
  element.assume_zero(linear(0, 1, -1));
  element.keep({1});
  EXPECT_EQ(element.bounds(linear(0, 1)), (Range{1, 2}));
}

TEST_P(EachDomain, CopiesDoNotShareChanges) {
  const AbstractElement before = box({0, 9}, {0, 9});
  AbstractElement after = before;
  after.assume_not_negative(linear(-5, 1));
  after.add();
  EXPECT_EQ(before.bounds(linear(0, 1)), (Range{0, 9}));
  EXPECT_EQ(before.dimensions(), 2U);
  EXPECT_EQ(after.bounds(linear(0, 1)), (Range{5, 9}));
}

TEST_P(EachDomain, JoinSubsumesBoth) {
  const AbstractElement first = point(0, 0), second = point(3, 3);
  AbstractElement joined = first;
  joined.join(second);
  EXPECT_TRUE(joined.subsumes(first) && joined.subsumes(second));
  EXPECT_FALSE(first.subsumes(joined) || second.subsumes(joined) || first.subsumes(second));
  EXPECT_EQ(joined.bounds(linear(0, 1)), (Range{0, 3}));
  // x == y is kept by all but boxes.
  EXPECT_EQ(joined.bounds(linear(0, 1, -1)), boxes() ? (Range{-3, 3}) : Range::single(0));
  AbstractElement nothing = first;
  nothing.assume_not_negative(Linear::of(-1));
  AbstractElement same = first;
  same.join(nothing);
  EXPECT_TRUE(first.subsumes(same));
  nothing.join(first);
  EXPECT_TRUE(nothing.subsumes(first) && first.subsumes(nothing));
}

TEST_P(EachDomain, StandardWideningLosesWhatMoves) {
  const AbstractElement older = box({0, 1}, {0, 0});
  AbstractElement now = box({0, 3}, {0, 0});
  now.widen(older);
  EXPECT_TRUE(now.subsumes(box({0, 3}, {0, 0})));
  EXPECT_EQ(now.bounds(linear(0, 1)).lo, 0);
  EXPECT_GT(now.bounds(linear(0, 1)).hi, 3);
  EXPECT_EQ(now.bounds(linear(0, 0, 1)), Range::single(0));
}

TEST_P(EachDomain, ThresholdsStopIt) {
  const std::vector<Value> thresholds = {-10, 0, 5, 10};  // of -y, too
  const AbstractElement older = box({0, 1}, {-1, 0});
  AbstractElement now = box({0, 6}, {-7, 0});
  now.widen_with_thresholds(older, thresholds);
  EXPECT_EQ(now.bounds(linear(0, 1)), (Range{0, 10}));
  EXPECT_EQ(now.bounds(linear(0, 0, 1)), (Range{-10, 0}));
  AbstractElement beyond = box({0, 11}, {0, 0});
  beyond.widen_with_thresholds(box({0, 10}, {0, 0}), thresholds);
  EXPECT_TRUE(beyond.subsumes(box({0, 11}, {0, 0})));
}

TEST_P(EachDomain, StableDifferencesAreKept) {
  if (boxes()) GTEST_SKIP() << "they know no differences";
  AbstractElement older = point(0, 0), now = point(0, 0);
  older.join(point(1, 1));
  now.join(point(2, 1));
  now.join(point(2, 2));
  now.join(older);
  now.widen_with_thresholds(older, {});
  EXPECT_TRUE(now.subsumes(point(2, 1)));
  EXPECT_GE(now.bounds(linear(0, 1, -1)).lo, 0);
}

// Each step of a loop widens; it must come to an end, and nothing that was subsumed may be lost.
TEST_P(EachDomain, WideningEnds) {
  AbstractElement set = point(0, 0);
  Value i = 0;
  for (; i < 100; ++i) {
    AbstractElement next = set;
    next.join(point(i, -2 * i));
    if (set.subsumes(next)) {
      if (i > 10) break;
      continue;
    }
    const AbstractElement added = next;
    if (i < 5)
      next.widen_with_thresholds(set, {});
    else
      next.widen(set);
    EXPECT_TRUE(next.subsumes(added));
    set = next;
  }
  EXPECT_LT(i, 20);
  EXPECT_TRUE(set.subsumes(point(1000, -2000)));
}

// No number is truncated: what does not fit is unknown.
TEST_P(EachDomain, LargeNumbers) {
  AbstractElement element = plane();
  ASSERT_TRUE(element.assume_not_negative({kMin + 1, {{0, 1}}}));  // x >= kMax
  EXPECT_TRUE(element.bounds(linear(0, 1)).contains(kMax));
  EXPECT_EQ(element.bounds(linear(0, 1)).hi, kMax);
  ASSERT_TRUE(element.assume_zero({0, {{0, -3}, {1, 1}}}) || boxes());  // y == 3x has no 64 bits
  EXPECT_TRUE(element.bounds(linear(0, 0, 1)).contains(kMax));
  for (const LinearConstraint& constraint : element.constraints())
    EXPECT_TRUE(element.bounds(constraint.expression).hi >= 0);
  EXPECT_EQ(plane().bounds({kMin, {{0, kMin}}}), Range::all());
}

// The constraints read back are implied by the set, and are all that the domain can express.
TEST_P(EachDomain, ConstraintsAreEquivalent) {
  AbstractElement element = box({0, 4}, {0, 4});
  element.assume_not_negative(linear(0, 1, -1));
  AbstractElement again = plane();
  for (const LinearConstraint& constraint : element.constraints()) again.assume(constraint);
  EXPECT_TRUE(again.subsumes(element) && element.subsumes(again));
}

TEST_P(EachDomain, ConstraintsNameEqualities) {
  AbstractElement element = point(0, 0);
  const std::vector<LinearConstraint> constraints = element.constraints();
  EXPECT_TRUE(std::all_of(constraints.begin(), constraints.end(), [](const auto& c) { return c.equality; }));
}

INSTANTIATE_TEST_SUITE_P(AbstractElement, EachDomain,
                         testing::Values(NumericDomain::kPolyhedra, NumericDomain::kOctagons,
                                         NumericDomain::kDifferences, NumericDomain::kBoxes),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// ---- Precision of sums

TEST(AbstractElement, DomainsDifferInPrecision) {
  const PplSession owner;
  for (const auto& [domain, sums, weighted] :
       {std::tuple{NumericDomain::kPolyhedra, true, true}, std::tuple{NumericDomain::kOctagons, true, false},
        std::tuple{NumericDomain::kDifferences, false, false},
        std::tuple{NumericDomain::kBoxes, false, false}}) {
    SCOPED_TRACE(to_string(domain));
    AbstractElement element(domain);
    element.add();
    element.add();
    element.assume_zero(linear(-3, 1, 1));  // x + y == 3
    EXPECT_EQ(element.bounds(linear(0, 1, 1)) == Range::single(3), sums);
    AbstractElement other(domain);
    other.add();
    other.add();
    other.assume_zero(linear(-3, 1, 2));  // x + 2y == 3
    EXPECT_EQ(other.bounds(linear(0, 1, 2)) == Range::single(3), weighted);
  }
}

}  // namespace
}  // namespace fenceline::numeric
