// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/monotone.h"

#include <algorithm>
#include <vector>

namespace fenceline::sat {
namespace {

bool is_leaf(TermOp op) { return op == TermOp::kBase || op == TermOp::kEmpty; }

// What happens to the terms of a model when reads and fences disappear from an execution.
struct Monotonicity {
  std::vector<bool> about_its_ends;  // whether a pair is in the term depends on no third event
  std::vector<bool> shrinks;         // with fewer events, the term has no new pairs
  std::vector<bool> stays;     // with fewer events, the term has all its old pairs of those that are left
  std::vector<bool> external;  // only pairs of events of two threads

  explicit Monotonicity(const CatModel& model)
      : about_its_ends(model.terms.size()),
        shrinks(model.terms.size(), true),
        stays(model.terms.size()),
        external(model.terms.size()) {
    for (size_t i = 0; i < model.terms.size(); ++i) visit(model, i);
  }

 private:
  static bool of(const std::vector<bool>& property, TermId id) { return !id.valid() || property[id.index()]; }

  void visit(const CatModel& model, size_t i) {
    const Term& term = model.terms[i];
    const bool local = of(about_its_ends, term.a) && of(about_its_ends, term.b);
    shrinks[i] = of(shrinks, term.a) && of(shrinks, term.b);
    stays[i] = of(stays, term.a) && of(stays, term.b);
    about_its_ends[i] = is_leaf(term.op) || local;
    switch (term.op) {
      case TermOp::kBase:
        external[i] = term.name == "ext";
        break;
      case TermOp::kEmpty:
        external[i] = true;
        break;
      case TermOp::kUnion:
        external[i] = external[term.a.index()] && external[term.b.index()];
        break;
      case TermOp::kIntersect:
        external[i] = external[term.a.index()] || external[term.b.index()];
        break;
      case TermOp::kInverse:
        external[i] = external[term.a.index()];
        break;
      case TermOp::kMinus:
        external[i] = external[term.a.index()];
        shrinks[i] = of(shrinks, term.a) && about_its_ends[term.b.index()];
        stays[i] = of(stays, term.a) && of(shrinks, term.b);
        break;
      case TermOp::kComplement:
        shrinks[i] = about_its_ends[term.a.index()];
        stays[i] = of(shrinks, term.a);
        break;
      case TermOp::kSequence:
        // The event in the middle of `[set]; r` is one of the two ends.
        about_its_ends[i] = false;
        external[i] = (model.term(term.a).op == TermOp::kIdentity && external[term.b.index()]) ||
                      (model.term(term.b).op == TermOp::kIdentity && external[term.a.index()]);
        stays[i] = stays[i] &&
                   (model.term(term.a).op == TermOp::kIdentity || model.term(term.b).op == TermOp::kIdentity);
        break;
      case TermOp::kTransitive:
      case TermOp::kClosure:
      case TermOp::kDomain:
      case TermOp::kRange:
      case TermOp::kRecursive:
        about_its_ends[i] = stays[i] = false;
        break;
      default:
        break;
    }
  }
};

}  // namespace

bool allows_omitting_events(const CatModel& model) {
  const Monotonicity terms(model);
  for (const TermId body : model.recursive)
    if (!terms.shrinks[body.index()]) return false;
  for (const Constraint& constraint : model.constraints)
    if (!constraint.flag && (constraint.negated || !terms.shrinks[constraint.term.index()])) return false;
  return true;
}

bool flags_stay_raised(const CatModel& model) {
  const Monotonicity terms(model);
  // `shrinks` takes the variables of a `let rec` to shrink; so do their bodies, or nothing is known.
  for (const TermId body : model.recursive)
    if (!terms.shrinks[body.index()]) return !has_flags(model);
  return std::none_of(model.constraints.begin(), model.constraints.end(), [&](const Constraint& constraint) {
    const size_t term = constraint.term.index();
    const bool by_what_is_there = constraint.negated && constraint.kind == ConstraintKind::kEmpty;
    return constraint.flag && !(by_what_is_there && terms.stays[term] &&
                                (model.term(constraint.term).is_set || terms.external[term]));
  });
}

bool has_flags(const CatModel& model) {
  return std::any_of(model.constraints.begin(), model.constraints.end(),
                     [](const Constraint& constraint) { return constraint.flag; });
}

}  // namespace fenceline::sat
