// SPDX-License-Identifier: GPL-3.0-or-later
//
// Promela expressions under construction: their text, what they read, and their value if it is known already.
// Steps of a thread are run symbolically on such terms, so that `r = x; if (r == 1) ...` becomes the one
// guard `m[0] == 1` that somebody who knows Promela would write.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/numbers.h"
#include "ir/expr.h"

namespace fenceline {

struct Term {
  std::string text;
  std::set<std::string> reads;  // names of variables; the whole memory and a whole buffer count as one each
  std::optional<Value> constant;

  bool is(Value value) const { return constant && *constant == value; }
};

Term constant_term(Value value);
Term variable_term(const std::string& name);

// The text `text`, which reads what all of `parts` read.
Term term_over(std::string text, std::initializer_list<const Term*> parts);

// Folds constants. Precondition: arity(op) is 1 or 2, not a leaf.
Term unary_term(ExprOp op, const Term& a);
Term binary_term(ExprOp op, const Term& a, const Term& b);
Term select_term(const Term& condition, const Term& yes, const Term& no);

inline Term not_term(const Term& a) { return unary_term(ExprOp::kNot, a); }
inline Term and_term(const Term& a, const Term& b) { return binary_term(ExprOp::kAnd, a, b); }
inline Term or_term(const Term& a, const Term& b) { return binary_term(ExprOp::kOr, a, b); }
inline Term equal_term(const Term& a, const Term& b) { return binary_term(ExprOp::kEq, a, b); }

}  // namespace fenceline
