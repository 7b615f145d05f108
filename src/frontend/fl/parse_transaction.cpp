// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transactional memories and structures. `transactional`, `stamp`, `struct` and `client` are no reserved
// words: they mean something only where a declaration starts or after `shared` and `local`.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/fl/parser_impl.h"

namespace fenceline::frontend::fl {
namespace {

ExprPtr copy(const Expression& expr) {
  ExprPtr result = std::make_unique<Expression>();
  result->kind = expr.kind;
  result->op = expr.op;
  result->rmw = expr.rmw;
  result->depth = expr.depth;
  result->pos = expr.pos;
  result->operator_pos = expr.operator_pos;
  result->number = expr.number;
  result->name = expr.name;
  result->member = expr.member;
  result->field = expr.field;
  for (const ExprPtr& arg : expr.args) result->args.push_back(copy(*arg));
  for (const ExprPtr& arg : expr.member_args) result->member_args.push_back(copy(*arg));
  return result;
}

bool starts_program(Tok kind) {
  return kind == Tok::kRead || kind == Tok::kWrite || kind == Tok::kEnd || kind == Tok::kAbort;
}

}  // namespace

// ------------------------------------------------------------------------------------------ the block

void Parser::transaction(File& file) {
  const Token keyword = take();
  if (file.transaction)
    fail(keyword.pos, "a second transaction block",
         fmt::format("the first is in line {}", file.transaction->name.pos.line));
  Transaction result;
  result.name = expect_name("a name for the transactional memory");
  const Token open = expect(Tok::kLeftBrace, "'{'");
  while (!at(Tok::kRightBrace) && !at(Tok::kEndOfFile)) {
    const size_t before = taken_;
    try {
      transaction_item(file, result);
    } catch (const SyntaxError&) {
      in_program_ = false;
      skip_to_item(before);
    }
  }
  if (at(Tok::kEndOfFile)) fail(open.pos, "this '{' is never closed");
  take();
  file.transaction = std::move(result);
}

void Parser::transaction_item(File& file, Transaction& into) {
  switch (peek().kind) {
    case Tok::kConst:
      return constants(file);
    case Tok::kShared:
      return shared_variables(file);
    case Tok::kLocal:
      for (VariableList& list : variable_lists(false)) into.locals.push_back(std::move(list));
      return;
    case Tok::kIndex:
      into.locals.push_back(index_variables());
      return;
    case Tok::kRead:
    case Tok::kWrite:
    case Tok::kEnd:
    case Tok::kAbort:
      into.programs.push_back(program());
      return;
    case Tok::kName:
      if (peek().text == "transactional") {
        Global global;
        global.shared = transactional();
        file.globals.push_back(std::move(global));
        return;
      }
      if (peek().text == "client") {
        take();
        into.clients.push_back(client_block());
        return;
      }
      break;
    default:
      break;
  }
  std::string hint;
  if (at(Tok::kThread)) hint = "the threads of a transactional memory are made from its clients";
  if (at(Tok::kProcedure) || at(Tok::kProperty)) hint = "put it outside the transaction block";
  if (at(Tok::kName))
    hint = did_you_mean(peek().text, {"const", "shared", "transactional", "local", "index", "read", "write",
                                      "end", "abort", "client"});
  fail_expected("a declaration, 'read', 'write', 'end', 'abort' or 'client'", std::move(hint));
}

// To where the next item of the block seems to start, or to its end.
void Parser::skip_to_item(size_t tokens_before) {
  size_t open = std::exchange(open_braces_, 0);
  for (;;) {
    const Tok kind = peek().kind;
    if (kind == Tok::kEndOfFile) return;
    if (open == 0 && kind == Tok::kRightBrace) return;
    const bool starts = starts_program(kind) || kind == Tok::kConst || kind == Tok::kShared ||
                        kind == Tok::kLocal || kind == Tok::kIndex;
    if (open == 0 && starts && taken_ > tokens_before) return;
    take();
    if (kind == Tok::kLeftBrace) ++open;
    if (kind == Tok::kRightBrace && --open == 0) return;
    if (kind == Tok::kSemicolon && open == 0) return;
  }
}

Procedure Parser::program() {
  const Token keyword = take();
  Procedure result;
  result.name = {keyword.text, keyword.pos};
  const bool of_variable = keyword.kind == Tok::kRead || keyword.kind == Tok::kWrite;
  if (of_variable) {
    expect(Tok::kLeftParen, "'(' and a name for the variable's number");
    result.parameters.push_back(expect_name("a name for the variable's number"));
    expect(Tok::kRightParen, "')' after the variable's number");
  } else if (accept(Tok::kLeftParen)) {
    expect(Tok::kRightParen, "')': this program is about no variable");
  }
  in_program_ = true;
  result.body = block();
  in_program_ = false;
  return result;
}

// `transactional int g[variables];`
VariableList Parser::transactional() {
  take();
  VariableList list;
  list.transactional = true;
  if (at_word("stamp")) fail_expected("'int' after 'transactional'", "a variable of transactions is an int");
  list.type = type("'int' after 'transactional'");
  list.variables.push_back(variable());
  if (at(Tok::kComma))
    fail(peek().pos, "unexpected ',': there is one array of transactional variables", "make it larger");
  expect_semicolon("the declaration");
  return list;
}

VariableList Parser::index_variables() {
  take();
  VariableList list;
  list.index = true;
  do {
    list.variables.push_back(variable());
    if (!list.variables.back().sizes.empty())
      fail(list.variables.back().name.pos, "there are no arrays of indices", "declare several: index u, w;");
  } while (accept(Tok::kComma));
  expect_semicolon("the declaration");
  return list;
}

// --------------------------------------------------------------------------------------------- clients

StmtPtr Parser::client_block() {
  const Token open = expect(Tok::kLeftBrace, "'{'");
  ++open_braces_;
  StmtPtr result = make_statement(StmtKind::kBlock, open.pos);
  while (!at(Tok::kRightBrace)) {
    if (at(Tok::kEndOfFile)) fail(open.pos, "this '{' is never closed");
    result->body.push_back(client_statement());
  }
  take();
  --open_braces_;
  return result;
}

StmtPtr Parser::client_statement() {
  const Nesting nesting(*this, statement_depth_, "statements");
  const Token first = peek();
  if (first.kind == Tok::kLeftBrace) return client_block();
  if (first.kind == Tok::kChoose) {
    StmtPtr result = make_statement(StmtKind::kChoose, take().pos);
    result->body.push_back(client_block());
    if (!at(Tok::kOr)) fail_expected("'or' and another branch of 'choose'");
    while (accept(Tok::kOr)) result->body.push_back(client_block());
    return result;
  }
  if (first.kind != Tok::kRead && first.kind != Tok::kWrite && first.kind != Tok::kEnd)
    fail_expected("'read', 'write', 'end' or 'choose'",
                  first.kind == Tok::kAbort ? "it is the memory that aborts transactions" : "");
  StmtPtr result = make_statement(StmtKind::kCommand, take().pos);
  result->name = {first.text, first.pos};
  if (first.kind == Tok::kEnd) {
    if (accept(Tok::kLeftParen)) expect(Tok::kRightParen, "')'");
  } else {
    expect(Tok::kLeftParen, "'(' and the variable's number");
    result->exprs.push_back(expression());
    expect(Tok::kRightParen, "')' after the variable's number");
  }
  expect_semicolon("the command");
  return result;
}

// ------------------------------------------------------------------------------------------ structures

// Behind `shared` or `local`: `struct { int a; stamp b, c; } s, t[2];` A field is a variable or array of its
// own, see Variable.
std::vector<VariableList> Parser::structures() {
  take();
  expect(Tok::kLeftBrace, "'{' and the structure's fields");
  std::vector<VariableList> lists;
  std::vector<Field> parts;
  try {
    fields(parts, lists);
  } catch (const SyntaxError&) {
    skip_to_semicolon();
    throw;
  }
  do {
    const Variable whole = variable();
    if (!whole.init.empty())
      fail(whole.init_pos, "a structure has no initial values", "its fields start with 0");
    for (const Field& field : parts) {
      Variable part;
      part.structure = whole.name;
      part.field = field.name;
      part.name = {made_names_.emplace_back(fmt::format("{}.{}", whole.name.text, field.name.text)),
                   whole.name.pos};
      for (const ExprPtr& size : whole.sizes) part.sizes.push_back(copy(*size));
      lists[field.list].variables.push_back(std::move(part));
    }
  } while (accept(Tok::kComma));
  expect_semicolon("the declaration");
  return lists;
}

// Up to the '}'.
void Parser::fields(std::vector<Field>& fields, std::vector<VariableList>& lists) {
  while (!at(Tok::kRightBrace)) {
    if (at_word("struct"))
      fail(peek().pos, "a structure inside a structure", "give its fields to the outer one");
    VariableList list;
    list.type = type("'int' or 'stamp' and a field, or '}'");
    do {
      const Name name = expect_name("the field's name");
      for (const Field& other : fields)
        if (other.name.text == name.text)
          fail(name.pos, fmt::format("two fields are called '{}'", shortened(name.text)));
      if (at(Tok::kLeftBracket)) fail(peek().pos, "a field cannot be an array");
      fields.push_back({name, lists.size()});
    } while (accept(Tok::kComma));
    expect_semicolon("the field");
    lists.push_back(std::move(list));
  }
  if (fields.empty()) fail(peek().pos, "a structure without fields");
  take();
}

// From inside the braces of a structure to the ';' behind it, where the reading of declarations continues.
void Parser::skip_to_semicolon() {
  for (size_t open = 1; !at(Tok::kEndOfFile) && (open > 0 || !at(Tok::kSemicolon)); take()) {
    if (open == 0 && at(Tok::kRightBrace)) return;
    if (at(Tok::kLeftBrace)) ++open;
    if (at(Tok::kRightBrace)) --open;
  }
}

}  // namespace fenceline::frontend::fl
