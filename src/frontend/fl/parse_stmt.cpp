// SPDX-License-Identifier: GPL-3.0-or-later
//
// Statements. Empty statements and `skip` leave nothing in the tree, unless there is a label before them.
#include <fmt/format.h>

#include <utility>

#include "frontend/fl/parser_impl.h"

namespace fenceline::frontend::fl {
namespace {

void add(Statement& into, StmtPtr part) {
  into.has_label |= part->has_label;
  into.body.push_back(std::move(part));
}

bool is_empty(const Statement& statement) {
  return statement.kind == StmtKind::kBlock && statement.body.empty();
}

}  // namespace

StmtPtr make_statement(StmtKind kind, SourcePos pos) {
  StmtPtr statement = std::make_unique<Statement>();
  statement->kind = kind;
  statement->pos = pos;
  return statement;
}

StmtPtr Parser::block() {
  const Token open = expect(Tok::kLeftBrace, "'{'");
  StmtPtr result = make_statement(StmtKind::kBlock, open.pos);
  block_items(*result);
  if (at(Tok::kEndOfFile)) fail(open.pos, "this '{' is never closed");
  if (!at(Tok::kRightBrace))
    fail_expected("'}'", fmt::format("the '{{' of line {} is still open", open.pos.line));
  take();
  return result;
}

// Up to the end of the block, or to what cannot be inside one: then a '}' is missing.
void Parser::block_items(Statement& into) {
  while (!at(Tok::kRightBrace) && !at(Tok::kEndOfFile) && !at(Tok::kThread) && !at(Tok::kProcedure) &&
         !at(Tok::kProperty) && !at(Tok::kTransaction)) {
    const size_t before = taken_;
    try {
      if (starts_declaration()) {
        StmtPtr declaration = make_statement(StmtKind::kDeclaration, peek().pos);
        declaration->declarations = variable_lists(false);
        declaration->end = last_.end;
        into.body.push_back(std::move(declaration));
      } else {
        StmtPtr next = statement();
        if (!is_empty(*next)) add(into, std::move(next));
      }
    } catch (const SyntaxError&) {
      skip_to_statement(before);
      if (taken_ == before && !at(Tok::kRightBrace)) throw;  // let the file's loop go on
    }
  }
}

bool Parser::starts_declaration() { return at(Tok::kInt) || at(Tok::kLocal); }

StmtPtr Parser::statement() {
  const Nesting nesting(*this, statement_depth_, "statements");
  StmtPtr result = statement_here();
  result->end = last_.end;
  return result;
}

// A statement where only one is allowed. If it is a block, more can be added; else that takes braces.
StmtPtr Parser::only_statement() {
  const bool braces = at(Tok::kLeftBrace);
  const SourcePos open = peek().pos;
  StmtPtr result = statement();
  for (Statement* part = braces ? nullptr : result.get(); part != nullptr;) {
    part->open = open;
    part->close = result->end;
    part = part->kind == StmtKind::kLabel ? part->body[0].get() : nullptr;
  }
  return result;
}

StmtPtr Parser::statement_here() {
  const Token& token = peek();
  switch (token.kind) {
    case Tok::kLeftBrace:
      return block();
    case Tok::kSemicolon:
      take();
      return make_statement(StmtKind::kBlock, last_.pos);
    case Tok::kSkip:
      return keyword_statement(StmtKind::kBlock, "'skip'");
    case Tok::kName:
      if (token.text == "sync" && peek(1).kind == Tok::kSemicolon) return fence_statement();
      return peek(1).kind == Tok::kColon ? labelled() : assignment_or_call();
    case Tok::kCas:
    case Tok::kXchg:
    case Tok::kFetchAdd:
    case Tok::kNumber:
      if (in_program_ && token.kind == Tok::kNumber && peek(1).kind == Tok::kColon) return numbered();
      return assignment_or_call();
    case Tok::kLeftParen:
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kMinus:
    case Tok::kNot:
    case Tok::kTilde:
      return assignment_or_call();
    case Tok::kIf:
      return if_statement();
    case Tok::kWhile:
      return while_statement();
    case Tok::kDo:
      return do_while_statement();
    case Tok::kGoto:
      return goto_statement();
    case Tok::kBreak:
      return keyword_statement(StmtKind::kBreak, "'break'");
    case Tok::kContinue:
      return keyword_statement(StmtKind::kContinue, "'continue'");
    case Tok::kHalt:
      return keyword_statement(StmtKind::kHalt, "'halt'");
    case Tok::kReturn:
      return return_statement();
    case Tok::kAtomic:
      return atomic_statement();
    case Tok::kChoose:
      return choose_statement();
    case Tok::kFence:
    case Tok::kSfence:
    case Tok::kLfence:
      return fence_statement();
    case Tok::kAwait:
      return condition_statement(StmtKind::kAwait, "'await'");
    case Tok::kAssume:
      return condition_statement(StmtKind::kAssume, "'assume'");
    case Tok::kAssert:
      return condition_statement(StmtKind::kAssert, "'assert'");
    case Tok::kHavoc:
      return havoc_statement();
    case Tok::kRead:
    case Tok::kWrite:
    case Tok::kEnd:
      return program_call_statement();
    case Tok::kRfin:
    case Tok::kCommit:
    case Tok::kAbort:
      return history_statement();
    case Tok::kRollback:
      return rollback_statement();
    default:
      no_statement();
  }
}

// What does not begin a statement, with the words that are often meant as one.
void Parser::no_statement() {
  const Token& token = peek();
  switch (token.kind) {
    case Tok::kElse:
      fail(token.pos, "'else' without 'if'", "an 'if' takes one statement: put several into { }");
    case Tok::kOr:
      fail(token.pos, "'or' without 'choose'", "the logical or is written '||'");
    case Tok::kInt:
    case Tok::kLocal:
      fail(token.pos, "a declaration is not allowed here", "put it into a block: { int r = 0; ... }");
    case Tok::kShared:
      take();  // so that the reader goes on in this block
      fail(last_.pos, "shared variables are declared outside threads and procedures");
    case Tok::kConst:
      take();
      fail(last_.pos, "constants are declared outside threads and procedures",
           "a local variable is written 'int r = 0;'");
    default:
      if (is_transaction_word(token.kind)) reject_outside_transaction();
      fail_expected("a statement");
  }
}

StmtPtr Parser::goto_statement() {
  StmtPtr jump = make_statement(StmtKind::kGoto, take().pos);
  jump->name = expect_name("the label's name after 'goto'");
  expect_semicolon("'goto'");
  return jump;
}

StmtPtr Parser::return_statement() {
  StmtPtr leave = make_statement(StmtKind::kReturn, take().pos);
  if (!at(Tok::kSemicolon) && !at(Tok::kRightBrace)) leave->exprs.push_back(expression());
  expect_semicolon("'return'");
  return leave;
}

StmtPtr Parser::atomic_statement() {
  StmtPtr atomic = make_statement(StmtKind::kAtomic, take().pos);
  if (!at(Tok::kLeftBrace)) fail_expected("'{' after 'atomic'");
  add(*atomic, block());
  return atomic;
}

// read(), write() or end() in a program of a transaction.
StmtPtr Parser::program_call_statement() {
  if (!in_program_) reject_outside_transaction();
  StmtPtr evaluate = make_statement(StmtKind::kEvaluate, peek().pos);
  evaluate->exprs.push_back(program_call());
  expect_semicolon("the call");
  return evaluate;
}

// `07: x = 1;` in a program of a transaction. Numbers are for people: nothing jumps there.
StmtPtr Parser::numbered() {
  const Token number = take();
  take();
  if (at(Tok::kRightBrace) || starts_declaration())
    fail(peek().pos, fmt::format("a line's number is followed by a statement, found {}", describe(peek())),
         fmt::format("write '{}: skip;'", shortened(number.text)));
  StmtPtr result = statement();
  result->line = number.text;
  return result;
}

StmtPtr Parser::labelled() {
  StmtPtr label = make_statement(StmtKind::kLabel, peek().pos);
  label->name = expect_name("a label");
  label->has_label = true;
  label->colon_end = take().end;
  if (at(Tok::kRightBrace) || starts_declaration())
    fail(peek().pos, fmt::format("a label is followed by a statement, found {}", describe(peek())),
         fmt::format("write '{}: skip;'", shortened(label->name.text)));
  add(*label, statement());
  return label;
}

StmtPtr Parser::assignment_or_call() {
  const Token first = peek();
  if (first.kind == Tok::kName && peek(1).kind != Tok::kAssign && peek(1).kind != Tok::kLeftBracket) {
    const std::string hint = hint_for_foreign();
    if (!hint.empty()) fail(first.pos, fmt::format("unexpected {}", describe(first)), hint);
  }
  ExprPtr left = expression();
  if (accept(Tok::kAssign)) {
    if (left->kind != ExprKind::kLvalue && left->kind != ExprKind::kThreadRegister)
      fail(first.pos, "the left side of '=' is not a variable or array element");
    StmtPtr assign = make_statement(StmtKind::kAssign, first.pos);
    assign->exprs.push_back(std::move(left));
    assign->exprs.push_back(expression());
    if (at(Tok::kAssign)) fail(peek().pos, "an assignment has no value", "write two assignments");
    expect_semicolon("the assignment");
    return assign;
  }
  if (left->kind == ExprKind::kCall || left->kind == ExprKind::kRmw) {
    if (at(Tok::kLeftBrace))  // whlie (x == 1) { ... }
      fail_expected("';' after the call", did_you_mean(first.text, {"while", "if", "else", "await"}));
    StmtPtr evaluate = make_statement(StmtKind::kEvaluate, first.pos);
    evaluate->exprs.push_back(std::move(left));
    expect_semicolon("the call");
    return evaluate;
  }
  reject_as_statement(first, *left);
}

// An expression where a statement is expected. What was meant?
void Parser::reject_as_statement(const Token& first, const Expression& expr) {
  if (expr.kind == ExprKind::kBinary && expr.op == ExprOp::kEq)
    fail(expr.operator_pos, "a comparison is not a statement", "assignment is written '='");
  if (expr.kind == ExprKind::kLvalue && expr.args.empty()) {
    const std::string hint = did_you_mean(
        first.text, {"shared", "local", "int", "goto", "skip", "fence", "sfence", "lfence", "sync", "atomic",
                     "havoc", "return", "break", "continue", "halt", "while", "choose", "else", "do"});
    if (!hint.empty()) fail(first.pos, fmt::format("expected a statement, found {}", describe(first)), hint);
  }
  const bool sync = first.text == "sync" && expr.args.empty();
  if (expr.kind == ExprKind::kLvalue && !at(Tok::kSemicolon)) fail_expected(sync ? "';' or '='" : "'='");
  fail(first.pos, "an expression is not a statement", "assign its value: r = ...;");
}

StmtPtr Parser::if_statement() {
  StmtPtr result = make_statement(StmtKind::kIf, take().pos);
  result->exprs.push_back(condition("'if'"));
  add(*result, only_statement());
  if (accept(Tok::kElse)) add(*result, only_statement());
  return result;
}

StmtPtr Parser::while_statement() {
  StmtPtr result = make_statement(StmtKind::kWhile, take().pos);
  result->exprs.push_back(condition("'while'"));
  add(*result, only_statement());
  return result;
}

StmtPtr Parser::do_while_statement() {
  StmtPtr result = make_statement(StmtKind::kDoWhile, take().pos);
  add(*result, only_statement());
  expect(Tok::kWhile, "'while' after the body of 'do'");
  result->exprs.push_back(condition("'while'"));
  expect_semicolon("'do ... while (...)'");
  return result;
}

// `sync` is not reserved: a name alone is no statement otherwise, so programs may have variables, labels and
// procedures that are called so.
StmtPtr Parser::fence_statement() {
  const Token keyword = take();
  StmtPtr result = make_statement(StmtKind::kFence, keyword.pos);
  if (keyword.kind == Tok::kName) result->fence = FenceKinds::sync();
  if (keyword.kind == Tok::kSfence) result->fence = FenceKinds::store_store();
  if (keyword.kind == Tok::kLfence) result->fence = FenceKinds::load_load();
  if (keyword.kind == Tok::kFence) {
    result->fence = FenceKinds::full();
    if (accept(Tok::kLeftParen)) {
      result->fence = FenceKinds();
      do result->fence = result->fence | fence_kind();
      while (accept(Tok::kComma));
      expect(Tok::kRightParen, "',' or ')' after the kind of fence");
    }
  }
  expect_semicolon("the fence");
  return result;
}

FenceKinds Parser::fence_kind() {
  const Token first = peek();
  const auto part = [&]() -> std::string_view { return at(Tok::kName) ? take().text : std::string_view(); };
  const std::string_view before = part();
  const bool dash = accept(Tok::kMinus);
  const std::string_view after = dash ? part() : std::string_view();
  if (before == "store" && after == "load") return FenceKinds::store_load();
  if (before == "store" && after == "store") return FenceKinds::store_store();
  if (before == "load" && after == "load") return FenceKinds::load_load();
  if (before == "load" && after == "store") return FenceKinds::load_store();
  fail(first.pos, "expected a kind of fence",
       "the kinds are store-load, store-store, load-load and load-store; a plain 'fence;' is all four");
}

StmtPtr Parser::choose_statement() {
  StmtPtr result = make_statement(StmtKind::kChoose, take().pos);
  if (!at(Tok::kLeftBrace)) fail_expected("'{' after 'choose'");
  add(*result, block());
  if (!at(Tok::kOr)) fail_expected("'or' and another branch of 'choose'");
  while (accept(Tok::kOr)) {
    if (!at(Tok::kLeftBrace)) fail_expected("'{' after 'or'");
    add(*result, block());
  }
  return result;
}

StmtPtr Parser::havoc_statement() {
  StmtPtr result = make_statement(StmtKind::kHavoc, take().pos);
  result->exprs.push_back(lvalue());
  expect(Tok::kIn, "'in' and a range, as in havoc r in 0..3;");
  result->exprs.push_back(expression());
  expect(Tok::kDotDot, "'..' and the upper end of the range");
  result->exprs.push_back(expression());
  expect_semicolon("'havoc'");
  return result;
}

StmtPtr Parser::rollback_statement() {
  if (!in_program_) reject_outside_transaction();
  StmtPtr result = make_statement(StmtKind::kRollback, take().pos);
  result->exprs.push_back(lvalue());
  expect(Tok::kAssign, "'=' and the value that the variable had");
  result->exprs.push_back(expression());
  expect_semicolon("'rollback'");
  return result;
}

// `abort();` calls a program, `abort;` is what the history sees.
StmtPtr Parser::history_statement() {
  if (!in_program_) reject_outside_transaction();
  if (at(Tok::kAbort) && peek(1).kind == Tok::kLeftParen) {
    StmtPtr evaluate = make_statement(StmtKind::kEvaluate, peek().pos);
    evaluate->exprs.push_back(program_call());
    expect_semicolon("the call");
    return evaluate;
  }
  StmtPtr result = make_statement(StmtKind::kHistory, take().pos);
  result->history = last_.kind == Tok::kRfin     ? HistoryOp::kRfin
                    : last_.kind == Tok::kCommit ? HistoryOp::kCommit
                                                 : HistoryOp::kAbort;
  expect_semicolon(last_.kind == Tok::kRfin ? "'rfin'" : last_.kind == Tok::kCommit ? "'commit'" : "'abort'");
  return result;
}

StmtPtr Parser::keyword_statement(StmtKind kind, const char* after) {
  StmtPtr result = make_statement(kind, take().pos);
  expect_semicolon(after);
  return result;
}

StmtPtr Parser::condition_statement(StmtKind kind, const char* after) {
  StmtPtr result = make_statement(kind, take().pos);
  result->exprs.push_back(condition(after));
  expect_semicolon(after);
  return result;
}

ExprPtr Parser::condition(const char* after) {
  if (!at(Tok::kLeftParen)) fail_expected(fmt::format("'(' after {}", after));
  take();
  ExprPtr result = expression();
  if (at(Tok::kAssign)) fail(peek().pos, "'=' in a condition", "use '==' to compare");
  expect(Tok::kRightParen, "')' after the condition");
  return result;
}

}  // namespace fenceline::frontend::fl
