// SPDX-License-Identifier: GPL-3.0-or-later
//
// The replayer's arithmetic at its corners: the ends of 64 bits, shifts, lazy operators.
#include "check/replay/evaluator.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/rng.h"
#include "ir/eval.h"

namespace fenceline::check {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min(), kMax = std::numeric_limits<Value>::max();

class EvaluatorTest : public ::testing::Test {
 protected:
  ExprId add(Expr expr) {
    program_.exprs.push_back(expr);
    return ExprId(program_.exprs.size() - 1);
  }
  ExprId number(Value value) {
    Expr e;
    e.imm = value;
    return add(e);
  }
  ExprId node(ExprOp op, ExprId a, ExprId b = ExprId(), ExprId c = ExprId()) {
    Expr e;
    e.op = op;
    e.a = a;
    e.b = b;
    e.c = c;
    return add(e);
  }
  // The value, "too large", or the error.
  std::string of(ExprId id) {
    try {
      return std::to_string(evaluate_checked(
          program_, id, [](const Expr&, size_t index) { return Value(100 + index); }, ThreadId(0)));
    } catch (const ProgramError& error) {
      return to_string(error);
    } catch (const ValueTooLarge&) {
      return "too large";
    }
  }
  std::string of(ExprOp op, Value a, Value b) { return of(node(op, number(a), number(b))); }
  std::string of(ExprOp op, Value a) { return of(node(op, number(a))); }
  static Value fetched_by(RmwOp op, Value old, Value operand, int8_t wrap = 0) {
    Instruction rmw;
    rmw.kind = InstrKind::kRmw;
    rmw.rmw = op;
    rmw.wrap = wrap;
    return fetched(rmw, old, operand);
  }

