// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/fl/lower_property.h"

#include <fmt/format.h>

#include "frontend/fl/token.h"

namespace fenceline::frontend::fl {

std::string thread_name(std::string_view declared, const std::vector<Value>& numbers) {
  std::string name(declared);
  for (const Value number : numbers) name += fmt::format("[{}]", number);
  return name;
}

void PropertyLowering::lower(const PropertyText& text) {
  Property property;
  property.name = std::string(text.name.text);
  property.kind = text.kind;
  property.pos = text.name.pos;
  if (text.formula) property.formula = value(*text.formula);
  expressions().builder().property(std::move(property));
}

ExprId PropertyLowering::value(const Expression& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber:
      return expressions().constant(expr.number);
    case ExprKind::kLvalue:
      return lvalue_value(expr);
    case ExprKind::kUnary:
      return expressions().unary(expr.op, value(*expr.args[0]), expr.operator_pos);
    case ExprKind::kBinary: {
      const ExprId left = value(*expr.args[0]);
      const auto known = expressions().value(left);
      const bool decided =
          known && ((expr.op == ExprOp::kAnd && *known == 0) || (expr.op == ExprOp::kOr && *known != 0));
      return expressions().binary(expr.op, left, value_if(*expr.args[1], !decided), expr.operator_pos);
    }
    case ExprKind::kConditional: {
      const ExprId test = value(*expr.args[0]);
      const auto known = expressions().value(test);
      const ExprId if_true = value_if(*expr.args[1], !known || *known != 0);
      const ExprId if_false = value_if(*expr.args[2], !known || *known == 0);
      return expressions().select(test, if_true, if_false, expr.operator_pos);
    }
    case ExprKind::kCall:
      context_.diagnostics.error(expr.pos, "a property cannot call a procedure");
      return expressions().unknown();
    case ExprKind::kRmw:
      context_.diagnostics.error(expr.pos, "a property cannot change memory");
      return expressions().unknown();
    case ExprKind::kThreadAt:
      return thread_at(expr);
    case ExprKind::kThreadRegister:
      return thread_register(expr);
  }
  throw Bug("unknown kind of expression");
}

// Complaints about values are for what can be evaluated: `N == 0 || x / N == 1` is fine.
ExprId PropertyLowering::value_if(const Expression& expr, bool alive) {
  const Expressions::Dead quiet(expressions(), !alive);
  return value(expr);
}

ExprId PropertyLowering::lvalue_value(const Expression& expr) {
  if (const Value* constant = context_.globals.constant(expr.name.text)) {
    if (expr.args.empty()) return expressions().constant(*constant);
    context_.diagnostics.error(expr.args[0]->pos,
                               fmt::format("'{}' is a constant, not an array", shortened(expr.name.text)));
    return expressions().unknown();
  }
  const Name& variable = variable_of(expr);
  const SharedVariable* shared = context_.globals.shared(variable.text);
  if (!shared && expr.kind == ExprKind::kThreadRegister) {
    context_.diagnostics.error(
        expr.member.pos,
        fmt::format("'{}' has no field '{}'", shortened(expr.name.text), shortened(expr.member.text)));
    return expressions().unknown();
  }
  if (!shared) {
    for (const ThreadInstance& instance : threads_) {
      if (!instance.registers.contains(expr.name.text)) continue;
      const std::string name = thread_name(instance.declaration->name.text, instance.numbers);
      context_.diagnostics.error(
          expr.pos, fmt::format("'{}' is a local variable: say of which thread", shortened(expr.name.text)),
          fmt::format("write {}.{}", name, shortened(expr.name.text)));
      return expressions().unknown();
    }
    context_.globals.complain_unknown(expr.name, {});
    return expressions().unknown();
  }
  if (shared->stamp) reject_stamp(variable);
  const std::vector<Index> list = indices(expr.args);
  if (!indices_fit(variable, expr.args, shared->shape)) return expressions().unknown();
  const ExprId offset = expressions().offset(variable.text, shared->shape, list);
  return expressions().sized(expressions().builder().cell(shared->object, offset), offset, expr.pos);
}

