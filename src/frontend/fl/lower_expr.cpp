// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions and conditions. See lower.h for the three functions that lower an expression.
#include <utility>

#include "frontend/fl/lower_impl.h"

namespace fenceline::frontend::fl {
namespace {

bool is_lazy(const Expression& expr) {
  return expr.kind == ExprKind::kBinary && (expr.op == ExprOp::kAnd || expr.op == ExprOp::kOr);
}

// Is its value 0 or 1 whatever happens?
bool is_truth(const Expression& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber:
      return expr.number == 0 || expr.number == 1;
    case ExprKind::kUnary:
      return expr.op == ExprOp::kNot;
    case ExprKind::kBinary:
      return is_lazy(expr) || (expr.op >= ExprOp::kEq && expr.op <= ExprOp::kGe);
    case ExprKind::kRmw:
      return expr.rmw == RmwOp::kCas;
    default:
      return false;
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------ values

ExprId ThreadLowering::value(const Expression& expr) {
  const Depth depth(*this, expr.pos);
  switch (expr.kind) {
    case ExprKind::kNumber:
      return expressions().constant(expr.number);
    case ExprKind::kLvalue:
      return lvalue_value(expr);
    case ExprKind::kUnary:
      return unary_value(expr);
    case ExprKind::kBinary:
      return is_lazy(expr) ? lazy_value(expr) : binary_value(expr);
    case ExprKind::kConditional:
      return conditional_value(expr);
    case ExprKind::kCall:
      return call(expr, true);
    case ExprKind::kRmw: {
      const RegId result = code_.temp();
      rmw(expr, {result}, true);
      return expressions().builder().reg(result);
    }
    case ExprKind::kThreadAt:
    case ExprKind::kThreadRegister:
      if (is_field(expr)) return lvalue_value(expr);
      context_.diagnostics.error(expr.pos, "only properties can look at the state of a thread",
                                 "threads see shared variables and their own local ones");
      return expressions().unknown();
  }
  throw Bug("unknown kind of expression");
}

ExprId ThreadLowering::lvalue_value(const Expression& expr) {
  if (expr.args.empty()) {
    const Local* local = find_local(variable_of(expr).text);
    if (local && local->number) return expressions().constant(*local->number);
    const Value* constant = context_.globals.constant(variable_of(expr).text);
    if (!local && constant) return expressions().constant(*constant);
  }
  const Lvalue found = lvalue(expr, false);
  switch (found.kind) {
    case Lvalue::Kind::kUnknown:
      return expressions().unknown();
    case Lvalue::Kind::kMemory: {
      const RegId loaded = code_.temp();
      if (found.stamp) code_.stamps(loaded, 1);
      code_.load({loaded}, found.address, expr.pos);
      return expressions().builder().reg(loaded);
    }
    case Lvalue::Kind::kRegister:
      break;
  }
  ProgramBuilder& builder = expressions().builder();
  if (!found.dest.is_element()) return builder.reg(found.dest.reg);
  return expressions().sized(builder.reg_at(found.dest.reg, found.dest.count, found.dest.index),
                             found.dest.index, expr.pos);
}

ExprId ThreadLowering::unary_value(const Expression& expr) {
  return expressions().unary(expr.op, value(*expr.args[0]), expr.operator_pos);
}

ExprId ThreadLowering::binary_value(const Expression& expr) {
  const ExprId left = value(*expr.args[0]);
  const ExprId right = value(*expr.args[1]);
  return expressions().binary(expr.op, left, right, expr.operator_pos);
}

ExprId ThreadLowering::truth(const Expression& expr, ExprId id) {
  return is_truth(expr) ? id : expressions().truth(id, expr.pos);
}

// `a && b` or `a || b`. The second operand decides if the first is `undecided`, that is 1 for && and 0 for
// ||.
ExprId ThreadLowering::lazy_value(const Expression& expr) {
  const Expression& first = *expr.args[0];
  const Expression& second = *expr.args[1];
  const bool undecided = expr.op == ExprOp::kAnd;

  if (!has_effects(second)) {
    const ExprId left = value(first);
    if (const auto known = expressions().value(left)) {
      if ((*known != 0) == undecided) return truth(second, value(second));
      dead(second);
      return expressions().constant(!undecided);
    }
    const Expressions::Dead quiet(expressions(), outcome(first) == !undecided);
    const ExprId right = value(second);
    return expressions().binary(expr.op, left, right, expr.operator_pos);
  }

  const Label go_on = code_.label(), decided = code_.label(), end = code_.label();
  const auto known = undecided ? condition(first, go_on, decided) : condition(first, decided, go_on);
  if (known && *known == undecided) return truth(second, value(second));
  if (known) {
    dead(second);
    return expressions().constant(!undecided);
  }
  const RegId result = code_.temp();
  code_.bind(go_on);
  const Expressions::Dead quiet(expressions(), outcome(first) == !undecided);
  const ExprId right = value(second);
  code_.assign({result}, truth(second, right), expr.operator_pos);
  code_.jump(end);
  code_.bind(decided);
  code_.assign({result}, expressions().constant(!undecided), expr.operator_pos);
  code_.bind(end);
  return expressions().builder().reg(result);
}

ExprId ThreadLowering::conditional_value(const Expression& expr) {
  const Expression& chosen = *expr.args[1];
  const Expression& other = *expr.args[2];
  if (!has_effects(chosen) && !has_effects(other)) {
    const ExprId test = value(*expr.args[0]);
    if (const auto known = expressions().value(test)) {
      dead(*known != 0 ? other : chosen);
      return value(*known != 0 ? chosen : other);
    }
    const auto always = outcome(*expr.args[0]);
    const auto value_if = [&](const Expression& part, bool alive) {
      const Expressions::Dead quiet(expressions(), !alive);
      return value(part);
    };
    const ExprId if_true = value_if(chosen, always != false);
    const ExprId if_false = value_if(other, always != true);
    return expressions().select(test, if_true, if_false, expr.operator_pos);
  }
  const Label if_true = code_.label(), if_false = code_.label(), end = code_.label();
  if (const auto known = condition(*expr.args[0], if_true, if_false)) {
    dead(*known ? other : chosen);
    return value(*known ? chosen : other);
  }
  const auto always = outcome(*expr.args[0]);
  const RegId result = code_.temp();
  const auto branch = [&](Label start, const Expression& part, bool alive) {
    const Expressions::Dead quiet(expressions(), !alive);
    code_.bind(start);
    into({result}, std::nullopt, {}, part, expr.operator_pos);
  };
  branch(if_true, chosen, always != false);
  code_.jump(end);
  branch(if_false, other, always != true);
  code_.bind(end);
  return expressions().builder().reg(result);
}

void ThreadLowering::into(Dest dest, const std::optional<Range>& range, std::string_view name,
                          const Expression& expr, SourcePos pos) {
  if (expr.kind == ExprKind::kRmw) return rmw(expr, dest);
  const bool variable = expr.kind == ExprKind::kLvalue || expr.kind == ExprKind::kThreadRegister;
  if (variable && context_.globals.shared(variable_of(expr).text)) {
    const Lvalue from = lvalue(expr, false);
    if (from.kind == Lvalue::Kind::kMemory) code_.load(dest, from.address, expr.pos);
    return;
  }
  const ExprId result = value(expr);
  expressions().check_range(name, range, result, expr.pos);
  code_.assign(dest, result, pos);
}

// `temporary`: dest is a register of ours, which may have to hold a timestamp.
void ThreadLowering::rmw(const Expression& expr, Dest dest, bool temporary) {
  const Expression& target = *expr.args[0];
  const Lvalue found = lvalue(target, true);
  if (found.stamp && temporary && !is_cas(expr.rmw)) code_.stamps(dest.reg, 1);
  const ExprId a = value(*expr.args[1]);
  const ExprId b = expr.args.size() > 2 ? value(*expr.args[2]) : ExprId();
  if (found.kind == Lvalue::Kind::kRegister)
    context_.diagnostics.error(
        target.pos, fmt::format("'{}' is a local variable; cas, xchg and fetch_add act on shared ones",
                                shortened(variable_of(target).text)));
  if (found.kind != Lvalue::Kind::kMemory) return;
  if (found.transactional)
    context_.diagnostics.error(target.pos, fmt::format("'{}' is transactional", shortened(target.name.text)),
                               "such variables are loaded, stored and rolled back, and nothing else");
  if (expr.rmw == RmwOp::kXchg)
    expressions().check_range(variable_of(target).text, found.range, a, expr.args[1]->pos);
  code_.rmw(expr.rmw, dest, found.address, a, b, expr.pos);
}

// ----------------------------------------------------------------------------------------------- lvalues

ThreadLowering::Lvalue ThreadLowering::lvalue(const Expression& expr, bool writing) {
  if (expr.kind == ExprKind::kThreadRegister && (!is_field(expr) || !expr.member_args.empty()))
    return rejected_lvalue(expr);
  const Name& variable = variable_of(expr);
  const Local* local = find_local(variable.text);
  const SharedVariable* shared = local ? nullptr : context_.globals.shared(variable.text);
  const bool is_number = local && local->number;
  const bool is_constant = is_number || (!local && context_.globals.constant(variable.text));
  const std::string_view name = shortened(variable.text);
  if (is_constant && writing) {
    context_.diagnostics.error(
        expr.pos, is_number ? fmt::format("'{}' is {} and cannot change", name,
                                          frame_->program && name != "self" ? "a variable's number"
                                                                            : "the thread's number")
                            : fmt::format("'{}' is a constant and cannot change", name));
    return {};
  }
  if (is_constant) {  // with indices, or it would not have come here
    context_.diagnostics.error(expr.args[0]->pos, fmt::format("'{}' is a constant, not an array", name));
    return {};
  }
  if ((!local && !shared) || (local && local->structure)) return rejected_lvalue(expr);

  const Shape shape = local ? local->shape : shared->shape;  // a copy: lowering the indices may open scopes
  Lvalue result;
  result.range = local ? local->range : shared->range;
  result.stamp = local ? local->stamp : shared->stamp;
  result.index = local && local->index;
  result.transactional = shared && shared->transactional;
  if (result.transactional && atomic_)
    context_.diagnostics.error(expr.pos,
                               fmt::format("'{}' is transactional: no access inside an atomic section", name),
                               fmt::format("the section starts in line {}", atomic_->line));
  const RegId first = local ? local->first : RegId();
  const std::vector<Index> lowered = indices(expr);
  if (!indices_fit(expr, shape)) return {};
  const ExprId offset = expressions().offset(variable.text, shape, lowered);
  if (shared) {
    result.kind = Lvalue::Kind::kMemory;
    result.address = {shared->object, offset};
    return result;
  }
  result.kind = Lvalue::Kind::kRegister;
  const auto known = expressions().value(offset);
  if (!shape.is_array())
    result.dest = {first};
  else if (known && *known >= 0 && *known < static_cast<Value>(shape.cells()))
    result.dest = {RegId(first.index() + static_cast<size_t>(*known))};
  else
    result.dest = {first, shape.cells(), offset};
  return result;
}

// What is no lvalue: an unknown name, a structure without a field, or another thread's variable.
ThreadLowering::Lvalue ThreadLowering::rejected_lvalue(const Expression& expr) {
  indices(expr);
  const Local* local = find_local(expr.name.text);
  if (expr.kind == ExprKind::kLvalue && local && local->structure)
    context_.diagnostics.error(
        expr.pos, fmt::format("'{}' is a structure: a field is missing", shortened(expr.name.text)));
  else if (expr.kind == ExprKind::kLvalue)
    complain_unknown(expr.name);
  else if (!is_field(expr))
    context_.diagnostics.error(expr.pos, "only properties can look at the state of a thread",
                               "threads see shared variables and their own local ones");
  else if (!expr.member_args.empty())
    context_.diagnostics.error(
        expr.member_args[0]->pos, fmt::format("'{}' is a field and no array", shortened(expr.member.text)),
        fmt::format("write {}[...].{}", shortened(expr.name.text), shortened(expr.member.text)));
  else
    context_.diagnostics.error(
        expr.member.pos,
        fmt::format("'{}' has no field '{}'", shortened(expr.name.text), shortened(expr.member.text)));
  return {};
}

// Is `name.member` about a structure, not about another thread?
bool ThreadLowering::is_field(const Expression& expr) const {
  if (expr.kind != ExprKind::kThreadRegister) return false;
  const Local* local = find_local(expr.name.text);
  return local ? local->structure : context_.globals.is_structure(expr.name.text);
}

std::vector<Index> ThreadLowering::indices(const Expression& expr) {
  std::vector<Index> result;
  for (const ExprPtr& arg : expr.args) result.push_back({value(*arg), arg->pos});
  return result;
}

bool ThreadLowering::indices_fit(const Expression& expr, const Shape& shape) {
  const size_t given = expr.args.size(), wanted = shape.sizes.size();
  if (given == wanted) return true;
  const std::string_view name = shortened(variable_of(expr).text);
  if (wanted == 0)
    context_.diagnostics.error(expr.args[0]->pos, fmt::format("'{}' is not an array", name));
  else if (given == 0)
    context_.diagnostics.error(expr.pos, fmt::format("'{}' is an array: an index is missing", name),
                               fmt::format("write {}[...]", name));
  else
    context_.diagnostics.error(expr.pos,
                               fmt::format("'{}' has {} dimension{}, but {} ind{} given", name, wanted,
                                           wanted == 1 ? "" : "s", given, given == 1 ? "ex is" : "ices are"));
  return false;
}

// -------------------------------------------------------------------------------------------- conditions

// Leads to one of the two labels, or emits nothing more than the steps of `expr` and returns the outcome if
// that is known.
std::optional<bool> ThreadLowering::condition(const Expression& expr, Label if_true, Label if_false) {
  if (is_control_flow(expr)) {
    const Depth depth(*this, expr.pos);
    if (is_lazy(expr)) return lazy_condition(expr, if_true, if_false);
    if (expr.kind == ExprKind::kConditional) return conditional_condition(expr, if_true, if_false);
    const auto known = condition(*expr.args[0], if_false, if_true);  // a negation
    return known ? std::optional(!*known) : std::nullopt;
  }
  const ExprId test = value(expr);
  if (const auto known = expressions().value(test)) return *known != 0;
  code_.branch(test, if_true, if_false, expr.pos);
  return std::nullopt;
}

std::optional<bool> ThreadLowering::lazy_condition(const Expression& expr, Label if_true, Label if_false) {
  const bool undecided = expr.op == ExprOp::kAnd;
  const Label go_on = code_.label();
  const auto first =
      undecided ? condition(*expr.args[0], go_on, if_false) : condition(*expr.args[0], if_true, go_on);
  if (first && *first != undecided) {
    dead(*expr.args[1]);
    return first;
  }
  if (first) return condition(*expr.args[1], if_true, if_false);
  code_.bind(go_on);
  const Expressions::Dead quiet(expressions(), outcome(*expr.args[0]) == !undecided);
  if (const auto second = condition(*expr.args[1], if_true, if_false))
    code_.jump(*second ? if_true : if_false);
  return std::nullopt;
}

std::optional<bool> ThreadLowering::conditional_condition(const Expression& expr, Label if_true,
                                                          Label if_false) {
  const Label on_true = code_.label(), on_false = code_.label();
  if (const auto known = condition(*expr.args[0], on_true, on_false)) {
    dead(*expr.args[*known ? 2 : 1]);
    return condition(*expr.args[*known ? 1 : 2], if_true, if_false);
  }
  const auto always = outcome(*expr.args[0]);
  const auto branch = [&](Label start, const Expression& part, bool alive) {
    const Expressions::Dead quiet(expressions(), !alive);
    code_.bind(start);
    if (const auto known = condition(part, if_true, if_false)) code_.jump(*known ? if_true : if_false);
  };
  branch(on_true, *expr.args[1], always != false);
  branch(on_false, *expr.args[2], always != true);
  return std::nullopt;
}

// Checks the names of a part that is never evaluated.
void ThreadLowering::dead(const Expression& expr) {
  const Code::Mute mute(code_);
  const Expressions::Dead quiet(expressions());
  value(expr);
}

// The outcome of the condition, as far as its constants determine it: `r == 1 && false` is never true. Its
// steps are still emitted, and may fail, but what it excludes is dead code.
std::optional<bool> ThreadLowering::outcome(const Expression& expr) {
  if (is_constant(expr)) {
    const Expressions::Dead quiet(expressions());
    const auto known = expressions().value(value(expr));
    return known ? std::optional(*known != 0) : std::nullopt;
  }
  if (expr.kind == ExprKind::kUnary && expr.op == ExprOp::kNot) {
    const auto operand = outcome(*expr.args[0]);
    return operand ? std::optional(!*operand) : std::nullopt;
  }
  if (!is_lazy(expr)) return std::nullopt;
  const auto first = outcome(*expr.args[0]), second = outcome(*expr.args[1]);
  const bool decisive = expr.op == ExprOp::kOr;
  if (first == decisive || second == decisive) return decisive;
  return first && second ? std::optional(!decisive) : std::nullopt;
}

// A local variable cannot hide a shared one, so the answer does not depend on the position of the expression.
bool ThreadLowering::has_effects(const Expression& expr) const {
  if (expr.has_effects) return *expr.has_effects;
  bool result = expr.kind == ExprKind::kCall || expr.kind == ExprKind::kRmw ||
                ((expr.kind == ExprKind::kLvalue || expr.kind == ExprKind::kThreadRegister) &&
                 context_.globals.shared(variable_of(expr).text));
  for (const ExprPtr& arg : expr.args) result = result || has_effects(*arg);
  expr.has_effects = result;
  return result;
}

// Is it, as a condition, more than the steps of its operands and one branch?
bool ThreadLowering::is_control_flow(const Expression& expr) const {
  if (expr.kind == ExprKind::kUnary) return expr.op == ExprOp::kNot && is_control_flow(*expr.args[0]);
  if (is_lazy(expr)) return has_effects(*expr.args[1]) || is_control_flow(*expr.args[0]);
  if (expr.kind == ExprKind::kConditional)
    return has_effects(*expr.args[1]) || has_effects(*expr.args[2]) || is_control_flow(*expr.args[0]);
  return false;
}

}  // namespace fenceline::frontend::fl
