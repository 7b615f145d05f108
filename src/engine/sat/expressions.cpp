// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/expressions.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "env/errors.h"
#include "ir/analysis/value_sets.h"
#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::sat {
namespace {

constexpr size_t kFewValues = 8, kFewCases = 64;

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
  Number result{{}, then.values.join(otherwise.values), {}};
  result.bits = Arithmetic::fit(arithmetic_.choose(condition, then.bits, otherwise.bits), result.values);
  result.depends = fenceline::sat::choose(arithmetic_.circuit(), condition, then.depends, otherwise.depends);
  return result;
}

Number Expressions::narrow(const Number& number, const ValueSet& values) {
  Number result = number;
  result.values = number.values.meet(values);
  if (!result.values.is_empty()) result.bits = Arithmetic::fit(number.bits, result.values);
  return result;
}

Lit Expressions::within(const Number& number, Range range) {
  if (number.values.within(range)) return kTrue;
  const ValueSet inside = number.values.meet(range);
  if (inside.is_empty()) return kFalse;
  Circuit& circuit = arithmetic_.circuit();
  if (number.values.is_small()) {
    // Whichever needs fewer clauses.
    const ValueSet outside = number.values.filtered([&](Value value) { return !range.contains(value); });
    const bool few = inside.size() <= outside.size();
    if (std::min(inside.size(), outside.size()) <= kFewValues) {
      std::vector<Lit> alternatives;
      (few ? inside : outside).for_each([&](Value value) { alternatives.push_back(is(number, value)); });
      const Lit any = circuit.any(std::move(alternatives));
      return few ? any : !any;
    }
  }
  Lit result = kTrue;
  if (number.values.range().lo < range.lo)
    result = !arithmetic_.less(number.bits, Arithmetic::constant(range.lo));
  if (number.values.range().hi > range.hi)
    result = circuit.both(result, !arithmetic_.less(Arithmetic::constant(range.hi), number.bits));
  return result;
}

// Only as many bits are compared as distinguish the value from the others that the number can be.
Lit Expressions::is(const Number& number, Value value) {
  if (!number.values.contains(value)) return kFalse;
  if (number.values.is_single()) return kTrue;
  if (!number.values.is_small()) return arithmetic_.equal(number.bits, Arithmetic::constant(value));
  std::vector<Value> others = number.values.members();
  std::erase(others, value);
  std::vector<Lit> same;
  while (!others.empty()) {
    size_t best = 0, most = 0;
    for (size_t bit = 0; bit < number.bits.width(); ++bit) {
      if (number.bits.lits[bit].constant()) continue;
      const auto gap = static_cast<size_t>(std::count_if(
          others.begin(), others.end(), [&](Value other) { return (((other ^ value) >> bit) & 1) != 0; }));
      if (gap > most) best = bit, most = gap;
    }
    // Its bits may be constants for other reasons than its set: then they are more precise.
    if (most == 0) break;
    const bool one = ((value >> best) & 1) != 0;
    same.push_back(one ? number.bits.lits[best] : !number.bits.lits[best]);
    std::erase_if(others, [&](Value other) { return (((other ^ value) >> best) & 1) != 0; });
  }
  if (!others.empty()) return arithmetic_.equal(number.bits, Arithmetic::constant(value));
  return arithmetic_.circuit().all(std::move(same));
}

Lit Expressions::holds(const Number& number) {
  if (!number.values.contains(0)) return kTrue;
  return !is(number, 0);
}

Lit Expressions::equal(const Number& a, const Number& b) {
  const ValueSet common = a.values.meet(b.values);
  if (common.is_empty()) return kFalse;
  if (common.is_single())
    return arithmetic_.circuit().both(is(a, common.range().lo), is(b, common.range().lo));
  return arithmetic_.equal(a.bits, b.bits);
}

