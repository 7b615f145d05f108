// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the encoder that is about rf, co and fr together, eco = (rf | co | fr)+, by what an execution
// is (BaseRelations::coherent).
//
// Paths of rf, co and fr have two steps at most that are not one: co and fr lead to a write, from which only
// co and rf lead on; co; co and fr; co are in co and fr, rf; fr is in co. So eco is one of the three, co; rf
// or fr; rf, and it has no cycle.
//
// It nearly is a total order of the accesses to one location: only reads from the same write are not related,
// and these have the same relations to all others. Number the writes by co, give a read a place between its
// write and the next one: eco leads to higher places. If x is before y in some order, at one location, and
// eco does not lead from y to x, then the place of y is not lower. Two things follow:
//
// - If eco contradicts neither x hb z nor z hb y, then it does not contradict x hb y.
// - If it contradicts no pair of po-loc, then `po-loc | rf | co | fr` has no cycle: along a cycle places
//   would rise, or stay the same along po-loc alone, which has no cycle.
#include <algorithm>
#include <utility>

#include "env/errors.h"
#include "sat/relation_encoder.h"

namespace fenceline::sat {

// A union of rf, co and fr, all three and nothing else?
bool RelationEncoder::is_communication(TermId id) const {
  if (!base_.coherent()) return false;
  bool others = false, found[3] = {};
  const auto visit = [&](const auto& self, TermId at) -> void {
    const Term& term = model_.term(at);
    if (term.op == TermOp::kUnion) {
      self(self, term.a);
      self(self, term.b);
    } else if (term.op == TermOp::kBase && !term.is_set && term.name == "rf") {
      found[0] = true;
    } else if (term.op == TermOp::kBase && !term.is_set && term.name == "co") {
      found[1] = true;
    } else if (term.op == TermOp::kBase && !term.is_set && term.name == "fr") {
      found[2] = true;
    } else {
      others = true;
    }
  };
  visit(visit, id);
  return !others && found[0] && found[1] && found[2];
}

BitMatrix RelationEncoder::communication_bound(TermId a) const {
  BitMatrix bound = upper(a);
  bound |= upper(a).sequence(upper(rf_));
  return bound;
}

Lit RelationEncoder::communicates(TermId whole, TermId a, size_t x, size_t y) {
  return at_least_one_of({in(a, x, y, Use::kUpward), composed(whole, a, rf_, x, y)});
}

// Of a composition a clause for each event between is all that is needed.
// If a; b is hb; eco or the like, of the static pairs of hb at one location covering ones suffice.
void RelationEncoder::require_irreflexive(TermId id) {
  const Term& term = model_.term(id);
  const auto is_identity = [&](TermId part) { return model_.term(part).op == TermOp::kIdentity; };
  if (term.op != TermOp::kSequence || is_identity(term.a) || is_identity(term.b)) {
    for (size_t x = 0; x < n_; ++x) circuit_.require({!in(id, x, x, Use::kUpward)});
    return;
  }
  const Term& second = model_.term(term.b);
  BitMatrix implied(n_);
  if ((second.op == TermOp::kTransitive || second.op == TermOp::kClosure) && is_communication(second.a)) {
    BitMatrix at_one_location = base_.relation_bounds("loc").lower;
    at_one_location &= lower(term.a);
    for (size_t x = 0; x < n_; ++x) at_one_location.clear(x, x);
    implied = bridged(at_one_location);
  }
  upper(term.a).for_all([&](size_t x, size_t y) {
    if (!upper(term.b).at(y, x) || implied.at(x, y)) return;
    // Each of the two says that both events are executed, unless it is known anyway.
    const bool known = lower(term.b).at(y, x);
    const Lit first = known ? in(term.a, x, y, Use::kUpward) : given_executed(term.a, x, y);
    if (first == kFalse) return;
    circuit_.require({!first, known ? kFalse : !in(term.b, y, x, Use::kUpward)});
  });
}

// Are pairs of the relation at one location, whatever it is?
bool RelationEncoder::within_location(TermId id) const {
  const Term& term = model_.term(id);
  switch (term.op) {
    case TermOp::kBase:
      return term.name == "loc" || term.name == "rmw";
    case TermOp::kEmpty:
      return true;
    case TermOp::kUnion:
      return within_location(term.a) && within_location(term.b);
    case TermOp::kIntersect:
      return within_location(term.a) || within_location(term.b);
    case TermOp::kMinus:
      return within_location(term.a);
    case TermOp::kComplement:
    case TermOp::kSequence:
    case TermOp::kInverse:
    case TermOp::kTransitive:
    case TermOp::kReflexive:
    case TermOp::kClosure:
    case TermOp::kProduct:
    case TermOp::kIdentity:
    case TermOp::kDomain:
    case TermOp::kRange:
    case TermOp::kRecursive:
      return false;
  }
  throw Bug("a term without an operator");
}

// `acyclic po-loc | rf | co | fr`: a clause for each way in which eco can contradict a pair of po-loc. False
// if it is not of this form, or if that would take many clauses because it is not known which accesses are at
// one location.
bool RelationEncoder::require_coherence(TermId id) {
  if (!base_.coherent()) return false;
  TermId rf, co, fr;
  std::vector<TermId> parts;
  const auto visit = [&](const auto& self, TermId at) -> bool {
    const Term& term = model_.term(at);
    if (term.op == TermOp::kUnion) return self(self, term.a) && self(self, term.b);
    if (term.op == TermOp::kBase && (term.name == "rf" || term.name == "co" || term.name == "fr")) {
      (term.name == "rf" ? rf : term.name == "co" ? co : fr) = at;
      return true;
    }
    parts.push_back(at);
    return within_location(at);
  };
  if (!visit(visit, id) || !rf.valid() || !co.valid() || !fr.valid()) return false;
  BitMatrix order(n_), known(n_);
  for (const TermId part : parts) order |= upper(part), known |= lower(part);
  const BitMatrix closed = order.closure();
  for (size_t x = 0; x < n_; ++x)
    if (closed.at(x, x)) return false;
  BitMatrix at_one_location = base_.relation_bounds("loc").lower;
  at_one_location &= known;
  order.subtract(bridged(at_one_location));
  size_t pairs = 0;
  order.for_all([&](size_t, size_t) { ++pairs; });
  if (pairs > 2 * n_) return false;
  order.for_all([&](size_t x, size_t y) {
    std::vector<Lit> literals;
    for (const TermId part : parts) literals.push_back(in(part, x, y, Use::kUpward));
    const Lit before = known.at(x, y) ? kTrue : at_least_one_of(std::move(literals));
    if (before != kFalse) forbid_communication(before, y, x, rf, co, fr);
  });
  return true;
}

// If `condition` holds, x is not before y in eco.
void RelationEncoder::forbid_communication(Lit condition, size_t x, size_t y, TermId rf, TermId co,
                                           TermId fr) {
  for (const TermId direct : {rf, co, fr})
    if (upper(direct).at(x, y)) circuit_.require({!condition, !in(direct, x, y, Use::kUpward)});
  for (const TermId first : {co, fr})
    upper(first).for_row(x, [&](size_t k) {
      if (!upper(rf).at(k, y)) return;
      // What is known of co holds if the two are executed. That y reads from k says it of k; of x the
      // condition does.
      const Lit leads = lower(first).at(x, k) ? base_.executed(x) : in(first, x, k, Use::kUpward);
      circuit_.require({!condition, !leads, !in(rf, k, y, Use::kUpward)});
    });
}

}  // namespace fenceline::sat
