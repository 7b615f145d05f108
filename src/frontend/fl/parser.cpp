// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tokens, recovery and declarations. Statements are in parse_stmt.cpp, expressions in parse_expr.cpp.
#include "frontend/fl/parser.h"

#include <fmt/format.h>

#include <utility>

#include "frontend/fl/parser_impl.h"

namespace fenceline::frontend::fl {
namespace {

bool starts_global(Tok kind) {
  return kind == Tok::kConst || kind == Tok::kShared || kind == Tok::kProcedure || kind == Tok::kThread ||
         kind == Tok::kProperty || kind == Tok::kTransaction;
}

bool starts_with_keyword(Tok kind) {
  switch (kind) {
    case Tok::kIf:
    case Tok::kWhile:
    case Tok::kDo:
    case Tok::kGoto:
    case Tok::kSkip:
    case Tok::kFence:
    case Tok::kSfence:
    case Tok::kLfence:
    case Tok::kAtomic:
    case Tok::kAwait:
    case Tok::kAssume:
    case Tok::kAssert:
    case Tok::kHavoc:
    case Tok::kChoose:
    case Tok::kBreak:
    case Tok::kContinue:
    case Tok::kReturn:
    case Tok::kHalt:
    case Tok::kLocal:
    case Tok::kInt:
    case Tok::kShared:
    case Tok::kConst:
    case Tok::kRfin:
    case Tok::kCommit:
    case Tok::kAbort:
    case Tok::kRollback:
    case Tok::kRead:
    case Tok::kWrite:
    case Tok::kEnd:
      return true;
    default:
      return false;
  }
}

}  // namespace

Parser::Parser(const SourceFile& source, Diagnostics& diagnostics)
    : lexer_(source, diagnostics), diagnostics_(diagnostics) {
  last_.pos = last_.end = {1, 1};
}

// ------------------------------------------------------------------------------------------------ tokens

const Token& Parser::peek(size_t ahead) {
  while (ahead_.size() <= ahead) ahead_.push_back(lexer_.next());
  return ahead_[ahead];
}

Token Parser::take() {
  last_ = peek();
  ahead_.erase(ahead_.begin());
  ++taken_;
  return last_;
}

bool Parser::accept(Tok kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

Token Parser::expect(Tok kind, const char* what) {
  if (!at(kind)) fail_expected(what);
  return take();
}

// A missing semicolon is reported where it should be. If the next token is on another line or closes the
// block, it was just omitted and nothing needs to be skipped.
void Parser::expect_semicolon(const char* after) {
  if (accept(Tok::kSemicolon)) return;
  const Token& found = peek();
  const std::string hint = hint_for_foreign();
  if (!hint.empty()) fail(found.pos, fmt::format("unexpected {}", describe(found)), hint);
  diagnostics_.error(last_.end, fmt::format("expected ';' after {}, found {}", after, describe(found)));
  if (found.pos.line == last_.end.line && found.kind != Tok::kRightBrace) throw SyntaxError{};
}

Name Parser::expect_name(const char* what) {
  const Token& token = peek();
  if (token.kind == Tok::kName) {
    take();
    return {last_.text, last_.pos};
  }
  if (is_reserved_word(token.kind) && !starts_global(token.kind)) {
    take();  // or the reader would take it for the start of the next statement
    fail(last_.pos, is_transaction_word(last_.kind)
                        ? fmt::format("{} is reserved for transactions and cannot be a name", describe(last_))
                        : fmt::format("{} is a reserved word and cannot be a name", describe(last_)));
  }
  fail_expected(what);
}

void Parser::fail(SourcePos pos, std::string message, std::string hint) {
  diagnostics_.error(pos, std::move(message), std::move(hint));
  throw SyntaxError{};
}

void Parser::fail_expected(const std::string& what, std::string hint) {
  if (hint.empty()) hint = hint_for_foreign();
  fail(peek().pos, fmt::format("expected {}, found {}", what, describe(peek())), std::move(hint));
}

std::string Parser::hint_for_foreign() {
  const Token& token = peek();
  const std::string_view text = token.text;
  if (token.kind == Tok::kForeign) {
    if (text == "++" || text == "--") return fmt::format("there is no '{}'; write x = x {} 1", text, text[0]);
    if (text == "->" || text == "::") return fmt::format("there is no '{}'", text);
    if (text == ":=") return "assignment is written '='";
    return fmt::format("there is no '{}'; write x = x {} e", text, text.substr(0, text.size() - 1));
  }
  if (token.kind != Tok::kName) return {};
  static constexpr std::pair<std::string_view, std::string_view> kForeignWords[] = {
      {"for", "there is no 'for'; write i = 0; while (i < n) { ... i = i + 1; }"},
      {"switch", "there is no 'switch'; write if ... else if ..."},
      {"case", "there is no 'switch'; write if ... else if ..."},
      {"void", "write procedure name(a, b) { ... }; parameters and results have no type"},
      {"bool", "the only type is int; a truth value is 'int 0..1'"},
      {"char", "the only type is int; a byte is 'int 0..255'"},
      {"unsigned", "the only type is int; give a range such as 'int 0..255'"},
      {"long", "the only type is int"},
      {"static", "variables in memory are 'shared int', registers are 'local int'"},
      {"volatile", "every access to a shared variable is one access to memory; drop 'volatile'"},
      {"struct", "a structure is declared so: shared struct { int a; int b; } s;"},
      {"mfence", "a full fence is written 'fence;'"},
      {"then", "there is no 'then': write if (e) statement"},
      {"until", "write while (!(e)) ..."},
      {"function", "write procedure name(a, b) { ... }"},
      {"exists", "write 'never (e)' for what must not be reachable, 'finally (e)' for the final state"},
  };
  for (const auto& [word, hint] : kForeignWords)
    if (word == text) return std::string(hint);
  return {};
}

// At a word of transactions, in a text that is not part of one.
void Parser::reject_outside_transaction() {
  fail(peek().pos, fmt::format("{} belongs to transactions and is not allowed here", describe(peek())),
       "put it inside transaction NAME { ... }");
}

// To where the next declaration of the file seems to start: behind a ';' or a closed block, or before a word
// that starts one.
void Parser::skip_to_declaration() {
  size_t open = 0;
  while (!at(Tok::kEndOfFile) && !starts_global(peek().kind)) {
    const Tok kind = take().kind;
    if (kind == Tok::kLeftBrace) ++open;
    if (kind == Tok::kRightBrace && open > 0) --open;
    if (open > 0 || (kind != Tok::kRightBrace && kind != Tok::kSemicolon)) continue;
    if (kind == Tok::kRightBrace) accept(Tok::kSemicolon);
    return;
  }
}

// To where the next statement of the same block seems to start: behind the next ';', before a word that
// starts a statement, or before the end of the block. Blocks and parentheses before it are skipped as a
// whole.
void Parser::skip_to_statement(size_t tokens_before) {
  size_t open = 0, parentheses = 0;
  for (;;) {
    const Tok kind = peek().kind;
    if (kind == Tok::kEndOfFile || kind == Tok::kThread || kind == Tok::kProcedure ||
        kind == Tok::kProperty || kind == Tok::kTransaction)
      return;
    if (open == 0 && kind == Tok::kRightBrace) return;
    if (open == 0 && starts_with_keyword(kind) && taken_ > tokens_before) return;
    take();
    if (kind == Tok::kLeftBrace) ++open;
    if (kind == Tok::kRightBrace && --open == 0) return;
    if (kind == Tok::kLeftParen) ++parentheses;
    if (kind == Tok::kRightParen && parentheses > 0) --parentheses;
    if (kind == Tok::kSemicolon && open == 0 && parentheses == 0) return;
  }
}

// ------------------------------------------------------------------------------------------ declarations

File Parser::parse_file() {
  File file;
  while (!at(Tok::kEndOfFile)) {
    try {
      declaration(file);
    } catch (const SyntaxError&) {
      skip_to_declaration();
    }
  }
  file.end = peek().pos;
  file.made_names = std::move(made_names_);
  file.has_stamps = has_stamps_;
  return file;
}

void Parser::declaration(File& file) {
  switch (peek().kind) {
    case Tok::kConst:
      return constants(file);
    case Tok::kShared:
      return shared_variables(file);
    case Tok::kProcedure:
      file.procedures.push_back(procedure());
      return;
    case Tok::kThread:
      file.threads.push_back(thread());
      return;
    case Tok::kProperty:
      file.properties.push_back(property());
      return;
    case Tok::kTransaction:
      return transaction(file);
    case Tok::kSemicolon:
      fail(peek().pos, "unexpected ';': only variables and properties end with one", "drop it");
    case Tok::kRightBrace:
      fail(peek().pos, "unexpected '}': no block is open here");
    default:
      break;
  }
  if (is_transaction_word(peek().kind)) reject_outside_transaction();
  const std::string expected = "'shared', 'const', 'thread', 'transaction', 'procedure' or 'property'";
  if (at(Tok::kInt))
    fail_expected(expected, "'shared int x;' is a variable in memory, 'procedure p(a) { }' a procedure");
  if (at(Tok::kLocal)) fail_expected(expected, "local variables are declared inside a thread or procedure");
  if (starts_with_keyword(peek().kind))
    fail_expected(expected, "put statements inside a thread or procedure");
  if (at_word("transactional") || at_word("client"))
    fail_expected(expected, "put it inside transaction NAME { ... }");
  fail_expected(expected, did_you_mean(peek().text, {"shared", "const", "thread", "transaction", "procedure",
                                                     "property"}));
}

void Parser::constants(File& file) {
  take();
  accept(Tok::kInt);
  do {
    Constant constant;
    constant.name = expect_name("the constant's name");
    expect(Tok::kAssign, "'=' and the constant's value");
    constant.value = expression();
    Global global;
    global.constant = std::move(constant);
    file.globals.push_back(std::move(global));
  } while (accept(Tok::kComma));
  expect_semicolon("the declaration");
}

void Parser::shared_variables(File& file) {
  for (VariableList& list : variable_lists(true)) {
    Global global;
    global.shared = std::move(list);
    file.globals.push_back(std::move(global));
  }
}

// Precondition: at `shared`, `local` or `int`. A structure makes a list for each of its fields.
std::vector<VariableList> Parser::variable_lists(bool shared) {
  if (!at(Tok::kInt)) take();
  if (at_word("struct")) return structures();
  VariableList list;
  list.type = type(shared ? "'int' after 'shared'" : "'int' after 'local'");
  do list.variables.push_back(variable());
  while (accept(Tok::kComma));
  if (at(Tok::kLeftParen) && list.variables.size() == 1)
    fail(peek().pos, "unexpected '(': this is a variable's declaration",
         "procedures are written 'procedure name(a, b) { ... }', outside threads");
  expect_semicolon("the declaration");
  std::vector<VariableList> lists;
  lists.push_back(std::move(list));
  return lists;
}

// `int`, and perhaps a range behind it, or `stamp`. A name starts a range if an operator comes after it.
Type Parser::type(const char* what) {
  Type type;
  if (at_word("stamp")) {
    take();
    type.stamp = has_stamps_ = true;
    return type;
  }
  expect(Tok::kInt, what);
  const Tok second = peek(1).kind;
  const bool operator_follows =
      second == Tok::kDotDot || second == Tok::kQuestion ||
      (second >= Tok::kPlus && second <= Tok::kShr && second != Tok::kNot && second != Tok::kTilde);
  const bool starts_expression = at(Tok::kNumber) || at(Tok::kLeftParen) || at(Tok::kMinus) ||
                                 at(Tok::kTilde) || at(Tok::kNot) || at(Tok::kTrue) || at(Tok::kFalse);
  if (!starts_expression && !(at(Tok::kName) && operator_follows)) return type;
  type.lo = expression();
  expect(Tok::kDotDot, "'..' and the upper end of the range");
  type.hi = expression();
  return type;
}

Variable Parser::variable() {
  Variable variable;
  if (at(Tok::kStar)) fail(peek().pos, "unexpected '*': there are no pointers", "use an index into an array");
  variable.name = expect_name("the variable's name");
  while (accept(Tok::kLeftBracket)) {
    if (at(Tok::kRightBracket)) fail(peek().pos, "the array's size is missing");
    variable.sizes.push_back(expression());
    expect(Tok::kRightBracket, "']' after the array's size");
  }
  if (!accept(Tok::kAssign)) return variable;
  variable.init_pos = peek().pos;
  if (!accept(Tok::kLeftBrace)) {
    variable.init.push_back(expression());
    return variable;
  }
  variable.braces = true;
  do {
    if (at(Tok::kLeftBrace))
      fail(peek().pos, "unexpected '{' inside initial values",
           "the values of an array with several dimensions are one list, row by row");
    variable.init.push_back(expression());
  } while (accept(Tok::kComma));
  expect(Tok::kRightBrace, "',' or '}' after an initial value");
  return variable;
}

Procedure Parser::procedure() {
  take();
  Procedure procedure;
  procedure.name = expect_name("the procedure's name");
  expect(Tok::kLeftParen, "'(' after the procedure's name");
  if (!at(Tok::kRightParen)) {
    do {
      if (at(Tok::kInt)) fail(peek().pos, "unexpected 'int': parameters have no type", "write just the name");
      procedure.parameters.push_back(expect_name("a parameter's name"));
    } while (accept(Tok::kComma));
  }
  expect(Tok::kRightParen, "')' after the parameters");
  procedure.body = block();
  return procedure;
}

ThreadDeclaration Parser::thread() {
  take();
  ThreadDeclaration thread;
  thread.name = expect_name("the thread's name");
  if (at(Tok::kLeftParen))
    fail(peek().pos, "unexpected '(': a thread has no parameters like these",
         "several threads with a number each: thread P[i in 0..1] { ... }");
  while (accept(Tok::kLeftBracket)) {
    ThreadParameter parameter;
    parameter.name = expect_name("a name for the thread's number, as in P[i in 0..1]");
    expect(Tok::kIn, "'in' and the range of the thread's number");
    parameter.lo = expression();
    expect(Tok::kDotDot, "'..' and the upper end of the range");
    parameter.hi = expression();
    expect(Tok::kRightBracket, "']' after the range");
    thread.parameters.push_back(std::move(parameter));
  }
  thread.body = block();
  return thread;
}

PropertyText Parser::property() {
  take();
  PropertyText property;
  if (at(Tok::kNever) || at(Tok::kAlways) || at(Tok::kFinally) || at(Tok::kNo))
    fail_expected("the property's name", "write property name: never (...);");
  property.name = expect_name("the property's name");
  expect(Tok::kColon, "':' after the property's name");
  property.kind_pos = peek().pos;
  switch (peek().kind) {
    case Tok::kNever:
      property.kind = PropertyKind::kNever;
      break;
    case Tok::kAlways:
      property.kind = PropertyKind::kAlways;
      break;
    case Tok::kFinally:
      property.kind = PropertyKind::kFinally;
      break;
    case Tok::kNo:
      take();
      expect(Tok::kDeadlock, "'deadlock' after 'no'");
      property.kind = PropertyKind::kNoDeadlock;
      expect_semicolon("the property");
      return property;
    case Tok::kOpacity:
      take();
      property.kind = PropertyKind::kOpacity;
      expect_semicolon("the property");
      return property;
    case Tok::kStrict:
      take();
      expect(Tok::kSerializability, "'serializability' after 'strict'");
      property.kind = PropertyKind::kStrictSerializability;
      expect_semicolon("the property");
      return property;
    case Tok::kName:
      // No keyword: programs may have things of this name.
      if (peek().text == "liveness") {
        take();
        property.kind = PropertyKind::kLiveness;
        expect_semicolon("the property");
        return property;
      }
      [[fallthrough]];
    default:
      fail_expected(
          "'never', 'always', 'finally', 'no deadlock', 'liveness', 'opacity' or 'strict serializability'",
          at(Tok::kSerializability) ? "write 'strict serializability'" : "");
  }
  take();
  expect(Tok::kLeftParen, "'(' and the property's formula");
  property.formula = expression();
  if (at(Tok::kAssign)) fail(peek().pos, "'=' in a condition", "use '==' to compare");
  expect(Tok::kRightParen, "')' after the formula");
  expect_semicolon("the property");
  return property;
}

}  // namespace fenceline::frontend::fl
