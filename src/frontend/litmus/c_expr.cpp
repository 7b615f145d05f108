// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions of C. Each memory access becomes an operation of its own with a fresh register for its result,
// in the order of the text; what is left is an expression over registers. Of `a && b` where b accesses
// memory, the access must not happen if a is false: that is a branch.
#include <fmt/format.h>

#include "frontend/litmus/c_reader.h"
#include "ir/eval.h"

namespace fenceline::frontend::litmus {
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

// Integers that are narrower than int become int.
ValueType promoted(const ValueType& type) {
  return type.is_pointer() || type.bytes == 0 || type.bytes >= 4 ? type : kInt;
}

// What two operands are converted to. A pointer stays one, and of what has no known size nothing is lost.
ValueType common_type(const ValueType& x, const ValueType& y) {
  if (x.is_pointer() || y.is_pointer()) return x.is_pointer() ? x : y;
  if (x.bytes == 0 || y.bytes == 0) return {};
  const ValueType a = promoted(x), b = promoted(y);
  if (a.bytes != b.bytes) return a.bytes > b.bytes ? a : b;
  return a.is_unsigned ? a : b;
}

}  // namespace

CValue CReader::expression() {
  enter();
  const SourcePos pos = lexer_.peek().pos;
  CValue value = binary(0);
  if (lexer_.accept("?")) value = choose(value, pos);
  --depth_;
  return value;
}

CValue CReader::choose(const CValue& condition, SourcePos pos) {
  const RegId result = code().temp();
  const LabelId otherwise = code().label();
  const LabelId end = code().label();
  code().branch(program().unary(ExprOp::kNot, condition.id), otherwise, pos);
  const CValue first = expression();
  // What type it has is known behind the second one. Numbers of both fit into 64 bits.
  code().assign(result, first.id, pos);
  code().jump(end, pos);
  lexer_.expect(":", "':' of '?'");
  code().bind(otherwise, pos);
  const CValue second = expression();
  code().assign(result, second.id, pos);
  code().bind(end, pos);
  const ValueType type = common_type(first.type, second.type);
  return {convert({program().reg(result), ValueType{8, false, 0}}, type), type};
}

// The value in another type. Where all values of the one are values of the other nothing changes.
ExprId CReader::convert(const CValue& value, const ValueType& type) {
  const int from = value.type.width(), to = type.width();
  if (to == 0 || from == to) return value.id;
  const bool fits = from != 0 && (from < 0 ? (to < 0 ? -from <= -to : -from < to) : (to > 0 && from <= to));
  return fits ? value.id : program().wrap(value.id, to);
}

CValue CReader::combine(ExprOp op, const CValue& x, const CValue& y, SourcePos pos) {
  if (++operators_ > kMaxOperators)
    test_.fail(pos, fmt::format("this statement has more than {} operators", kMaxOperators));
  if (op == ExprOp::kAnd || op == ExprOp::kOr) return {program().binary(op, x.id, y.id)};
  const bool shift = op == ExprOp::kShl || op == ExprOp::kShr;
  const ValueType type = shift ? promoted(x.type) : common_type(x.type, y.type);
  const ExprId left = convert(x, type), right = shift ? y.id : convert(y, type);
  const bool compares = op >= ExprOp::kEq && op <= ExprOp::kGe;
  // There is no number of 64 bits without a sign: the order of large ones is another, and so are quotients.
  if (type.bytes == 8 && type.is_unsigned && !type.is_pointer()) {
    if (op == ExprOp::kDiv || op == ExprOp::kMod || op == ExprOp::kShr)
      test_.fail(pos, "division and shifts to the right of unsigned numbers of 64 bits are not supported");
    const bool less = op == ExprOp::kLt || op == ExprOp::kLe;
    if (less) return {program().binary(op == ExprOp::kLt ? ExprOp::kUlt : ExprOp::kUle, left, right)};
    if (op == ExprOp::kGt || op == ExprOp::kGe)
      return {program().binary(op == ExprOp::kGt ? ExprOp::kUlt : ExprOp::kUle, right, left)};
  }
  // Products of numbers of 32 bits fit into 64 if they have signs; the low bits are the same.
  const bool halves = op == ExprOp::kMul && type.width() == -32;
  const ExprId result = halves ? program().binary(op, program().wrap(left, 32), program().wrap(right, 32))
                               : program().binary(op, left, right);
  if (compares) return {result};
  const bool bitwise = op == ExprOp::kBitAnd || op == ExprOp::kBitOr || op == ExprOp::kBitXor;
  return {bitwise || type.width() == 0 ? result : program().wrap(result, type.width()), type};
}

