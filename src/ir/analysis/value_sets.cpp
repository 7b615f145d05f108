// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/value_sets.h"

#include <algorithm>

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
  return apply_range(op, a.range(), b.range());
}

ValueSet fetch_values(RmwOp op, const ValueSet& old, const ValueSet& a, int wrap) {
  if (wrap == 0) return apply_values(operator_of(op), old, a);
  if (!old.is_small() || !a.is_small() || old.size() * a.size() > kMostPairs)
    return fetch_range(op, old.range(), a.range(), wrap);
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
