// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the encoder that is about closures: r+, r*, and the solutions of a `let rec`.
//
// Where implications suffice, the closure of a relation of which a part is a static order (po in
// `(po | sw)+`) is encoded along that order. Let S be the order and D the other pairs that can be in r. A
// literal of reach(x, y) stands for a path from x, or from an event behind it in S, to y, or to an event before
// it in S, that has a pair of D at each end:
//
//   D(x, y)  →  reach(x, y)                  reach(x, k), D(k, y)  →  reach(x, y)
//   reach(x', y)  →  reach(x, y)  and  reach(x, y')  →  reach(x, y)  for x' that covers x, y' that y covers
//
// Both ends of a pair of D are executed, so a step along S from the end of one to the start of the next is a
// pair of S between executed events whatever is passed in between (static_order.h). For x and y that are
// executed, r+ is S and reach. Events that are no end of a pair of D add nothing: their literals are those of
// their neighbours. In a program with n events of which m take part in synchronisation, with d possible pairs,
// that makes about m² literals and m * d clauses, where one literal for each pair of events, each closed under
// each pair of r, would make n² and n³.
#include <algorithm>
#include <bit>
#include <optional>
#include <set>
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
  const Closure& closure = closure_of(a);
  if (!closure.order) return transitive_by_rows(whole, a, x, y);
  const Lit reach = reaches(a, x, y);
  if (reach == kFalse || (base_.executed(x) == kTrue && base_.executed(y) == kTrue)) return reach;
  // That a path begins behind x and ends before y says nothing about x and y themselves.
  const Lit related = circuit_.fresh();
  circuit_.require({!reach, !base_.executed(x), !base_.executed(y), related});
  return related;
}

// r+ and r* have this in common.
RelationEncoder::Closure& RelationEncoder::closure_of(TermId a) {
  const auto [entry, is_new] = closures_.try_emplace(a.value());
  Closure& closure = entry->second;
  if (!is_new) return closure;
  BitMatrix known = lower(a);
  close(known);
  closure.order = StaticOrder::of(known);
  if (!closure.order) return closure;
  for (size_t x = 0; x < n_; ++x) known.clear(x, x);
  closure.forbidden_cycles = must_be_acyclic(a);
  set_steps(closure, upper(a), known);
  return closure;
}

