// SPDX-License-Identifier: GPL-3.0-or-later
#include "promela_context.h"

#include <fmt/format.h>

#include "env/errors.h"
#include "ir/walk.h"
#include "machine/store_buffer/growth.h"
#include "promela_buffer.h"

namespace fenceline::bench {
namespace {

constexpr uint32_t kNoLimit = 64;  // more entries than this in a buffer are not worth a model

std::string register_name(const PromelaContext& context, size_t thread, size_t reg) {
  if (context.observed_registers.contains({ThreadId(thread), RegId(reg)}))
    return fmt::format("t{}_r{}", thread, reg);
  return fmt::format("r{}", reg);
}

}  // namespace

PromelaContext::PromelaContext(const Task& verified, const PromelaOptions& chosen)
    : task(verified),
      program(verified.program),
      options(chosen),
      overlay(verified.program, verified.fences),
      code(overlay, verified.model),
      ranges(analyze_ranges(verified.program)),
      observed(property::observed_by(verified.program, verified.property)),
      liveness(verified.program, observed.always, observed.at_end),
      growth(machine::find_growth(code).has_value()),
      limited(growth && !chosen.limit_suffices),
      bounds(code, growth ? chosen.buffer_limit : kNoLimit) {
  const Property& property = task.property;
  visible = property::visible_to(program, property);
  // The steps that can establish the negated property are those that can violate this one.
  Property opposite = property;
  if (property.kind == PropertyKind::kNever) opposite.kind = PropertyKind::kAlways;
  if (property.kind == PropertyKind::kAlways) opposite.kind = PropertyKind::kNever;
  breaking = property::visible_to(program, opposite);
  for (const ThreadReg& reg : observed.always) observed_registers.insert({reg.thread, reg.reg});
  for (const ThreadReg& reg : observed.at_end) observed_registers.insert({reg.thread, reg.reg});
  if (property.formula.valid()) collect_labels(property.formula);
}

void PromelaContext::collect_labels(ExprId id) {
  for_each_expr(program, id, [&](const Expr& e) {
    if (e.op == ExprOp::kAt) labels.insert({e.thread.index(), e.point.index()});
  });
}

std::string at_flag(size_t thread, size_t point) { return fmt::format("at{}_{}", thread, point); }

PromelaTerm register_term(const PromelaContext& context, size_t thread, size_t reg) {
  const Range& range = context.ranges.registers[thread][reg];
  if (range.lo == range.hi) return constant_term(range.lo);
  return variable_term(register_name(context, thread, reg));
}

std::string declare_register(const PromelaContext& context, size_t thread, size_t reg) {
  const PromelaTerm own = register_term(context, thread, reg);
  if (own.constant) return "";
  const Thread& ir = context.program.threads[thread];
  const Range range = context.ranges.registers[thread][reg].join(Range::single(0));
  const Value init =
      context.liveness.live(ThreadId(thread), ir.entry, RegId(reg)) ? ir.registers[reg].init : 0;
  return fmt::format("  {}{};\n", declare(own.text, range), init == 0 ? "" : fmt::format(" = {}", init));
}

PromelaTerm to_term(const PromelaContext& context, size_t thread, ExprId id, const TermLeaf& leaf) {
  const Expr& e = context.program.expr(id);
  const Range range = range_of(context.program, context.ranges, ThreadId(thread), id);
  if (!Range{INT32_MIN, INT32_MAX}.contains(range)) throw Unsupported("values of more than 32 bits");
  const auto operand = [&](ExprId which) { return to_term(context, thread, which, leaf); };
  switch (shape_of(e.op)) {
    case ExprShape::kConst:
      return constant_term(e.imm);
    case ExprShape::kReg:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      return leaf(e, 0);
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt:
    case ExprShape::kCell: {
      const PromelaTerm index = operand(e.a);
      const uint32_t count = e.op == ExprOp::kCell ? context.program.object(e.object).size() : e.count;
      if (index.constant) return leaf(e, static_cast<uint32_t>(*index.constant));
      PromelaTerm result = leaf(e, count - 1);
      for (uint32_t i = count - 1; i-- > 0;)
        result = select_term(equal_term(index, constant_term(i)), leaf(e, i), result);
      return result;
    }
    case ExprShape::kSelect:
      return select_term(operand(e.a), operand(e.b), operand(e.c));
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
      break;
  }
  return arity(e.op) == 1 ? unary_term(e.op, operand(e.a)) : binary_term(e.op, operand(e.a), operand(e.b));
}

PromelaTerm formula_after(const PromelaContext& context, size_t mover, size_t where) {
  return to_term(context, mover, context.task.property.formula, [&](const Expr& e, uint32_t element) {
    switch (leaf_of(e.op)) {
      case LeafKind::kLocation:
        if (e.thread.index() == mover) return constant_term(e.point.index() == where);
        return variable_term(at_flag(e.thread.index(), e.point.index()));
      case LeafKind::kCell: {
        const size_t cell = context.program.object(e.object).first_cell.index() + element;
        return variable_term(fmt::format("{}[{}]", kMemory, cell));
      }
      case LeafKind::kRegister:
      case LeafKind::kConst:
      case LeafKind::kNone:
        break;
    }
    return register_term(context, e.thread.index(), e.reg.index() + element);
  });
}

}  // namespace fenceline::bench
