// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/expressions.h"

#include <algorithm>

#include "env/errors.h"
#include "ir/analysis/interval.h"
#include "ir/eval.h"

namespace fenceline {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min();
constexpr Value kMax = std::numeric_limits<Value>::max();
// Interval arithmetic is used only for operands this small: then nothing leaves 64 bits on the way.
constexpr Value kSmall = Value{1} << 30;

bool small(Range range) { return range.lo >= -kSmall && range.hi <= kSmall; }

// A value of which only the range is known.
Linear unknown(Numbers& numbers, Range range = Range::all()) {
  Linear value = Linear::dimension(numbers.add());
  numbers = inside(value, range, std::move(numbers));
  return value;
}

Linear negated(const Linear& value, Numbers& numbers) {
  const std::optional<Linear> result = scaled(value, -1);
  return result ? *result : unknown(numbers);
}

// a - b, or nothing known.
std::optional<Linear> minus(const Linear& a, const Linear& b, Value constant = 0) {
  const std::optional<Linear> d = difference(a, b);
  return d ? sum(*d, Linear::of(constant)) : std::nullopt;
}

}  // namespace

NumericTerm term_of(const Linear& value, Numbers& numbers) {
  if (value.is_constant()) return {value.constant};
  if (const std::optional<Dimension> dimension = value.as_dimension()) return {*dimension};
  const Dimension fresh = numbers.add();
  if (const std::optional<Linear> equal = difference(value, Linear::dimension(fresh)))
    numbers.assume_zero(*equal);
  return {fresh};
}

Numbers inside(const Linear& value, Range range, Numbers numbers) {
  if (range.lo != kMin)
    if (const auto above = minus(value, Linear::of(range.lo))) numbers.assume_not_negative(*above);
  if (range.hi != kMax)
    if (const auto below = minus(Linear::of(range.hi), value)) numbers.assume_not_negative(*below);
  return numbers;
}

std::vector<Numbers> outside(const Linear& value, Range range, const Numbers& numbers) {
  std::vector<Numbers> result;
  if (range.lo != kMin) {
    Numbers below = inside(value, {kMin, range.lo - 1}, numbers);
    if (!below.empty()) result.push_back(std::move(below));
  }
  if (range.hi != kMax) {
    Numbers above = inside(value, {range.hi + 1, kMax}, numbers);
    if (!above.empty()) result.push_back(std::move(above));
  }
  return result;
}

std::vector<ConstantCase> constants(const Linear& value, Range range, const Numbers& numbers) {
  std::vector<ConstantCase> result;
  if (numbers.empty()) return result;
  const Range possible = numbers.bounds(value).meet(range);
  for (Value v = possible.lo; v <= possible.hi; ++v) {
    Numbers here = numbers;
    const std::optional<Linear> zero = minus(value, Linear::of(v));
    if (!zero || here.assume_zero(*zero)) result.push_back({std::move(here), v});
  }
  return result;
}

std::vector<Evaluator::ValueCase> Evaluator::leaf(const Expr& e, Value index, Numbers numbers) const {
  const auto offset = static_cast<size_t>(index);
  std::optional<NumericTerm> term;
  Range range;
  switch (shape_of(e.op)) {
    case ExprShape::kReg:
    case ExprShape::kRegAt:
      term = state_.registers[self_.index()][e.reg.index() + offset];
      range = plan_.register_range(self_, RegId(e.reg.index() + offset));
      break;
    case ExprShape::kThreadReg:
    case ExprShape::kThreadRegAt:
      term = state_.registers[e.thread.index()][e.reg.index() + offset];
      range = plan_.register_range(e.thread, RegId(e.reg.index() + offset));
      break;
    case ExprShape::kCell:
      term = state_.memory[plan_.program().object(e.object).first_cell.index() + offset];
      range = plan_.cell_range(CellId(plan_.program().object(e.object).first_cell.index() + offset));
      if (plan_.smashed(e.object)) range = *plan_.smashed(e.object);
      break;
    case ExprShape::kAt:
      term = NumericTerm{Value{state_.where[e.thread.index()] == e.point}};
      break;
    case ExprShape::kConst:
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
    case ExprShape::kSelect:
      throw Bug("a leaf that nobody knows");
  }
  const Linear value = term ? linear_of(*term) : unknown(numbers, range);
  return {{std::move(numbers), value}};
}