void RelationEncoder::set_steps(Closure& closure, const BitMatrix& pairs, const BitMatrix& order) const {
  closure.steps = pairs;
  closure.steps.subtract(order);
  closure.open = pairs;
  closure.open |= order;
  closure.open = closure.open.closure();
  closure.open.subtract(order);
  closure.starts = closure.ends = closure.built = std::vector<bool>(n_);
  closure.steps.for_all([&](size_t from, size_t to) { closure.starts[from] = closure.ends[to] = true; });
  closure.reach.assign(n_ * n_, kFalse);
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

// Given that both are executed, at least whether (x, y) is in r+. Precondition: it is not in the static order,
// and there is one.
Lit RelationEncoder::reaches(TermId a, size_t x, size_t y) {
  Closure& closure = closure_of(a);
  if (!closure.built[x]) build_reach(closure, a, closure.forbidden_cycles ? std::nullopt : std::optional(x));
  return closure.reach[x * n_ + y];
}

// Where a path from one to the other can be before its last step, and after its first one, if it has several.
std::pair<std::vector<uint32_t>, std::vector<uint32_t>> RelationEncoder::Closure::compositions(
    size_t from, size_t to) const {
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> result;
  for (size_t k = 0; k < steps.size(); ++k) {
    if (k == from || k == to) continue;
    const bool back = forbidden_cycles && (order->before(k, from) || order->before(to, k));
    if (back) continue;
    if (steps.at(k, to) && open.at(from, k)) result.first.push_back(static_cast<uint32_t>(k));
    if (steps.at(from, k) && open.at(k, to)) result.second.push_back(static_cast<uint32_t>(k));
  }
  return result;
}

// The literals of x, and of all that comes after it: those of x are made from them. Without x: all literals.
void RelationEncoder::build_reach(Closure& closure, TermId a, std::optional<size_t> x) {
  const StaticOrder& order = *closure.order;
  std::vector<uint32_t> rows;
  for (const uint32_t row : order.sorted())
    if ((!x || row == *x || order.before(*x, row)) && !closure.built[row]) rows.push_back(row);
  std::reverse(rows.begin(), rows.end());
  const auto literal = [&](size_t from, size_t to) -> Lit& { return closure.reach[from * n_ + to]; };
  const auto closes_cycle = [&](size_t from, size_t to) { return from == to || order.before(to, from); };
  // First all literals: to know what is in `a` may need the same closure again, in a `let rec`.
  std::vector<std::pair<uint32_t, uint32_t>> fresh;
  for (const uint32_t from : rows) {
    closure.built[from] = true;
    const std::vector<uint32_t>& later = order.successors(from);
    for (const uint32_t to : order.sorted()) {
      if (!closure.open.at(from, to)) continue;
      if (closure.forbidden_cycles && closes_cycle(from, to)) continue;
      const std::vector<uint32_t>& earlier = order.predecessors(to);
      if (!closure.starts[from] && later.size() == 1) {
        literal(from, to) = literal(later.front(), to);
      } else if (!closure.ends[to] && earlier.size() == 1) {
        literal(from, to) = literal(from, earlier.front());
      } else {
        literal(from, to) = circuit_.fresh();
        fresh.emplace_back(from, to);
      }
    }
  }
  for (const auto& [from, to] : fresh) {
    const Lit reached = literal(from, to);
    const auto follows_from = [&](Lit part) {
      if (part != reached && part != kFalse) circuit_.implies(part, reached);
    };
    for (const uint32_t later : order.successors(from)) follows_from(literal(later, to));
    for (const uint32_t earlier : order.predecessors(to)) follows_from(literal(from, earlier));
    if (closure.steps.at(from, to)) follows_from(in(a, from, to, Use::kUpward));
    if (!closure.starts[from] || !closure.ends[to]) continue;
    // By the last step, or by the first one (if the rows where that leads are there).
    const auto [by_last, by_first] = closure.compositions(from, to);
    if (x || by_last.size() <= by_first.size()) {
      for (const uint32_t k : by_last)
        if (literal(from, k) != kFalse)
          circuit_.implies(literal(from, k), in(a, k, to, Use::kUpward), reached);
    } else {
      for (const uint32_t k : by_first)
        if (literal(k, to) != kFalse) circuit_.implies(in(a, from, k, Use::kUpward), literal(k, to), reached);
    }
  }
  if (closure.forbidden_cycles) forbid_cycles(closure, a);
}

// About as many as build_reach() adds for all rows, if cycles are forbidden.
uint64_t RelationEncoder::clauses_for_paths(const Closure& closure) const {
  const StaticOrder& order = *closure.order;
  uint64_t clauses = 0;
  closure.open.for_all([&](size_t from, size_t to) {
    if (from == to || order.before(to, from)) return;
    if (!closure.starts[from] && order.successors(from).size() == 1) return;
    if (!closure.ends[to] && order.predecessors(to).size() == 1) return;
    clauses += 2 + order.successors(from).size() + order.predecessors(to).size();
    if (!closure.starts[from] || !closure.ends[to]) return;
    const auto [by_last, by_first] = closure.compositions(from, to);
    clauses += std::min(by_last.size(), by_first.size());
  });
  return clauses;
}

// A path that comes back to x, or to an event before it, is not followed: what it would make of reach() is
// false. Its last step leads from some k to an event before x; then k reaches x, and x reaches k.
void RelationEncoder::forbid_cycles(const Closure& closure, TermId a) {
  closure.steps.for_all([&](size_t from, size_t to) {
    if (from == to || closure.order->before(to, from)) circuit_.require({!in(a, from, to, Use::kUpward)});
  });
  std::set<std::pair<Lit, Lit>> done;
  for (size_t x = 0; x < n_; ++x)
    for (size_t k = x + 1; k < n_; ++k) {
      const Lit there = closure.reach[x * n_ + k], back = closure.reach[k * n_ + x];
      if (there == kFalse || back == kFalse) continue;
      if (done.insert(std::minmax(there, back)).second) circuit_.require({!there, !back});
    }
}

// Without a static order: a row at once, so that the depth of the calls does not depend on the number of events.
Lit RelationEncoder::transitive_by_rows(TermId whole, TermId a, size_t x, size_t y) {
  const auto key = [&](size_t to) { return pair_key(whole, x, to, static_cast<unsigned>(Use::kUpward)); };
  const bool reflexive = model_.term(whole).op == TermOp::kClosure;
  upper(whole).for_row(
      x, [&](size_t to) { pairs_[key(to)] = reflexive && to == x ? base_.executed(x) : circuit_.fresh(); });
  upper(whole).for_row(x, [&](size_t to) {
    if (reflexive && to == x) return;
    const Lit reached = pairs_.at(key(to));
    circuit_.implies(in(a, x, to, Use::kUpward), reached);
    upper(whole).for_row(x, [&](size_t k) {  // the last one before
      if (k != to && k != x) circuit_.implies(pairs_.at(key(k)), in(a, k, to, Use::kUpward), reached);
    });
  });
  return pairs_.at(key(y));
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

// ---- (rf | co | fr)+ ----

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

// Paths of rf, co and fr have two steps at most that are not one: co and fr lead to a write, from which only
// co and rf lead on; co; co and fr; co are co and fr, rf; fr is co. What is left is one of the three, co; rf
// and fr; rf.
BitMatrix RelationEncoder::communication_bound(TermId a) const {
  BitMatrix bound = upper(a);
  bound |= upper(a).sequence(upper(rf_));
  return bound;
}

Lit RelationEncoder::communicates(TermId whole, TermId a, size_t x, size_t y) {
  return at_least_one_of({in(a, x, y, Use::kUpward), composed(whole, a, rf_, x, y)});
}

}  // namespace fenceline::sat
