// SPDX-License-Identifier: GPL-3.0-or-later
//
// The meaning of expressions. Integers are mathematical: a result that does not fit into 64 bits is not
// wrapped but reported, and the engine turns that into `unknown`. Division by zero and an index outside its
// array are errors of the program.
#pragma once

#include <cstdint>

#include "base/numbers.h"
#include "ir/program.h"

namespace fenceline {

enum class EvalStatus : uint8_t { kOk, kOverflow, kDivisionByZero, kIndexOutOfBounds, kShiftOutOfRange };

struct Evaluated {
  Value value = 0;
  EvalStatus status = EvalStatus::kOk;

  bool ok() const { return status == EvalStatus::kOk; }
};

// Both operands known: the operation itself. Precondition: arity(op) is 1 or 2, not a leaf. If it is 1, `b`
// is the expression's `imm`: kWrap looks at it, the others do not.
Evaluated apply(ExprOp op, Value a, Value b);

// What one of the kFetch... leaves in memory; `wrap` as in Instruction. A sum that is wrapped always fits: it
// is wrapped as a mathematical number, whatever its size. Precondition: is_fetch(op).
Evaluated fetch(RmwOp op, Value old, Value a, int wrap);

// Evaluates `id` with `leaf(const Expr&, Value index) -> Value` supplying the leaves other than constants;
// `index` is the evaluated operand of kRegAt, kThreadRegAt and kCell, already checked against `count` or the
// object's size.
template <class Leaf>
Evaluated evaluate(const Program& program, ExprId id, const Leaf& leaf) {
  const Expr& e = program.expr(id);
  switch (e.op) {
    case ExprOp::kConst:
      return {e.imm};
    case ExprOp::kReg:
    case ExprOp::kThreadReg:
    case ExprOp::kAt:
      return {leaf(e, Value{0})};
    case ExprOp::kRegAt:
    case ExprOp::kThreadRegAt:
    case ExprOp::kCell: {
      const Evaluated index = evaluate(program, e.a, leaf);
      if (!index.ok()) return index;
      const uint32_t size = e.op == ExprOp::kCell ? program.object(e.object).size() : e.count;
      if (index.value < 0 || index.value >= static_cast<Value>(size))
        return {0, EvalStatus::kIndexOutOfBounds};
      return {leaf(e, index.value)};
    }
    case ExprOp::kAnd:
    case ExprOp::kOr: {
      const Evaluated a = evaluate(program, e.a, leaf);
      if (!a.ok()) return a;
      if ((a.value != 0) == (e.op == ExprOp::kOr)) return {e.op == ExprOp::kOr ? 1 : 0};
      const Evaluated b = evaluate(program, e.b, leaf);
      return b.ok() ? Evaluated{b.value != 0} : b;
    }
    case ExprOp::kSelect: {
      const Evaluated a = evaluate(program, e.a, leaf);
      if (!a.ok()) return a;
      return evaluate(program, a.value != 0 ? e.b : e.c, leaf);
    }
    case ExprOp::kNeg:
    case ExprOp::kNot:
    case ExprOp::kBitNot:
    case ExprOp::kWrap:
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kMod:
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
    case ExprOp::kUlt:
    case ExprOp::kUle:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kShl:
    case ExprOp::kShr:
      break;
  }
  const Evaluated a = evaluate(program, e.a, leaf);
  if (!a.ok() || arity(e.op) == 1) return a.ok() ? apply(e.op, a.value, e.imm) : a;
  const Evaluated b = evaluate(program, e.b, leaf);
  return b.ok() ? apply(e.op, a.value, b.value) : b;
}

}  // namespace fenceline
