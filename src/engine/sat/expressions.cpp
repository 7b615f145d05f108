// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/expressions.h"

#include <utility>

#include "env/errors.h"
#include "ir/analysis/interval.h"

namespace fenceline {
namespace {

// Walks over both lists by read.
template <class F>
Dependencies zip(const Dependencies& a, const Dependencies& b, const F& join) {
  Dependencies result;
  result.reserve(a.size() + b.size());
  for (auto x = a.begin(), y = b.begin(); x != a.end() || y != b.end();) {
    const bool first = y == b.end() || (x != a.end() && x->read <= y->read);
    const bool second = x == a.end() || (y != b.end() && y->read <= x->read);
    const uint32_t read = first ? x->read : y->read;
    const Lit holds = join(first ? x->holds : kFalse, second ? y->holds : kFalse);
    if (holds != kFalse) result.push_back({read, holds});
    if (first) ++x;
    if (second) ++y;
  }
  return result;
}

}  // namespace

Dependencies merge(Circuit& circuit, const Dependencies& a, const Dependencies& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return zip(a, b, [&](Lit x, Lit y) { return circuit.either(x, y); });
}

Dependencies choose(Circuit& circuit, Lit condition, const Dependencies& then,
                    const Dependencies& otherwise) {
  if (condition == kTrue) return then;
  if (condition == kFalse) return otherwise;
  return zip(then, otherwise, [&](Lit x, Lit y) { return circuit.choose(condition, x, y); });
}

Number Expressions::choose(Lit condition, const Number& then, const Number& otherwise) {
  if (condition == kTrue) return then;
  if (condition == kFalse) return otherwise;
  return {arithmetic_.choose(condition, then.bits, otherwise.bits), then.range.join(otherwise.range),
          fenceline::choose(arithmetic_.circuit(), condition, then.depends, otherwise.depends)};
}

Lit Expressions::within(const Number& number, Range range) {
  if (range.contains(number.range)) return kTrue;
  if (range.meet(number.range).is_empty()) return kFalse;
  Circuit& circuit = arithmetic_.circuit();
  Lit result = kTrue;
  if (number.range.lo < range.lo) result = !arithmetic_.less(number.bits, Arithmetic::constant(range.lo));
  if (number.range.hi > range.hi)
    result = circuit.both(result, !arithmetic_.less(Arithmetic::constant(range.hi), number.bits));
  return result;
}

Lit Expressions::is(const Number& number, Value value) {
  if (!number.range.contains(value)) return kFalse;
  return arithmetic_.equal(number.bits, Arithmetic::constant(value));
}

Expressions::Result Expressions::element(const Expr& expr, Leaves& leaves) {
  Result index = evaluate(expr.a, leaves);
  const uint32_t size = expr.op == ExprOp::kCell ? program_.object(expr.object).size() : expr.count;
  const Range inside{0, static_cast<Value>(size) - 1};
  const Lit fails = arithmetic_.circuit().either(index.fails, !within(index.number, inside));
  const Range possible = index.number.range.meet(inside);
  if (possible.is_empty()) return {constant(0), kTrue};
  Number number = leaves.leaf(expr, static_cast<uint32_t>(possible.lo));
  for (Value i = possible.lo + 1; i <= possible.hi; ++i)
    number = choose(is(index.number, i), leaves.leaf(expr, static_cast<uint32_t>(i)), number);
  number.depends = merge(arithmetic_.circuit(), number.depends, index.number.depends);
  return {std::move(number), fails};
}

Expressions::Result Expressions::evaluate(ExprId id, Leaves& leaves) {
  const Expr& expr = program_.expr(id);
  Circuit& circuit = arithmetic_.circuit();
  switch (expr.op) {
    case ExprOp::kConst:
      return {constant(expr.imm), kFalse};
    case ExprOp::kReg:
    case ExprOp::kThreadReg:
    case ExprOp::kAt:
      return {leaves.leaf(expr, 0), kFalse};
    case ExprOp::kRegAt:
    case ExprOp::kThreadRegAt:
    case ExprOp::kCell:
      return element(expr, leaves);
    case ExprOp::kAnd:
    case ExprOp::kOr: {
      const Result a = evaluate(expr.a, leaves), b = evaluate(expr.b, leaves);
      const Lit first = arithmetic_.truth(a.number.bits), second = arithmetic_.truth(b.number.bits);
      const bool is_and = expr.op == ExprOp::kAnd;
      return {truth(is_and ? circuit.both(first, second) : circuit.either(first, second),
                    merge(circuit, a.number.depends, b.number.depends)),
              circuit.either(a.fails, circuit.both(is_and ? first : !first, b.fails))};
    }
    case ExprOp::kSelect: {
      const Result a = evaluate(expr.a, leaves), b = evaluate(expr.b, leaves), c = evaluate(expr.c, leaves);
      const Lit condition = arithmetic_.truth(a.number.bits);
      Result result{choose(condition, b.number, c.number),
                    circuit.either(a.fails, circuit.choose(condition, b.fails, c.fails))};
      result.number.depends =
          merge(circuit, merge(circuit, a.number.depends, b.number.depends), c.number.depends);
      return result;
    }
    default: {
      const Result a = evaluate(expr.a, leaves);
      const Result b = arity(expr.op) == 2 ? evaluate(expr.b, leaves) : Result{constant(expr.imm), kFalse};
      Lit fails = circuit.either(a.fails, b.fails);
      Number number = apply(expr.op, a.number, b.number, fails);
      return {std::move(number), fails};
    }
  }
}

Number Expressions::apply(ExprOp op, const Number& a, const Number& b, Lit& fails) {
  Circuit& circuit = arithmetic_.circuit();
  Number result;
  result.depends = merge(circuit, a.depends, b.depends);
  result.range = apply_range(op, a.range, b.range);
  if (!result.range.is_empty() && !result.range.bounded()) throw Unsupported("a value may leave 64 bits");
  const auto compare = [&](Lit literal) { result.bits = arithmetic_.from(literal); };
  switch (op) {
    case ExprOp::kNeg:
      result.bits = arithmetic_.negate(a.bits);
      break;
    case ExprOp::kNot:
      compare(!arithmetic_.truth(a.bits));
      break;
    case ExprOp::kBitNot:
      result.bits = Arithmetic::complement(a.bits);
      break;
    case ExprOp::kWrap:
      result.bits = Arithmetic::wrap(a.bits, b.range.lo);
      break;
    case ExprOp::kAdd:
      result.bits = arithmetic_.add(a.bits, b.bits);
      break;
    case ExprOp::kSub:
      result.bits = arithmetic_.subtract(a.bits, b.bits);
      break;
    case ExprOp::kMul:
      result.bits = arithmetic_.multiply(a.bits, b.bits);
      break;
    case ExprOp::kDiv:
    case ExprOp::kMod: {
      fails = circuit.either(fails, is(b, 0));
      Bits quotient, remainder;
      arithmetic_.divide(a.bits, b.bits, quotient, remainder);
      result.bits = op == ExprOp::kDiv ? quotient : remainder;
      break;
    }
    case ExprOp::kEq:
      compare(arithmetic_.equal(a.bits, b.bits));
      break;
    case ExprOp::kNe:
      compare(!arithmetic_.equal(a.bits, b.bits));
      break;
    case ExprOp::kLt:
      compare(arithmetic_.less(a.bits, b.bits));
      break;
    case ExprOp::kLe:
      compare(!arithmetic_.less(b.bits, a.bits));
      break;
    case ExprOp::kGt:
      compare(arithmetic_.less(b.bits, a.bits));
      break;
    case ExprOp::kGe:
      compare(!arithmetic_.less(a.bits, b.bits));
      break;
    case ExprOp::kUlt:
      compare(arithmetic_.less_unsigned(a.bits, b.bits));
      break;
    case ExprOp::kUle:
      compare(!arithmetic_.less_unsigned(b.bits, a.bits));
      break;
    case ExprOp::kBitAnd:
      result.bits = arithmetic_.bit_and(a.bits, b.bits);
      break;
    case ExprOp::kBitOr:
      result.bits = arithmetic_.bit_or(a.bits, b.bits);
      break;
    case ExprOp::kBitXor:
      result.bits = arithmetic_.bit_xor(a.bits, b.bits);
      break;
    case ExprOp::kShl:
    case ExprOp::kShr: {
      constexpr unsigned kLast = 62;  // further to the left only 0 can be shifted
      if (b.range.hi > static_cast<Value>(kLast))
        throw Unsupported("a shift by more than 62 bits is possible");
      fails = circuit.either(fails, b.bits.sign());
      result.bits = op == ExprOp::kShl ? arithmetic_.shift_left(a.bits, b.bits, kLast)
                                       : arithmetic_.shift_right(a.bits, b.bits, kLast);
      break;
    }
    default:
      throw Bug("apply() called on a leaf");
  }
  if (!result.range.is_empty()) result.bits = Arithmetic::fit(std::move(result.bits), result.range);
  if (result.range.is_empty()) result = constant(0);  // it can only fail
  return result;
}

}  // namespace fenceline
