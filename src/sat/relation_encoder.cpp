// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/relation_encoder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "env/errors.h"

namespace fenceline::sat {
namespace {

constexpr size_t kSetMark = RelationEncoder::kMostEvents;  // as y: the pair is membership of x in a set

}  // namespace

uint64_t RelationEncoder::pair_key(TermId term, size_t x, size_t y, unsigned use) {
  require(x <= kMostEvents && y <= kMostEvents && term.index() < (1U << 20),
          "a formula with too many events or terms");
  return static_cast<uint64_t>(term.index()) << 44 | static_cast<uint64_t>(x) << 24 |
         static_cast<uint64_t>(y) << 4 | use;
}

RelationEncoder::RelationEncoder(const CatModel& model, BaseRelations& base, Circuit& circuit,
                                 AcyclicEncoding acyclic)
    : model_(model),
      base_(base),
      circuit_(circuit),
      acyclic_(acyclic),
      n_(base.events()),
      loose_(model.terms.size()),
      term_costs_(model.terms.size()),
      constraint_costs_(model.constraints.size()) {
  for (size_t i = 0; i < model.terms.size(); ++i) {
    const Term& term = model.terms[i];
    loose_[i] = term.op == TermOp::kTransitive || term.op == TermOp::kClosure ||
                term.op == TermOp::kRecursive || term.op == TermOp::kSequence ||
                (term.op == TermOp::kBase && term.name == "fr") ||
                (term.a.valid() && loose_[term.a.index()]) || (term.b.valid() && loose_[term.b.index()]);
    if (term.op == TermOp::kBase && term.name == "rf") rf_ = TermId(i);
  }
  compute_bounds();
}

void RelationEncoder::charge() {
  const auto variables = static_cast<uint64_t>(circuit_.solver().variables());
  const uint64_t clauses = circuit_.solver().clauses();
  charged_->variables += variables - std::exchange(variables_, variables);
  charged_->clauses += clauses - std::exchange(clauses_, clauses);
}

RelationEncoder::Cost& RelationEncoder::cost_of(const Constraint& constraint) {
  for (size_t i = 0; i < model_.constraints.size(); ++i)
    if (&model_.constraints[i] == &constraint) return constraint_costs_[i];
  return elsewhere_;
}

// ---- Bounds ----

void RelationEncoder::compute_bounds() {
  bounds_.resize(model_.terms.size());
  for (Bounds& bounds : bounds_)
    bounds = {{std::vector<bool>(n_), std::vector<bool>(n_)}, {BitMatrix(n_), BitMatrix(n_)}};
  // Once is enough, unless there are `let rec`s: their bounds grow until they are solutions. (A difference
  // keeps its left side whole as long as the right side is not sure, so bounds never shrink.)
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < model_.terms.size(); ++i) {
      const Term& term = model_.terms[i];
      if (term.op == TermOp::kRecursive) continue;
      bounds_[i] = term.is_set ? set_bounds_of(term) : bounds_of(term);
    }
    for (size_t i = 0; i < model_.terms.size(); ++i) {
      const Term& term = model_.terms[i];
      if (term.op != TermOp::kRecursive) continue;
      const Bounds& body = bounds_[model_.recursive[term.index].index()];
      if (body.relation.upper == bounds_[i].relation.upper && body.set.upper == bounds_[i].set.upper)
        continue;
      bounds_[i].relation.upper = body.relation.upper;
      bounds_[i].set.upper = body.set.upper;
      grown = true;
    }
  }
}

void RelationEncoder::close(BitMatrix& paths) const {
  if (paths.includes(paths.sequence(paths))) return;
  for (size_t k = 0; k < n_; ++k)
    for (size_t x = 0; x < n_; ++x)
      if (paths.at(x, k))
        paths.for_row(k, [&](size_t y) {
          if (between(x, k, y)) paths.set(x, y);
        });
}

