// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions, by precedence climbing. `a + b + c + ...` nests to the left, so the depth of the tree is
// counted separately from the depth of the recursion; both are bounded by kMaxNesting.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/fl/parser_impl.h"

namespace fenceline::frontend::fl {
namespace {

struct BinaryOperator {
  int precedence;  // 0: not a binary operator
  ExprOp op;
};

BinaryOperator binary_operator(Tok kind) {
  switch (kind) {
    case Tok::kOrOr:
      return {1, ExprOp::kOr};
    case Tok::kAndAnd:
      return {2, ExprOp::kAnd};
    case Tok::kPipe:
      return {3, ExprOp::kBitOr};
    case Tok::kCaret:
      return {4, ExprOp::kBitXor};
    case Tok::kAmp:
      return {5, ExprOp::kBitAnd};
    case Tok::kEq:
      return {6, ExprOp::kEq};
    case Tok::kNe:
      return {6, ExprOp::kNe};
    case Tok::kLt:
      return {7, ExprOp::kLt};
    case Tok::kLe:
      return {7, ExprOp::kLe};
    case Tok::kGt:
      return {7, ExprOp::kGt};
    case Tok::kGe:
      return {7, ExprOp::kGe};
    case Tok::kShl:
      return {8, ExprOp::kShl};
    case Tok::kShr:
      return {8, ExprOp::kShr};
    case Tok::kPlus:
      return {9, ExprOp::kAdd};
    case Tok::kMinus:
      return {9, ExprOp::kSub};
    case Tok::kStar:
      return {10, ExprOp::kMul};
    case Tok::kSlash:
      return {10, ExprOp::kDiv};
    case Tok::kPercent:
      return {10, ExprOp::kMod};
    default:
      return {0, ExprOp::kConst};
  }
}

ExprPtr make(ExprKind kind, SourcePos pos) {
  ExprPtr expr = std::make_unique<Expression>();
  expr->kind = kind;
  expr->pos = pos;
  return expr;
}

}  // namespace

void Parser::add_arg(Expression& into, std::vector<ExprPtr>& list, ExprPtr arg) {
  into.depth = std::max(into.depth, arg->depth + 1);
  if (into.depth > kMaxNesting)
    diagnostics_.fatal(into.pos, fmt::format("expressions nested more than {} deep", kMaxNesting),
                       "split it: assign a part to a local variable first");
  list.push_back(std::move(arg));
}

ExprPtr Parser::expression() {
  const Nesting nesting(*this, expression_depth_, "expressions");
  ExprPtr condition = binary(1);
  if (!at(Tok::kQuestion)) return condition;
  ExprPtr result = make(ExprKind::kConditional, condition->pos);
  result->operator_pos = take().pos;
  add_arg(*result, result->args, std::move(condition));
  add_arg(*result, result->args, expression());
  expect(Tok::kColon, "':' and the other value of '?'");
  add_arg(*result, result->args, expression());
  return result;
}

ExprPtr Parser::binary(int min_precedence) {
  ExprPtr left = unary();
  for (;;) {
    const BinaryOperator found = binary_operator(peek().kind);
    if (found.precedence == 0 || found.precedence < min_precedence) return left;
    ExprPtr result = make(ExprKind::kBinary, left->pos);
    result->operator_pos = take().pos;
    result->op = found.op;
    add_arg(*result, result->args, std::move(left));
    add_arg(*result, result->args, binary(found.precedence + 1));
    left = std::move(result);
  }
}

ExprPtr Parser::unary() {
  ExprOp op;
  switch (peek().kind) {
    case Tok::kMinus:
      op = ExprOp::kNeg;
      break;
    case Tok::kNot:
      op = ExprOp::kNot;
      break;
    case Tok::kTilde:
      op = ExprOp::kBitNot;
      break;
    default:
      return primary();
  }
  const Nesting nesting(*this, expression_depth_, "expressions");
  ExprPtr result = make(ExprKind::kUnary, take().pos);
  result->operator_pos = result->pos;
  result->op = op;
  add_arg(*result, result->args, unary());
  return result;
}

ExprPtr Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case Tok::kNumber:
    case Tok::kTrue:
    case Tok::kFalse: {
      take();
      ExprPtr result = make(ExprKind::kNumber, last_.pos);
      result->number = last_.kind == Tok::kNumber ? last_.number : last_.kind == Tok::kTrue;
      if (starts_with_zero(last_))
        fail(last_.pos, fmt::format("{} starts with 0, which would be octal in C", describe(last_)),
             "drop the leading zeros");
      if (at(Tok::kDot)) fail(peek().pos, "unexpected '.' after a number", "all numbers are integers");
      return result;
    }
    case Tok::kLeftParen: {
      take();
      ExprPtr result = expression();
      if (at(Tok::kAssign)) fail(peek().pos, "'=' in an expression", "use '==' to compare");
      expect(Tok::kRightParen, "')'");
      return result;
    }
    case Tok::kName:
      return named();
    case Tok::kCas:
    case Tok::kXchg:
    case Tok::kFetchAdd:
      return rmw();
    case Tok::kRead:
    case Tok::kWrite:
    case Tok::kEnd:
    case Tok::kAbort:
      if (in_program_)
        fail(token.pos, fmt::format("{} has no value", describe(token)),
             "the programs of a transaction are called by statements of their own");
      reject_outside_transaction();
    case Tok::kStar:
      fail(token.pos, "unexpected '*': there are no pointers", "use an index into an array");
    case Tok::kAmp:
      fail(token.pos, "unexpected '&': there are no addresses", "cas(x, old, new) takes x itself");
    case Tok::kLeftBrace:
      fail(token.pos, "unexpected '{': only a declaration can set a whole array");
    default:
      break;
  }
  if (is_transaction_word(token.kind)) reject_outside_transaction();
  if (is_reserved_word(token.kind))
    fail(token.pos, fmt::format("expected an expression, found the reserved word {}", describe(token)));
  fail_expected("an expression");
}

