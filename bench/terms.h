// SPDX-License-Identifier: GPL-3.0-or-later
//
// Promela expressions under construction: their text, what they read, and their value if it is known already.
// Steps of a thread are run symbolically on such terms, so that `r = x; if (r == 1) ...` becomes the one
// guard `m[0] == 1` that a Promela programmer would write.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/numbers.h"
#include "ir/expr.h"

namespace fenceline::bench {

struct PromelaTerm {
  std::string text;
  std::set<std::string> reads;  // names of variables; the whole memory and a whole buffer count as one each
  std::optional<Value> constant;

  bool is(Value value) const { return constant && *constant == value; }
};

PromelaTerm constant_term(Value value);
PromelaTerm variable_term(const std::string& name);

// The text `text`, which reads what all of `parts` read.
PromelaTerm term_over(std::string text, std::initializer_list<const PromelaTerm*> parts);

// Folds constants. Precondition: arity(op) is 1 or 2, not a leaf.
PromelaTerm unary_term(ExprOp op, const PromelaTerm& a);
PromelaTerm binary_term(ExprOp op, const PromelaTerm& a, const PromelaTerm& b);
PromelaTerm select_term(const PromelaTerm& condition, const PromelaTerm& yes, const PromelaTerm& no);

inline PromelaTerm not_term(const PromelaTerm& a) { return unary_term(ExprOp::kNot, a); }
inline PromelaTerm and_term(const PromelaTerm& a, const PromelaTerm& b) {
  return binary_term(ExprOp::kAnd, a, b);
}
inline PromelaTerm or_term(const PromelaTerm& a, const PromelaTerm& b) {
  return binary_term(ExprOp::kOr, a, b);
}
inline PromelaTerm equal_term(const PromelaTerm& a, const PromelaTerm& b) {
  return binary_term(ExprOp::kEq, a, b);
}

}  // namespace fenceline::bench