RelationEncoder::Bounds RelationEncoder::set_bounds_of(const Term& term) const {
  Bounds result{{std::vector<bool>(n_), std::vector<bool>(n_)}, {BitMatrix(0), BitMatrix(0)}};
  auto& upper = result.set.upper;
  auto& lower = result.set.lower;
  const Bounds* a = term.a.valid() ? &bounds_[term.a.index()] : nullptr;
  const Bounds* b = term.b.valid() ? &bounds_[term.b.index()] : nullptr;
  if (term.op == TermOp::kBase) {
    result.set = base_.set_bounds(term.name);
    return result;
  }
  for (size_t x = 0; x < n_; ++x) switch (term.op) {
      case TermOp::kEmpty:
        break;
      case TermOp::kUnion:
        upper[x] = a->set.upper[x] || b->set.upper[x];
        lower[x] = a->set.lower[x] || b->set.lower[x];
        break;
      case TermOp::kIntersect:
        upper[x] = a->set.upper[x] && b->set.upper[x];
        lower[x] = a->set.lower[x] && b->set.lower[x];
        break;
      case TermOp::kMinus:
        upper[x] = a->set.upper[x] && !b->set.lower[x];
        lower[x] = a->set.lower[x] && !b->set.upper[x];
        break;
      case TermOp::kComplement:
        upper[x] = !a->set.lower[x];
        lower[x] = !a->set.upper[x];
        break;
      case TermOp::kDomain:
        a->relation.upper.for_row(x, [&](size_t) { upper[x] = true; });
        break;
      case TermOp::kRange:
        a->relation.upper.for_row(x, [&](size_t y) { upper[y] = true; });
        break;
      default:
        throw Bug("a term that is no set");
    }
  return result;
}

RelationEncoder::Bounds RelationEncoder::bounds_of(const Term& term) const {
  const Bounds* a = term.a.valid() ? &bounds_[term.a.index()] : nullptr;
  const Bounds* b = term.b.valid() ? &bounds_[term.b.index()] : nullptr;
  Bounds result{{}, {BitMatrix(n_), BitMatrix(n_)}};
  BitMatrix& upper = result.relation.upper;
  BitMatrix& lower = result.relation.lower;
  const auto add_identity = [&] {
    for (size_t x = 0; x < n_; ++x) upper.set(x, x), lower.set(x, x);
  };
  switch (term.op) {
    case TermOp::kBase:
      result.relation = base_.relation_bounds(term.name);
      break;
    case TermOp::kEmpty:
      break;
    case TermOp::kUnion:
      upper |= a->relation.upper, upper |= b->relation.upper;
      lower |= a->relation.lower, lower |= b->relation.lower;
      break;
    case TermOp::kIntersect:
      upper = a->relation.upper, upper &= b->relation.upper;
      lower = a->relation.lower, lower &= b->relation.lower;
      break;
    case TermOp::kMinus:
      upper = a->relation.upper, upper.subtract(b->relation.lower);
      lower = a->relation.lower, lower.subtract(b->relation.upper);
      break;
    case TermOp::kComplement:
      for (size_t x = 0; x < n_; ++x)
        for (size_t y = 0; y < n_; ++y) {
          if (!a->relation.lower.at(x, y)) upper.set(x, y);
          if (!a->relation.upper.at(x, y)) lower.set(x, y);
        }
      break;
    case TermOp::kSequence:
      upper = a->relation.upper.sequence(b->relation.upper);
      // What lies between must be executed too: the ends of the pair are, and what is always executed.
      a->relation.lower.for_all([&](size_t x, size_t k) {
        b->relation.lower.for_row(k, [&](size_t y) {
          if (between(x, k, y)) lower.set(x, y);
        });
      });
      break;
    case TermOp::kInverse:
      upper = a->relation.upper.inverse();
      lower = a->relation.lower.inverse();
      break;
    case TermOp::kTransitive:
    case TermOp::kClosure:
      upper = is_communication(term.a) ? communication_bound(term.a) : a->relation.upper.closure();
      lower = a->relation.lower;
      close(lower);
      if (term.op == TermOp::kClosure) add_identity();
      break;
    case TermOp::kReflexive:
      upper = a->relation.upper;
      lower = a->relation.lower;
      add_identity();
      break;
    case TermOp::kProduct:
    case TermOp::kIdentity:
      for (size_t x = 0; x < n_; ++x)
        for (size_t y = 0; y < n_; ++y) {
          if (term.op == TermOp::kIdentity && x != y) continue;
          const Bounds* second = term.op == TermOp::kIdentity ? a : b;
          if (a->set.upper[x] && second->set.upper[y]) upper.set(x, y);
          if (a->set.lower[x] && second->set.lower[y]) lower.set(x, y);
        }
      break;
    default:
      throw Bug("a term that is no relation");
  }
  return result;
}

