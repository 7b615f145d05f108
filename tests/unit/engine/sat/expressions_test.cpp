// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions as circuits against ir/eval: random trees of all operators over a few registers, for all values
// that the registers can have.
#include "engine/sat/expressions.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "env/errors.h"
#include "ir/eval.h"
#include "unit/sat/testing.h"

namespace fenceline::sat {
namespace {

constexpr ExprOp kOperators[] = {
    ExprOp::kNeg,    ExprOp::kNot, ExprOp::kBitNot, ExprOp::kAdd,    ExprOp::kSub,    ExprOp::kMul,
    ExprOp::kDiv,    ExprOp::kMod, ExprOp::kEq,     ExprOp::kNe,     ExprOp::kLt,     ExprOp::kLe,
    ExprOp::kGt,     ExprOp::kGe,  ExprOp::kAnd,    ExprOp::kOr,     ExprOp::kBitAnd, ExprOp::kBitOr,
    ExprOp::kBitXor, ExprOp::kShl, ExprOp::kShr,    ExprOp::kSelect, ExprOp::kRegAt,  ExprOp::kWrap,
    ExprOp::kUlt,    ExprOp::kUle};
constexpr uint32_t kRegisters = 3;

class RandomExpression {
 public:
  explicit RandomExpression(Rng& rng) : rng_(rng) {}

  ExprId make(Program& program, int depth) {
    Expr expr;
    if (depth == 0 || rng_.chance(15)) {
      if (rng_.chance(35)) {
        expr.imm = rng_.chance(90) ? rng_.between(-4, 4) : rng_.between(-1000, 1000);
      } else {
        expr.op = ExprOp::kReg;
        expr.reg = RegId(rng_.below(kRegisters));
      }
    } else {
      expr.op = kOperators[rng_.below(std::size(kOperators))];
      expr.a = make(program, depth - 1);
      if (arity(expr.op) > 1) expr.b = make(program, depth - 1);
      if (arity(expr.op) > 2) expr.c = make(program, depth - 1);
      if (expr.op == ExprOp::kWrap) expr.imm = rng_.chance(50) ? rng_.between(1, 9) : -rng_.between(1, 9);
      if (expr.op == ExprOp::kRegAt) {
        expr.reg = RegId(0);
        expr.count = kRegisters;
      }
    }
    program.exprs.push_back(expr);
    return ExprId(program.exprs.size() - 1);
  }

 private:
  Rng& rng_;
};

class SymbolicRegisters : public Leaves {
 public:
  SymbolicRegisters(SatTesting& sat, Rng& rng) {
    for (uint32_t i = 0; i < kRegisters; ++i) {
      const Value lo = rng.between(-3, 1);
      ValueSet values = Range{lo, lo + rng.between(0, 3)};
      if (rng.chance(50)) {  // or a few that are not adjacent
        std::vector<Value> members;
        for (Value count = rng.between(1, 4); count > 0; --count)
          members.push_back(rng.chance(30) ? rng.between(-2, 2) : 4 * rng.between(-8, 16));
        values = ValueSet::of(members);
      }
      numbers.push_back({sat.arithmetic.fresh(values), values, {}});
      sat.arithmetic.require_member(numbers.back().bits, values);
    }
  }
  Number leaf(const Expr& expr, uint32_t element) override { return numbers[expr.reg.index() + element]; }

  std::vector<Number> numbers;
};

TEST(SatExpressions, MeanTheSameAsInTheProgram) {
  int compared = 0, failing = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    SatTesting sat;
    Program program;
    const ExprId id = RandomExpression(rng).make(program, 3);
    SymbolicRegisters registers(sat, rng);
    Expressions expressions(program, sat.arithmetic);
    Expressions::Result result;
    try {
      result = expressions.evaluate(id, registers);
    } catch (const Unsupported&) {
      continue;
    }
    std::vector<Value> values(kRegisters);
    const std::vector<Number>& numbers = registers.numbers;
    for (const Value first : numbers[0].values.members())
      for (const Value second : numbers[1].values.members())
        for (const Value third : numbers[2].values.members()) {
          values = {first, second, third};
          const Evaluated expected = evaluate(program, id, [&](const Expr& expr, Value element) {
            return values[expr.reg.index() + static_cast<size_t>(element)];
          });
          ASSERT_NE(expected.status, EvalStatus::kOverflow);
          std::vector<Lit> assumptions;
          for (uint32_t i = 0; i < kRegisters; ++i)
            assumptions.push_back(sat.arithmetic.equal(numbers[i].bits, Arithmetic::constant(values[i])));
          ASSERT_TRUE(sat.possible(assumptions));
          ASSERT_EQ(sat.solver.value(result.fails), !expected.ok());
          failing += !expected.ok();
          ++compared;
          if (!expected.ok()) continue;
          ASSERT_TRUE(result.number.values.contains(expected.value));
          ASSERT_EQ(number(sat.solver, result.number.bits), expected.value);
          ASSERT_TRUE(sat.always(
              assumptions, sat.arithmetic.equal(result.number.bits, Arithmetic::constant(expected.value))));
        }
  }
  EXPECT_GT(compared, 5000);
  EXPECT_GT(failing, 250);
}

}  // namespace
}  // namespace fenceline::sat
