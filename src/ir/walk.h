// SPDX-License-Identifier: GPL-3.0-or-later
//
// Walking over expressions whatever their operators are.
#pragma once

#include <array>
#include <cstddef>

#include "ir/program.h"

namespace fenceline {

// The operands that an expression has: arity(op) of a, b and c.
class Operands {
 public:
  explicit Operands(const Expr& e) : ids_{e.a, e.b, e.c}, count_(arity(e.op)) {}

  const ExprId* begin() const { return ids_.data(); }
  const ExprId* end() const { return ids_.data() + count_; }

 private:
  std::array<ExprId, 3> ids_;
  size_t count_;
};

// Calls `f(const Expr&)` for the expression and everything below it.
template <class F>
void for_each_expr(const Program& program, ExprId id, const F& f) {
  const Expr& e = program.expr(id);
  f(e);
  for (const ExprId operand : Operands(e)) for_each_expr(program, operand, f);
}

}  // namespace fenceline