// ---- Literals ----

Lit RelationEncoder::in(TermId id, size_t x, Use use) {
  const Bounds& bounds = bounds_[id.index()];
  if (!bounds.set.upper[x]) return kFalse;
  if (bounds.set.lower[x]) return kTrue;
  const Term& term = model_.term(id);
  use = how(id, use);
  const uint64_t key = pair_key(id, x, kSetMark, static_cast<unsigned>(use));
  if (const auto found = pairs_.find(key); found != pairs_.end()) return found->second;
  const Accounting accounting(*this, term_costs_[id.index()]);
  ++term_costs_[id.index()].pairs;
  Lit result = kFalse;
  switch (term.op) {
    case TermOp::kBase:
      result = base_.in_set(term.name, x);
      break;
    case TermOp::kUnion:
      result = circuit_.either(in(term.a, x, use), in(term.b, x, use));
      break;
    case TermOp::kIntersect:
      result = circuit_.both(in(term.a, x, use), in(term.b, x, use));
      break;
    case TermOp::kMinus:
      result = circuit_.both(in(term.a, x, use), !in(term.b, x, opposite(use)));
      break;
    case TermOp::kComplement:
      result = !in(term.a, x, opposite(use));
      break;
    case TermOp::kDomain:
    case TermOp::kRange: {
      std::vector<Lit> alternatives;
      for (size_t y = 0; y < n_; ++y)
        alternatives.push_back(term.op == TermOp::kDomain ? in(term.a, x, y, use) : in(term.a, y, x, use));
      result = circuit_.any(std::move(alternatives));
      break;
    }
    case TermOp::kRecursive: {
      if (use == Use::kDownward)
        throw Unsupported("the model uses a `let rec` behind a difference, complement or negated check");
      result = circuit_.fresh();
      pairs_[key] = result;
      circuit_.implies(in(model_.recursive[term.index], x, use), result);
      return result;
    }
    default:
      throw Bug("a term that is no set");
  }
  pairs_[key] = result;
  return result;
}

Lit RelationEncoder::in(TermId id, size_t x, size_t y, Use use) {
  if (!upper(id).at(x, y)) return kFalse;
  if (lower(id).at(x, y)) return executed(x, y);
  use = how(id, use);
  const uint64_t key = pair_key(id, x, y, static_cast<unsigned>(use));
  if (const auto found = pairs_.find(key); found != pairs_.end()) return found->second;
  const Accounting accounting(*this, term_costs_[id.index()]);
  ++term_costs_[id.index()].pairs;
  const Lit result = build(id, x, y, use);
  pairs_[key] = result;
  return result;
}

