// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/scene.h"

#include <algorithm>

namespace fenceline::sat {
namespace {

Pairs product(Pairs a, Pairs b) {
  Pairs rows = 0, columns = 0;
  for (size_t x = 0; x < kAll; ++x) {
    if ((a & bit(x, x)) != 0) rows |= bit(x, 0);
    if ((b & bit(x, x)) != 0) columns |= bit(0, x);
  }
  return rows * columns;
}

Pairs domain(Pairs a) {
  Pairs result = 0;
  for (size_t x = 0; x < kAll; ++x)
    if (row(a, x) != 0) result |= bit(x, x);
  return result;
}

}  // namespace

std::vector<Bounds> Scene::evaluate(const CatModel& model) const {
  // First the upper bounds of recursive definitions, from below; then the lower ones. Lower bounds that are
  // too small make upper bounds too large and never too small.
  std::vector<Bounds> bounds(model.terms.size());
  if (model.recursive.empty()) {  // operands come first
    for (size_t i = 0; i < model.terms.size(); ++i) bounds[i] = of(model, model.terms[i], bounds);
    return bounds;
  }
  for (const bool lower : {false, true})
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < model.terms.size(); ++i) {
        const Term& term = model.terms[i];
        Bounds next = of(model, term, bounds);
        if (term.op == TermOp::kRecursive && !lower) next.lower = 0;
        if (lower) next.upper = bounds[i].upper;
        changed = changed || next != bounds[i];
        bounds[i] = next;
      }
    }
  return bounds;
}

// The event that represents others need not exist: no path that certainly exists leads through it.
Pairs Scene::sequence(Pairs a, Pairs b, bool through_others) const {
  Pairs result = 0;
  for (size_t k = 0; k < (through_others ? kAll : known_); ++k) result |= column(a, k) * row(b, k);
  return result;
}

Pairs Scene::transitive(Pairs a, bool through_others) const {
  for (size_t k = 0; k < (through_others ? kAll : known_); ++k) a |= column(a, k) * row(a, k);
  return a;
}

Bounds Scene::of(const CatModel& model, const Term& term, const std::vector<Bounds>& bounds) const {
  const Bounds none;
  const Bounds& a = term.a.valid() ? bounds[term.a.index()] : none;
  const Bounds& b = term.b.valid() ? bounds[term.b.index()] : none;
  const Pairs everything = all_pairs(known_, true);
  const Pairs identity = kDiagonal & everything;
  const Pairs of_others = everything & ~all_pairs(known_, false);
  const auto both = [](Bounds result, Pairs with) {
    return Bounds{result.upper | with, result.lower | with};
  };
  const Pairs all = term.is_set ? identity : everything;
  switch (term.op) {
    case TermOp::kBase: {
      const Bounds result = base_(term);
      return {(result.upper | of_others) & all, result.lower & ~of_others & all};
    }
    case TermOp::kEmpty:
      return none;
    case TermOp::kUnion:
      return {a.upper | b.upper, a.lower | b.lower};
    case TermOp::kIntersect:
      return {a.upper & b.upper, a.lower & b.lower};
    case TermOp::kMinus:
      return {a.upper & ~b.lower, a.lower & ~b.upper};
    case TermOp::kComplement:
      return {all & ~a.lower, all & ~a.upper};
    case TermOp::kSequence:
      return {sequence(a.upper, b.upper, true), sequence(a.lower, b.lower, false)};
    case TermOp::kInverse:
      return {inverse(a.upper), inverse(a.lower)};
    case TermOp::kTransitive:
      return {transitive(a.upper, true), transitive(a.lower, false)};
    case TermOp::kReflexive:
      return both(a, identity);
    case TermOp::kClosure:
      return both({transitive(a.upper, true), transitive(a.lower, false)}, identity);
    case TermOp::kProduct:
      return {product(a.upper, b.upper), product(a.lower, b.lower)};
    case TermOp::kIdentity:
      return a;
    case TermOp::kDomain:
      return {domain(a.upper), domain(a.lower)};
    case TermOp::kRange:
      return {domain(inverse(a.upper)), domain(inverse(a.lower))};
    case TermOp::kRecursive:
      return bounds[model.recursive[term.index].index()];
  }
  return none;
}

bool Scene::forbidden(const CatModel& model) const {
  const std::vector<Bounds> bounds = evaluate(model);
  return std::any_of(model.constraints.begin(), model.constraints.end(), [&](const Constraint& constraint) {
    if (constraint.flag || constraint.negated) return false;
    const Pairs sure = bounds[constraint.term.index()].lower & all_pairs(known_, false);
    switch (constraint.kind) {
      case ConstraintKind::kEmpty:
        return sure != 0;
      case ConstraintKind::kIrreflexive:
        return (sure & kDiagonal) != 0;
      case ConstraintKind::kAcyclic:
        return (transitive(sure, false) & kDiagonal) != 0;
    }
    return false;
  });
}

bool Scene::has_path(const Constraint& constraint, const std::vector<Bounds>& bounds, size_t from,
                     size_t to) const {
  const Pairs sure = bounds[constraint.term.index()].lower & all_pairs(known_, false);
  return (transitive(sure, false) & bit(from, to)) != 0;
}

}  // namespace fenceline::sat