  Program program_;
};

TEST_F(EvaluatorTest, TheEndsOf64Bits) {
  EXPECT_EQ(of(ExprOp::kAdd, kMax, 1), "too large");
  EXPECT_EQ(of(ExprOp::kAdd, kMax, kMin), "-1");
  EXPECT_EQ(of(ExprOp::kSub, kMin, 1), "too large");
  EXPECT_EQ(of(ExprOp::kSub, 0, kMin), "too large");
  EXPECT_EQ(of(ExprOp::kMul, kMin, -1), "too large");
  EXPECT_EQ(of(ExprOp::kMul, kMin, kMin), "too large");
  EXPECT_EQ(of(ExprOp::kMul, kMin, 1), std::to_string(kMin));
  EXPECT_EQ(of(ExprOp::kDiv, kMin, -1), "too large");
  EXPECT_EQ(of(ExprOp::kMod, kMin, -1), "0");
  EXPECT_EQ(of(ExprOp::kNeg, kMin), "too large");
  EXPECT_EQ(of(ExprOp::kBitNot, kMin), std::to_string(kMax));
  EXPECT_EQ(fetched_by(RmwOp::kFetchAdd, kMax, -1), kMax - 1);
  EXPECT_THROW(fetched_by(RmwOp::kFetchAdd, kMax, 1), ValueTooLarge);
  EXPECT_EQ(fetched_by(RmwOp::kFetchAnd, -2, 7), 6);
  EXPECT_EQ(fetched_by(RmwOp::kFetchOr, 5, 2), 7);
  EXPECT_EQ(fetched_by(RmwOp::kFetchXor, 5, 4), 1);
  EXPECT_EQ(fetched_by(RmwOp::kFetchAdd, kMax, 1, 64), kMin);
  EXPECT_EQ(fetched_by(RmwOp::kFetchAdd, kMin, kMin, 64), 0);
  EXPECT_EQ(fetched_by(RmwOp::kFetchAdd, 255, 1, -8), 0);
  EXPECT_EQ(fetched_by(RmwOp::kFetchAdd, 0, -1, -32), 0xffff'ffff);
  EXPECT_EQ(fetched_by(RmwOp::kFetchAdd, 0x7fff'ffff, 1, 32), -Value{0x8000'0000});
  EXPECT_EQ(fetched_by(RmwOp::kFetchOr, 5, 256, -8), 5);
}

TEST_F(EvaluatorTest, WrappedReadModifyWritesAgreeWithTheEngines) {
  Rng rng(7);
  static constexpr int kWidths[] = {1, 2, 8, 32, 63, 64, -1, -2, -8, -32, -63};
  static constexpr Value kCorners[] = {kMin, kMin + 1, -1, 0, 1, 255, 0x7fff'ffff, kMax - 1, kMax};
  const auto any = [&] {
    return rng.chance(50) ? kCorners[rng.below(std::size(kCorners))] : static_cast<Value>(rng.next());
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto op = static_cast<RmwOp>(static_cast<uint64_t>(RmwOp::kFetchAdd) + rng.below(4));
    const int bits = kWidths[rng.below(std::size(kWidths))];
    const Value old = any(), a = any();
    const Evaluated engine = fetch(op, old, a, bits);
    ASSERT_TRUE(engine.ok());
    ASSERT_EQ(engine.value, fetched_by(op, old, a, static_cast<int8_t>(bits)))
        << old << ", " << a << " to " << bits;
    ASSERT_EQ(apply(ExprOp::kWrap, engine.value, bits).value, engine.value);
  }
}

TEST_F(EvaluatorTest, UnsignedComparisonTakesNegativeNumbersForLargeOnes) {
  EXPECT_EQ(of(ExprOp::kUlt, 1, -1), "1");
  EXPECT_EQ(of(ExprOp::kUlt, kMin, kMax), "0");
  EXPECT_EQ(of(ExprOp::kUlt, -2, -1), "1");
  EXPECT_EQ(of(ExprOp::kUle, -1, -1), "1");
  EXPECT_EQ(of(ExprOp::kUle, -1, 0), "0");
}

TEST_F(EvaluatorTest, WrapAgreesWithTheEngines) {
  Rng rng(3);
  for (int bits = -63; bits <= 64; ++bits)
    for (int i = 0; bits != 0 && i < 100; ++i) {
      const auto a = static_cast<Value>(rng.next()) >> rng.below(64);
      Program program;
      program.exprs.resize(2);
      program.exprs[0].imm = a;
      program.exprs[1].op = ExprOp::kWrap;
      program.exprs[1].a = ExprId(0);
      program.exprs[1].imm = bits;
      ASSERT_EQ(evaluate_checked(program, ExprId(1), [](const Expr&, size_t) { return Value{0}; }),
                apply(ExprOp::kWrap, a, bits).value)
          << a << " to " << bits;
    }
}

TEST_F(EvaluatorTest, CellsThatAreNotThere) {
  Object object;
  object.name = "h";
  object.init = {0, 0, 0};
  const auto message = [&](Value offset, uint8_t bytes) -> std::string {
    try {
      return std::to_string(checked_offset(offset, object, bytes));
    } catch (const ProgramError& error) {
      return to_string(error);
    }
  };
  EXPECT_EQ(message(1, 4), "1");
  EXPECT_EQ(message(3, 4), "index 3 is outside h[0..2]");
  object.cell_bytes = {4, 0, 1};
  EXPECT_EQ(message(0, 4), "0");
  EXPECT_EQ(message(0, 0), "0");
  EXPECT_EQ(message(1, 0), "nothing is at the address 1");
  EXPECT_EQ(message(2, 4), "the address 2 is not a multiple of 4, as it has to be for 4 bytes");
  EXPECT_EQ(message(2, 2), "2 bytes at the address 2 reach beyond the object");
  const auto is_our_limit = [&](Value offset, uint8_t bytes) {
    try {
      checked_offset(offset, object, bytes);
    } catch (const ProgramError& error) {
      return error.our_limit;
    }
    return false;
  };
  EXPECT_FALSE(is_our_limit(2, 4));
  EXPECT_FALSE(is_our_limit(1, 4));
  EXPECT_EQ(message(-1, 4), "nothing is at the address -1");
  object.cell_bytes = {0, 4, 1};
  EXPECT_EQ(message(0, 4), "a null pointer is dereferenced");
  // Inside of an object no cell may begin, and C may look there all the same.
  object.init.resize(12);
  object.cell_bytes = {8, 255, 255, 255, 255, 255, 255, 255, 4, 255, 255, 255};
  EXPECT_EQ(message(0, 8), "0");
  EXPECT_EQ(message(8, 4), "8");
  EXPECT_EQ(message(0, 4), "Fenceline does not support an access to 4 bytes where there is a value of 8");
  EXPECT_EQ(message(4, 4),
            "Fenceline does not support an access to 4 bytes inside of a value, or between two");
  EXPECT_TRUE(is_our_limit(0, 4) && is_our_limit(4, 4));
  EXPECT_EQ(message(1, 8), "the address 1 is not a multiple of 8, as it has to be for 8 bytes");
  EXPECT_EQ(message(8, 8), "8 bytes at the address 8 reach beyond the object");
  EXPECT_EQ(message(12, 4), "nothing is at the address 12");
}

TEST_F(EvaluatorTest, DivisionTruncates) {
  EXPECT_EQ(of(ExprOp::kDiv, -7, 2), "-3");
  EXPECT_EQ(of(ExprOp::kMod, -7, 2), "-1");
  EXPECT_EQ(of(ExprOp::kDiv, 7, 0), "division by zero");
  EXPECT_EQ(of(ExprOp::kMod, 7, 0), "division by zero");
}

TEST_F(EvaluatorTest, Shifts) {
  EXPECT_EQ(of(ExprOp::kShl, 1, 62), std::to_string(Value{1} << 62));
  EXPECT_EQ(of(ExprOp::kShl, 1, 63), "too large");
  EXPECT_EQ(of(ExprOp::kShl, -1, 63), std::to_string(kMin));
  EXPECT_EQ(of(ExprOp::kShl, kMin, 64), "too large");
  EXPECT_EQ(of(ExprOp::kShl, 0, kMax), "0");
  EXPECT_EQ(of(ExprOp::kShl, 1, kMax), "too large");
  EXPECT_EQ(of(ExprOp::kShr, -5, 1), "-3");
  EXPECT_EQ(of(ExprOp::kShr, -5, 1000), "-1");
  EXPECT_EQ(of(ExprOp::kShr, 5, 64), "0");
  EXPECT_EQ(of(ExprOp::kShr, 5, -1), "shift by -1");
  EXPECT_EQ(of(ExprOp::kShl, 5, kMin), "shift by -9223372036854775808");
}

TEST_F(EvaluatorTest, LazyOperatorsLookOnlyAtWhatTheyNeed) {
  const ExprId bad = node(ExprOp::kDiv, number(1), number(0));
  EXPECT_EQ(of(node(ExprOp::kAnd, number(0), bad)), "0");
  EXPECT_EQ(of(node(ExprOp::kAnd, number(5), number(7))), "1");
  EXPECT_EQ(of(node(ExprOp::kAnd, number(1), bad)), "division by zero");
  EXPECT_EQ(of(node(ExprOp::kOr, number(3), bad)), "1");
  EXPECT_EQ(of(node(ExprOp::kOr, number(0), bad)), "division by zero");
  EXPECT_EQ(of(node(ExprOp::kSelect, number(2), number(8), bad)), "8");
  EXPECT_EQ(of(node(ExprOp::kSelect, number(0), bad, number(9))), "9");
}

TEST_F(EvaluatorTest, IndicesAreChecked) {
  Expr element;
  element.op = ExprOp::kRegAt;
  element.count = 3;
  element.reg = RegId(0);
  program_.threads.emplace_back().registers = {{"a[0]", 0, std::nullopt, false}};
  for (const auto& [index, expected] : {std::pair<Value, std::string>{2, "102"},
                                        {3, "index 3 is outside a[0..2]"},
                                        {-1, "index -1 is outside a[0..2]"},
                                        {kMin, "index -9223372036854775808 is outside a[0..2]"}}) {
    element.a = number(index);
    EXPECT_EQ(of(add(element)), expected);
  }
}

}  // namespace
}  // namespace fenceline::check
