// SPDX-License-Identifier: GPL-3.0-or-later
//
// The meaning of expressions. Integers are mathematical: a result that does not fit into 64 bits is not
// wrapped but reported, and the engine turns that into `unknown`; kAdd64 and its like are another matter. Division by zero and an index outside its
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
  // Half of all expressions are these; without the detour through a table, evaluation takes a fifth less time.
  if (e.op == ExprOp::kConst) return {e.imm};
  if (e.op == ExprOp::kReg) return {leaf(e, Value{0})};
  switch (shape_of(e.op)) {
    case ExprShape::kConst:
      return {e.imm};
    case ExprShape::kReg:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      return {leaf(e, Value{0})};
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt:
    case ExprShape::kCell: {
      const Evaluated index = evaluate(program, e.a, leaf);
      if (!index.ok()) return index;
      const uint32_t size = e.op == ExprOp::kCell ? program.object(e.object).size() : e.count;
      if (index.value < 0 || index.value >= static_cast<Value>(size))
        return {0, EvalStatus::kIndexOutOfBounds};
      return {leaf(e, index.value)};
    }
    case ExprShape::kLazy: {
      const Evaluated a = evaluate(program, e.a, leaf);
      if (!a.ok()) return a;
      if ((a.value != 0) == (e.op == ExprOp::kOr)) return {e.op == ExprOp::kOr ? 1 : 0};
      const Evaluated b = evaluate(program, e.b, leaf);
      return b.ok() ? Evaluated{b.value != 0} : b;
    }
    case ExprShape::kSelect: {
      const Evaluated a = evaluate(program, e.a, leaf);
      if (!a.ok()) return a;
      return evaluate(program, a.value != 0 ? e.b : e.c, leaf);
    }
    case ExprShape::kUnary:
    case ExprShape::kWrap: {
      const Evaluated a = evaluate(program, e.a, leaf);
      return a.ok() ? apply(e.op, a.value, e.imm) : a;
    }
    case ExprShape::kBinary:
      break;
  }
  const Evaluated a = evaluate(program, e.a, leaf);
  if (!a.ok()) return a;
  const Evaluated b = evaluate(program, e.b, leaf);
  return b.ok() ? apply(e.op, a.value, b.value) : b;
}

}  // namespace fenceline