ExprPtr Parser::named() {
  const Token token = peek();
  ExprPtr result = make(ExprKind::kLvalue, token.pos);
  result->name = {token.text, token.pos};
  take();
  if (accept(Tok::kLeftParen)) {
    result->kind = ExprKind::kCall;
    arguments(*result);
    return result;
  }
  indices(*result, result->args);
  if (accept(Tok::kAt)) {
    result->kind = ExprKind::kThreadAt;
    result->member = expect_name("a label after '@'");
  } else if (accept(Tok::kDot)) {
    member(*result, "a local variable after '.'");
  }
  return result;
}

// Behind '.'.
void Parser::member(Expression& into, const char* what) {
  into.kind = ExprKind::kThreadRegister;
  into.member = expect_name(what);
  into.field = {made_names_.emplace_back(fmt::format("{}.{}", into.name.text, into.member.text)), into.pos};
  indices(into, into.member_args);
}

// Behind '('.
void Parser::arguments(Expression& into) {
  if (!at(Tok::kRightParen)) {
    do add_arg(into, into.args, expression());
    while (accept(Tok::kComma));
  }
  expect(Tok::kRightParen, "',' or ')' after an argument");
}

// Precondition: at read, write, end or abort.
ExprPtr Parser::program_call() {
  const Token token = take();
  ExprPtr result = make(ExprKind::kCall, token.pos);
  result->name = {token.text, token.pos};
  if (!accept(Tok::kLeftParen))
    fail_expected(fmt::format("'(' after '{}'", token.text),
                  token.kind == Tok::kEnd ? "'end()' calls the program; it is 'commit;' that ends it" : "");
  arguments(*result);
  return result;
}

ExprPtr Parser::rmw() {
  const Token keyword = take();
  ExprPtr result = make(ExprKind::kRmw, keyword.pos);
  result->rmw = keyword.kind == Tok::kCas    ? RmwOp::kCas
                : keyword.kind == Tok::kXchg ? RmwOp::kXchg
                                             : RmwOp::kFetchAdd;
  const std::string form = keyword.kind == Tok::kCas ? "cas(variable, old, new)"
                                                     : fmt::format("{}(variable, value)", keyword.text);
  expect(Tok::kLeftParen, "'('");
  if (at(Tok::kAmp)) fail(peek().pos, "unexpected '&': there are no addresses", "write " + form);
  add_arg(*result, result->args, lvalue());
  const size_t operands = result->rmw == RmwOp::kCas ? 2 : 1;
  for (size_t i = 0; i < operands; ++i) {
    if (!accept(Tok::kComma)) fail_expected("','", "write " + form);
    add_arg(*result, result->args, expression());
  }
  if (!at(Tok::kRightParen)) fail_expected("')'", "write " + form);
  take();
  return result;
}

ExprPtr Parser::lvalue() {
  const Name name = expect_name("a variable or array element");
  ExprPtr result = make(ExprKind::kLvalue, name.pos);
  result->name = name;
  indices(*result, result->args);
  if (accept(Tok::kDot)) member(*result, "a field after '.'");
  return result;
}

void Parser::indices(Expression& into, std::vector<ExprPtr>& list) {
  while (accept(Tok::kLeftBracket)) {
    add_arg(into, list, expression());
    expect(Tok::kRightBracket, "']' after the index");
  }
}

}  // namespace fenceline::frontend::fl
