// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arithmetic on bits against arithmetic: all numbers of up to four bits.
#include "sat/bits.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "unit/sat/testing.h"

namespace fenceline::sat {
namespace {

constexpr unsigned kWidest = 4;

Value lowest(unsigned width) { return -(Value{1} << (width - 1)); }
Value highest(unsigned width) { return (Value{1} << (width - 1)) - 1; }

class BitsTest : public ::testing::Test, public SatTesting {
 protected:
  Bits any_number(unsigned width) { return {fresh(width)}; }

  std::vector<Lit> is(const Bits& bits, Value value) {
    return assigned(bits.lits, static_cast<uint64_t>(value));
  }

  // There is exactly one result, and it is the expected one.
  void expect_result(const std::vector<Lit>& operands, const Bits& result, Value expected) {
    ASSERT_TRUE(possible(operands));
    EXPECT_EQ(number(solver, result), expected);
    EXPECT_TRUE(always(operands, arithmetic.equal(result, Arithmetic::constant(expected))));
  }

  using Circuit2 = std::function<Bits(const Bits&, const Bits&)>;
  using Function2 = std::function<Value(Value, Value)>;

  // For all operands of all widths that pass `where`.
  void check(
      const Circuit2& circuit_of, const Function2& function,
      const std::function<bool(Value, Value)>& where = [](Value, Value) { return true; }) {
    for (unsigned first = 1; first <= kWidest; ++first)
      for (unsigned second = 1; second <= kWidest; ++second) {
        const Bits a = any_number(first), b = any_number(second);
        const Bits result = circuit_of(a, b);
        for (Value x = lowest(first); x <= highest(first); ++x)
          for (Value y = lowest(second); y <= highest(second); ++y) {
            if (!where(x, y)) continue;
            SCOPED_TRACE(::testing::Message() << x << " and " << y);
            std::vector<Lit> operands = is(a, x);
            const std::vector<Lit> more = is(b, y);
            operands.insert(operands.end(), more.begin(), more.end());
            expect_result(operands, result, function(x, y));
          }
      }
  }
  Bits truth(Lit literal) { return arithmetic.from(literal); }
};

TEST_F(BitsTest, add) {
  check([&](const Bits& a, const Bits& b) { return arithmetic.add(a, b); },
        [](Value x, Value y) { return x + y; });
}

TEST_F(BitsTest, subtract) {
  check([&](const Bits& a, const Bits& b) { return arithmetic.subtract(a, b); },
        [](Value x, Value y) { return x - y; });
}

TEST_F(BitsTest, multiply) {
  check([&](const Bits& a, const Bits& b) { return arithmetic.multiply(a, b); },
        [](Value x, Value y) { return x * y; });
}

TEST_F(BitsTest, divide) {
  const auto part = [&](bool first, const Bits& a, const Bits& b) {
    Bits quotient, remainder;
    arithmetic.divide(a, b, quotient, remainder);
    return first ? quotient : remainder;
  };
  const auto defined = [](Value, Value y) { return y != 0; };
  check([&](const Bits& a, const Bits& b) { return part(true, a, b); },
        [](Value x, Value y) { return x / y; }, defined);
  check([&](const Bits& a, const Bits& b) { return part(false, a, b); },
        [](Value x, Value y) { return x % y; }, defined);
}

TEST_F(BitsTest, dividing_by_zero_has_some_result) {
  const Bits a = any_number(3), b = any_number(3);
  Bits quotient, remainder;
  arithmetic.divide(a, b, quotient, remainder);
  EXPECT_TRUE(possible(is(b, 0)));
}

TEST_F(BitsTest, compare) {
  check([&](const Bits& a, const Bits& b) { return truth(arithmetic.equal(a, b)); },
        [](Value x, Value y) { return x == y; });
  check([&](const Bits& a, const Bits& b) { return truth(arithmetic.less(a, b)); },
        [](Value x, Value y) { return x < y; });
}

TEST_F(BitsTest, bitwise) {
  check([&](const Bits& a, const Bits& b) { return arithmetic.bit_and(a, b); },
        [](Value x, Value y) { return x & y; });
  check([&](const Bits& a, const Bits& b) { return arithmetic.bit_or(a, b); },
        [](Value x, Value y) { return x | y; });
  check([&](const Bits& a, const Bits& b) { return arithmetic.bit_xor(a, b); },
        [](Value x, Value y) { return x ^ y; });
}

TEST_F(BitsTest, shifts) {
  for (const unsigned max : {7U, 62U}) {
    const auto defined = [](Value, Value y) { return y >= 0; };
    check(
        [&](const Bits& a, const Bits& b) {
          return Arithmetic::fit(arithmetic.shift_left(a, b, max), Range{-1024, 1024});
        },
        [](Value x, Value y) { return x * (Value{1} << y); }, defined);
    check([&](const Bits& a, const Bits& b) { return arithmetic.shift_right(a, b, max); },
          [](Value x, Value y) { return x >> y; }, defined);
  }
}

TEST_F(BitsTest, one_operand) {
  for (unsigned width = 1; width <= kWidest; ++width) {
    const Bits a = any_number(width);
    for (Value x = lowest(width); x <= highest(width); ++x) {
      expect_result(is(a, x), arithmetic.negate(a), -x);
      expect_result(is(a, x), Arithmetic::complement(a), ~x);
      expect_result(is(a, x), truth(arithmetic.truth(a)), x != 0);
    }
  }
}

TEST_F(BitsTest, choose) {
  const Lit condition = circuit.fresh();
  for (const bool holds : {true, false}) {
    const Lit assumed = holds ? condition : !condition;
    check([&](const Bits& a, const Bits& b) { return arithmetic.choose(assumed, a, b); },
          [](Value x, Value) { return x; }, [](Value, Value) { return false; });
    const Bits a = any_number(2), b = any_number(3);
    const Bits result = arithmetic.choose(condition, a, b);
    for (Value x = -2; x <= 1; ++x)
      for (Value y = -4; y <= 3; ++y) {
        std::vector<Lit> operands = is(a, x);
        const std::vector<Lit> more = is(b, y);
        operands.insert(operands.end(), more.begin(), more.end());
        operands.push_back(assumed);
        expect_result(operands, result, holds ? x : y);
      }
  }
}

TEST_F(BitsTest, constants_and_widths) {
  for (const Value value : {Value{0}, Value{1}, Value{-1}, Value{2}, Value{-2}, Value{127}, Value{128},
                            Value{-128}, Value{-129}, INT64_MAX, INT64_MIN}) {
    const Bits bits = Arithmetic::constant(value);
    for (const Lit bit : bits.lits) EXPECT_TRUE(bit.constant());
    ASSERT_TRUE(possible({}));
    EXPECT_EQ(number(solver, bits), value);
    EXPECT_EQ(bits.width(), width_for(Range::single(value)));
  }
  EXPECT_EQ(width_for({0, 0}), 1U);
  EXPECT_EQ(width_for({-1, 0}), 1U);
  EXPECT_EQ(width_for({0, 1}), 2U);
  EXPECT_EQ(width_for({-2, 1}), 2U);
  EXPECT_EQ(width_for({-3, 1}), 3U);
  EXPECT_EQ(width_for({INT64_MIN, INT64_MAX}), 64U);
  EXPECT_EQ(width_for(Range::empty()), 1U);
}

// A number that is known to be in a range loses only bits that it does not need.
TEST_F(BitsTest, fit_keeps_what_is_in_the_range) {
  for (Value lo = -5; lo <= 5; ++lo)
    for (Value hi = lo; hi <= 5; ++hi) {
      const Bits wide = any_number(5);
      const Bits fitted = Arithmetic::fit(wide, Range{lo, hi});
      EXPECT_LE(fitted.width(), 5U);
      for (Value x = lo; x <= hi; ++x) {
        ASSERT_TRUE(possible(is(wide, x)));
        EXPECT_EQ(number(solver, fitted), x);
      }
    }
}

// Bits that are the same in all members, or the same as another bit, are no literals of their own.
TEST_F(BitsTest, members_of_sets) {
  const auto literals = [](const Bits& bits) {
    std::set<int32_t> variables;
    for (const Lit lit : bits.lits)
      if (!lit.constant()) variables.insert(lit.variable());
    return variables.size();
  };
  EXPECT_EQ(literals(arithmetic.fresh(ValueSet::of({0, 1, Value{1} << 46}))), 2U);
  EXPECT_EQ(literals(arithmetic.fresh(ValueSet::of({32, 64}))), 1U);
  for (const std::vector<Value>& members :
       {std::vector<Value>{0, 64, 80, 96}, {-7, -1, 0, 3, 12}, {5}, {0, 1, Value{1} << 46}, {-4, 4}}) {
    const ValueSet values = ValueSet::of(members);
    const Bits bits = arithmetic.fresh(values);
    arithmetic.require_member(bits, values);
    std::vector<Lit> others;
    for (const Value member : members) {
      const Lit here = arithmetic.equal(bits, Arithmetic::constant(member));
      ASSERT_TRUE(possible({here}));
      EXPECT_EQ(number(solver, bits), member);
      others.push_back(!here);
    }
    EXPECT_FALSE(possible(others));
  }
  const Bits large = arithmetic.fresh(Range{-3, 1000});
  arithmetic.require_member(large, Range{-3, 1000});
  EXPECT_FALSE(possible({arithmetic.equal(large, Arithmetic::constant(1001))}));
  EXPECT_FALSE(possible({arithmetic.equal(large, Arithmetic::constant(-4))}));
  EXPECT_TRUE(possible({arithmetic.equal(large, Arithmetic::constant(-3))}));
}

TEST_F(BitsTest, fresh_numbers_can_be_all_of_the_range) {
  for (Value lo = -3; lo <= 3; ++lo)
    for (Value hi = lo; hi <= 3; ++hi) {
      const Bits bits = arithmetic.fresh(Range{lo, hi});
      for (Value x = lo; x <= hi; ++x)
        EXPECT_TRUE(possible({arithmetic.equal(bits, Arithmetic::constant(x))})) << lo << ".." << hi;
    }
}

TEST_F(BitsTest, require_equal) {
  const Bits a = any_number(2), b = any_number(3);
  const Lit condition = circuit.fresh();
  arithmetic.require_equal(condition, a, b);
  for (Value x = -2; x <= 1; ++x)
    for (Value y = -4; y <= 3; ++y) {
      std::vector<Lit> operands = is(a, x);
      const std::vector<Lit> more = is(b, y);
      operands.insert(operands.end(), more.begin(), more.end());
      EXPECT_TRUE(possible(operands));
      operands.push_back(condition);
      EXPECT_EQ(possible(operands), x == y);
    }
}

}  // namespace
}  // namespace fenceline::sat
