// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/monotone.h"

#include <algorithm>
#include <vector>

namespace fenceline::sat {
namespace {

bool is_leaf(TermOp op) { return op == TermOp::kBase || op == TermOp::kEmpty; }

enum class Removed : uint8_t { kReadsAndFences, kAny };

// Are all first, and all second events of the pairs of a term writes? Of a set: are all members?
struct Ends {
  bool first = false, second = false;
};

Ends ends_of(const CatModel& model, const Term& term, const std::vector<Ends>& ends) {
  const Ends a = term.a.valid() ? ends[term.a.index()] : Ends{};
  const Ends b = term.b.valid() ? ends[term.b.index()] : Ends{};
  switch (term.op) {
    case TermOp::kBase:
      if (term.is_set) {
        const bool writes = term.name == "W" || term.name == "IW" || term.name == "FW";
        return {writes, writes};
      }
      return {term.name == "rf" || term.name == "co",
              term.name == "co" || term.name == "fr" || term.name == "rmw"};
    case TermOp::kEmpty:
      return {true, true};
    case TermOp::kUnion:
      return {a.first && b.first, a.second && b.second};
    case TermOp::kIntersect:
      return {a.first || b.first, a.second || b.second};
    case TermOp::kMinus:
    case TermOp::kTransitive:
    case TermOp::kIdentity:
      return a;
    case TermOp::kSequence:
      return {a.first || (model.term(term.a).op == TermOp::kIdentity && b.first),
              b.second || (model.term(term.b).op == TermOp::kIdentity && a.second)};
    case TermOp::kInverse:
      return {a.second, a.first};
    case TermOp::kProduct:
      return {a.first, b.first};
    case TermOp::kComplement:
    case TermOp::kReflexive:
    case TermOp::kClosure:
    case TermOp::kDomain:
    case TermOp::kRange:
    case TermOp::kRecursive:
      break;
  }
  return {};
}

// What happens to the terms of a model when events disappear from an execution.
struct Monotonicity {
  std::vector<bool> fixed;     // whether a pair is in the term depends on no third event that can disappear
  std::vector<bool> shrinks;   // with fewer events, the term has no new pairs
  std::vector<bool> stays;     // with fewer events, the term has all its old pairs of those that are left
  std::vector<bool> external;  // only pairs of events of two threads

  Monotonicity(const CatModel& model, Removed removed)
      : fixed(model.terms.size()),
        shrinks(model.terms.size(), true),
        stays(model.terms.size()),
        external(model.terms.size()),
        removed_(removed),
        ends_(model.terms.size()) {
    for (size_t i = 0; i < model.terms.size(); ++i) visit(model, i);
  }

 private:
  static bool of(const std::vector<bool>& property, TermId id) { return !id.valid() || property[id.index()]; }

  // Is the event in the middle of a composition one of the two ends, as in `[set]; r`, or one that stays?
  bool middle_stays(const CatModel& model, const Term& term) const {
    if (model.term(term.a).op == TermOp::kIdentity || model.term(term.b).op == TermOp::kIdentity) return true;
    return removed_ == Removed::kReadsAndFences &&
           (ends_[term.a.index()].second || ends_[term.b.index()].first);
  }

  void visit(const CatModel& model, size_t i) {
    const Term& term = model.terms[i];
    ends_[i] = ends_of(model, term, ends_);
    const bool local = of(fixed, term.a) && of(fixed, term.b);
    shrinks[i] = of(shrinks, term.a) && of(shrinks, term.b);
    stays[i] = of(stays, term.a) && of(stays, term.b);
    fixed[i] = is_leaf(term.op) || local;
    switch (term.op) {
      case TermOp::kBase:
        external[i] = term.name == "ext";
        // A write can become the last one of its cell.
        if (removed_ == Removed::kAny && term.name == "FW") fixed[i] = shrinks[i] = false;
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
        shrinks[i] = of(shrinks, term.a) && fixed[term.b.index()];
        stays[i] = of(stays, term.a) && of(shrinks, term.b);
        break;
      case TermOp::kComplement:
        shrinks[i] = fixed[term.a.index()];
        stays[i] = of(shrinks, term.a);
        break;
      case TermOp::kSequence:
        fixed[i] = local && middle_stays(model, term);
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
        fixed[i] = stays[i] = false;
        break;
      case TermOp::kReflexive:
      case TermOp::kProduct:
      case TermOp::kIdentity:
        break;
    }
  }

  Removed removed_;
  std::vector<Ends> ends_;
};

bool allows_omitting(const CatModel& model, Removed removed) {
  const Monotonicity terms(model, removed);
  for (const TermId body : model.recursive)
    if (!terms.shrinks[body.index()]) return false;
  for (const Constraint& constraint : model.constraints)
    if (!constraint.flag && (constraint.negated || !terms.shrinks[constraint.term.index()])) return false;
  return true;
}

}  // namespace

bool allows_omitting_events(const CatModel& model) {
  return allows_omitting(model, Removed::kReadsAndFences);
}

bool allows_omitting_writes(const CatModel& model) { return allows_omitting(model, Removed::kAny); }

std::vector<bool> terms_about_their_ends(const CatModel& model) {
  return Monotonicity(model, Removed::kAny).fixed;
}

bool flags_stay_raised(const CatModel& model) {
  const Monotonicity terms(model, Removed::kAny);
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