// An element of an array of `count`.
std::vector<Evaluator::ValueCase> Evaluator::element(const Expr& e, Value count,
                                                     const Numbers& numbers) const {
  std::vector<ValueCase> result;
  for (ValueCase& index : values(e.a, numbers)) {
    if (index.failed) {
      result.push_back(std::move(index));
      continue;
    }
    const Range range{0, count - 1};
    for (Numbers& wrong : outside(index.value, range, index.numbers))
      result.push_back({std::move(wrong), {}, true});
    for (const ConstantCase& at : constants(index.value, range, index.numbers))
      for (ValueCase& one : leaf(e, at.value, at.numbers)) result.push_back(std::move(one));
  }
  return result;
}

std::vector<Evaluator::ValueCase> Evaluator::values(ExprId id, const Numbers& numbers) const {
  const Expr& e = plan_.program().expr(id);
  std::vector<ValueCase> result;
  switch (e.op) {
    case ExprOp::kConst:
      return {{numbers, Linear::of(e.imm)}};
    case ExprOp::kReg:
    case ExprOp::kThreadReg:
    case ExprOp::kAt:
      return leaf(e, 0, numbers);
    case ExprOp::kRegAt:
    case ExprOp::kThreadRegAt:
      return element(e, e.count, numbers);
    case ExprOp::kCell:
      return element(e, plan_.program().object(e.object).size(), numbers);
    case ExprOp::kSelect:
      for (TruthCase& condition : truths(e.a, numbers)) {
        if (condition.failed) {
          result.push_back({std::move(condition.numbers), {}, true});
          continue;
        }
        for (ValueCase& one : values(condition.truth ? e.b : e.c, condition.numbers))
          result.push_back(std::move(one));
      }
      return result;
    case ExprOp::kNot:
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
    case ExprOp::kAnd:
    case ExprOp::kOr:
      for (TruthCase& one : truths(id, numbers))
        result.push_back({std::move(one.numbers), Linear::of(one.truth ? 1 : 0), one.failed});
      return result;
    case ExprOp::kNeg:
    case ExprOp::kBitNot:
    case ExprOp::kWrap:
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kMod:
    case ExprOp::kUlt:
    case ExprOp::kUle:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kShl:
    case ExprOp::kShr:
      break;
  }
  for (ValueCase& a : values(e.a, numbers)) {
    if (a.failed) {
      result.push_back(std::move(a));
    } else if (arity(e.op) == 1) {
      binary(e.op, a, Linear::of(e.imm), a.numbers, result);
    } else {
      for (ValueCase& b : values(e.b, a.numbers)) {
        if (b.failed)
          result.push_back(std::move(b));
        else
          binary(e.op, a, b.value, b.numbers, result);
      }
    }
  }
  return result;
}

