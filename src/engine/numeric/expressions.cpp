// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/expressions.h"

#include <algorithm>

#include "env/errors.h"
#include "ir/analysis/interval.h"
#include "ir/eval.h"

namespace fenceline::numeric {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min();
constexpr Value kMax = std::numeric_limits<Value>::max();
// Interval arithmetic is used only for operands this small: then no intermediate result exceeds 64 bits.
constexpr Value kSmall = Value{1} << 30;

bool small(Range range) { return range.lo >= -kSmall && range.hi <= kSmall; }

// A value of which only the range is known.
Linear unknown(AbstractElement& element, Range range = Range::all()) {
  Linear value = Linear::dimension(element.add());
  element = inside(value, range, std::move(element));
  return value;
}

Linear negated(const Linear& value, AbstractElement& element) {
  const std::optional<Linear> result = scaled(value, -1);
  return result ? *result : unknown(element);
}

// The comparisons that are linear constraints.
bool is_linear_comparison(ExprOp op) {
  return is_comparison(op) && class_of(op) != OperatorClass::kUnsignedLess;
}

// The operators that truths() evaluates by cases; their value is 0 or 1.
bool is_condition(ExprOp op) {
  return is_linear_comparison(op) || op == ExprOp::kNot || shape_of(op) == ExprShape::kLazy;
}

// a - b, or nothing known.
std::optional<Linear> minus(const Linear& a, const Linear& b, Value constant = 0) {
  const std::optional<Linear> d = difference(a, b);
  return d ? sum(*d, Linear::of(constant)) : std::nullopt;
}

}  // namespace

NumericTerm term_of(const Linear& value, AbstractElement& element) {
  if (value.is_constant()) return {value.constant};
  if (const std::optional<Dimension> dimension = value.as_dimension()) return {*dimension};
  const Dimension fresh = element.add();
  if (const std::optional<Linear> equal = difference(value, Linear::dimension(fresh)))
    element.assume_zero(*equal);
  return {fresh};
}

AbstractElement inside(const Linear& value, Range range, AbstractElement element) {
  if (range.lo != kMin)
    if (const auto above = minus(value, Linear::of(range.lo))) element.assume_not_negative(*above);
  if (range.hi != kMax)
    if (const auto below = minus(Linear::of(range.hi), value)) element.assume_not_negative(*below);
  return element;
}

std::vector<AbstractElement> outside(const Linear& value, Range range, const AbstractElement& element) {
  std::vector<AbstractElement> result;
  if (range.lo != kMin) {
    AbstractElement below = inside(value, {kMin, range.lo - 1}, element);
    if (!below.empty()) result.push_back(std::move(below));
  }
  if (range.hi != kMax) {
    AbstractElement above = inside(value, {range.hi + 1, kMax}, element);
    if (!above.empty()) result.push_back(std::move(above));
  }
  return result;
}

std::vector<ConstantCase> constants(const Linear& value, Range range, const AbstractElement& element) {
  std::vector<ConstantCase> result;
  if (element.empty()) return result;
  const Range possible = element.bounds(value).meet(range);
  for (Value v = possible.lo; v <= possible.hi; ++v) {
    AbstractElement here = element;
    const std::optional<Linear> zero = minus(value, Linear::of(v));
    if (!zero || here.assume_zero(*zero)) result.push_back({std::move(here), v});
  }
  return result;
}

std::vector<Evaluator::ValueCase> Evaluator::leaf(const Expr& e, Value index, AbstractElement element) const {
  const auto offset = static_cast<size_t>(index);
  std::optional<NumericTerm> term;
  Range range;
  switch (leaf_of(e.op)) {
    case LeafKind::kRegister: {
      const ThreadId owner = e.thread.valid() ? e.thread : self_;
      term = state_.registers[owner.index()][e.reg.index() + offset];
      range = plan_.register_range(owner, RegId(e.reg.index() + offset));
      break;
    }
    case LeafKind::kCell:
      term = state_.memory[plan_.program().object(e.object).first_cell.index() + offset];
      range = plan_.cell_range(CellId(plan_.program().object(e.object).first_cell.index() + offset));
      if (plan_.smashed(e.object)) range = *plan_.smashed(e.object);
      break;
    case LeafKind::kLocation:
      term = NumericTerm{Value{state_.locations[e.thread.index()] == e.point}};
      break;
    case LeafKind::kConst:
    case LeafKind::kNone:
      throw Bug("a leaf of an unknown kind");
  }
  const Linear value = term ? linear_of(*term) : unknown(element, range);
  return {{std::move(element), value}};
}

// An element of an array of `count`.
std::vector<Evaluator::ValueCase> Evaluator::array_element(const Expr& e, Value count,
                                                           const AbstractElement& element) const {
  std::vector<ValueCase> result;
  for (ValueCase& index : values(e.a, element)) {
    if (index.failed) {
      result.push_back(std::move(index));
      continue;
    }
    const Range range{0, count - 1};
    for (AbstractElement& failing : outside(index.value, range, index.element))
      result.push_back({std::move(failing), {}, true});
    for (const ConstantCase& at : constants(index.value, range, index.element))
      for (ValueCase& one : leaf(e, at.value, at.element)) result.push_back(std::move(one));
  }
  return result;
}