Lit RelationEncoder::build(TermId id, size_t x, size_t y, Use use) {
  const Term& term = model_.term(id);
  switch (term.op) {
    case TermOp::kBase:
      return use == Use::kUpward ? base_.at_least_in_relation(term.name, x, y)
                                 : base_.in_relation(term.name, x, y);
    case TermOp::kUnion:
      return circuit_.either(in(term.a, x, y, use), in(term.b, x, y, use));
    case TermOp::kIntersect:
      return circuit_.both(in(term.a, x, y, use), in(term.b, x, y, use));
    case TermOp::kMinus:
      return circuit_.both(in(term.a, x, y, use), !in(term.b, x, y, opposite(use)));
    case TermOp::kComplement:
      return circuit_.both(executed(x, y), !in(term.a, x, y, opposite(use)));
    case TermOp::kSequence:
      return sequence(id, x, y, use);
    case TermOp::kInverse:
      return in(term.a, y, x, use);
    case TermOp::kReflexive:
      return x == y ? base_.executed(x) : in(term.a, x, y, use);
    case TermOp::kClosure:
      return x == y ? base_.executed(x) : transitive(id, term.a, x, y, use);
    case TermOp::kTransitive:
      return transitive(id, term.a, x, y, use);
    case TermOp::kProduct:
      return circuit_.both(executed(x, y), circuit_.both(in(term.a, x, use), in(term.b, y, use)));
    case TermOp::kIdentity:
      return circuit_.both(base_.executed(x), in(term.a, x, use));
    case TermOp::kRecursive:
      if (use == Use::kDownward)
        throw Unsupported("the model uses a `let rec` behind a difference, complement or negated check");
      return solution(id, model_.recursive[term.index], x, y);
    default:
      throw Bug("a term that is no relation");
  }
}

// ---- What cannot be ----

// Is (x, y) in the relation whenever both are executed and the assumed pair holds?
bool RelationEncoder::surely(TermId id, size_t x, size_t y, const Assumed& assumed) const {
  if (!upper(id).at(x, y)) return false;
  if (lower(id).at(x, y)) return true;
  const Term& term = model_.term(id);
  switch (term.op) {
    case TermOp::kBase:
      if (term.name == "loc") return (x == assumed.x && y == assumed.y) || (x == assumed.y && y == assumed.x);
      return term.name == assumed.base && x == assumed.x && y == assumed.y;
    case TermOp::kUnion:
      return surely(term.a, x, y, assumed) || surely(term.b, x, y, assumed);
    case TermOp::kIntersect:
      return surely(term.a, x, y, assumed) && surely(term.b, x, y, assumed);
    case TermOp::kMinus:
      return !upper(term.b).at(x, y) && surely(term.a, x, y, assumed);
    case TermOp::kInverse:
      return surely(term.a, y, x, assumed);
    case TermOp::kReflexive:
    case TermOp::kClosure:
    case TermOp::kTransitive:
      return surely(term.a, x, y, assumed);
    case TermOp::kSequence: {
      bool found = false;
      upper(term.a).for_row(x, [&](size_t k) {
        found = found || (upper(term.b).at(k, y) && between(x, k, y) && surely(term.a, x, k, assumed) &&
                          surely(term.b, k, y, assumed));
      });
      return found;
    }
    default:
      return false;
  }
}

BitMatrix RelationEncoder::impossible(std::string_view base) const {
  BitMatrix result(n_);
  const BitMatrix candidates = base_.relation_bounds(base).upper;
  for (const Constraint& constraint : model_.constraints) {
    if (constraint.flag || constraint.negated || model_.term(constraint.term).is_set) continue;
    if (constraint.kind == ConstraintKind::kIrreflexive) {
      const Term& term = model_.term(constraint.term);
      if (term.op != TermOp::kSequence) continue;
      candidates.for_all([&](size_t x, size_t y) {
        const Assumed assumed{base, x, y};
        if ((surely(term.a, x, y, assumed) && surely(term.b, y, x, assumed)) ||
            (surely(term.a, y, x, assumed) && surely(term.b, x, y, assumed)))
          result.set(x, y);
      });
    }
    if (constraint.kind != ConstraintKind::kAcyclic) continue;
    BitMatrix paths = lower(constraint.term);
    close(paths);
    candidates.for_all([&](size_t x, size_t y) {
      const Assumed assumed{base, x, y};
      if (result.at(x, y) || !surely(constraint.term, x, y, assumed)) return;
      if (paths.at(y, x) || surely(constraint.term, y, x, assumed)) result.set(x, y);
    });
  }
  return result;
}

