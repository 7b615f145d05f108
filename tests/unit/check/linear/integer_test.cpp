// SPDX-License-Identifier: GPL-3.0-or-later
//
// Integers and fractions of any size: the same as __int128 where that suffices, and the laws of arithmetic beyond.
#include "check/linear/integer.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/rng.h"
#include "check/linear/rational.h"

namespace fenceline::check {
namespace {

__extension__ using Wide = __int128;

Integer integer_of(Wide value) {
  constexpr unsigned kDigit = 48;
  constexpr Wide kMask = (Wide{1} << kDigit) - 1;
  Integer result = static_cast<int64_t>(value >> (2 * kDigit));
  result = result * Integer::power_of_two(kDigit) + static_cast<int64_t>((value >> kDigit) & kMask);
  return result * Integer::power_of_two(kDigit) + static_cast<int64_t>(value & kMask);
}

// Around the borders of 64 bits, where the two representations meet.
std::vector<Wide> numbers() {
  std::vector<Wide> all;
  for (const Wide center : {Wide{0}, Wide{std::numeric_limits<int64_t>::max()},
                            Wide{std::numeric_limits<int64_t>::min()}, Wide{1} << 32, -(Wide{1} << 31)})
    for (int offset = -3; offset <= 3; ++offset) all.push_back(center + offset);
  return all;
}

TEST(Integer, AsInMoreBits) {
  for (const Wide a : numbers())
    for (const Wide b : numbers()) {
      const Integer x = integer_of(a), y = integer_of(b);
      EXPECT_EQ(x + y, integer_of(a + b));
      EXPECT_EQ(x - y, integer_of(a - b));
      EXPECT_EQ(x * y, integer_of(a * b));
      EXPECT_EQ(x == y, a == b);
      EXPECT_EQ(x < y, a < b);
      EXPECT_EQ(x >= y, a >= b);
      if (b == 0) continue;
      EXPECT_EQ(x / y, integer_of(a / b));
      EXPECT_EQ(x % y, integer_of(a % b));
    }
}

TEST(Integer, FitsOrNot) {
  const Integer largest = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(largest.fits_64_bits() && least.fits_64_bits());
  EXPECT_FALSE((largest + 1).fits_64_bits());
  EXPECT_FALSE((-least).fits_64_bits());
  EXPECT_EQ((largest + 1 - 1).to_64_bits(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(least / -1, largest + 1);
  EXPECT_EQ(least % -1, 0);
  Integer copy = largest + 1, other = copy;
  copy = 5;
  EXPECT_EQ(copy, 5);
  EXPECT_EQ(other, largest + 1);
  other = other - 1;
  EXPECT_TRUE(other.fits_64_bits());
}

TEST(Integer, BeyondThat) {
  const Integer large = Integer::power_of_two(200);
  EXPECT_EQ(large, Integer::power_of_two(100) * Integer::power_of_two(100));
  EXPECT_EQ(large / Integer::power_of_two(190), 1024);
  EXPECT_EQ((large + 5) % Integer::power_of_two(100), 5);
  EXPECT_EQ(floor_quotient(-large - 1, Integer::power_of_two(100)), -Integer::power_of_two(100) - 1);
  EXPECT_EQ(greatest_common_divisor(-(large * 6), Integer::power_of_two(150) * 15),
            Integer::power_of_two(150) * 3);
  EXPECT_EQ(greatest_common_divisor(0, -large), large);
  EXPECT_LT(-large, 0);
  EXPECT_GT(large, std::numeric_limits<int64_t>::max());
}

TEST(Rational, LawsOfArithmetic) {
  Rng rng(1);
  const auto random = [&] {
    Integer value = static_cast<int64_t>(rng.below(2'000'001)) - 1'000'000;
    for (uint64_t i = rng.below(4); i > 0; --i) value = value * Integer::power_of_two(45) + 17;
    return value;
  };
  for (int i = 0; i < 500; ++i) {
    const Integer p = random(), q = random(), r = random(), s = random();
    if (q == 0 || s == 0) continue;
    const Rational a = Rational(p) / Rational(q), b = Rational(r) / Rational(s);
    EXPECT_EQ(a * Rational(q), Rational(p));
    EXPECT_EQ((a + b) * Rational(q * s), Rational(p * s + r * q));
    EXPECT_EQ(a + b - b, a);
    EXPECT_EQ(a < b, (q * s > 0) ? p * s < r * q : p * s > r * q);
    if (!b.is_zero()) {
      EXPECT_EQ(a / b * b, a);
    }
  }
}

}  // namespace
}  // namespace fenceline::check