std::vector<Evaluator::ValueCase> Evaluator::values(ExprId id, const AbstractElement& element) const {
  const Expr& e = plan_.program().expr(id);
  std::vector<ValueCase> result;
  if (is_condition(e.op)) {
    for (TruthCase& one : truths(id, element))
      result.push_back({std::move(one.element), Linear::of(one.truth ? 1 : 0), one.failed});
    return result;
  }
  switch (shape_of(e.op)) {
    case ExprShape::kConst:
      return {{element, Linear::of(e.imm)}};
    case ExprShape::kReg:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      return leaf(e, 0, element);
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt:
      return array_element(e, e.count, element);
    case ExprShape::kCell:
      return array_element(e, plan_.program().object(e.object).size(), element);
    case ExprShape::kSelect:
      for (TruthCase& condition : truths(e.a, element)) {
        if (condition.failed) {
          result.push_back({std::move(condition.element), {}, true});
          continue;
        }
        for (ValueCase& one : values(condition.truth ? e.b : e.c, condition.element))
          result.push_back(std::move(one));
      }
      return result;
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
      break;
  }
  for (ValueCase& a : values(e.a, element)) {
    if (a.failed) {
      result.push_back(std::move(a));
    } else if (arity(e.op) == 1) {
      binary(e.op, a, Linear::of(e.imm), a.element, result);
    } else {
      for (ValueCase& b : values(e.b, a.element)) {
        if (b.failed)
          result.push_back(std::move(b));
        else
          binary(e.op, a, b.value, b.element, result);
      }
    }
  }
  return result;
}

namespace {

using ValueCases = std::vector<Evaluator::ValueCase>;

void give(AbstractElement&& element, const Linear& value, ValueCases& out) {
  if (!element.empty()) out.push_back({std::move(element), value});
}
void give_unknown(AbstractElement&& element, ValueCases& out) {
  const Linear any = unknown(element);
  give(std::move(element), any, out);
}

// kDiv, kMod. False: nothing is known of the result.
bool divide(ExprOp op, const Linear& a, const Linear& b, const AbstractElement& element, ValueCases& out) {
  AbstractElement by_zero = inside(b, Range::single(0), element);
  if (!by_zero.empty()) out.push_back({std::move(by_zero), {}, true});
  if (!b.is_constant() || b.constant == 0) {
    for (AbstractElement& nonzero : outside(b, Range::single(0), element))
      give_unknown(std::move(nonzero), out);
    return true;
  }
  // Truncating: |a| = |divisor| * |q| + |r|, with the signs of a for r. By sign of a.
  if (b.constant == kMin) return false;
  const Value divisor = b.constant < 0 ? -b.constant : b.constant;
  for (const bool negative : {false, true}) {
    AbstractElement here = inside(a, negative ? Range{kMin, -1} : Range{0, kMax}, element);
    if (here.empty()) continue;
    const Linear q = Linear::dimension(here.add());  // a / divisor
    const std::optional<Linear> product = scaled(q, divisor);
    const std::optional<Linear> remainder = product ? difference(a, *product) : std::nullopt;
    if (!remainder) {
      give_unknown(std::move(here), out);
      continue;
    }
    here = inside(*remainder, negative ? Range{-(divisor - 1), 0} : Range{0, divisor - 1}, std::move(here));
    here = inside(q, negative ? Range{kMin, 0} : Range{0, kMax}, std::move(here));
    if (here.empty()) continue;
    const Linear value = op == ExprOp::kMod ? *remainder : b.constant < 0 ? negated(q, here) : q;
    give(std::move(here), value, out);
  }
  return true;
}

// kShr by a constant.
void shift_right(const Linear& a, Value bits, AbstractElement&& element, ValueCases& out) {
  const Value power = Value{1} << bits;
  const Linear q = Linear::dimension(element.add());
  const std::optional<Linear> product = scaled(q, power);
  if (const auto remainder = product ? difference(a, *product) : std::nullopt)
    element = inside(*remainder, {0, power - 1}, std::move(element));
  give(std::move(element), q, out);
}

}  // namespace

