// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/value_sets.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "env/errors.h"
#include "ir/analysis/interval.h"
#include "ir/eval.h"

namespace fenceline {
namespace {

constexpr size_t kMostPairs = 4096;
constexpr size_t kMostWork = 20'000;  // operations to narrow one register once

void collect_registers(const Program& program, ExprId id, NamedRegisters& found) {
  const Expr& expr = program.expr(id);
  ++found.size;
  if (expr.op == ExprOp::kReg) found.registers.push_back(expr.reg);
  for (const ExprId operand : {expr.a, expr.b, expr.c})
    if (operand.valid()) collect_registers(program, operand, found);
}

// What the low bits of the result can be: of sums, products and bitwise operations they depend on the low bits of the
// operands only. None: not known, or too many.
std::optional<ValueSet::Residues> residues_of(ExprOp op, const ValueSet& a, const ValueSet& b,
                                              unsigned bits) {
  using Residues = std::optional<ValueSet::Residues>;
  const auto is_zero = [](const Residues& residues) {
    return residues && residues->values == std::vector<Value>{0};
  };
  const auto of_pairs = [&](const auto& compute) -> Residues {
    const Residues first = a.residues(bits), second = b.residues(bits);
    if (op == ExprOp::kBitAnd && (is_zero(first) || is_zero(second))) return {{bits, {0}}};
    if (!first || !second || first->values.size() * second->values.size() > kMostPairs) return {};
    ValueSet::Residues result{bits, {}};
    for (const Value x : first->values)
      for (const Value y : second->values)
        result.values.push_back(
            static_cast<Value>(compute(static_cast<uint64_t>(x), static_cast<uint64_t>(y))));
    return result;
  };
  using U = uint64_t;
  switch (class_of(op)) {
    case OperatorClass::kWrap: {
      const Value width = b.range().lo;
      return (width < 0 ? -width : width) < static_cast<Value>(bits) ? Residues() : a.residues(bits);
    }
    case OperatorClass::kNeg:
    case OperatorClass::kBitNot: {
      Residues result = a.residues(bits);
      if (result)
        for (Value& value : result->values) value = op == ExprOp::kNeg ? -value : ~value;
      return result;
    }
    case OperatorClass::kAdd:
      return of_pairs([](U x, U y) { return x + y; });
    case OperatorClass::kSub:
      return of_pairs([](U x, U y) { return x - y; });
    case OperatorClass::kMul:
      return of_pairs([](U x, U y) { return x * y; });
    case OperatorClass::kBitwise:
      if (op == ExprOp::kBitAnd) return of_pairs([](U x, U y) { return x & y; });
      if (op == ExprOp::kBitOr) return of_pairs([](U x, U y) { return x | y; });
      return of_pairs([](U x, U y) { return x ^ y; });
    case OperatorClass::kModular:
      if (op == ExprOp::kAdd64) return of_pairs([](U x, U y) { return x + y; });
      if (op == ExprOp::kSub64) return of_pairs([](U x, U y) { return x - y; });
      if (op == ExprOp::kMul64) return of_pairs([](U x, U y) { return x * y; });
      [[fallthrough]];
    case OperatorClass::kShift: {
      if (op == ExprOp::kShr || !b.is_single() || b.range().lo < 0) return {};
      if (b.range().lo >= static_cast<Value>(bits)) return {{bits, {0}}};
      Residues result = a.residues(bits);
      if (result)
        for (Value& value : result->values) value = static_cast<Value>(static_cast<U>(value) << b.range().lo);
      return result;
    }
    case OperatorClass::kNot:
    case OperatorClass::kDivide:
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
    case OperatorClass::kUnsignedLess:
    case OperatorClass::kLazy:
    case OperatorClass::kLeaf:
    case OperatorClass::kSelect:
      return {};
  }
  throw Bug("an unknown class of operators");
}

// Those of the range that have such low bits.
ValueSet with_residues_of(ExprOp op, const ValueSet& a, const ValueSet& b, Range range, unsigned most_bits) {
  if (ValueSet(range).is_small()) return range;
  for (const unsigned bits : ValueSet::kResidueBits)
    if (bits <= most_bits)
      if (std::optional<ValueSet::Residues> residues = residues_of(op, a, b, bits))
        if (ValueSet result = ValueSet::with_residues(range, *std::move(residues)); result != ValueSet(range))
          return result;
  return range;
}

}  // namespace

ValueSet truth_of(const ValueSet& a) {
  if (a.is_empty()) return a;
  if (!a.contains(0)) return ValueSet::single(1);
  return a.is_single() ? ValueSet::single(0) : ValueSet(Range{0, 1});
}

ValueSet apply_values(ExprOp op, const ValueSet& a, const ValueSet& b) {
  if (op == ExprOp::kAnd || op == ExprOp::kOr)
    return apply_range(op, truth_of(a).range(), truth_of(b).range());
  if (op == ExprOp::kEq && !a.is_empty() && !b.is_empty() && !a.meets(b)) return ValueSet::single(0);
  if (op == ExprOp::kNe && !a.is_empty() && !b.is_empty() && !a.meets(b)) return ValueSet::single(1);
  const bool unary = arity(op) == 1;
  if (a.is_small() && (unary || (b.is_small() && a.size() * b.size() <= kMostPairs))) {
    std::vector<Value> results;
    bool leaves = false;  // 64 bits
    const auto add = [&](Evaluated result) {
      if (result.ok()) results.push_back(result.value);
      leaves = leaves || result.status == EvalStatus::kOverflow;
    };
    a.for_each([&](Value x) {
      if (unary) return add(apply(op, x, b.is_empty() ? 0 : b.range().lo));
      b.for_each([&](Value y) { add(apply(op, x, y)); });
    });
    return leaves ? ValueSet(Range::all()) : ValueSet::of(std::move(results));
  }
  return with_residues_of(op, a, b, apply_range(op, a.range(), b.range()), 64);
}

ValueSet fetch_values(RmwOp op, const ValueSet& old, const ValueSet& a, int wrap) {
  if (wrap == 0) return apply_values(operator_of(op), old, a);
  if (!old.is_small() || !a.is_small() || old.size() * a.size() > kMostPairs)
    return with_residues_of(operator_of(op), old, a, fetch_range(op, old.range(), a.range(), wrap),
                            static_cast<unsigned>(std::abs(wrap)));
  std::vector<Value> results;
  old.for_each(
      [&](Value x) { a.for_each([&](Value y) { results.push_back(fetch(op, x, y, wrap).value); }); });
  return ValueSet::of(std::move(results));
}

ValueSet values_of(const Program& program, ExprId id, const RegisterValues& registers) {
  const Expr& expr = program.expr(id);
  switch (shape_of(expr.op)) {
    case ExprShape::kConst:
      return ValueSet::single(expr.imm);
    case ExprShape::kReg:
      return registers(expr.reg);
    case ExprShape::kRegAt: {
      const ValueSet index = values_of(program, expr.a, registers);
      ValueSet result;
      for (uint32_t i = 0; i < expr.count; ++i)
        if (index.contains(i)) result = result.join(registers(RegId(expr.reg.index() + i)));
      return result;
    }
    case ExprShape::kSelect: {
      const ValueSet condition = truth_of(values_of(program, expr.a, registers));
      ValueSet result;
      if (condition.contains(1)) result = values_of(program, expr.b, registers);
      return condition.contains(0) ? result.join(values_of(program, expr.c, registers)) : result;
    }
    case ExprShape::kCell:
    case ExprShape::kThreadReg:
    case ExprShape::kThreadRegAt:
    case ExprShape::kAt:
      throw Bug("a thread that looks at what only properties see");
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
      break;
  }
  return apply_values(
      expr.op, values_of(program, expr.a, registers),
      arity(expr.op) == 2 ? values_of(program, expr.b, registers) : ValueSet::single(expr.imm));
}

bool may_hold(const ValueSet& condition) { return truth_of(condition).contains(1); }
bool may_not_hold(const ValueSet& condition) { return condition.contains(0); }

ValueSet narrowed(const Program& program, ExprId id, const Outcome& outcome, RegId reg,
                  const RegisterValues& registers) {
  ValueSet assumed;
  const RegisterValues assuming = [&](RegId other) -> const ValueSet& {
    return other == reg ? assumed : registers(other);
  };
  return registers(reg).filtered([&](Value value) {
    assumed = ValueSet::single(value);
    return outcome(values_of(program, id, assuming));
  });
}

NamedRegisters registers_of(const Program& program, ExprId id) {
  NamedRegisters found;
  collect_registers(program, id, found);
  std::sort(found.registers.begin(), found.registers.end());
  found.registers.erase(std::unique(found.registers.begin(), found.registers.end()), found.registers.end());
  return found;
}

void narrow_registers(const Program& program, ExprId id, const Outcome& outcome,
                      const RegisterValues& registers, const std::function<void(RegId, ValueSet)>& f) {
  const auto [named, size] = registers_of(program, id);
  for (const RegId reg : named) {
    const ValueSet before = registers(reg);
    if (!before.is_small() || before.size() * size > kMostWork) continue;
    ValueSet after = narrowed(program, id, outcome, reg, registers);
    if (after != before) f(reg, std::move(after));
  }
}

}  // namespace fenceline