// A flat switch over the operators; division and shifts share `give` and `linear` with the others.
// NOLINTNEXTLINE(readability-function-size)
void Evaluator::binary(ExprOp op, const ValueCase& left, const Linear& b, Numbers numbers,
                       std::vector<ValueCase>& out) const {
  const Linear& a = left.value;
  const auto give = [&](Numbers&& in, const Linear& value) {
    if (!in.empty()) out.push_back({std::move(in), value});
  };
  const auto linear = [&](const std::optional<Linear>& value) {
    const Linear known = value ? *value : unknown(numbers);
    give(std::move(numbers), known);
  };
  if (a.is_constant() && b.is_constant()) {
    const Evaluated known = apply(op, a.constant, b.constant);
    if (known.ok()) return give(std::move(numbers), Linear::of(known.value));
    if (known.status != EvalStatus::kOverflow) {
      out.push_back({std::move(numbers), {}, true});
      return;
    }
    const Linear too_large = unknown(numbers);
    return give(std::move(numbers), too_large);
  }
  switch (op) {
    case ExprOp::kNeg:
      return linear(scaled(a, -1));
    case ExprOp::kAdd:
      return linear(sum(a, b));
    case ExprOp::kSub:
      return linear(difference(a, b));
    case ExprOp::kMul:
      if (a.is_constant()) return linear(scaled(b, a.constant));
      if (b.is_constant()) return linear(scaled(a, b.constant));
      break;
    case ExprOp::kBitNot: {
      const std::optional<Linear> minus_a = scaled(a, -1);
      return linear(minus_a ? sum(*minus_a, Linear::of(-1)) : std::nullopt);
    }
    case ExprOp::kDiv:
    case ExprOp::kMod: {
      Numbers by_zero = inside(b, Range::single(0), numbers);
      if (!by_zero.empty()) out.push_back({std::move(by_zero), {}, true});
      if (!b.is_constant() || b.constant == 0) {
        for (Numbers& rest : outside(b, Range::single(0), numbers)) {
          const Linear any = unknown(rest);
          give(std::move(rest), any);
        }
        return;
      }
      // Truncating: |a| = |divisor| * |q| + |r|, with the signs of a for r. By sign of a.
      if (b.constant == kMin) break;
      const Value divisor = b.constant < 0 ? -b.constant : b.constant;
      for (const bool negative : {false, true}) {
        Numbers here = inside(a, negative ? Range{kMin, -1} : Range{0, kMax}, numbers);
        if (here.empty()) continue;
        const Linear q = Linear::dimension(here.add());  // a / divisor
        const std::optional<Linear> product = scaled(q, divisor);
        const std::optional<Linear> rest = product ? difference(a, *product) : std::nullopt;
        if (!rest) {
          const Linear any = unknown(here);
          give(std::move(here), any);
          continue;
        }
        here = inside(*rest, negative ? Range{-(divisor - 1), 0} : Range{0, divisor - 1}, std::move(here));
        here = inside(q, negative ? Range{kMin, 0} : Range{0, kMax}, std::move(here));
        if (here.empty()) continue;
        const Linear value = op == ExprOp::kMod ? *rest : b.constant < 0 ? negated(q, here) : q;
        give(std::move(here), value);
      }
      return;
    }
    case ExprOp::kShl:
    case ExprOp::kShr: {
      for (Numbers& wrong : outside(b, {0, kMax}, numbers)) out.push_back({std::move(wrong), {}, true});
      numbers = inside(b, {0, kMax}, std::move(numbers));
      if (numbers.empty()) return;
      if (b.is_constant() && b.constant <= 62) {
        const Value power = Value{1} << b.constant;
        if (op == ExprOp::kShl) return linear(scaled(a, power));
        const Linear q = Linear::dimension(numbers.add());
        const std::optional<Linear> product = scaled(q, power);
        if (const auto rest = product ? difference(a, *product) : std::nullopt)
          numbers = inside(*rest, {0, power - 1}, std::move(numbers));
        return give(std::move(numbers), q);
      }
      break;
    }
    case ExprOp::kConst:
    case ExprOp::kReg:
    case ExprOp::kRegAt:
    case ExprOp::kNot:
    case ExprOp::kWrap:
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
    case ExprOp::kUlt:
    case ExprOp::kUle:
    case ExprOp::kAnd:
    case ExprOp::kOr:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kSelect:
    case ExprOp::kCell:
    case ExprOp::kThreadReg:
    case ExprOp::kThreadRegAt:
    case ExprOp::kAt:
      break;
  }
  const Range ranges[] = {numbers.bounds(a), numbers.bounds(b)};
  const bool known = small(ranges[0]) && small(ranges[1]) && op != ExprOp::kShl && op != ExprOp::kShr;
  const Linear value = unknown(numbers, known ? apply_range(op, ranges[0], ranges[1]) : Range::all());
  give(std::move(numbers), value);
}