void Evaluator::binary(ExprOp op, const ValueCase& left, const Linear& b, AbstractElement element,
                       std::vector<ValueCase>& out) const {
  const Linear& a = left.value;
  const auto linear = [&](const std::optional<Linear>& value) {
    if (!value) return give_unknown(std::move(element), out);
    give(std::move(element), *value, out);
  };
  // Where the distance is negative; true if it is nowhere else.
  const auto shift_fails = [&] {
    for (AbstractElement& failing : outside(b, {0, kMax}, element))
      out.push_back({std::move(failing), {}, true});
    element = inside(b, {0, kMax}, std::move(element));
    return element.empty();
  };
  if (a.is_constant() && b.is_constant()) {
    const Evaluated known = apply(op, a.constant, b.constant);
    if (known.ok()) return give(std::move(element), Linear::of(known.value), out);
    if (known.status == EvalStatus::kOverflow) return give_unknown(std::move(element), out);
    out.push_back({std::move(element), {}, true});
    return;
  }
  switch (class_of(op)) {
    case OperatorClass::kNeg:
      return linear(scaled(a, -1));
    case OperatorClass::kAdd:
      return linear(sum(a, b));
    case OperatorClass::kSub:
      return linear(difference(a, b));
    case OperatorClass::kMul:
      if (a.is_constant()) return linear(scaled(b, a.constant));
      if (b.is_constant()) return linear(scaled(a, b.constant));
      break;
    case OperatorClass::kBitNot: {
      const std::optional<Linear> minus_a = scaled(a, -1);
      return linear(minus_a ? sum(*minus_a, Linear::of(-1)) : std::nullopt);
    }
    case OperatorClass::kDivide:
      if (divide(op, a, b, element, out)) return;
      break;
    case OperatorClass::kShift:
      if (shift_fails()) return;
      if (!b.is_constant() || b.constant > 62) break;
      if (op == ExprOp::kShl) return linear(scaled(a, Value{1} << b.constant));
      return shift_right(a, b.constant, std::move(element), out);
    case OperatorClass::kModular:
      if (op == ExprOp::kShl64 && shift_fails()) return;
      break;
    case OperatorClass::kWrap:
    case OperatorClass::kBitwise:
    case OperatorClass::kUnsignedLess:
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kLeaf:
    case OperatorClass::kNot:
    case OperatorClass::kLazy:
    case OperatorClass::kSelect:
      break;
  }
  const Range ranges[] = {element.bounds(a), element.bounds(b)};
  const bool known = small(ranges[0]) && small(ranges[1]) && class_of(op) != OperatorClass::kShift;
  const Linear value = unknown(element, known ? apply_range(op, ranges[0], ranges[1]) : Range::all());
  give(std::move(element), value, out);
}

void Evaluator::compare(ExprOp op, const Linear& a, const Linear& b, const AbstractElement& element,
                        std::vector<TruthCase>& out) const {
  // a < b is b - a - 1 >= 0. A difference that does not fit says nothing.
  const auto when = [&](const std::optional<Linear>& not_negative, bool truth) {
    AbstractElement here = element;
    if (!not_negative || here.assume_not_negative(*not_negative)) out.push_back({std::move(here), truth});
  };
  const std::optional<Linear> less = minus(b, a, -1), less_or_equal = minus(b, a);
  const std::optional<Linear> greater = minus(a, b, -1), greater_or_equal = minus(a, b);
  if (op == ExprOp::kLt) return when(less, true), when(greater_or_equal, false);
  if (op == ExprOp::kLe) return when(less_or_equal, true), when(greater, false);
  if (op == ExprOp::kGt) return when(greater, true), when(less_or_equal, false);
  if (op == ExprOp::kGe) return when(greater_or_equal, true), when(less, false);
  if (class_of(op) == OperatorClass::kEqual) {
    AbstractElement equal = element;
    if (!less_or_equal || equal.assume_zero(*less_or_equal))
      out.push_back({std::move(equal), op == ExprOp::kEq});
    return when(less, op == ExprOp::kNe), when(greater, op == ExprOp::kNe);
  }
  throw Bug("not a comparison");
}

std::vector<Evaluator::TruthCase> Evaluator::truths(ExprId id, const AbstractElement& element) const {
  const Expr& e = plan_.program().expr(id);
  std::vector<TruthCase> result;
  if (e.op == ExprOp::kNot) {
    result = truths(e.a, element);
    for (TruthCase& one : result) one.truth = !one.truth;
    return result;
  }
  if (shape_of(e.op) == ExprShape::kLazy) {
    for (TruthCase& a : truths(e.a, element)) {
      if (a.failed || a.truth == (e.op == ExprOp::kOr)) {
        result.push_back(std::move(a));
        continue;
      }
      for (TruthCase& b : truths(e.b, a.element)) result.push_back(std::move(b));
    }
    return result;
  }
  if (is_linear_comparison(e.op)) {
    for (ValueCase& a : values(e.a, element)) {
      if (a.failed) {
        result.push_back({std::move(a.element), false, true});
        continue;
      }
      for (ValueCase& b : values(e.b, a.element)) {
        if (b.failed)
          result.push_back({std::move(b.element), false, true});
        else
          compare(e.op, a.value, b.value, b.element, result);
      }
    }
    return result;
  }
  for (ValueCase& value : values(id, element)) {
    if (value.failed)
      result.push_back({std::move(value.element), false, true});
    else
      compare(ExprOp::kNe, value.value, Linear::of(0), value.element, result);
  }
  return result;
}

}  // namespace fenceline::numeric