Expressions::Result Expressions::element(const Expr& expr, Leaves& leaves) {
  Result index = evaluate(expr.a, leaves);
  const uint32_t size = expr.op == ExprOp::kCell ? program_.object(expr.object).size() : expr.count;
  const Range inside{0, static_cast<Value>(size) - 1};
  const Lit fails = arithmetic_.circuit().either(index.fails, !within(index.number, inside));
  const Number possible = narrow(index.number, inside);
  if (possible.values.is_empty()) return {constant(0), kTrue};
  const Range around = possible.values.range();
  Number number = leaves.leaf(expr, static_cast<uint32_t>(around.lo));
  for (Value i = around.lo + 1; i <= around.hi; ++i)
    if (possible.values.contains(i))
      number = choose(is(possible, i), leaves.leaf(expr, static_cast<uint32_t>(i)), number);
  number.depends = merge(arithmetic_.circuit(), number.depends, index.number.depends);
  return {std::move(number), fails};
}

void Expressions::depend(ExprId id, Leaves& leaves, Dependencies& depends) {
  for_each_expr(program_, id, [&](const Expr& expr) {
    if (leaf_of(expr.op) != LeafKind::kRegister && leaf_of(expr.op) != LeafKind::kCell) return;
    const uint32_t size = expr.op == ExprOp::kCell ? program_.object(expr.object).size() : expr.count;
    for (uint32_t i = 0; i < size; ++i)
      depends = merge(arithmetic_.circuit(), depends, leaves.leaf(expr, i).depends);
  });
}

Expressions::Result Expressions::evaluate(ExprId id, Leaves& leaves) {
  const Expr& expr = program_.expr(id);
  Circuit& circuit = arithmetic_.circuit();
  switch (shape_of(expr.op)) {
    case ExprShape::kConst:
      return {constant(expr.imm), kFalse};
    case ExprShape::kReg:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      return {leaves.leaf(expr, 0), kFalse};
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt:
    case ExprShape::kCell:
      return element(expr, leaves);
    case ExprShape::kLazy: {
      const Result a = evaluate(expr.a, leaves), b = evaluate(expr.b, leaves);
      const Lit first = holds(a.number), second = holds(b.number);
      const bool is_and = expr.op == ExprOp::kAnd;
      return {truth(is_and ? circuit.both(first, second) : circuit.either(first, second),
                    merge(circuit, a.number.depends, b.number.depends)),
              circuit.either(a.fails, circuit.both(is_and ? first : !first, b.fails))};
    }
    case ExprShape::kSelect: {
      const Result a = evaluate(expr.a, leaves);
      const Lit condition = holds(a.number);
      // The value of the one that is not chosen needs no gates; what it depends on counts all the same.
      if (condition.constant()) {
        Result chosen = evaluate(condition == kTrue ? expr.b : expr.c, leaves);
        Dependencies depends = merge(circuit, a.number.depends, chosen.number.depends);
        depend(condition == kTrue ? expr.c : expr.b, leaves, depends);
        chosen.number.depends = std::move(depends);
        chosen.fails = circuit.either(a.fails, chosen.fails);
        return chosen;
      }
      const Result b = evaluate(expr.b, leaves), c = evaluate(expr.c, leaves);
      Result result{choose(condition, b.number, c.number),
                    circuit.either(a.fails, circuit.choose(condition, b.fails, c.fails))};
      result.number.depends =
          merge(circuit, merge(circuit, a.number.depends, b.number.depends), c.number.depends);
      return result;
    }
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
      break;
  }
  const Result a = evaluate(expr.a, leaves);
  const Result b = arity(expr.op) == 2 ? evaluate(expr.b, leaves) : Result{constant(expr.imm), kFalse};
  Lit fails = circuit.either(a.fails, b.fails);
  Number number = apply(expr.op, a.number, b.number, fails);
  return {std::move(number), fails};
}

