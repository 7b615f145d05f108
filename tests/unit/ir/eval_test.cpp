// SPDX-License-Identifier: GPL-3.0-or-later
//
// The arithmetic of programs, against 128-bit arithmetic; laziness; and how errors travel up.
#include "ir/eval.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/rng.h"
#include "env/errors.h"
#include "ir/builder.h"

namespace fenceline {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min(), kMax = std::numeric_limits<Value>::max();
__extension__ using Wide = __int128;

// What a type of so many bits keeps, one bit after the other.
Value low_bits(Value a, Value bits) {
  const int width = static_cast<int>(bits < 0 ? -bits : bits);
  Value result = 0;
  for (int bit = 0; bit < width; ++bit)
    if ((a >> bit & 1) != 0) result |= static_cast<Value>(uint64_t{1} << bit);
  for (int bit = width; bit < 64 && bits > 0; ++bit)
    if ((a >> (width - 1) & 1) != 0) result |= static_cast<Value>(uint64_t{1} << bit);
  return result;
}

TEST(Apply, WrapKeepsTheLowBits) {
  Rng rng(2);
  for (Value bits = -63; bits <= 64; ++bits) {
    if (bits == 0) continue;
    for (int i = 0; i < 1000; ++i) {
      const auto a = static_cast<Value>(rng.next()) >> rng.below(64);
      ASSERT_EQ(apply(ExprOp::kWrap, a, bits).value, low_bits(a, bits)) << a << " to " << bits;
    }
  }
  EXPECT_EQ(apply(ExprOp::kWrap, 255, 8).value, -1);
  EXPECT_EQ(apply(ExprOp::kWrap, -1, -8).value, 255);
  EXPECT_EQ(apply(ExprOp::kWrap, Value{1} << 31, 32).value, -(Value{1} << 31));
  EXPECT_EQ(apply(ExprOp::kWrap, kMin, 64).value, kMin);
}

TEST(Apply, UnsignedComparison) {
  EXPECT_EQ(apply(ExprOp::kUlt, 1, -1).value, 1);
  EXPECT_EQ(apply(ExprOp::kUlt, -1, 1).value, 0);
  EXPECT_EQ(apply(ExprOp::kUlt, -2, -1).value, 1);
  EXPECT_EQ(apply(ExprOp::kUlt, kMax, kMin).value, 1);
  EXPECT_EQ(apply(ExprOp::kUlt, 3, 3).value, 0);
  EXPECT_EQ(apply(ExprOp::kUle, 3, 3).value, 1);
  EXPECT_EQ(apply(ExprOp::kUle, -1, 0).value, 0);
}

TEST(Apply, AgreesWithWideArithmetic) {
  Rng rng(1);
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<Value>(rng.next()) >> rng.below(64);
    const auto b = static_cast<Value>(rng.next()) >> rng.below(64);
    const auto same = [&](ExprOp op, Wide exact) {
      const Evaluated result = apply(op, a, b);
      if (exact < kMin || exact > kMax)
        ASSERT_EQ(result.status, EvalStatus::kOverflow) << a << spelling(op) << b;
      else
        ASSERT_TRUE(result.ok() && result.value == exact) << a << spelling(op) << b;
    };
    same(ExprOp::kAdd, Wide{a} + b);
    same(ExprOp::kSub, Wide{a} - b);
    same(ExprOp::kMul, Wide{a} * b);
    same(ExprOp::kNeg, -Wide{a});
    same(ExprOp::kLe, a <= b);
    same(ExprOp::kBitXor, a ^ b);
    if (b != 0) same(ExprOp::kDiv, Wide{a} / b);
    if (b != 0) same(ExprOp::kMod, Wide{a} % b);
  }
}

