// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/monotone.h"

#include <vector>

namespace fenceline {
namespace {

bool is_leaf(TermOp op) { return op == TermOp::kBase || op == TermOp::kEmpty; }

}  // namespace

bool allows_leaving_out(const CatModel& model) {
  std::vector<bool> about_its_ends(
      model.terms.size());  // whether a pair is in the term depends on no third event
  std::vector<bool> shrinks(model.terms.size(), true);  // with fewer events, the term has no new pairs
  for (size_t i = 0; i < model.terms.size(); ++i) {
    const Term& term = model.terms[i];
    const auto of = [](const std::vector<bool>& property, TermId id) {
      return !id.valid() || property[id.index()];
    };
    const bool local = of(about_its_ends, term.a) && of(about_its_ends, term.b);
    switch (term.op) {
      case TermOp::kSequence:
      case TermOp::kTransitive:
      case TermOp::kClosure:
      case TermOp::kDomain:
      case TermOp::kRange:
      case TermOp::kRecursive:
        about_its_ends[i] = false;
        break;
      default:
        about_its_ends[i] = is_leaf(term.op) || local;
    }
    shrinks[i] = of(shrinks, term.a) && of(shrinks, term.b);
    if (term.op == TermOp::kMinus) shrinks[i] = of(shrinks, term.a) && about_its_ends[term.b.index()];
    if (term.op == TermOp::kComplement) shrinks[i] = about_its_ends[term.a.index()];
  }
  for (const TermId body : model.recursive)
    if (!shrinks[body.index()]) return false;
  for (const Constraint& constraint : model.constraints)
    if (!constraint.flag && (constraint.negated || !shrinks[constraint.term.index()])) return false;
  return true;
}

}  // namespace fenceline