Lit Expressions::condition(ExprOp op, const Number& a, const Number& b) {
  if (op == ExprOp::kNot) return !holds(a);
  if (op == ExprOp::kEq) return equal(a, b);
  if (op == ExprOp::kNe) return !equal(a, b);
  if (op == ExprOp::kLt) return arithmetic_.less(a.bits, b.bits);
  if (op == ExprOp::kLe) return !arithmetic_.less(b.bits, a.bits);
  if (op == ExprOp::kGt) return arithmetic_.less(b.bits, a.bits);
  if (op == ExprOp::kGe) return !arithmetic_.less(a.bits, b.bits);
  if (op == ExprOp::kUlt) return arithmetic_.less_unsigned(a.bits, b.bits);
  if (op == ExprOp::kUle) return !arithmetic_.less_unsigned(b.bits, a.bits);
  throw Bug("condition() called on an operator that is none");
}

// The operators that always have a value. The width of a kWrap is in b.
Bits Expressions::total(ExprOp op, const Number& a, const Number& b) {
  switch (class_of(op)) {
    case OperatorClass::kNot:
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kUnsignedLess:
      return arithmetic_.from(condition(op, a, b));
    case OperatorClass::kNeg:
      return arithmetic_.negate(a.bits);
    case OperatorClass::kBitNot:
      return Arithmetic::complement(a.bits);
    case OperatorClass::kWrap:
      return Arithmetic::wrap(a.bits, b.values.range().lo);
    case OperatorClass::kAdd:
      return arithmetic_.add(a.bits, b.bits);
    case OperatorClass::kSub:
      return arithmetic_.subtract(a.bits, b.bits);
    case OperatorClass::kMul:
      return arithmetic_.multiply(a.bits, b.bits);
    case OperatorClass::kBitwise:
      if (op == ExprOp::kBitAnd) return arithmetic_.bit_and(a.bits, b.bits);
      return op == ExprOp::kBitOr ? arithmetic_.bit_or(a.bits, b.bits) : arithmetic_.bit_xor(a.bits, b.bits);
    case OperatorClass::kModular:
      if (op == ExprOp::kAdd64) return Arithmetic::wrap(arithmetic_.add(a.bits, b.bits), 64);
      if (op == ExprOp::kSub64) return Arithmetic::wrap(arithmetic_.subtract(a.bits, b.bits), 64);
      if (op == ExprOp::kMul64) return Arithmetic::wrap(arithmetic_.multiply(a.bits, b.bits), 64);
      return Arithmetic::wrap(shift(ExprOp::kShl, a, b), 64);
    case OperatorClass::kDivide:
    case OperatorClass::kShift:
    case OperatorClass::kLeaf:
    case OperatorClass::kLazy:
    case OperatorClass::kSelect:
      break;
  }
  throw Bug("not an operator that always has a value");
}

Bits Expressions::shift(ExprOp op, const Number& a, const Number& b) {
  constexpr unsigned kLast = 63;  // further to the left only 0 can be shifted
  if (b.values.range().hi > static_cast<Value>(kLast))
    throw Unsupported("a shift by more than 63 bits is possible");
  return op == ExprOp::kShl ? arithmetic_.shift_left(a.bits, b.bits, kLast)
                            : arithmetic_.shift_right(a.bits, b.bits, kLast);
}

namespace {

// Is the result of some numbers of 64 bits none, if the second one is one of these?
bool may_leave_64_bits(ExprOp op, const ValueSet& b) {
  switch (class_of(op)) {
    case OperatorClass::kNeg:
    case OperatorClass::kAdd:
    case OperatorClass::kSub:
    case OperatorClass::kMul:
      return true;
    case OperatorClass::kDivide:
      return op == ExprOp::kDiv && b.contains(-1);
    case OperatorClass::kShift:
      return op == ExprOp::kShl;
    case OperatorClass::kNot:
    case OperatorClass::kBitNot:
    case OperatorClass::kWrap:
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kUnsignedLess:
    case OperatorClass::kLazy:
    case OperatorClass::kBitwise:
    case OperatorClass::kModular:
    case OperatorClass::kLeaf:
    case OperatorClass::kSelect:
      break;
  }
  return false;
}

}  // namespace

