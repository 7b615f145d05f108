// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the encoder that is about closures: r+, r*, and the solutions of a `let rec`.
//
// Where implications suffice, the closure of a relation of which a part is a static order (po in `(po |
// sw)+`) is encoded along that order (paths.h). Both ends of the other pairs are executed, so the order leads
// from the end of one to the start of the next whatever is passed on the way (static_order.h). Of x and y
// themselves it is not known; r+ is reach(x, y) for those that are executed.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>

#include "env/errors.h"
#include "sat/relation_encoder.h"

namespace fenceline::sat {

// All pairs at once, so that the depth of the calls does not depend on the number of events.
Lit RelationEncoder::solution(TermId whole, TermId body, size_t x, size_t y) {
  const auto key = [&](size_t from, size_t to) {
    return pair_key(whole, from, to, static_cast<unsigned>(Use::kUpward));
  };
  upper(whole).for_all([&](size_t from, size_t to) { pairs_[key(from, to)] = circuit_.fresh(); });
  upper(whole).for_all([&](size_t from, size_t to) {
    circuit_.implies(in(body, from, to, Use::kUpward), pairs_.at(key(from, to)));
  });
  return pairs_.at(key(x, y));
}

Lit RelationEncoder::transitive(TermId whole, TermId a, size_t x, size_t y, Use use) {
  if (use == Use::kDownward) return squared(a, x, y, static_cast<unsigned>(std::bit_width(n_)), use);
  if (is_communication(a)) return communicates(whole, a, x, y);
  const Lit reach = paths_of(a).reaches(x, y);
  if (reach == kFalse || (base_.executed(x) == kTrue && base_.executed(y) == kTrue)) return reach;
  const Lit related = circuit_.fresh();
  circuit_.require({!reach, !base_.executed(x), !base_.executed(y), related});
  return related;
}

// r+ and r* have these in common.
Paths& RelationEncoder::paths_of(TermId a) {
  const auto [entry, is_new] = paths_.try_emplace(a.value());
  if (!is_new) return *entry->second;
  BitMatrix known = lower(a);
  close(known);
  StaticOrder order = StaticOrder::within(known);
  const auto cycles = must_be_acyclic(a) ? Paths::Cycles::kForbidden : Paths::Cycles::kAllowed;
  entry->second =
      std::make_unique<Paths>(circuit_, std::move(order), upper(a), cycles,
                              [this, a](size_t from, size_t to) { return in(a, from, to, Use::kUpward); });
  return *entry->second;
}

// Does a constraint forbid that r+ has a pair (x, x)?
bool RelationEncoder::must_be_acyclic(TermId r) const {
  const auto is_closure = [&](TermId id) {
    return model_.term(id).op == TermOp::kTransitive && model_.term(id).a == r;
  };
  const auto has_identity = [&](TermId id) {
    return model_.term(id).op == TermOp::kClosure || model_.term(id).op == TermOp::kReflexive;
  };
  return std::any_of(model_.constraints.begin(), model_.constraints.end(), [&](const Constraint& constraint) {
    if (constraint.flag || constraint.negated || constraint.kind == ConstraintKind::kEmpty) return false;
    const Term& term = model_.term(constraint.term);
    if (constraint.kind == ConstraintKind::kAcyclic && constraint.term == r) return true;
    return is_closure(constraint.term) ||
           (term.op == TermOp::kSequence &&
            ((is_closure(term.a) && has_identity(term.b)) || (is_closure(term.b) && has_identity(term.a))));
  });
}

// Paths of at most 2^level steps.
Lit RelationEncoder::squared(TermId a, size_t x, size_t y, unsigned level, Use use) {
  if (level == 0) return in(a, x, y, use);
  require(level < 16, "a closure over too many events");
  const uint64_t key = pair_key(a, x, y, level);
  auto& squares = squares_[static_cast<size_t>(how(a, use))];
  if (const auto found = squares.find(key); found != squares.end()) return found->second;
  std::vector<Lit> alternatives{squared(a, x, y, level - 1, use)};
  BitMatrix& reach = closed_bounds_[a.value()];
  if (reach.size() != n_) reach = upper(a).closure();
  for (size_t k = 0; k < n_; ++k)
    if (reach.at(x, k) && reach.at(k, y))
      alternatives.push_back(
          circuit_.both(squared(a, x, k, level - 1, use), squared(a, k, y, level - 1, use)));
  const Lit result = circuit_.any(std::move(alternatives));
  squares[key] = result;
  return result;
}

}  // namespace fenceline::sat
