// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is kept of pending values: sets of them against std::set, and for every kind of values that nothing
// which was put in is lost.
#include "domain/buffer/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/rng.h"

namespace fenceline::buffer {
namespace {

FieldLayout field_of(Value least, Value greatest) {
  return {0, least, Range{least, greatest}.bits(), greatest};
}

// A single value, few (a bit mask, up to all 64 bits of it), and many (a list).
const std::vector<FieldLayout> kFields = {field_of(3, 3), field_of(0, 1), field_of(-5, 6), field_of(-32, 31),
                                          field_of(-100, 100)};

std::set<Value> elements(const BufferedValueSet& set, const FieldLayout& field) {
  std::set<Value> values;
  set.for_each(field, [&](uint32_t, Value value) { values.insert(value); });
  return values;
}

template <class D>
std::set<Value> values_of(const typename D::Set& set, const FieldLayout& field) {
  std::set<Value> values;
  D::for_each_element(set, field, [&](uint32_t, const typename D::Element& element) {
    D::for_each_value(element, field, [&](Value value) { values.insert(value); });
  });
  return values;
}

TEST(BufferedValueSet, IsASet) {
  Rng rng(1);
  for (const FieldLayout& field : kFields)
    for (int round = 0; round < 200; ++round) {
      BufferedValueSet set;
      std::set<Value> expected;
      for (uint64_t n = rng.below(12); n > 0; --n) {
        const Value value = rng.between(field.lo, field.hi);
        if (rng.chance(70)) {
          set.add(value, field);
          expected.insert(value);
          continue;
        }
        std::optional<uint32_t> number;
        set.for_each(field, [&](uint32_t at, Value each) {
          if (each == value) number = at;
        });
        ASSERT_EQ(number.has_value(), expected.erase(value) == 1);
        if (number) set.remove(*number, field);
      }
      ASSERT_EQ(elements(set, field), expected);
      for (const Value value : expected) ASSERT_EQ(set.is_only(value, field), expected.size() == 1);
      std::vector<Value> in_order;
      set.for_each(field, [&](uint32_t, Value value) { in_order.push_back(value); });
      ASSERT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
    }
}

TEST(BufferedValueSet, Subsets) {
  Rng rng(2);
  for (const FieldLayout& field : kFields)
    for (int round = 0; round < 200; ++round) {
      BufferedValueSet sets[2];
      for (BufferedValueSet& set : sets)
        for (uint64_t n = rng.below(4); n > 0; --n)
          set.add(rng.between(field.lo, std::min(field.lo + 2, field.hi)), field);
      const std::set<Value> a = elements(sets[0], field), b = elements(sets[1], field);
      ASSERT_EQ(BufferedValueSet::subset(sets[0], sets[1]),
                std::includes(b.begin(), b.end(), a.begin(), a.end()));
    }
}

template <class D>
class Values : public ::testing::Test {};
using AllValues = ::testing::Types<ExactValues, LabelledValues, IntervalValues, ParityValues>;
TYPED_TEST_SUITE(Values, AllValues);

TYPED_TEST(Values, AnElementRepresentsItsValue) {
  using D = TypeParam;
  for (const FieldLayout& field : kFields)
    for (Value value = field.lo; value <= field.hi; ++value) {
      std::set<Value> represented;
      D::for_each_value(D::element(value, 1), field, [&](Value each) { represented.insert(each); });
      ASSERT_TRUE(represented.contains(value));
      ASSERT_GE(*represented.begin(), field.lo);
      ASSERT_LE(*represented.rbegin(), field.hi);
      if (D::kExact) {
        ASSERT_EQ(represented.size(), 1U);
      }
    }
}

TYPED_TEST(Values, NothingIsLostAndSetsGrow) {
  using D = TypeParam;
  Rng rng(3);
  for (const FieldLayout& field : kFields)
    for (int round = 0; round < 60; ++round) {
      typename D::Set set = D::none();
      std::set<Value> added;
      for (uint64_t n = 1 + rng.below(5); n > 0; --n) {
        const typename D::Set before = set;
        const Value value = rng.between(field.lo, field.hi);
        const auto element = D::element(value, static_cast<uint32_t>(rng.below(4)));
        D::add(set, element, field);
        if (!added.empty()) {
          ASSERT_TRUE(D::subset(before, set));
        }
        added.insert(value);
        const std::set<Value> all = values_of<D>(set, field);
        ASSERT_TRUE(std::includes(all.begin(), all.end(), added.begin(), added.end()));
        if (D::kExact) {
          ASSERT_EQ(all, added);
        }
        if (D::is_only(set, element, field)) {
          ASSERT_EQ(all, std::set<Value>{value});
        }
      }
    }
}

TYPED_TEST(Values, PackingRoundTrips) {
  using D = TypeParam;
  Rng rng(4);
  BufferLayout layout;
  layout.origin_bits = 2;
  for (const FieldLayout& field : kFields)
    for (int round = 0; round < 100; ++round) {
      typename D::Set set = D::none(), set_again = D::none();
      typename D::Element element{}, element_again{};
      for (uint64_t n = 1 + rng.below(6); n > 0; --n) {
        element = D::element(rng.between(field.lo, field.hi), static_cast<uint32_t>(rng.below(4)));
        D::add(set, element, field);
      }
      D::add(set_again, D::element(field.hi, 3), field);  // must not show afterwards
      BitWriter writer;
      const auto skipped = 1 + static_cast<unsigned>(rng.below(7));  // so that words end anywhere
      writer.put(0, skipped);
      D::pack(element, writer, field, layout);
      D::pack(set, writer, field, layout);
      writer.put(0x2a, 6);
      BitReader reader(writer.finish().data());
      reader.get(skipped);
      D::unpack(element_again, reader, field, layout);
      D::unpack(set_again, reader, field, layout);
      ASSERT_EQ(reader.get(6), 0x2aU);
      ASSERT_TRUE(element == element_again);
      ASSERT_TRUE(D::subset(set, set_again) && D::subset(set_again, set));
    }
}

TEST(IntervalValues, JoinsAndLosesWhatIsBetween) {
  const FieldLayout field = field_of(-5, 6);
  IntervalValues::Set set = IntervalValues::none();
  IntervalValues::add(set, IntervalValues::element(-2, 0), field);
  EXPECT_TRUE(IntervalValues::is_only(set, IntervalValues::element(-2, 0), field));
  IntervalValues::add(set, IntervalValues::element(1, 0), field);
  EXPECT_EQ(values_of<IntervalValues>(set, field), (std::set<Value>{-2, -1, 0, 1}));
  EXPECT_FALSE(IntervalValues::is_only(set, IntervalValues::element(1, 0), field));
}

TEST(ParityValues, DistinguishesEvenFromOddBelowZero) {
  const FieldLayout field = field_of(-3, 3);
  ParityValues::Set set = ParityValues::none();
  ParityValues::add(set, ParityValues::element(-1, 0), field);
  EXPECT_EQ(values_of<ParityValues>(set, field), (std::set<Value>{-3, -1, 1, 3}));
  ParityValues::add(set, ParityValues::element(2, 0), field);
  EXPECT_EQ(values_of<ParityValues>(set, field).size(), 7U);
}

TEST(LabelledValues, OneValueStoredAtTwoPointsIsTwoElements) {
  const FieldLayout field = field_of(0, 7);
  LabelledValues::Set set;
  for (const uint32_t origin : {2U, 1U, 2U})
    LabelledValues::add(set, LabelledValues::element(5, origin), field);
  EXPECT_EQ(set.size(), 2U);
  EXPECT_FALSE(LabelledValues::is_only(set, LabelledValues::element(5, 1), field));
  LabelledValues::remove(set, 0, field);
  EXPECT_TRUE(LabelledValues::is_only(set, LabelledValues::element(5, 2), field));
}

}  // namespace
}  // namespace fenceline::buffer
