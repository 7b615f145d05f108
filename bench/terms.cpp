// SPDX-License-Identifier: GPL-3.0-or-later
#include "terms.h"

#include <fmt/format.h>

#include "ir/eval.h"

namespace fenceline::bench {

PromelaTerm constant_term(Value value) {
  return {value < 0 ? fmt::format("({})", value) : fmt::format("{}", value), {}, value};
}

PromelaTerm variable_term(const std::string& name) { return {name, {name}, std::nullopt}; }

PromelaTerm term_over(std::string text, std::initializer_list<const PromelaTerm*> parts) {
  PromelaTerm term{std::move(text), {}, std::nullopt};
  for (const PromelaTerm* part : parts) term.reads.insert(part->reads.begin(), part->reads.end());
  return term;
}

PromelaTerm unary_term(ExprOp op, const PromelaTerm& a) {
  if (a.constant) {
    const Evaluated folded = apply(op, *a.constant, 0);
    if (folded.ok()) return constant_term(folded.value);
  }
  return term_over(fmt::format("({}{})", spelling(op), a.text), {&a});
}

PromelaTerm binary_term(ExprOp op, const PromelaTerm& a, const PromelaTerm& b) {
  if (op == ExprOp::kAnd || op == ExprOp::kOr) {
    const bool absorbing = op == ExprOp::kOr;
    if (a.constant && (*a.constant != 0) == absorbing) return constant_term(absorbing);
    if (b.constant && (*b.constant != 0) == absorbing) return constant_term(absorbing);
    if (a.constant && b.constant) return constant_term(!absorbing);
    // The other operand need not be 0 or 1.
    if (a.constant) return binary_term(ExprOp::kNe, b, constant_term(0));
    if (b.constant) return binary_term(ExprOp::kNe, a, constant_term(0));
  } else if (a.constant && b.constant) {
    const Evaluated folded = apply(op, *a.constant, *b.constant);
    if (folded.ok()) return constant_term(folded.value);
  }
  return term_over(fmt::format("({} {} {})", a.text, spelling(op), b.text), {&a, &b});
}

PromelaTerm select_term(const PromelaTerm& condition, const PromelaTerm& yes, const PromelaTerm& no) {
  if (condition.constant) return *condition.constant != 0 ? yes : no;
  if (yes.text == no.text) return yes;
  return term_over(fmt::format("({} -> {} : {})", condition.text, yes.text, no.text),
                   {&condition, &yes, &no});
}

}  // namespace fenceline::bench
