// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions and statements. The reader understands the C that litmus tests are written in: local integers,
// pointers to locations, if, while and do loops. Everything else is rejected by name.
#include "frontend/litmus/c.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/litmus/c_reader.h"

namespace fenceline::frontend::litmus {
namespace {

constexpr unsigned kMaxDepth = 200;

}  // namespace

void CReader::enter() {
  if (++depth_ > kMaxDepth)
    test_.fail(lexer_.peek().pos, fmt::format("the program is nested more than {} deep", kMaxDepth));
}

bool CReader::at_type() { return lexer_.peek().kind == Tok::kName && is_type_word(lexer_.peek().text); }

void CReader::read_function(uint32_t number) {
  const Token name = lexer_.expect_name("a function P0, P1, ... or a final condition such as 'exists (...)'");
  const std::string expected = fmt::format("P{}", number);
  if (name.text != expected)
    test_.fail(name.pos, fmt::format("expected {}, found {}", expected, describe(name)));
  code_ = &test_.add_thread(number, name.pos);
  parameters();
  lexer_.expect("{", "'{' before the code of the thread");
  lexer_.set_c_code(true);
  open_braces_ = 1;
  block();
  lexer_.set_c_code(false);
}

// "(atomic_int* x, volatile int* y)"
void CReader::parameters() {
  lexer_.expect("(", "'(' and the locations of the thread");
  while (!lexer_.accept(")")) {
    Token last;
    bool pointer = false;
    size_t names = 0;
    TypeWords words;
    for (;;) {
      const Token& next = lexer_.peek();
      if (next.is("*"))
        pointer = true;
      else if (next.kind == Tok::kName)
        ++names;
      else
        break;
      last = lexer_.take();
      if (last.is("*"))
        words.star();
      else
        words.word(last.text);
    }
    const bool nothing = last.is("void") && names == 1 && !pointer;
    if (!nothing) {
      if (last.kind != Tok::kName || is_type_word(last.text)) lexer_.fail_expected("the name of a location");
      if (!pointer)
        test_.fail(last.pos, fmt::format("{} is not a pointer", describe(last)),
                   "the parameters of a thread are pointers to locations: int* x");
      if (!parameters_.emplace(last.text, words.type()).second)
        test_.fail(last.pos, fmt::format("two parameters are called {}", last.text));
      const LocationId location = test_.location(last.text, last.pos);
      const ValueType type = words.type().pointee();
      test_.set_size(location, type.size(8), last.pos);
      if (type.is_unsigned && !type.is_pointer()) test_.at(location).is_unsigned = true;
    }
    if (!lexer_.peek().is(")")) lexer_.expect(",", "',' or ')'");
  }
}

void CReader::block() {
  enter();
  while (!lexer_.peek().is("}")) statement();
  --depth_;
  --open_braces_;
  lexer_.take();  // the last thing looked at: behind a function, other rules hold
}

void CReader::statement() {
  enter();
  operators_ = 0;
  const Token next = lexer_.peek();
  if (next.is(";")) {
    lexer_.take();
  } else if (next.is("{")) {
    lexer_.take();
    ++open_braces_;
    block();
  } else if (next.is("if")) {
    if_statement();
  } else if (next.is("while")) {
    while_statement();
  } else if (next.is("do")) {
    do_statement();
  } else if (next.is("break") || next.is("continue")) {
    leave_loop(lexer_.take());
  } else if (next.is("for") || next.is("goto") || next.is("switch") || next.is("return")) {
    test_.fail(next.pos, fmt::format("{} is not supported", describe(next)));
  } else if (at_type()) {
    declaration();
  } else {
    assignment_or_call();
    lexer_.expect(";", "';'");
  }
  --depth_;
}

void CReader::declare(const Token& name, const ValueType& type) {
  if (is_type_word(name.text)) test_.fail(name.pos, fmt::format("expected a name, found {}", describe(name)));
  if (parameters_.contains(name.text))
    test_.fail(name.pos, fmt::format("{} is the name of a parameter already", name.text));
  const std::string key(name.text);
  locals_[key] = type;
  const RegId reg = code().reg(key);
  if (type.width() != 0) code().set_width(reg, type.width());
}

void CReader::assign(const std::string& local, const CValue& value, SourcePos pos) {
  code().assign_result(code().reg(local), convert(value, locals_.at(local)), pos);
}

// "int r0 = *x, r1;"
void CReader::declaration() {
  TypeWords words;
  while (at_type()) words.word(lexer_.take().text);
  for (;;) {
    TypeWords one = words;
    while (lexer_.accept("*")) one.star();
    const Token name = lexer_.expect_name("the name of a variable");
    if (lexer_.peek().is("[")) test_.fail(lexer_.peek().pos, "arrays are not supported");
    const bool initialised = lexer_.accept("=");
    // The variable is not there yet while its value is computed, but rejecting its use there would help no one.
    declare(name, one.type());
    if (initialised) assign(std::string(name.text), expression(), name.pos);
    if (!lexer_.accept(",")) break;
  }
  lexer_.expect(";", "';'");
}

void CReader::assignment_or_call() {
  const Token first = lexer_.peek();
  if (first.is("*")) {
    const CValue address = lvalue();
    lexer_.expect("=", "'=' and a value to store");
    store(address, expression(), first.pos, c11(MemoryOrder::kPlain));
    return;
  }
  if (first.is("(")) {  // (void)f(x); or something in parentheses
    expression();
    return;
  }
  const Token name = lexer_.expect_name("a statement");
  if (lexer_.peek().is("(")) {
    call(name);
    return;
  }
  if (parameters_.contains(name.text))
    test_.fail(name.pos, fmt::format("{} is a pointer and cannot be changed", name.text),
               fmt::format("what it points to is written *{}", name.text));
  if (!locals_.contains(name.text))
    test_.fail(name.pos, fmt::format("there is no variable {}", name.text),
               "declare it: int " + std::string(name.text));
  const std::string dest(name.text);
  const Token sign = lexer_.take();
  if (sign.is("=")) {
    assign(dest, expression(), name.pos);
    return;
  }
  ExprOp op = ExprOp::kAdd;
  if (sign.is("-=") || sign.is("--"))
    op = ExprOp::kSub;
  else if (sign.is("|="))
    op = ExprOp::kBitOr;
  else if (sign.is("&="))
    op = ExprOp::kBitAnd;
  else if (sign.is("^="))
    op = ExprOp::kBitXor;
  else if (!sign.is("+=") && !sign.is("++"))
    test_.fail(sign.pos, fmt::format("expected '=', found {}", describe(sign)));
  const bool one = sign.is("++") || sign.is("--");
  const CValue operand = one ? CValue{program().constant(1)} : expression();
  const CValue before{code().value(dest), locals_.at(dest)};
  code().assign(code().reg(dest), convert(combine(op, before, operand, sign.pos), before.type), name.pos);
}

void CReader::if_statement() {
  const SourcePos pos = lexer_.take().pos;
  lexer_.expect("(", "'(' and a condition");
  const ExprId condition = expression().id;
  lexer_.expect(")", "')'");
  const LabelId otherwise = code().label();
  code().branch(program().unary(ExprOp::kNot, condition), otherwise, pos);
  statement();
  // What follows a block at the end of a function must not be looked at; there is a '}' at least.
  if (!lexer_.accept("else")) {
    code().bind(otherwise, pos);
    return;
  }
  const LabelId end = code().label();
  code().jump(end, pos);
  code().bind(otherwise, pos);
  statement();
  code().bind(end, pos);
}

void CReader::while_statement() {
  const SourcePos pos = lexer_.take().pos;
  const Loop loop{code().label(), code().label()};
  loops_.push_back(loop);
  code().bind(loop.again, pos);
  lexer_.expect("(", "'(' and a condition");
  const ExprId condition = expression().id;
  lexer_.expect(")", "')'");
  code().branch(program().unary(ExprOp::kNot, condition), loop.end, pos);
  statement();
  loops_.pop_back();
  code().jump(loop.again, pos);
  code().bind(loop.end, pos);
}

void CReader::do_statement() {
  const SourcePos pos = lexer_.take().pos;
  const LabelId begin = code().label();
  const Loop loop{code().label(), code().label()};
  code().bind(begin, pos);
  loops_.push_back(loop);
  statement();
  code().bind(loop.again, pos);
  lexer_.expect("while", "'while' behind the body of 'do'");
  lexer_.expect("(", "'(' and a condition");
  const ExprId condition = expression().id;
  loops_.pop_back();
  lexer_.expect(")", "')'");
  lexer_.expect(";", "';'");
  code().branch(condition, begin, pos);
  code().bind(loop.end, pos);
}

void CReader::leave_loop(const Token& word) {
  if (loops_.empty()) test_.fail(word.pos, fmt::format("{} outside of a loop", describe(word)));
  code().jump(word.is("break") ? loops_.back().end : loops_.back().again, word.pos);
  lexer_.expect(";", "';'");
}

void read_c(Lexer& lexer, TestCode& test) {
  uint32_t number = 0;
  do CReader(lexer, test).read_function(number++);
  while (!at_final_condition(lexer.peek()));
}

}  // namespace fenceline::frontend::litmus
