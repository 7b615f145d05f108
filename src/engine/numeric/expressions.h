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

namespace fenceline::numeric {

class Evaluator {
 public:
  // Keeps references. kReg means registers of `self`; formulas of properties have none.
  Evaluator(const Plan& plan, const AbstractState& state, ThreadId self = ThreadId())
      : plan_(plan), state_(state), self_(self) {}

  // The part of an element in which the expression has this value, or fails. No case is empty.
  struct ValueCase {
    AbstractElement element;
    Linear value;
    bool failed = false;
  };
  struct TruthCase {
    AbstractElement element;
    bool truth = false;
    bool failed = false;
  };
  // The values of the expression for all that is possible in `element`, which has the dimensions of the state
  // and maybe more.
  std::vector<ValueCase> values(ExprId id, const AbstractElement& element) const;
  std::vector<TruthCase> truths(ExprId id, const AbstractElement& element) const;

 private:
  std::vector<ValueCase> leaf(const Expr& e, Value index, AbstractElement element) const;
  std::vector<ValueCase> array_element(const Expr& e, Value count, const AbstractElement& element) const;
  void binary(ExprOp op, const ValueCase& a, const Linear& b, AbstractElement element,
              std::vector<ValueCase>& out) const;
  void compare(ExprOp op, const Linear& a, const Linear& b, const AbstractElement& element,
               std::vector<TruthCase>& out) const;

  const Plan& plan_;
  const AbstractState& state_;
  ThreadId self_;
};

// The cases in which `value` is one of lo..hi, with what it is then. Precondition: not very many.
struct ConstantCase {
  AbstractElement element;
  Value value = 0;
};
std::vector<ConstantCase> constants(const Linear& value, Range range, const AbstractElement& element);
// Can it be outside of the range? Empty: no.
std::vector<AbstractElement> outside(const Linear& value, Range range, const AbstractElement& element);
// The part in which it is inside. May be empty.
AbstractElement inside(const Linear& value, Range range, AbstractElement element);

}  // namespace fenceline::numeric
