// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions on abstract states. A condition splits what is known into cases, an arithmetic expression has a
// linear value in each case. What is not linear (products of unknowns, bits) is a new dimension of which at
// most bounds are known; division and modulo by constants are exact up to the quotient's being an integer.
#pragma once

#include <optional>
#include <vector>

#include "engine/numeric/abstract_state.h"
#include "engine/numeric/plan.h"

namespace fenceline {

class Evaluator {
 public:
  // Keeps references. `self` is whose registers kReg means; formulas of properties have none.
  Evaluator(const Plan& plan, const AbstractState& state, ThreadId self = ThreadId())
      : plan_(plan), state_(state), self_(self) {}

  // Numbers in which the expression has this value, or cannot be evaluated. No case is empty.
  struct ValueCase {
    Numbers numbers;
    Linear value;
    bool failed = false;
  };
  struct TruthCase {
    Numbers numbers;
    bool truth = false;
    bool failed = false;
  };
  // The values of the expression for all that is possible in `numbers`, which have the dimensions of the
  // state and maybe more.
  std::vector<ValueCase> values(ExprId id, const Numbers& numbers) const;
  std::vector<TruthCase> truths(ExprId id, const Numbers& numbers) const;

 private:
  std::vector<ValueCase> leaf(const Expr& e, Value index, Numbers numbers) const;
  std::vector<ValueCase> element(const Expr& e, Value count, const Numbers& numbers) const;
  void binary(ExprOp op, const ValueCase& a, const Linear& b, Numbers numbers,
              std::vector<ValueCase>& out) const;
  void compare(ExprOp op, const Linear& a, const Linear& b, const Numbers& numbers,
               std::vector<TruthCase>& out) const;

  const Plan& plan_;
  const AbstractState& state_;
  ThreadId self_;
};

// The cases in which `value` is one of lo..hi, with what it is then. Precondition: not very many.
struct ConstantCase {
  Numbers numbers;
  Value value = 0;
};
std::vector<ConstantCase> constants(const Linear& value, Range range, const Numbers& numbers);
// Can it be outside of the range? Empty: no.
std::vector<Numbers> outside(const Linear& value, Range range, const Numbers& numbers);
// What is left if it is inside. May be empty.
Numbers inside(const Linear& value, Range range, Numbers numbers);

}  // namespace fenceline