TEST(Apply, TheCornersOfDivisionAndShift) {
  EXPECT_EQ(apply(ExprOp::kDiv, 5, 0).status, EvalStatus::kDivisionByZero);
  EXPECT_EQ(apply(ExprOp::kMod, 5, 0).status, EvalStatus::kDivisionByZero);
  EXPECT_EQ(apply(ExprOp::kDiv, kMin, -1).status, EvalStatus::kOverflow);
  EXPECT_EQ(apply(ExprOp::kMod, kMin, -1).value, 0);
  EXPECT_EQ(apply(ExprOp::kDiv, -7, 2).value, -3);
  EXPECT_EQ(apply(ExprOp::kMod, -7, 2).value, -1);
  EXPECT_EQ(apply(ExprOp::kShl, 1, -1).status, EvalStatus::kShiftOutOfRange);
  EXPECT_EQ(apply(ExprOp::kShr, 1, -1).status, EvalStatus::kShiftOutOfRange);
  EXPECT_EQ(apply(ExprOp::kShl, 1, 62).value, Value{1} << 62);
  EXPECT_EQ(apply(ExprOp::kShl, 1, 63).status, EvalStatus::kOverflow);
  EXPECT_EQ(apply(ExprOp::kShl, -1, 62).value, -(Value{1} << 62));
  EXPECT_EQ(apply(ExprOp::kShl, 0, 1000).value, 0);
  EXPECT_EQ(apply(ExprOp::kShr, -8, 1).value, -4);
  EXPECT_EQ(apply(ExprOp::kShr, -8, 1000).value, -1);
  EXPECT_THROW(apply(ExprOp::kConst, 0, 0), Bug);
  EXPECT_THROW(apply(ExprOp::kSelect, 0, 0), Bug);
}

class EvaluateTest : public testing::Test {
 protected:
  // Registers 0..3 hold 10..13; r is register 1.
  Evaluated eval(ExprId id) {
    t_.check(id, {1, 1});
    const Program p = b_.finish();
    return evaluate(p, id, [](const Expr& e, Value index) { return 10 + Value{e.reg.value()} + index; });
  }

  ProgramBuilder b_{SourceFile{"t.fl", ""}};
  ThreadBuilder& t_ = b_.thread("P", {1, 1});
  RegId first_ = t_.reg_array("a", {0, 0, 0, 0});
  ExprId r_ = b_.reg(RegId(1));
  ExprId bad_ = b_.binary(ExprOp::kDiv, b_.constant(1), b_.constant(0));
};

TEST_F(EvaluateTest, ReadsRegisters) { EXPECT_EQ(eval(r_).value, 11); }

TEST_F(EvaluateTest, ReadsArrayElements) {
  const ExprId index = b_.binary(ExprOp::kSub, r_, b_.constant(9));
  EXPECT_EQ(eval(b_.reg_at(first_, 4, index)).value, 12);
}

TEST_F(EvaluateTest, ChecksIndices) {
  EXPECT_EQ(eval(b_.reg_at(first_, 4, b_.constant(4))).status, EvalStatus::kIndexOutOfBounds);
}

TEST_F(EvaluateTest, ChecksNegativeIndices) {
  EXPECT_EQ(eval(b_.reg_at(first_, 4, b_.constant(-1))).status, EvalStatus::kIndexOutOfBounds);
}

TEST_F(EvaluateTest, AndLooksNoFurtherThanNeeded) {
  const ExprId no = b_.binary(ExprOp::kEq, r_, b_.constant(0));
  const Evaluated result = eval(b_.binary(ExprOp::kAnd, no, bad_));
  EXPECT_TRUE(result.ok() && result.value == 0);
}

TEST_F(EvaluateTest, OrNormalises) { EXPECT_EQ(eval(b_.binary(ExprOp::kOr, r_, bad_)).value, 1); }

TEST_F(EvaluateTest, SelectTakesOneSide) { EXPECT_EQ(eval(b_.select(r_, r_, bad_)).value, 11); }

TEST_F(EvaluateTest, ErrorsTravelUp) {
  const ExprId sum = b_.binary(ExprOp::kAdd, r_, bad_);
  EXPECT_EQ(eval(b_.unary(ExprOp::kNot, sum)).status, EvalStatus::kDivisionByZero);
}

TEST_F(EvaluateTest, TheLeftErrorWins) {
  const ExprId overflow = b_.binary(ExprOp::kAdd, r_, b_.constant(kMax));
  EXPECT_EQ(eval(b_.binary(ExprOp::kAdd, overflow, bad_)).status, EvalStatus::kOverflow);
}

TEST(Fence, Spelling) {
  EXPECT_EQ(to_string(FenceKinds::sync()), "sync");
  EXPECT_EQ(to_string(FenceKinds::full()), "fence");
  EXPECT_EQ(to_string(FenceKinds::store_store()), "sfence");
  EXPECT_EQ(to_string(FenceKinds::load_load()), "lfence");
  EXPECT_EQ(to_string(FenceKinds::store_load() | FenceKinds::load_load()), "fence(store-load, load-load)");
}

}  // namespace
}  // namespace fenceline
