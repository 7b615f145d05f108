// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/value_sets.h"

#include <gtest/gtest.h>

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
