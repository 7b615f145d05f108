// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/litmus/risc.h"

#include <fmt/format.h>

#include <map>

namespace fenceline::frontend::litmus {
namespace {

constexpr const char* kFlags = "%flags";
constexpr const char* kZero = "%zero";  // what `eq` and `ne` look at, where that is something else

}  // namespace

std::optional<uint32_t> numbered(std::string_view name, std::string_view prefix, uint32_t end) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] == '0')) return std::nullopt;
  uint32_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  if (number >= end) return std::nullopt;
  return number;
}

void RiscArchitecture::instruction(Cell& cell, AssemblyThread& thread) {
  thread_ = &thread;
  cell_ = &cell;
  token_ = cell.take();
  if (!read(lower_case(token_.text))) reject(cell, token_, "docs/litmus.md lists the instructions there are");
}

RegId RiscArchitecture::destination() {
  const RegisterName name = expect_register(*cell_);
  width_ = name.bits;
  return is_zero(name.key) ? code().temp() : code().reg(name.key);
}

ExprId RiscArchitecture::source() {
  const RegisterName name = expect_register(*cell_);
  width_ = name.bits;
  return is_zero(name.key) ? constant(0) : code().value(name.key);
}

bool RiscArchitecture::at_register() const {
  return cell_->peek().is("%") || (cell_->peek().kind == Tok::kName && parse(cell_->peek().text).has_value());
}

ExprId RiscArchitecture::number() { return constant(cell_->expect_number("a number")); }

ExprId RiscArchitecture::reg_or_number() {
  if (at_register()) return source();
  if (cell_->peek().kind == Tok::kName) cell_->fail_expected("a register or a number");
  return constant(cell_->expect_number("a register or a number"));
}

LabelId RiscArchitecture::label() { return thread_->label(cell_->expect_name("a label")); }

ExprId RiscArchitecture::offset_and_base() {
  ExprId offset = constant(0);
  if (!cell_->peek().is("(")) offset = number();
  cell_->expect("(", "'(' and a register");
  const uint8_t width = width_;  // of what is loaded or stored
  const ExprId base = source();
  width_ = width;
  cell_->expect(")", "')'");
  return program().constant_value(offset) == Value{0} ? base : binary(ExprOp::kAdd, base, offset);
}

bool RiscArchitecture::arithmetic(ExprOp op, int width) {
  const RegId dest = destination();
  comma();
  const ExprId first = source();
  comma();
  code().assign(dest, wrap(binary(op, first, reg_or_number()), width), pos());
  return true;
}

void RiscArchitecture::compare(ExprId x, ExprId y) {
  const ExprId difference = binary(ExprOp::kSub, x, y);
  set_flags(difference, difference);
}

void RiscArchitecture::set_flags(ExprId result, ExprId zero) {
  code().assign(code().reg(kFlags), result, pos());
  if (thread_->flags & kSeparateZero) code().assign(code().reg(kZero), zero, pos());
}

std::optional<ExprId> RiscArchitecture::holds(std::string_view condition) {
  static const std::map<std::string_view, ExprOp> kConditions = {
      {"eq", ExprOp::kEq}, {"ne", ExprOp::kNe}, {"lt", ExprOp::kLt},
      {"le", ExprOp::kLe}, {"gt", ExprOp::kGt}, {"ge", ExprOp::kGe},
  };
  const auto found = kConditions.find(condition);
  if (found == kConditions.end()) return std::nullopt;
  const ExprOp op = found->second;
  const ExprId sign = binary(op, code().value(kFlags), constant(0));
  if (!(thread_->flags & kSeparateZero)) return sign;
  // A sum that overflows may be zero and negative at once.
  const ExprId zero = binary(ExprOp::kEq, code().value(kZero), constant(0));
  const ExprId less = binary(ExprOp::kLt, code().value(kFlags), constant(0));
  const ExprId not_zero = program().unary(ExprOp::kNot, zero);
  if (op == ExprOp::kEq) return zero;
  if (op == ExprOp::kNe) return not_zero;
  if (op == ExprOp::kLe) return binary(ExprOp::kOr, zero, less);
  if (op == ExprOp::kGt) return binary(ExprOp::kAnd, not_zero, program().unary(ExprOp::kNot, less));
  return sign;
}

void RiscArchitecture::branch_if(ExprId condition) { code().branch(condition, label(), pos()); }

}  // namespace fenceline::frontend::litmus
