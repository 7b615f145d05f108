// SPDX-License-Identifier: GPL-3.0-or-later
//
// Timestamps are compared, copied and increased by constants, and nothing else: then their values do not
// matter, only their order and the distance of neighbours, and engines may renumber them. So every expression
// has a sort, timestamp or integer, and a constant can be either.
#include "frontend/fl/lower_impl.h"

namespace fenceline::frontend::fl {

void ThreadLowering::check_stamps(const Statement& statement) {
  switch (statement.kind) {
    case StmtKind::kAssign:
    case StmtKind::kRollback: {
      const Expression& left = *statement.exprs[0];
      return check_assigned(variable_of(left), sort(left) == Sort::kStamp, *statement.exprs[1]);
    }
    case StmtKind::kEvaluate:
      sort(*statement.exprs[0]);
      return;
    case StmtKind::kIf:
    case StmtKind::kWhile:
    case StmtKind::kDoWhile:
    case StmtKind::kAwait:
    case StmtKind::kAssume:
    case StmtKind::kAssert:
      no_stamp(*statement.exprs[0], "a condition");
      return;
    case StmtKind::kReturn:
      if (!statement.exprs.empty()) no_stamp(*statement.exprs[0], "the value of a procedure");
      return;
    case StmtKind::kHavoc:
      if (sort(*statement.exprs[0]) == Sort::kStamp)
        context_.diagnostics.error(statement.exprs[0]->pos, "havoc does not support timestamps",
                                   "timestamps are compared, copied and increased by constants");
      return;
    default:
      return;  // declarations are checked where their names come into scope
  }
}

void ThreadLowering::check_assigned(const Name& name, bool stamp, const Expression& value) {
  const Sort found = sort(value);
  if (stamp && found == Sort::kInt)
    context_.diagnostics.error(value.pos,
                               fmt::format("'{}' is a timestamp, and this is none", shortened(name.text)),
                               "it is assigned timestamps, timestamps + constants, and constants");
  if (!stamp && found == Sort::kStamp)
    context_.diagnostics.error(value.pos,
                               fmt::format("this is a timestamp, and '{}' is none", shortened(name.text)),
                               fmt::format("declare it as 'stamp {}'", shortened(name.text)));
}

// Complains about timestamps inside it that are not used as such; what has been complained about can be
// either.
ThreadLowering::Sort ThreadLowering::sort(const Expression& expr) {
  const Depth depth(*this, expr.pos);
  if (is_constant(expr)) return Sort::kConstant;
  switch (expr.kind) {
    case ExprKind::kLvalue:
    case ExprKind::kThreadRegister: {
      for (const ExprPtr& arg : expr.args) no_stamp(*arg, "an index");
      const std::string_view name = variable_of(expr).text;
      const Local* local = find_local(name);
      const SharedVariable* shared = local ? nullptr : context_.globals.shared(name);
      return (local && local->stamp) || (shared && shared->stamp) ? Sort::kStamp : Sort::kInt;
    }
    case ExprKind::kUnary:
      return no_stamp(*expr.args[0], "the operand of an operator") ? Sort::kInt : Sort::kConstant;
    case ExprKind::kBinary:
      return sort_of_binary(expr);
    case ExprKind::kConditional:
      no_stamp(*expr.args[0], "a condition");
      return no_stamp(*expr.args[1], "a part of '?'") && no_stamp(*expr.args[2], "a part of '?'")
                 ? Sort::kInt
                 : Sort::kConstant;
    case ExprKind::kCall:
      for (const ExprPtr& arg : expr.args) no_stamp(*arg, "an argument");
      return Sort::kInt;
    case ExprKind::kRmw:
      return sort_of_rmw(expr);
    default:
      return Sort::kInt;
  }
}

ThreadLowering::Sort ThreadLowering::sort_of_binary(const Expression& expr) {
  const bool comparison = expr.op >= ExprOp::kEq && expr.op <= ExprOp::kGe;
  if (!comparison && expr.op != ExprOp::kAdd) {
    bool fine = true;
    for (const ExprPtr& arg : expr.args) fine &= no_stamp(*arg, "the operand of an operator");
    return fine ? Sort::kInt : Sort::kConstant;
  }
  const Sort left = sort(*expr.args[0]), right = sort(*expr.args[1]);
  if (left != Sort::kStamp && right != Sort::kStamp) return Sort::kInt;
  const Sort other = left == Sort::kStamp ? right : left;
  if (comparison && other == Sort::kInt)
    context_.diagnostics.error(expr.operator_pos, "a timestamp is compared with something else",
                               "it can be compared with timestamps and constants");
  if (comparison) return Sort::kInt;
  if (other != Sort::kConstant)
    context_.diagnostics.error(expr.operator_pos, "only constants can be added to a timestamp");
  else
    check_added(*expr.args[left == Sort::kStamp ? 1 : 0]);
  return Sort::kStamp;
}

ThreadLowering::Sort ThreadLowering::sort_of_rmw(const Expression& expr) {
  const Name& name = variable_of(*expr.args[0]);
  const bool stamp = sort(*expr.args[0]) == Sort::kStamp;
  if (stamp && expr.rmw == RmwOp::kFetchAdd) {
    if (sort(*expr.args[1]) != Sort::kConstant)
      context_.diagnostics.error(expr.args[1]->pos, "only constants can be added to a timestamp");
    else
      check_added(*expr.args[1]);
    return Sort::kStamp;
  }
  for (size_t i = 1; i < expr.args.size(); ++i) check_assigned(name, stamp, *expr.args[i]);
  return stamp && !is_cas(expr.rmw) ? Sort::kStamp : Sort::kInt;
}

// Renumbering keeps what lies close above a timestamp that is increased, not what lies below.
void ThreadLowering::check_added(const Expression& constant) {
  const std::optional<Value> known = is_constant(constant) ? expressions().value(value(constant)) : 0;
  if (known && *known < 0)
    context_.diagnostics.error(
        constant.pos,
        fmt::format("only constants from 0 on can be added to a timestamp, and this is {}", *known));
}

bool ThreadLowering::no_stamp(const Expression& expr, const char* what) {
  if (sort(expr) != Sort::kStamp) return true;
  context_.diagnostics.error(expr.pos, fmt::format("a timestamp cannot be {}", what),
                             "timestamps are compared, copied and increased by constants");
  return false;
}

}  // namespace fenceline::frontend::fl
