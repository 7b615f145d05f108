// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/term_facts.h"

#include <algorithm>

namespace fenceline::executions {
namespace {

// These lead from earlier events to later ones.
const std::vector<Base> kCausal = {Base::kPo, Base::kRf, Base::kRmw, Base::kAddr, Base::kData, Base::kCtrl};

}  // namespace

bool TermFacts::holds_in_graphs(uint32_t term) const {
  return within(term, kCausal) == Part::kAll ||
         within(term, {Base::kRf, Base::kCo, Base::kFr, Base::kEco}) == Part::kAll;
}

TermFacts::Part TermFacts::within(uint32_t id, const std::vector<Base>& bases) const {
  const PlanTerm& term = terms_[id];
  switch (term.op) {
    case PlanOp::kBase:
      if (term.base == Base::kId) return Part::kOrIdentity;
      return std::find(bases.begin(), bases.end(), term.base) == bases.end() ? Part::kSome : Part::kAll;
    case PlanOp::kUnion:
      return std::min(within(term.a, bases), within(term.b, bases));
    case PlanOp::kIntersect:
      return std::max(within(term.a, bases), within(term.b, bases));
    case PlanOp::kSequence: {
      const Part a = within(term.a, bases), b = within(term.b, bases);
      return std::min(a, b) == Part::kSome ? Part::kSome : std::max(a, b);
    }
    case PlanOp::kFrom:
      return within(term.b, bases);
    case PlanOp::kMinus:
    case PlanOp::kWithin:
    case PlanOp::kOutside:
    case PlanOp::kTo:
    case PlanOp::kMeet:
    case PlanOp::kTransitive:
      return within(term.a, bases);
    case PlanOp::kReflexive:
      return std::min(Part::kOrIdentity, within(term.a, bases));
    case PlanOp::kIdentity:
      return Part::kOrIdentity;
    case PlanOp::kSet:
    case PlanOp::kComplement:
    case PlanOp::kInverse:
    case PlanOp::kProduct:
    case PlanOp::kDomain:
    case PlanOp::kRange:
    case PlanOp::kVariable:
      break;
  }
  return Part::kSome;
}

bool TermFacts::is_fixed(uint32_t id) const {
  const PlanTerm& term = terms_[id];
  if (term.op == PlanOp::kSet) return true;
  if (term.is_set) return false;
  switch (term.op) {
    case PlanOp::kBase:  // co and fr, too: where a write is put does not change the order of others
      return true;
    case PlanOp::kUnion:
    case PlanOp::kIntersect:
    case PlanOp::kMinus:
    case PlanOp::kProduct:
    case PlanOp::kFrom:
    case PlanOp::kTo:
      return is_fixed(term.a) && is_fixed(term.b);
    case PlanOp::kComplement:
    case PlanOp::kReflexive:
    case PlanOp::kInverse:
    case PlanOp::kIdentity:
    case PlanOp::kWithin:
    case PlanOp::kOutside:
      return is_fixed(term.a);
    case PlanOp::kSequence:
    case PlanOp::kTransitive:  // no path from a new event leads to an old one
      return within(id, kCausal) == Part::kAll && is_path_of_fixed(id);
    case PlanOp::kMeet:
    case PlanOp::kSet:
    case PlanOp::kDomain:
    case PlanOp::kRange:
    case PlanOp::kVariable:
      break;
  }
  return false;
}
bool TermFacts::is_path_of_fixed(uint32_t id) const {
  const PlanTerm& term = terms_[id];
  switch (term.op) {
    case PlanOp::kSequence:
    case PlanOp::kUnion:
      return is_path_of_fixed(term.a) && is_path_of_fixed(term.b);
    case PlanOp::kTransitive:
    case PlanOp::kReflexive:
    case PlanOp::kWithin:
    case PlanOp::kOutside:
      return is_path_of_fixed(term.a);
    case PlanOp::kFrom:
      return is_fixed(term.a) && is_path_of_fixed(term.b);
    case PlanOp::kTo:
      return is_path_of_fixed(term.a) && is_fixed(term.b);
    case PlanOp::kBase:
    case PlanOp::kIntersect:
    case PlanOp::kMinus:
    case PlanOp::kProduct:
    case PlanOp::kComplement:
    case PlanOp::kInverse:
    case PlanOp::kIdentity:
    case PlanOp::kMeet:
    case PlanOp::kSet:
    case PlanOp::kDomain:
    case PlanOp::kRange:
    case PlanOp::kVariable:
      break;
  }
  return is_fixed(id);
}

bool TermFacts::is_symmetric(uint32_t id) const {
  const PlanTerm& term = terms_[id];
  const auto mirrored = [&](uint32_t x, uint32_t y) {
    const PlanTerm& first = terms_[x];
    const PlanTerm& second = terms_[y];
    return (second.op == PlanOp::kInverse && second.a == x) ||
           (first.op == PlanOp::kInverse && first.a == y) ||
           (first.op == PlanOp::kProduct && second.op == PlanOp::kProduct && first.a == second.b &&
            first.b == second.a);
  };
  switch (term.op) {
    case PlanOp::kBase:
      return term.base == Base::kLoc || term.base == Base::kInt || term.base == Base::kExt ||
             term.base == Base::kId || term.base == Base::kAtomic;
    case PlanOp::kUnion:
      return mirrored(term.a, term.b) || (is_symmetric(term.a) && is_symmetric(term.b));
    case PlanOp::kIntersect:
    case PlanOp::kMinus:
      return is_symmetric(term.a) && is_symmetric(term.b);
    case PlanOp::kProduct:
      return term.a == term.b;
    case PlanOp::kComplement:
    case PlanOp::kReflexive:
    case PlanOp::kWithin:  // loc, int and ext are symmetric
    case PlanOp::kOutside:
      return is_symmetric(term.a);
    case PlanOp::kIdentity:
      return true;
    case PlanOp::kInverse:
    case PlanOp::kSequence:
    case PlanOp::kTransitive:
    case PlanOp::kFrom:
    case PlanOp::kTo:
    case PlanOp::kMeet:
    case PlanOp::kSet:
    case PlanOp::kDomain:
    case PlanOp::kRange:
    case PlanOp::kVariable:
      break;
  }
  return false;
}

std::vector<PlanTerm> TermFacts::leaves_of_union(uint32_t term) const {
  std::vector<PlanTerm> leaves;
  std::vector<uint32_t> todo{term};
  while (!todo.empty()) {
    const PlanTerm& of = terms_[todo.back()];
    todo.pop_back();
    if (of.op == PlanOp::kUnion && !of.is_set)
      todo.insert(todo.end(), {of.a, of.b});
    else
      leaves.push_back(of);
  }
  return leaves;
}

bool TermFacts::has_base(const std::vector<PlanTerm>& terms, Base base) {
  return std::any_of(terms.begin(), terms.end(), [&](const PlanTerm& term) { return is_base(term, base); });
}

bool TermFacts::is_communication(uint32_t term) const {
  const std::vector<PlanTerm> leaves = leaves_of_union(term);
  return has_base(leaves, Base::kRf) && has_base(leaves, Base::kCo) && has_base(leaves, Base::kFr) &&
         std::all_of(leaves.begin(), leaves.end(), [](const PlanTerm& leaf) {
           return is_base(leaf, Base::kRf) || is_base(leaf, Base::kCo) || is_base(leaf, Base::kFr);
         });
}

}  // namespace fenceline::executions