RegId CReader::truth(ExprId value, SourcePos pos) {
  const RegId result = code().temp();
  code().assign(result, program().binary(ExprOp::kNe, value, program().constant(0)), pos);
  return result;
}

CValue CReader::lazy(ExprOp op, CValue left, unsigned level) {
  // If the right side makes no step, it is an expression. Else it is read again as code of its own, which is
  // what was appended just now: everything since `before` belongs behind a branch.
  const SourcePos pos = lexer_.peek().pos;
  const RegId result = truth(left.id, pos);
  const LabelId end = code().label();
  ExprId skip = program().reg(result);
  if (op == ExprOp::kAnd) skip = program().unary(ExprOp::kNot, skip);
  const size_t mark = code().ops().size();
  code().branch(skip, end, pos);
  const CValue right = binary(level + 1);
  if (code().ops().size() == mark + 1) {  // nothing but the branch
    code().drop_from(mark - 1);
    return combine(op, left, right, pos);
  }
  code().assign(result, program().binary(ExprOp::kNe, right.id, program().constant(0)), pos);
  code().bind(end, pos);
  return {program().reg(result)};
}

CValue CReader::binary(unsigned level) {
  if (level == levels().size()) return unary();
  CValue left = binary(level + 1);
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

CValue CReader::unary() {
  enter();
  const Token next = lexer_.peek();
  CValue value;
  if (next.is("!") || next.is("~") || next.is("-") || next.is("+")) {
    lexer_.take();
    value = unary();
    if (next.is("!")) {
      value = {program().unary(ExprOp::kNot, value.id)};
    } else {
      const ValueType type = promoted(value.type);
      ExprId result = convert(value, type);
      if (!next.is("+")) {
        result = program().unary(next.is("~") ? ExprOp::kBitNot : ExprOp::kNeg, result);
        if (type.width() != 0) result = program().wrap(result, type.width());
      }
      value = {result, type};
    }
  } else if (next.is("*")) {
    value = loaded(lvalue(), next.pos, c11(MemoryOrder::kPlain));
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
CValue CReader::lvalue() {
  lexer_.expect("*", "'*' and a pointer");
  return unary();
}

// An int if it is small enough, else a long.
CValue CReader::literal() {
  const Value value = lexer_.expect_number("a number");
  const bool small = apply(ExprOp::kWrap, value, 32).value == value;
  return {program().constant(value), small ? kInt : ValueType{8, false, 0}};
}

CValue CReader::primary() {
  if (lexer_.peek().kind == Tok::kNumber) return literal();
  if (lexer_.accept("(")) {
    if (at_type()) {  // a cast
      TypeWords words;
      while (!lexer_.peek().is(")") && (at_type() || lexer_.peek().is("*"))) {
        if (lexer_.accept("*"))
          words.star();
        else
          words.word(lexer_.take().text);
      }
      lexer_.expect(")", "')' behind the type");
      const CValue value = unary();
      return {convert(value, words.type()), words.type()};
    }
    const CValue inner = expression();
    lexer_.expect(")", "')'");
    return inner;
  }
  const Token name = lexer_.expect_name("a value");
  if (lexer_.peek().is("(")) return call(name);
  if (lexer_.peek().is("[")) test_.fail(lexer_.peek().pos, "arrays are not supported");
  if (const auto local = locals_.find(name.text); local != locals_.end())
    return {code().value(local->first), local->second};
  if (const auto parameter = parameters_.find(name.text); parameter != parameters_.end())
    return {test_.address(test_.location(name.text, name.pos)), parameter->second};
  if (name.is("true") || name.is("false")) return {program().constant(name.is("true") ? 1 : 0)};
  if (name.is("NULL")) return {program().constant(0), ValueType{0, false, 1}};
  test_.fail(name.pos, fmt::format("there is no variable {}", name.text),
             "locations are parameters of the function, other variables are declared: int r0");
}

}  // namespace fenceline::frontend::litmus