void Evaluator::compare(ExprOp op, const Linear& a, const Linear& b, const Numbers& numbers,
                        std::vector<TruthCase>& out) const {
  // a < b is b - a - 1 >= 0. A difference that does not fit says nothing.
  const auto when = [&](const std::optional<Linear>& not_negative, bool truth) {
    Numbers here = numbers;
    if (!not_negative || here.assume_not_negative(*not_negative)) out.push_back({std::move(here), truth});
  };
  const std::optional<Linear> less = minus(b, a, -1), less_or_equal = minus(b, a);
  const std::optional<Linear> greater = minus(a, b, -1), greater_or_equal = minus(a, b);
  switch (op) {
    case ExprOp::kLt:
      return when(less, true), when(greater_or_equal, false);
    case ExprOp::kLe:
      return when(less_or_equal, true), when(greater, false);
    case ExprOp::kGt:
      return when(greater, true), when(less_or_equal, false);
    case ExprOp::kGe:
      return when(greater_or_equal, true), when(less, false);
    case ExprOp::kEq:
    case ExprOp::kNe: {
      Numbers equal = numbers;
      if (!less_or_equal || equal.assume_zero(*less_or_equal))
        out.push_back({std::move(equal), op == ExprOp::kEq});
      return when(less, op == ExprOp::kNe), when(greater, op == ExprOp::kNe);
    }
    case ExprOp::kConst:
    case ExprOp::kReg:
    case ExprOp::kRegAt:
    case ExprOp::kNeg:
    case ExprOp::kNot:
    case ExprOp::kBitNot:
    case ExprOp::kWrap:
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kMod:
    case ExprOp::kUlt:
    case ExprOp::kUle:
    case ExprOp::kAnd:
    case ExprOp::kOr:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kShl:
    case ExprOp::kShr:
    case ExprOp::kSelect:
    case ExprOp::kCell:
    case ExprOp::kThreadReg:
    case ExprOp::kThreadRegAt:
    case ExprOp::kAt:
      break;
  }
  throw Bug("not a comparison");
}

std::vector<Evaluator::TruthCase> Evaluator::truths(ExprId id, const Numbers& numbers) const {
  const Expr& e = plan_.program().expr(id);
  std::vector<TruthCase> result;
  switch (e.op) {
    case ExprOp::kNot:
      result = truths(e.a, numbers);
      for (TruthCase& one : result) one.truth = !one.truth;
      return result;
    case ExprOp::kAnd:
    case ExprOp::kOr:
      for (TruthCase& a : truths(e.a, numbers)) {
        if (a.failed || a.truth == (e.op == ExprOp::kOr)) {
          result.push_back(std::move(a));
          continue;
        }
        for (TruthCase& b : truths(e.b, a.numbers)) result.push_back(std::move(b));
      }
      return result;
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
      for (ValueCase& a : values(e.a, numbers)) {
        if (a.failed) {
          result.push_back({std::move(a.numbers), false, true});
          continue;
        }
        for (ValueCase& b : values(e.b, a.numbers)) {
          if (b.failed)
            result.push_back({std::move(b.numbers), false, true});
          else
            compare(e.op, a.value, b.value, b.numbers, result);
        }
      }
      return result;
    case ExprOp::kConst:
    case ExprOp::kReg:
    case ExprOp::kRegAt:
    case ExprOp::kNeg:
    case ExprOp::kBitNot:
    case ExprOp::kWrap:
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kMod:
    case ExprOp::kUlt:
    case ExprOp::kUle:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kShl:
    case ExprOp::kShr:
    case ExprOp::kSelect:
    case ExprOp::kCell:
    case ExprOp::kThreadReg:
    case ExprOp::kThreadRegAt:
    case ExprOp::kAt:
      break;
  }
  for (ValueCase& value : values(id, numbers)) {
    if (value.failed)
      result.push_back({std::move(value.numbers), false, true});
    else
      compare(ExprOp::kNe, value.value, Linear::of(0), value.numbers, result);
  }
  return result;
}

}  // namespace fenceline