// ---- Constraints ----

void RelationEncoder::require_consistent() {
  for (const Constraint& constraint : model_.constraints)
    if (!constraint.flag) require_holds(constraint);
}

void RelationEncoder::require_holds(const Constraint& constraint) {
  const Accounting accounting(*this, cost_of(constraint));
  if (constraint.negated) return circuit_.require({holds(constraint)});
  const Term& term = model_.term(constraint.term);
  switch (constraint.kind) {
    case ConstraintKind::kAcyclic: {
      if (require_coherence(constraint.term)) break;
      std::vector<uint32_t> node_of;
      const AcyclicFigures figures = acyclic_(circuit_, graph_of(constraint, true, node_of));
      figures_.vertices += figures.vertices;
      figures_.edges += figures.edges;
      figures_.added_edges += figures.added_edges;
      figures_.clauses += figures.clauses;
      break;
    }
    case ConstraintKind::kIrreflexive:
      require_irreflexive(constraint.term);
      break;
    case ConstraintKind::kEmpty:
      for (size_t x = 0; x < n_; ++x) {
        if (term.is_set) {
          circuit_.require({!circuit_.both(base_.executed(x), in(constraint.term, x, Use::kUpward))});
          continue;
        }
        upper(constraint.term).for_row(x, [&](size_t y) {
          circuit_.require({!in(constraint.term, x, y, Use::kUpward)});
        });
      }
      break;
  }
}

// At least whether the pair is in the relation, given that both are executed.
Lit RelationEncoder::given_executed(TermId id, size_t x, size_t y) {
  if (lower(id).at(x, y)) return kTrue;
  if (!upper(id).at(x, y)) return kFalse;
  const Term& term = model_.term(id);
  if ((term.op == TermOp::kTransitive || term.op == TermOp::kClosure) && !is_communication(term.a)) {
    const Accounting accounting(*this, term_costs_[id.index()]);
    return paths_of(term.a).reaches(x, y);
  }
  return in(id, x, y, Use::kUpward);
}

Lit RelationEncoder::flagged(const Constraint& constraint) { return holds(constraint); }

std::vector<bool> RelationEncoder::may_raise(const Constraint& constraint) const {
  if (model_.term(constraint.term).is_set) return bounds_[constraint.term.index()].set.upper;
  std::vector<bool> ends(n_);
  upper(constraint.term).for_all([&](size_t x, size_t y) { ends[x] = ends[y] = true; });
  return ends;
}

Lit RelationEncoder::holds(const Constraint& constraint) {
  const Accounting accounting(*this, cost_of(constraint));
  std::vector<Lit> bad;
  const Term& term = model_.term(constraint.term);
  const Use use = constraint.negated ? Use::kDownward : Use::kUpward;
  for (size_t x = 0; x < n_; ++x) switch (constraint.kind) {
      case ConstraintKind::kAcyclic:
        bad.push_back(squared(constraint.term, x, x, static_cast<unsigned>(std::bit_width(n_)), use));
        break;
      case ConstraintKind::kIrreflexive:
        bad.push_back(in(constraint.term, x, x, use));
        break;
      case ConstraintKind::kEmpty:
        if (term.is_set)
          bad.push_back(circuit_.both(base_.executed(x), in(constraint.term, x, use)));
        else
          for (size_t y = 0; y < n_; ++y) bad.push_back(in(constraint.term, x, y, use));
        break;
    }
  const Lit broken = circuit_.any(std::move(bad));
  return constraint.negated ? broken : !broken;
}

}  // namespace fenceline::sat
