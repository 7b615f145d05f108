// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/linear.h"

#include <gtest/gtest.h>

#include <limits>

namespace fenceline {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min();
constexpr Value kMax = std::numeric_limits<Value>::max();

Linear x(Value factor = 1) { return {0, {{0, factor}}}; }
Linear y(Value factor = 1) { return {0, {{1, factor}}}; }

TEST(Linear, SumsAndDifferencesDropWhatCancels) {
  const Linear both = *sum(x(2), *sum(y(-1), Linear::of(3)));
  EXPECT_EQ(both, (Linear{3, {{0, 2}, {1, -1}}}));
  EXPECT_EQ(*sum(both, y()), (Linear{3, {{0, 2}}}));
  EXPECT_EQ(*difference(both, both), Linear::of(0));
  EXPECT_TRUE(difference(both, both)->is_constant());
}

TEST(Linear, ScalingByZeroIsZero) {
  EXPECT_EQ(*scaled(*sum(x(2), Linear::of(3)), 0), Linear::of(0));
  EXPECT_EQ(*scaled(*sum(x(2), Linear::of(3)), -2), (Linear{-6, {{0, -4}}}));
}

TEST(Linear, ADimensionIsOneOnlyIfThereIsNothingElse) {
  EXPECT_EQ(y().as_dimension(), 1U);
  EXPECT_EQ(y(2).as_dimension(), std::nullopt);
  EXPECT_EQ(y(-1).as_dimension(), std::nullopt);
  EXPECT_EQ(sum(y(), Linear::of(1))->as_dimension(), std::nullopt);
  EXPECT_EQ(sum(y(), x())->as_dimension(), std::nullopt);
  EXPECT_EQ(Linear::of(0).as_dimension(), std::nullopt);
}

// Never a number that was cut off.
TEST(Linear, WhatDoesNotFitHasNoResult) {
  EXPECT_EQ(sum(Linear::of(kMax), Linear::of(1)), std::nullopt);
  EXPECT_EQ(difference(Linear::of(kMin), Linear::of(1)), std::nullopt);
  EXPECT_EQ(difference(Linear::of(0), Linear::of(kMin)), std::nullopt);
  EXPECT_EQ(sum(x(kMax), x()), std::nullopt);
  EXPECT_EQ(scaled(x(kMin), -1), std::nullopt);
  EXPECT_EQ(scaled(Linear::of(kMin), -1), std::nullopt);
  EXPECT_EQ(scaled(x(kMax / 2 + 1), 2), std::nullopt);
  EXPECT_EQ(*difference(Linear::of(kMax), Linear::of(kMax)), Linear::of(0));
}

TEST(Linear, Text) {
  const std::vector<std::string> names = {"x", "y"};
  EXPECT_EQ(to_string({*sum(x(2), *sum(y(-1), Linear::of(1))), false}, names), "2*x - y + 1 >= 0");
  EXPECT_EQ(to_string({*sum(x(-1), Linear::of(-3)), true}, names), "-x - 3 == 0");
  EXPECT_EQ(to_string({Linear::of(-1), false}, names), "-1 >= 0");
  EXPECT_EQ(to_string({{kMin, {{0, kMin}}}, false}, names),
            "-9223372036854775808*x - 9223372036854775808 >= 0");
}

}  // namespace
}  // namespace fenceline
