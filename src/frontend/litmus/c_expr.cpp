// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions of C. Each memory access becomes an operation of its own with a fresh register for its result,
// in the order of the text; what is left is an expression over registers. Of `a && b` where b accesses
// memory, the access must not happen if a is false: that is a branch.
#include <fmt/format.h>

#include "frontend/litmus/c_reader.h"

namespace fenceline::litmus {
namespace {

constexpr unsigned kMaxOperators = 500;  // of one statement

struct Operator {
  std::string_view sign;
  ExprOp op;
};

// From the loosest to the tightest.
const std::vector<std::vector<Operator>>& levels() {
  static const std::vector<std::vector<Operator>> kLevels = {
      {{"||", ExprOp::kOr}},
      {{"&&", ExprOp::kAnd}},
      {{"|", ExprOp::kBitOr}},
      {{"^", ExprOp::kBitXor}},
      {{"&", ExprOp::kBitAnd}},
      {{"==", ExprOp::kEq}, {"!=", ExprOp::kNe}},
      {{"<=", ExprOp::kLe}, {">=", ExprOp::kGe}, {"<", ExprOp::kLt}, {">", ExprOp::kGt}},
      {{"<<", ExprOp::kShl}, {">>", ExprOp::kShr}},
      {{"+", ExprOp::kAdd}, {"-", ExprOp::kSub}},
      {{"*", ExprOp::kMul}, {"/", ExprOp::kDiv}, {"%", ExprOp::kMod}},
  };
  return kLevels;
}

}  // namespace

ExprId CReader::expression() {
  enter();
  const SourcePos pos = lexer_.peek().pos;
  ExprId value = binary(0);
  if (lexer_.accept("?")) {
    const RegId result = code().temp();
    const LabelId otherwise = code().label();
    const LabelId end = code().label();
    code().branch(program().unary(ExprOp::kNot, value), otherwise, pos);
    code().assign(result, expression(), pos);
    code().jump(end, pos);
    lexer_.expect(":", "':' of '?'");
    code().place(otherwise, pos);
    code().assign(result, expression(), pos);
    code().place(end, pos);
    value = program().reg(result);
  }
  --depth_;
  return value;
}

ExprId CReader::combine(ExprOp op, ExprId x, ExprId y, SourcePos pos) {
  if (++operators_ > kMaxOperators)
    test_.fail(pos, fmt::format("this statement has more than {} operators", kMaxOperators));
  return program().binary(op, x, y);
}

RegId CReader::truth(ExprId value, SourcePos pos) {
  const RegId result = code().temp();
  code().assign(result, program().binary(ExprOp::kNe, value, program().constant(0)), pos);
  return result;
}

ExprId CReader::lazy(ExprOp op, ExprId left, unsigned level) {
  // If the right side makes no step, it is an expression. Else it is read again as code of its own, which is
  // what was appended just now: everything since `before` belongs behind a branch.
  const SourcePos pos = lexer_.peek().pos;
  const RegId result = truth(left, pos);
  const LabelId end = code().label();
  ExprId skip = program().reg(result);
  if (op == ExprOp::kAnd) skip = program().unary(ExprOp::kNot, skip);
  const size_t mark = code().ops().size();
  code().branch(skip, end, pos);
  const ExprId right = binary(level + 1);
  if (code().ops().size() == mark + 1) {  // nothing but the branch
    code().forget(mark - 1);
    return combine(op, left, right, pos);
  }
  code().assign(result, program().binary(ExprOp::kNe, right, program().constant(0)), pos);
  code().place(end, pos);
  return program().reg(result);
}

ExprId CReader::binary(unsigned level) {
  if (level == levels().size()) return unary();
  ExprId left = binary(level + 1);
  for (;;) {
    const Operator* found = nullptr;
    for (const Operator& candidate : levels()[level])
      if (lexer_.peek().is(candidate.sign)) found = &candidate;
    if (found == nullptr) return left;
    const SourcePos pos = lexer_.take().pos;
    if (found->op == ExprOp::kAnd || found->op == ExprOp::kOr)
      left = lazy(found->op, left, level);
    else
      left = combine(found->op, left, binary(level + 1), pos);
  }
}

ExprId CReader::unary() {
  enter();
  const Token next = lexer_.peek();
  ExprId value;
  if (next.is("!") || next.is("~") || next.is("-") || next.is("+")) {
    lexer_.take();
    value = unary();
    if (!next.is("+"))
      value = program().unary(next.is("!")   ? ExprOp::kNot
                              : next.is("~") ? ExprOp::kBitNot
                                             : ExprOp::kNeg,
                              value);
  } else if (next.is("*")) {
    const ExprId address = lvalue();
    const RegId loaded = code().temp();
    code().load(loaded, address, next.pos, c11(MemoryOrder::kPlain));
    value = program().reg(loaded);
  } else if (next.is("&")) {
    lexer_.take();
    const Token name = lexer_.expect_name("a location");
    test_.fail(name.pos, "'&' is supported for the expected value of a compare-and-exchange only");
  } else {
    value = primary();
  }
  --depth_;
  return value;
}

// "*e": the value of e.
ExprId CReader::lvalue() {
  lexer_.expect("*", "'*' and a pointer");
  return unary();
}

ExprId CReader::primary() {
  if (lexer_.peek().kind == Tok::kNumber) return program().constant(lexer_.expect_number("a number"));
  if (lexer_.accept("(")) {
    if (at_type()) {  // a cast
      while (!lexer_.peek().is(")") && (at_type() || lexer_.peek().is("*"))) lexer_.take();
      lexer_.expect(")", "')' behind the type");
      return unary();
    }
    const ExprId inner = expression();
    lexer_.expect(")", "')'");
    return inner;
  }
  const Token name = lexer_.expect_name("a value");
  if (lexer_.peek().is("(")) return call(name);
  if (lexer_.peek().is("[")) test_.fail(lexer_.peek().pos, "arrays are not supported");
  if (locals_.contains(name.text)) return code().value(std::string(name.text));
  if (parameters_.contains(name.text)) return test_.address(test_.location(name.text, name.pos));
  if (name.is("true") || name.is("false")) return program().constant(name.is("true") ? 1 : 0);
  if (name.is("NULL")) return program().constant(0);
  test_.fail(name.pos, fmt::format("there is no variable {}", name.text),
             "locations are parameters of the function, other variables are declared: int r0");
}

}  // namespace fenceline::litmus
