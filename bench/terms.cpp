// SPDX-License-Identifier: GPL-3.0-or-later
#include "terms.h"

#include <fmt/format.h>

#include "ir/eval.h"

namespace fenceline {

Term constant_term(Value value) {
  return {value < 0 ? fmt::format("({})", value) : fmt::format("{}", value), {}, value};
}

Term variable_term(const std::string& name) { return {name, {name}, std::nullopt}; }

Term term_over(std::string text, std::initializer_list<const Term*> parts) {
  Term term{std::move(text), {}, std::nullopt};
  for (const Term* part : parts) term.reads.insert(part->reads.begin(), part->reads.end());
  return term;
}

Term unary_term(ExprOp op, const Term& a) {
  if (a.constant) {
    const Evaluated folded = apply(op, *a.constant, 0);
    if (folded.ok()) return constant_term(folded.value);
  }
  return term_over(fmt::format("({}{})", spelling(op), a.text), {&a});
}

Term binary_term(ExprOp op, const Term& a, const Term& b) {
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

Term select_term(const Term& condition, const Term& yes, const Term& no) {
  if (condition.constant) return *condition.constant != 0 ? yes : no;
  if (yes.text == no.text) return yes;
  return term_over(fmt::format("({} -> {} : {})", condition.text, yes.text, no.text),
                   {&condition, &yes, &no});
}

}  // namespace fenceline
