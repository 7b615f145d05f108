// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/value_sets.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "ir/eval.h"

namespace fenceline {
namespace {

const std::vector<ExprOp> kOperations = {
    ExprOp::kAdd, ExprOp::kSub,    ExprOp::kMul, ExprOp::kDiv, ExprOp::kMod,   ExprOp::kEq,
    ExprOp::kNe,  ExprOp::kLt,     ExprOp::kLe,  ExprOp::kGt,  ExprOp::kGe,    ExprOp::kAnd,
    ExprOp::kOr,  ExprOp::kBitAnd, ExprOp::kShl, ExprOp::kShr, ExprOp::kBitOr, ExprOp::kBitXor};

TEST(ValueSets, OperationsAreExactOnSmallSets) {
  const ValueSet a = ValueSet::of({0, 64, 80, 97}), b = ValueSet::of({-1, 0, 3, 16});
  for (const ExprOp op : kOperations) {
    std::vector<Value> expected;
    a.for_each([&](Value x) {
      b.for_each([&](Value y) {
        if (const Evaluated result = apply(op, x, y); result.ok()) expected.push_back(result.value);
      });
    });
    EXPECT_EQ(apply_values(op, a, b), ValueSet::of(expected)) << spelling(op);
  }
}

TEST(ValueSets, WhatExceeds64BitsIsNotDropped) {
  const ValueSet large = ValueSet::of({1, Value{1} << 62});
  EXPECT_FALSE(apply_values(ExprOp::kAdd, large, large).bounded());
  EXPECT_FALSE(apply_values(ExprOp::kMul, ValueSet::single(Value{1} << 62), ValueSet::single(4)).bounded());
}

TEST(ValueSets, LargeSetsAreIntervals) {
  const ValueSet sum = apply_values(ExprOp::kAdd, Range{0, 100000}, ValueSet::of({1, 5}));
  EXPECT_EQ(sum, ValueSet(Range{1, 100005}));
}

// The low bits of what was computed from a pointer and a counter are known.
TEST(ValueSets, LowBitsOfLargeSets) {
  const ValueSet pointers = ValueSet::of({0, 64, 80, 4096}), any = ValueSet(Range::all());
  const ValueSet counter = apply_values(ExprOp::kWrap, any, ValueSet::single(-16));
  const ValueSet high = apply_values(ExprOp::kShl64, counter, ValueSet::single(48));
  const ValueSet tagged = apply_values(ExprOp::kBitOr, high, pointers);
  EXPECT_FALSE(tagged.is_small());
  const ValueSet mask = ValueSet::single((Value{1} << 48) - 1);
  EXPECT_EQ(apply_values(ExprOp::kBitAnd, tagged, mask), pointers);
  EXPECT_EQ(apply_values(ExprOp::kWrap, tagged, ValueSet::single(-48)), pointers);
  EXPECT_EQ(apply_values(ExprOp::kNe, tagged, ValueSet::single(65)), ValueSet::single(1));
  const ValueSet above = apply_values(ExprOp::kBitAnd, any, ValueSet::single(~((Value{1} << 48) - 1)));
  EXPECT_EQ(apply_values(ExprOp::kBitAnd, apply_values(ExprOp::kBitOr, above, pointers), mask), pointers);
}

TEST(ValueSets, LargeSetsContainAllResults) {
  std::vector<ExprOp> operations = kOperations;
  for (const ExprOp op : {ExprOp::kNeg, ExprOp::kBitNot, ExprOp::kWrap, ExprOp::kAdd64, ExprOp::kSub64,
                          ExprOp::kMul64, ExprOp::kShl64})
    operations.push_back(op);
  const unsigned shifts[] = {48, 32, 16, 20};
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    const ExprOp op = operations[rng.below(operations.size())];
    const auto members = [&] {
      std::vector<Value> values;
      const unsigned shift = shifts[rng.below(std::size(shifts))];
      for (uint64_t i = rng.chance(30) ? 1 : 200; i > 0; --i)
        values.push_back(rng.between(0, 3) * 24 +
                         static_cast<Value>(static_cast<uint64_t>(rng.between(-40, 90)) << shift));
      return values;
    };
    const std::vector<Value> first = members();
    std::vector<Value> second = members();
    const bool shifts_by = op == ExprOp::kShl || op == ExprOp::kShr || op == ExprOp::kShl64;
    if (op == ExprOp::kWrap || shifts_by) second = {rng.between(shifts_by ? 0 : 1, 63)};
    if (op == ExprOp::kWrap && rng.chance(50)) second = {-second.front()};
    const ValueSet results = apply_values(op, ValueSet::of(first), ValueSet::of(second));
    for (const Value x : first)
      for (size_t i = 0; i < std::min<size_t>(second.size(), 20); ++i)
        if (const Evaluated result = apply(op, x, second[i]); result.ok()) {
          ASSERT_TRUE(results.contains(result.value)) << spelling(op) << ' ' << x << ' ' << second[i];
        }
    for (const RmwOp fetch_op : {RmwOp::kFetchAdd, RmwOp::kFetchAnd, RmwOp::kFetchOr, RmwOp::kFetchXor}) {
      const int wrap = rng.chance(50) ? 32 : -40;
      const ValueSet left = fetch_values(fetch_op, ValueSet::of(first), ValueSet::of(second), wrap);
      for (const Value x : first)
        ASSERT_TRUE(left.contains(fetch(fetch_op, x, second.front(), wrap).value))
            << x << ' ' << second.front();
    }
  }
}

// Registers 0 and 1 of a thread, whatever it is.
class Narrowing : public ::testing::Test {
 protected:
  ExprId leaf(size_t reg) { return add({.op = ExprOp::kReg, .reg = RegId(reg)}); }
  ExprId constant(Value value) { return add({.imm = value}); }
  ExprId binary(ExprOp op, ExprId a, ExprId b) { return add({.op = op, .a = a, .b = b}); }
  ExprId add(const Expr& expr) {
    program.exprs.push_back(expr);
    return ExprId(program.exprs.size() - 1);
  }
  ValueSet behind(ExprId condition, bool holds, size_t reg) {
    return narrowed(program, condition, holds ? may_hold : may_not_hold, RegId(reg),
                    [&](RegId id) -> const ValueSet& { return registers[id.index()]; });
  }

