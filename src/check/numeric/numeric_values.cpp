// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/numeric/numeric_values.h"

#include <fmt/format.h>

#include <limits>

#include "check/statespace/certificate_steps.h"
#include "env/errors.h"

namespace fenceline::check {
namespace {

constexpr uint64_t kPollEvery = 256;

std::optional<Value> as_value(const LinearForm& form) {
  if (!form.is_constant() || !form.constant.fits_64_bits()) return std::nullopt;
  return form.constant.to_64_bits();
}

}  // namespace

void NumericValues::poll() const {
  if (++polls_ % kPollEvery == 0 && limits_.poll() != LimitReached::kNone) throw OutOfLimits{};
}

// ---- Cases
// -------------------------------------------------------------------------------------------------

void NumericValues::not_negative(FormState&& state, const LinearForm& form, ThenTruth then) const {
  poll();
  const LinearForm against = less_from(-1, form);
  if (state.implies_not_negative(form)) return then(std::move(state), true);
  if (state.implies_not_negative(against)) return then(std::move(state), false);
  FormState other = state;
  if (other.assume_not_negative(form)) then(std::move(other), true);
  if (state.assume_not_negative(against)) then(std::move(state), false);
}

void NumericValues::sign(FormState&& state, const LinearForm& form, ThenSign then) const {
  not_negative(std::move(state), form, [&](FormState&& now, bool at_least_zero) {
    if (!at_least_zero) return then(std::move(now), -1);
    not_negative(std::move(now), less(form, 1), [&](FormState&& later, bool at_least_one) {
      if (at_least_one) return then(std::move(later), 1);
      if (form.is_constant() || later.assume_zero(form)) then(std::move(later), 0);
    });
  });
}

void NumericValues::inside(FormState&& state, const LinearForm& form, const Range& range,
                           ThenTruth then) const {
  const auto below_high = [&](FormState&& now) {
    if (!has_high(range)) return then(std::move(now), true);
    not_negative(std::move(now), less_from(range.hi, form), then);
  };
  if (!has_low(range)) return below_high(std::move(state));
  not_negative(std::move(state), less(form, range.lo), [&](FormState&& now, bool above_low) {
    if (above_low)
      below_high(std::move(now));
    else
      then(std::move(now), false);
  });
}

void NumericValues::element(const Reader& reader, FormState&& state, const LinearForm& index, size_t count,
                            ThenIndex then) const {
  const Range indices{0, static_cast<Value>(count) - 1};
  inside(std::move(state), index, indices, [&](FormState&& now, bool good) {
    if (!good) return reader.failed(std::move(now), {.kind = ProgramError::Kind::kIndex, .range = indices});
    const LinearForm reduced = now.facts->reduced(index);
    if (reduced.is_constant())
      return then(std::move(now), static_cast<size_t>(reduced.constant.to_64_bits()));
    for (size_t i = 0; i < count; ++i) {
      poll();
      const Integer position = static_cast<int64_t>(i);
      if (now.implies_not_negative(less(index, position + 1)) ||
          now.implies_not_negative(less_from(position - 1, index)))
        continue;
      FormState here = now;
      if (here.assume_zero(less(index, position))) then(std::move(here), i);
    }
  });
}

// ---- Expressions
// -------------------------------------------------------------------------------------------

void NumericValues::value(const Reader& reader, FormState&& state, ExprId expr, Then then) const {
  poll();
  const Expr& e = program_.expr(expr);
  switch (shape_of(e.op)) {
    case ExprShape::kConst:
      return then(std::move(state), LinearForm::of(e.imm));
    case ExprShape::kReg:
      return known(std::move(state), reader.thread, e.reg.index(), then);
    case ExprShape::kThreadReg:
      return known(std::move(state), e.thread, e.reg.index(), then);
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt:
    case ExprShape::kCell:
      return leaf(reader, std::move(state), e, then);
    case ExprShape::kAt: {
      const bool there = state.locations[e.thread.index()] == e.point;
      return then(std::move(state), LinearForm::of(there ? 1 : 0));
    }
    case ExprShape::kSelect:
      return truth(reader, std::move(state), e.a, [&](FormState&& now, bool holds) {
        value(reader, std::move(now), holds ? e.b : e.c, then);
      });
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
      break;
  }
  if (is_comparison(e.op) || shape_of(e.op) == ExprShape::kLazy || e.op == ExprOp::kNot)
    return truth(reader, std::move(state), expr,
                 [&](FormState&& now, bool holds) { then(std::move(now), LinearForm::of(holds ? 1 : 0)); });
  value(reader, std::move(state), e.a, [&](FormState&& now, const LinearForm& a) {
    if (arity(e.op) == 1) return apply(reader, std::move(now), e.op, e.imm, a, {}, then);
    value(reader, std::move(now), e.b, [&](FormState&& later, const LinearForm& b) {
      apply(reader, std::move(later), e.op, e.imm, a, b, then);
    });
  });
}

void NumericValues::truth(const Reader& reader, FormState&& state, ExprId expr, ThenTruth then) const {
  const Expr& e = program_.expr(expr);
  if (e.op == ExprOp::kNot)
    return truth(reader, std::move(state), e.a,
                 [&](FormState&& now, bool holds) { then(std::move(now), !holds); });
  if (shape_of(e.op) == ExprShape::kLazy)
    return truth(reader, std::move(state), e.a, [&](FormState&& now, bool holds) {
      if (holds == (e.op == ExprOp::kOr)) return then(std::move(now), holds);
      truth(reader, std::move(now), e.b, then);
    });
  if (is_comparison(e.op))
    return value(reader, std::move(state), e.a, [&](FormState&& now, const LinearForm& a) {
      value(reader, std::move(now), e.b,
            [&](FormState&& later, const LinearForm& b) { compare(std::move(later), e.op, a, b, then); });
    });
  value(reader, std::move(state), expr, [&](FormState&& now, const LinearForm& result) {
    sign(std::move(now), result, [&](FormState&& later, int s) { then(std::move(later), s != 0); });
  });
}

// Elements of arrays: the operand says which.
void NumericValues::leaf(const Reader& reader, FormState&& state, const Expr& e, Then then) const {
  value(reader, std::move(state), e.a, [&](FormState&& now, const LinearForm& index) {
    if (e.op != ExprOp::kCell) {
      const ThreadId thread = e.op == ExprOp::kRegAt ? reader.thread : e.thread;
      return element(reader, std::move(now), index, e.count, [&](FormState&& later, size_t i) {
        known(std::move(later), thread, e.reg.index() + i, then);
      });
    }
    const Object& object = program_.object(e.object);
    if (const auto& range = certificate_.smashed[e.object.index()])
      return inside(std::move(now), index, {0, static_cast<Value>(object.size()) - 1},
                    [&](FormState&& later, bool good) {
                      if (!good) return reader.failed(std::move(later), {.kind = ProgramError::Kind::kIndex});
                      const LinearForm any = later.fresh(*range);
                      then(std::move(later), any);
                    });
    element(reader, std::move(now), index, object.size(), [&](FormState&& later, size_t i) {
      const LinearForm cell = *later.memory[object.first_cell.index() + i];
      then(std::move(later), cell);
    });
  });
}

void NumericValues::known(FormState&& state, ThreadId thread, size_t reg, Then then) const {
  const std::optional<LinearForm> form = state.registers[thread.index()][reg];
  if (form) return then(std::move(state), *form);
  const Thread& owner = program_.thread(thread);
  throw NotProved{
      fmt::format("{}.{} is needed, but its value is not known", owner.name, owner.registers[reg].name)};
}

// ---- Operators
// ---------------------------------------------------------------------------------------------

void NumericValues::apply(const Reader& reader, FormState&& state, ExprOp op, Value imm, const LinearForm& a,
                          const LinearForm& b, Then then) const {
  switch (class_of(op)) {
    case OperatorClass::kNeg:
      return then(std::move(state), scaled_form(a, -1));
    case OperatorClass::kBitNot:
      return then(std::move(state), less_from(-1, a));
    case OperatorClass::kWrap:
      return wrap(std::move(state), a, imm, then);
    case OperatorClass::kAdd:
      return then(std::move(state), combined(a, 1, b));
    case OperatorClass::kSub:
      return then(std::move(state), difference_of(a, b));
    case OperatorClass::kMul: {
      const LinearForm x = state.facts->reduced(a), y = state.facts->reduced(b);
      if (x.is_constant()) return then(std::move(state), scaled_form(y, x.constant));
      if (y.is_constant()) return then(std::move(state), scaled_form(x, y.constant));
      const LinearForm any = state.fresh();
      return then(std::move(state), any);
    }
    case OperatorClass::kDivide:
      return divide(reader, std::move(state), op == ExprOp::kMod, a, b, then);
    case OperatorClass::kShift:
      return shift(reader, std::move(state), op == ExprOp::kShl, a, b, then);
    case OperatorClass::kBitwise:
      return bits(std::move(state), op, a, b, then);
    case OperatorClass::kModular: {
      const ExprOp exact = op == ExprOp::kAdd64   ? ExprOp::kAdd
                           : op == ExprOp::kSub64 ? ExprOp::kSub
                           : op == ExprOp::kMul64 ? ExprOp::kMul
                                                  : ExprOp::kShl;
      return apply(reader, std::move(state), exact, imm, a, b,
                   [&](FormState&& now, const LinearForm& value) { wrap(std::move(now), value, 64, then); });
    }
    case OperatorClass::kLeaf:
    case OperatorClass::kNot:
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kUnsignedLess:
    case OperatorClass::kLazy:
    case OperatorClass::kSelect:
      break;
  }
  throw Bug("an operator without a meaning");
}

void NumericValues::compare(FormState&& state, ExprOp op, const LinearForm& a, const LinearForm& b,
                            ThenTruth then) const {
  if (op == ExprOp::kEq || op == ExprOp::kNe)
    return sign(std::move(state), difference_of(a, b),
                [&](FormState&& now, int s) { then(std::move(now), (s == 0) == (op == ExprOp::kEq)); });
  if (op == ExprOp::kLt) return not_negative(std::move(state), less(difference_of(b, a), 1), then);
  if (op == ExprOp::kLe) return not_negative(std::move(state), difference_of(b, a), then);
  if (op == ExprOp::kGt) return not_negative(std::move(state), less(difference_of(a, b), 1), then);
  if (op == ExprOp::kGe) return not_negative(std::move(state), difference_of(a, b), then);
  require(op == ExprOp::kUlt || op == ExprOp::kUle, "a comparison without a meaning");
  // As unsigned numbers: negative ones are the larger ones, and among themselves they have the same order.
  sign(std::move(state), a, [&](FormState&& now, int sign_a) {
    sign(std::move(now), b, [&](FormState&& later, int sign_b) {
      if ((sign_a < 0) != (sign_b < 0)) return then(std::move(later), sign_b < 0);
      compare(std::move(later), op == ExprOp::kUlt ? ExprOp::kLt : ExprOp::kLe, a, b, then);
    });
  });
}

void NumericValues::divide(const Reader& reader, FormState&& state, bool modulo, const LinearForm& a,
                           const LinearForm& b, Then then) const {
  sign(std::move(state), b, [&](FormState&& now, int s) {
    if (s == 0) return reader.failed(std::move(now), {.kind = ProgramError::Kind::kDivisionByZero});
    const LinearForm divisor = now.facts->reduced(b);
    if (divisor.is_constant()) return divide_by(std::move(now), modulo, a, divisor.constant, then);
    const LinearForm any = now.fresh();
    if (modulo) {  // its absolute value is less than that of the divisor
      const LinearForm size = less(scaled_form(b, s), 1);
      if (!now.assume_not_negative(combined(size, 1, any))) return;
      if (!now.assume_not_negative(combined(size, -1, any))) return;
    }
    then(std::move(now), any);
  });
}

// a == b * q + r, where r is smaller than b and not on the other side of zero than a.
void NumericValues::divide_by(FormState&& state, bool modulo, const LinearForm& a, const Integer& b,
                              Then then) const {
  if (b == 1 || b == -1) return then(std::move(state), modulo ? LinearForm() : scaled_form(a, b));
  const LinearForm dividend = state.facts->reduced(a);
  if (dividend.is_constant())
    return then(std::move(state), LinearForm::of(modulo ? dividend.constant % b : dividend.constant / b));
  const Integer largest = (b < 0 ? -b : b) - 1;
  not_negative(std::move(state), dividend, [&](FormState&& now, bool at_least_zero) {
    const LinearForm quotient = now.fresh(), rest = combined(dividend, -b, quotient);
    const LinearForm size = at_least_zero ? rest : scaled_form(rest, -1);
    if (!now.assume_not_negative(size) || !now.assume_not_negative(less_from(largest, size))) return;
    then(std::move(now), modulo ? rest : quotient);
  });
}

void NumericValues::shift(const Reader& reader, FormState&& state, bool left, const LinearForm& a,
                          const LinearForm& b, Then then) const {
  not_negative(std::move(state), b, [&](FormState&& now, bool good) {
    if (!good) return reader.failed(std::move(now), {.kind = ProgramError::Kind::kShift});
    const LinearForm amount = now.facts->reduced(b);
    if (amount.is_constant() && amount.constant < 63) {
      const Integer factor = Integer::power_of_two(static_cast<unsigned>(amount.constant.to_64_bits()));
      if (left) return then(std::move(now), scaled_form(a, factor));
      const LinearForm shifted = now.facts->reduced(a);
      if (shifted.is_constant())
        return then(std::move(now), LinearForm::of(floor_quotient(shifted.constant, factor)));
      const LinearForm quotient = now.fresh(), rest = combined(shifted, -factor, quotient);
      if (!now.assume_not_negative(rest) || !now.assume_not_negative(less_from(factor - 1, rest))) return;
      return then(std::move(now), quotient);
    }
    if (!left && amount.is_constant())  // nothing but the sign is left of 64 bits
      return not_negative(std::move(now), a, [&](FormState&& later, bool at_least_zero) {
        then(std::move(later), LinearForm::of(at_least_zero ? 0 : -1));
      });
    const LinearForm any = now.fresh();
    then(std::move(now), any);
  });
}

void NumericValues::wrap(FormState&& state, const LinearForm& a, Value width, Then then) const {
  const Integer size = Integer::power_of_two(static_cast<unsigned>(width < 0 ? -width : width));
  const Integer low = width < 0 ? 0 : -(size / 2), high = low + size - 1;
  const LinearForm known = state.facts->reduced(a);
  if (known.is_constant())
    return then(std::move(state),
                LinearForm::of(known.constant - floor_quotient(known.constant - low, size) * size));
  const auto anything = [&](FormState&& now) {
    const LinearForm any = now.fresh();
    if (now.assume_not_negative(less(any, low)) && now.assume_not_negative(less_from(high, any)))
      then(std::move(now), any);
  };
  not_negative(std::move(state), less(a, low), [&](FormState&& now, bool above) {
    if (!above) return anything(std::move(now));
    not_negative(std::move(now), less_from(high, a), [&](FormState&& later, bool below) {
      if (!below) return anything(std::move(later));
      then(std::move(later), a);
    });
  });
}

void NumericValues::bits(FormState&& state, ExprOp op, const LinearForm& a, const LinearForm& b,
                         Then then) const {
  const std::optional<Value> x = as_value(state.facts->reduced(a)), y = as_value(state.facts->reduced(b));
  if (x && y) {
    const Value result = op == ExprOp::kBitAnd ? *x & *y : op == ExprOp::kBitOr ? *x | *y : *x ^ *y;
    return then(std::move(state), LinearForm::of(result));
  }
  const std::optional<Value> mask = x ? x : y;
  const bool bounded = op == ExprOp::kBitAnd && mask && *mask >= 0;
  const LinearForm any = bounded ? state.fresh({0, *mask}) : state.fresh();
  then(std::move(state), any);
}

}  // namespace fenceline::check