Number Expressions::apply(ExprOp op, const Number& a, const Number& b, Lit& fails) {
  Circuit& circuit = arithmetic_.circuit();
  Number result;
  result.depends = merge(circuit, a.depends, b.depends);
  result.values = apply_values(op, a.values, b.values);
  if (!result.values.is_empty() && !result.values.bounded() && may_leave_64_bits(op, b.values))
    throw Unsupported("a value may leave 64 bits");
  if (result.values.is_single() && !is_partial(op)) {
    result.bits = Arithmetic::constant(result.values.range().lo);
    return result;
  }
  if (class_of(op) == OperatorClass::kDivide) {
    fails = circuit.either(fails, is(b, 0));
    if (by_table(op, a, b, result)) return result;
    Bits quotient, remainder;
    arithmetic_.divide(a.bits, b.bits, quotient, remainder);
    result.bits = op == ExprOp::kDiv ? quotient : remainder;
  } else if (class_of(op) == OperatorClass::kShift) {
    fails = circuit.either(fails, b.bits.sign());
    result.bits = shift(op, a, b);
  } else {
    if (op == ExprOp::kShl64) fails = circuit.either(fails, b.bits.sign());
    result.bits = total(op, a, b);
  }
  if (result.values.is_empty()) return constant(0);  // it can only fail
  result.bits = Arithmetic::fit(std::move(result.bits), result.values);
  return result;
}

Number Expressions::fetch(const Instruction& rmw, const Number& old, const Number& a) {
  Lit fails = kFalse;  // none of the operators can
  const ExprOp op = operator_of(rmw.rmw);
  if (rmw.wrap == 0) return apply(op, old, a, fails);
  Number result;
  result.depends = merge(arithmetic_.circuit(), old.depends, a.depends);
  result.values = fetch_values(rmw.rmw, old.values, a.values, rmw.wrap);
  if (result.values.is_empty()) return constant(0);
  if (result.values.is_single()) {
    result.bits = Arithmetic::constant(result.values.range().lo);
    return result;
  }
  result.bits = Arithmetic::fit(Arithmetic::wrap(total(op, old, a), rmw.wrap), result.values);
  return result;
}

// Division by a power of two drops bits; other operations that are laborious are written down case by case if
// there are few cases.
bool Expressions::by_table(ExprOp op, const Number& a, const Number& b, Number& result) {
  if (result.values.is_empty()) {
    result = constant(0);
    return true;
  }
  if (result.values.is_single()) {
    result.bits = Arithmetic::constant(result.values.range().lo);
    return true;
  }
  const Value divisor = b.values.range().lo;
  if (b.values.is_single() && divisor > 0 && std::has_single_bit(static_cast<uint64_t>(divisor)) &&
      a.values.range().lo >= 0) {
    const auto dropped = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(divisor)));
    Bits bits{{}};
    if (op == ExprOp::kMod) {
      for (size_t bit = 0; bit < dropped; ++bit) bits.lits.push_back(a.bits.at(bit));
      bits.lits.push_back(kFalse);
    } else {
      for (size_t bit = dropped; bit < a.bits.width(); ++bit) bits.lits.push_back(a.bits.at(bit));
      bits.lits.push_back(kFalse);
    }
    result.bits = Arithmetic::fit(std::move(bits), result.values);
    return true;
  }
  if (!a.values.is_small() || !b.values.is_small() || a.values.size() * b.values.size() > kFewCases)
    return false;
  std::vector<std::vector<Lit>> ones(64);  // by bit: the cases in which it is 1
  a.values.for_each([&](Value x) {
    b.values.for_each([&](Value y) {
      const Evaluated value = fenceline::apply(op, x, y);
      if (!value.ok()) return;
      const Lit here = arithmetic_.circuit().both(is(a, x), is(b, y));
      for (size_t bit = 0; bit < ones.size(); ++bit)
        if ((value.value >> bit) & 1) ones[bit].push_back(here);
    });
  });
  Bits bits{{}};
  for (std::vector<Lit>& cases : ones) bits.lits.push_back(arithmetic_.circuit().any(std::move(cases)));
  result.bits = Arithmetic::fit(std::move(bits), result.values);
  return true;
}

}  // namespace fenceline::sat