  Program program;
  std::vector<ValueSet> registers = {ValueSet::of({0, 64, 80, 96}), ValueSet::of({1, 80, 96})};
};

TEST_F(Narrowing, ComparisonsWithConstants) {
  const ExprId null = binary(ExprOp::kEq, leaf(0), constant(0));
  EXPECT_EQ(behind(null, true, 0), ValueSet::single(0));
  EXPECT_EQ(behind(null, false, 0), ValueSet::of({64, 80, 96}));
}

TEST_F(Narrowing, ComparisonsOfRegisters) {
  const ExprId same = binary(ExprOp::kEq, leaf(0), leaf(1));
  EXPECT_EQ(behind(same, true, 0), ValueSet::of({80, 96}));
  EXPECT_EQ(behind(same, true, 1), ValueSet::of({80, 96}));
  EXPECT_EQ(behind(same, false, 0), registers[0]);
  registers[1] = ValueSet::single(64);
  EXPECT_EQ(behind(same, false, 0), ValueSet::of({0, 80, 96}));
}

TEST_F(Narrowing, MarksAndConjunctions) {
  const ExprId marked = binary(ExprOp::kBitAnd, leaf(1), constant(1));
  EXPECT_EQ(behind(marked, true, 1), ValueSet::single(1));
  EXPECT_EQ(behind(marked, false, 1), ValueSet::of({80, 96}));
  const ExprId valid = binary(ExprOp::kAnd, binary(ExprOp::kNe, leaf(0), constant(0)),
                              binary(ExprOp::kNe, leaf(0), constant(96)));
  EXPECT_EQ(behind(valid, true, 0), ValueSet::of({64, 80}));
  EXPECT_EQ(behind(valid, false, 0), ValueSet::of({0, 96}));
}

TEST_F(Narrowing, WhatCannotBeIsEmpty) {
  registers[0] = ValueSet::single(64);
  EXPECT_TRUE(behind(binary(ExprOp::kEq, leaf(0), constant(0)), true, 0).is_empty());
}

}  // namespace
}  // namespace fenceline
