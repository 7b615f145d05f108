// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ids, ranges and the random generator.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <type_traits>
#include <unordered_set>

#include "base/ids.h"
#include "base/numbers.h"
#include "base/rng.h"

namespace fenceline {
namespace {

using AppleId = Id<struct AppleTag>;
using PearId = Id<struct PearTag>;

TEST(Ids, AreStrongOrderedAndHashable) {
  static_assert(!std::is_convertible_v<AppleId, PearId> && !std::is_convertible_v<int, AppleId>);
  static_assert(sizeof(AppleId) == 4);
  EXPECT_FALSE(AppleId().valid());
  EXPECT_TRUE(AppleId(0).valid());
  EXPECT_LT(AppleId(1), AppleId(2));
  EXPECT_LT(AppleId(2), AppleId());  // the invalid id comes last
  const std::unordered_set<AppleId> set = {AppleId(1), AppleId(1), AppleId()};
  EXPECT_EQ(set.size(), 2u);
}

TEST(Range, JoinAndMeetAreTheUsualLattice) {
  for (Value alo = -2; alo <= 3; ++alo)
    for (Value ahi = alo - 1; ahi <= 2; ++ahi)
      for (Value blo = -2; blo <= 3; ++blo)
        for (Value bhi = blo - 1; bhi <= 2; ++bhi) {
          const Range a{alo, ahi}, b{blo, bhi};
          EXPECT_TRUE(a.join(b).contains(a) && a.join(b).contains(b));
          for (Value v = -4; v <= 4; ++v) {
            EXPECT_EQ(a.meet(b).contains(v), a.contains(v) && b.contains(v));
            if (a.contains(v)) {
              EXPECT_TRUE(a.join(b).contains(v));
            }
          }
        }
}

TEST(Range, BitsDistinguishValues) {
  EXPECT_EQ(Range::empty().bits(), 0u);
  EXPECT_EQ(Range::single(-7).bits(), 0u);
  EXPECT_EQ((Range{0, 1}).bits(), 1u);
  EXPECT_EQ((Range{-1, 1}).bits(), 2u);
  EXPECT_EQ((Range{5, 8}).bits(), 2u);
  EXPECT_EQ((Range{5, 9}).bits(), 3u);
  EXPECT_EQ(Range::all().bits(), 64u);
  EXPECT_FALSE(Range::all().bounded());
  EXPECT_FALSE((Range{0, std::numeric_limits<Value>::max()}).bounded());
  EXPECT_TRUE((Range{0, 5}).bounded());
}

TEST(Rng, IsReproducibleAndStaysInside) {
  Rng one(42), two(42), other(43);
  std::set<int64_t> seen;
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = one.next();
    EXPECT_EQ(value, two.next());
    differs = differs || value != other.next();
    seen.insert(Rng(value).between(-2, 2));
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
  // The published first output of splitmix64 for the state 0: the same on every machine.
  EXPECT_EQ(Rng(0).next(), 0xe220a8397b1dcdafULL);
  EXPECT_FALSE(one.chance(0));
  EXPECT_TRUE(one.chance(100));
}

}  // namespace
}  // namespace fenceline
