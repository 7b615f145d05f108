// SPDX-License-Identifier: GPL-3.0-or-later
//
// The ways to distinguish operators agree with each other and with what the operators do.
#include "ir/expr.h"

#include <gtest/gtest.h>

#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline {
namespace {

template <class F>
void for_each_op(const F& f) {
  for (uint8_t op = 0; op <= static_cast<uint8_t>(ExprOp::kAt); ++op) f(static_cast<ExprOp>(op));
}

TEST(Expr, LeavesAreNoOperators) {
  for_each_op([](ExprOp op) {
    EXPECT_EQ(class_of(op) == OperatorClass::kLeaf, leaf_of(op) != LeafKind::kNone) << static_cast<int>(op);
    if (leaf_of(op) != LeafKind::kNone) {
      EXPECT_LE(arity(op), 1U);
      EXPECT_EQ(spelling(op), "");
    }
  });
}

TEST(Expr, ClassesAndShapesAgree) {
  for_each_op([](ExprOp op) {
    const OperatorClass c = class_of(op);
    const int name = static_cast<int>(op);
    EXPECT_EQ(c == OperatorClass::kLazy, shape_of(op) == ExprShape::kLazy) << name;
    EXPECT_EQ(c == OperatorClass::kSelect, shape_of(op) == ExprShape::kSelect) << name;
    EXPECT_EQ(c == OperatorClass::kWrap, shape_of(op) == ExprShape::kWrap) << name;
    EXPECT_EQ(c == OperatorClass::kNeg || c == OperatorClass::kNot || c == OperatorClass::kBitNot,
              shape_of(op) == ExprShape::kUnary)
        << name;
  });
}

TEST(Expr, OnlyPartialOperatorsAreUndefinedForSomeOperands) {
  for_each_op([](ExprOp op) {
    if (shape_of(op) != ExprShape::kBinary) {
      EXPECT_FALSE(is_partial(op));
      return;
    }
    bool undefined = false;
    for (const Value b : {-1, 0, 1}) {
      const EvalStatus status = apply(op, 5, b).status;
      undefined |= status == EvalStatus::kDivisionByZero || status == EvalStatus::kShiftOutOfRange;
    }
    EXPECT_EQ(undefined, is_partial(op)) << spelling(op);
  });
}

TEST(Expr, ComparisonsAreZeroOrOne) {
  for_each_op([](ExprOp op) {
    if (!is_comparison(op)) return;
    for (const Value a : {-7, 0, 5})
      for (const Value b : {-7, 0, 5}) EXPECT_EQ(apply(op, a, b).value, apply(op, a, b).value != 0);
  });
}

TEST(Walk, VisitsEveryOperandOnceInOrder) {
  Program program;
  const auto add = [&](const Expr& e) {
    program.exprs.push_back(e);
    return ExprId(program.exprs.size() - 1);
  };
  const ExprId one = add({.imm = 1}), two = add({.imm = 2}), three = add({.imm = 3});
  const ExprId sum = add({.op = ExprOp::kAdd, .a = one, .b = two});
  const ExprId negated = add({.op = ExprOp::kNeg, .a = three});
  const ExprId all = add({.op = ExprOp::kSelect, .a = sum, .b = negated, .c = one});
  std::vector<ExprOp> ops;
  std::vector<Value> constants;
  for_each_expr(program, all, [&](const Expr& e) {
    ops.push_back(e.op);
    if (e.op == ExprOp::kConst) constants.push_back(e.imm);
  });
  EXPECT_EQ(ops.front(), ExprOp::kSelect);
  EXPECT_EQ(ops.size(), 7U);
  EXPECT_EQ(constants, (std::vector<Value>{1, 2, 3, 1}));
}

}  // namespace
}  // namespace fenceline
