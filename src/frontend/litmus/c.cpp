// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions and statements. The reader understands the C that litmus tests are written in: local integers,
// pointers to locations, if, while and do loops. Everything else is refused by name.
#include "frontend/litmus/c.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/litmus/c_reader.h"

namespace fenceline::litmus {
namespace {

constexpr unsigned kMaxDepth = 200;

bool is_type(std::string_view word) {
  static constexpr std::string_view kTypes[] = {
      "int",         "long",      "short",    "char",        "unsigned",    "signed",      "void",
      "volatile",    "const",     "_Atomic",  "atomic_int",  "atomic_uint", "atomic_long", "atomic_t",
      "intptr_t",    "uintptr_t", "int8_t",   "int16_t",     "int32_t",     "int64_t",     "uint8_t",
      "uint16_t",    "uint32_t",  "uint64_t", "atomic_bool", "bool",        "_Bool",       "size_t",
      "atomic_char", "register",  "auto",
  };
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

}  // namespace

void CReader::enter() {
  if (++depth_ > kMaxDepth)
    test_.fail(lexer_.peek().pos, fmt::format("the program is nested more than {} deep", kMaxDepth));
}

bool CReader::at_type() { return lexer_.peek().kind == Tok::kName && is_type(lexer_.peek().text); }

void CReader::read_function(uint32_t number) {
  const Token name = lexer_.expect_name("a function P0, P1, ... or a question such as 'exists (...)'");
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
    for (;;) {
      const Token& next = lexer_.peek();
      if (next.is("*"))
        pointer = true;
      else if (next.kind == Tok::kName)
        ++names;
      else
        break;
      last = lexer_.take();
    }
    const bool nothing = last.is("void") && names == 1 && !pointer;
    if (!nothing) {
      if (last.kind != Tok::kName || is_type(last.text)) lexer_.fail_expected("the name of a location");
      if (!pointer)
        test_.fail(last.pos, fmt::format("{} is not a pointer", describe(last)),
                   "the parameters of a thread are pointers to locations: int* x");
      if (!parameters_.insert(std::string(last.text)).second)
        test_.fail(last.pos, fmt::format("two parameters are called {}", last.text));
      test_.location(last.text, last.pos);
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

void CReader::declare(const Token& name) {
  if (is_type(name.text)) test_.fail(name.pos, fmt::format("expected a name, found {}", describe(name)));
  if (parameters_.contains(name.text))
    test_.fail(name.pos, fmt::format("{} is the name of a parameter already", name.text));
  locals_.emplace(name.text);
  code().reg(std::string(name.text));
}

// "int r0 = *x, r1;"
void CReader::declaration() {
  while (at_type() || lexer_.peek().is("*")) lexer_.take();
  for (;;) {
    while (lexer_.accept("*")) {
    }
    const Token name = lexer_.expect_name("the name of a variable");
    if (lexer_.peek().is("[")) test_.fail(lexer_.peek().pos, "arrays are not supported");
    const bool initialised = lexer_.accept("=");
    // The variable is not there yet while its value is computed, but nobody gains from being told so.
    declare(name);
    if (initialised) code().assign_result(code().reg(std::string(name.text)), expression(), name.pos);
    if (!lexer_.accept(",")) break;
  }
  lexer_.expect(";", "';'");
}

void CReader::assignment_or_call() {
  const Token first = lexer_.peek();
  if (first.is("*")) {
    const ExprId address = lvalue();
    lexer_.expect("=", "'=' and a value to store");
    const ExprId value = expression();
    code().store(address, value, first.pos, c11(MemoryOrder::kPlain));
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
  const RegId dest = code().reg(std::string(name.text));
  const Token sign = lexer_.take();
  if (sign.is("=")) {
    code().assign_result(dest, expression(), name.pos);
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
  const ExprId operand = one ? program().constant(1) : expression();
  code().assign(dest, program().binary(op, program().reg(dest), operand), name.pos);
}

void CReader::if_statement() {
  const SourcePos pos = lexer_.take().pos;
  lexer_.expect("(", "'(' and a condition");
  const ExprId condition = expression();
  lexer_.expect(")", "')'");
  const LabelId otherwise = code().label();
  code().branch(program().unary(ExprOp::kNot, condition), otherwise, pos);
  statement();
  // What follows a block at the end of a function must not be looked at; there is a '}' at least.
  if (!lexer_.accept("else")) {
    code().place(otherwise, pos);
    return;
  }
  const LabelId end = code().label();
  code().jump(end, pos);
  code().place(otherwise, pos);
  statement();
  code().place(end, pos);
}

void CReader::while_statement() {
  const SourcePos pos = lexer_.take().pos;
  const Loop loop{code().label(), code().label()};
  loops_.push_back(loop);
  code().place(loop.again, pos);
  lexer_.expect("(", "'(' and a condition");
  const ExprId condition = expression();
  lexer_.expect(")", "')'");
  code().branch(program().unary(ExprOp::kNot, condition), loop.end, pos);
  statement();
  loops_.pop_back();
  code().jump(loop.again, pos);
  code().place(loop.end, pos);
}

void CReader::do_statement() {
  const SourcePos pos = lexer_.take().pos;
  const LabelId begin = code().label();
  const Loop loop{code().label(), code().label()};
  code().place(begin, pos);
  loops_.push_back(loop);
  statement();
  code().place(loop.again, pos);
  lexer_.expect("while", "'while' behind the body of 'do'");
  lexer_.expect("(", "'(' and a condition");
  const ExprId condition = expression();
  loops_.pop_back();
  lexer_.expect(")", "')'");
  lexer_.expect(";", "';'");
  code().branch(condition, begin, pos);
  code().place(loop.end, pos);
}

void CReader::leave_loop(const Token& word) {
  if (loops_.empty()) test_.fail(word.pos, fmt::format("{} outside of a loop", describe(word)));
  code().jump(word.is("break") ? loops_.back().end : loops_.back().again, word.pos);
  lexer_.expect(";", "';'");
}

void read_c(Lexer& lexer, TestCode& test) {
  uint32_t number = 0;
  do CReader(lexer, test).read_function(number++);
  while (!at_question(lexer.peek()));
}

}  // namespace fenceline::litmus