// The thread that `expr` names; null after a complaint.
const ThreadInstance* PropertyLowering::thread(const Expression& expr) {
  const std::string_view name = shortened(expr.name.text);
  const ThreadDeclaration* declaration = context_.globals.thread(expr.name.text);
  if (!declaration) {
    context_.diagnostics.error(expr.pos, fmt::format("unknown thread '{}'", name),
                               did_you_mean(expr.name.text, context_.globals.thread_names()));
    return nullptr;
  }
  const size_t wanted = declaration->parameters.size();
  if (expr.args.size() != wanted) {
    const bool none = wanted == 0;
    context_.diagnostics.error(
        expr.pos,
        none ? fmt::format("there is only one thread '{}'; it has no number", name)
             : fmt::format("'{}' denotes several threads; {} number{} needed", name, wanted,
                           wanted == 1 ? " is" : "s are"),
        none ? "" : fmt::format("write {}", thread_name(name, std::vector<Value>(wanted, 0))));
    return nullptr;
  }
  std::vector<Value> numbers;
  for (const ExprPtr& arg : expr.args) {
    const auto number = context_.globals.evaluate(
        *arg, [&](const Name& constant) { return context_.globals.lookup_constant(constant); });
    if (!number) return nullptr;
    numbers.push_back(*number);
  }
  std::string first, last;
  for (const ThreadInstance& instance : threads_) {
    if (instance.declaration != declaration) continue;
    if (instance.numbers == numbers) return &instance;
    last = thread_name(name, instance.numbers);
    if (first.empty()) first = last;
  }
  if (!first.empty())  // else its declaration has been complained about
    context_.diagnostics.error(expr.pos, fmt::format("there is no thread {}", thread_name(name, numbers)),
                               fmt::format("the first is {}, the last is {}", first, last));
  return nullptr;
}

ExprId PropertyLowering::thread_at(const Expression& expr) {
  const ThreadInstance* instance = thread(expr);
  if (!instance) return expressions().unknown();
  const auto label = instance->labels.find(expr.member.text);
  if (label != instance->labels.end()) return expressions().builder().at(instance->id, label->second);
  std::vector<std::string_view> candidates;
  for (const auto& [name, where] : instance->labels) candidates.push_back(name);
  context_.diagnostics.error(
      expr.member.pos,
      fmt::format("thread '{}' has no label '{}'", shortened(expr.name.text), shortened(expr.member.text)),
      did_you_mean(expr.member.text, candidates));
  return expressions().unknown();
}

// The value of a timestamp is not observable.
void PropertyLowering::reject_stamp(const Name& name) {
  context_.diagnostics.error(
      name.pos, fmt::format("'{}' is a timestamp: properties cannot refer to it", shortened(name.text)));
}

ExprId PropertyLowering::thread_register(const Expression& expr) {
  if (context_.globals.is_structure(expr.name.text)) return lvalue_value(expr);
  const ThreadInstance* instance = thread(expr);
  const std::vector<Index> list = indices(expr.member_args);
  if (!instance) return expressions().unknown();
  const auto found = instance->registers.find(expr.member.text);
  if (found == instance->registers.end()) {
    std::vector<std::string_view> candidates;
    for (const auto& [name, local] : instance->registers) candidates.push_back(name);
    std::string hint = did_you_mean(expr.member.text, candidates);
    if (hint.empty()) hint = "properties see the variables declared at the top level of the thread's body";
    context_.diagnostics.error(expr.member.pos,
                               fmt::format("thread '{}' has no local variable '{}'",
                                           shortened(expr.name.text), shortened(expr.member.text)),
                               hint);
    return expressions().unknown();
  }
  const Local& local = found->second;
  if (local.stamp) reject_stamp(expr.member);
  if (local.structure) {
    context_.diagnostics.error(expr.member.pos, "properties cannot refer to local structures");
    return expressions().unknown();
  }
  if (!indices_fit(expr.member, expr.member_args, local.shape)) return expressions().unknown();
  ProgramBuilder& builder = expressions().builder();
  if (!local.shape.is_array()) return builder.thread_reg(instance->id, local.first);
  const ExprId offset = expressions().offset(expr.member.text, local.shape, list);
  return expressions().sized(builder.thread_reg_at(instance->id, local.first, local.shape.cells(), offset),
                             offset, expr.pos);
}

std::vector<Index> PropertyLowering::indices(const std::vector<ExprPtr>& list) {
  std::vector<Index> result;
  result.reserve(list.size());
  for (const ExprPtr& arg : list) result.push_back({value(*arg), arg->pos});
  return result;
}

bool PropertyLowering::indices_fit(const Name& name, const std::vector<ExprPtr>& list, const Shape& shape) {
  if (list.size() == shape.sizes.size()) return true;
  const std::string_view shown = shortened(name.text);
  if (!shape.is_array())
    context_.diagnostics.error(list[0]->pos, fmt::format("'{}' is not an array", shown));
  else
    context_.diagnostics.error(name.pos, fmt::format("'{}' has {} dimension{}, but {} ind{} given", shown,
                                                     shape.sizes.size(), shape.sizes.size() == 1 ? "" : "s",
                                                     list.size(), list.size() == 1 ? "ex is" : "ices are"));
  return false;
}

}  // namespace fenceline::frontend::fl
