// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of a model are evaluated on a scene of three known events among any others, with bounds: what can
// be in a set or relation, and what certainly is. Orders that certainly hold there hold in all executions.
#include "engine/sat/preserved_order.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fenceline::sat {
namespace {

// Three events of which something is known, and one that represents all others, of which nothing is.
constexpr size_t kKnown = 3, kAll = kKnown + 1;
using Pairs = uint16_t;  // bit x * kAll + y; of a set, the pairs of an event and itself

constexpr Pairs bit(size_t x, size_t y) { return static_cast<Pairs>(1U << (x * kAll + y)); }
constexpr Pairs kEverything = 0xffff;
constexpr Pairs kIdentity = bit(0, 0) | bit(1, 1) | bit(2, 2) | bit(3, 3);
constexpr Pairs kOfOthers = [] {
  Pairs pairs = 0;
  for (size_t x = 0; x < kAll; ++x) pairs = static_cast<Pairs>(pairs | bit(x, kKnown) | bit(kKnown, x));
  return pairs;
}();

constexpr Pairs kInOrder = bit(0, 1) | bit(1, 2) | bit(0, 2);  // of one thread, one after the other

// What can be in a set or relation, and what certainly is.
struct Bounds {
  Pairs upper = 0, lower = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

class Scene {
 public:
  // The base sets and relations by their names, among the known events; any other is unknown.
  std::function<Bounds(const Term&)> base;

  // By term.
  std::vector<Bounds> evaluate(const CatModel& model) const {
    // First the upper bounds of recursive definitions, from below; then the lower ones. Lower bounds that are
    // too small make upper bounds too large and never too small.
    std::vector<Bounds> bounds(model.terms.size());
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

 private:
  // The event that represents others need not exist: no path that certainly exists leads through it.
  static Pairs sequence(Pairs a, Pairs b, bool through_others) {
    Pairs result = 0;
    for (size_t x = 0; x < kAll; ++x)
      for (size_t y = 0; y < kAll; ++y)
        for (size_t k = 0; k < (through_others ? kAll : kKnown); ++k)
          if ((a & bit(x, k)) != 0 && (b & bit(k, y)) != 0) result = static_cast<Pairs>(result | bit(x, y));
    return result;
  }
  static Pairs transitive(Pairs a, bool through_others) {
    for (Pairs before = 0; before != a;) {
      before = a;
      a = static_cast<Pairs>(a | sequence(a, a, through_others));
    }
    return a;
  }
  template <class F>
  static Pairs those_with(const F& holds) {
    Pairs result = 0;
    for (size_t x = 0; x < kAll; ++x)
      for (size_t y = 0; y < kAll; ++y)
        if (holds(x, y)) result = static_cast<Pairs>(result | bit(x, y));
    return result;
  }
  static Pairs inverse(Pairs a) {
    return those_with([a](size_t x, size_t y) { return (a & bit(y, x)) != 0; });
  }
  static Pairs product(Pairs a, Pairs b) {
    return those_with([a, b](size_t x, size_t y) { return (a & bit(x, x)) != 0 && (b & bit(y, y)) != 0; });
  }
  static Pairs domain(Pairs a) { return static_cast<Pairs>(sequence(a, kEverything, true) & kIdentity); }

  Bounds of(const CatModel& model, const Term& term, const std::vector<Bounds>& bounds) const {
    const Bounds none;
    const Bounds& a = term.a.valid() ? bounds[term.a.index()] : none;
    const Bounds& b = term.b.valid() ? bounds[term.b.index()] : none;
    const auto both = [](Bounds result, Pairs with) {
      return Bounds{static_cast<Pairs>(result.upper | with), static_cast<Pairs>(result.lower | with)};
    };
    const Pairs all = term.is_set ? kIdentity : kEverything;
    switch (term.op) {
      case TermOp::kBase: {
        Bounds result = base(term);
        result.upper = static_cast<Pairs>((result.upper | kOfOthers) & all);
        result.lower = static_cast<Pairs>(result.lower & ~kOfOthers);
        return result;
      }
      case TermOp::kEmpty:
        return none;
      case TermOp::kUnion:
        return {static_cast<Pairs>(a.upper | b.upper), static_cast<Pairs>(a.lower | b.lower)};
      case TermOp::kIntersect:
        return {static_cast<Pairs>(a.upper & b.upper), static_cast<Pairs>(a.lower & b.lower)};
      case TermOp::kMinus:
        return {static_cast<Pairs>(a.upper & ~b.lower), static_cast<Pairs>(a.lower & ~b.upper)};
      case TermOp::kComplement:
        return {static_cast<Pairs>(all & ~a.lower), static_cast<Pairs>(all & ~a.upper)};
      case TermOp::kSequence:
        return {sequence(a.upper, b.upper, true), sequence(a.lower, b.lower, false)};
      case TermOp::kInverse:
        return {inverse(a.upper), inverse(a.lower)};
      case TermOp::kTransitive:
        return {transitive(a.upper, true), transitive(a.lower, false)};
      case TermOp::kReflexive:
        return both(a, kIdentity);
      case TermOp::kClosure:
        return both({transitive(a.upper, true), transitive(a.lower, false)}, kIdentity);
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
};

constexpr Pairs symmetric(Pairs pair) {
  Pairs result = pair;
  for (size_t x = 0; x < kAll; ++x)
    for (size_t y = 0; y < kAll; ++y)
      if ((pair & bit(x, y)) != 0) result = static_cast<Pairs>(result | bit(y, x));
  return result;
}

// What holds in every scene of known events, given what they are.
struct Facts {
  const char* kinds;      // by event: 'R', 'W', or 'F', a fence that orders loads with later stores
  Pairs same_thread = 0;  // one direction is enough
  Pairs po = 0, rf = 0, ctrl = 0;
  Pairs same_operation = 0, same_location = 0;
  Pairs rmw = 0;
};

Bounds known(const Facts& facts, const Term& term) {
  Pairs reads = 0, writes = 0, fences = 0;
  for (size_t x = 0; x < kKnown; ++x) {
    Pairs& kind = facts.kinds[x] == 'R' ? reads : facts.kinds[x] == 'W' ? writes : fences;
    kind = static_cast<Pairs>(kind | bit(x, x));
  }
  const auto exactly = [](Pairs pairs) { return Bounds{pairs, pairs}; };
  const auto maybe = [](Pairs pairs) { return Bounds{pairs, 0}; };
  const std::string& name = term.name;
  if (term.is_set) {
    if (name == "_") return exactly(kIdentity & ~kOfOthers);
    if (name == "R") return exactly(reads);
    if (name == "W") return exactly(writes);
    if (name == "M") return exactly(static_cast<Pairs>(reads | writes));
    if (name == "F") return exactly(fences);
    if (name == "LS") return exactly(fences);
    if (name == "IW") return exactly(0);
    return maybe(kIdentity);
  }
  const Pairs diagonal = kIdentity & ~kOfOthers;
  const Pairs inside = static_cast<Pairs>(symmetric(facts.same_thread) | diagonal);
  if (name == "id") return exactly(diagonal);
  if (name == "po") return exactly(facts.po);
  if (name == "rf") return exactly(facts.rf);
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(static_cast<Pairs>(~inside & ~kOfOthers));
  // No others are of one atomic section or read-modify-write: there are no loops in these.
  if (name == "rmw") return exactly(facts.rmw);
  if (name == "atomic") return exactly(symmetric(facts.rmw));
  if (name == "operation") return exactly(symmetric(facts.same_operation));
  if (name == "ctrl") return {static_cast<Pairs>(facts.po), facts.ctrl};
  if (name == "loc")
    return {kEverything, static_cast<Pairs>(symmetric(facts.rf) | symmetric(facts.same_location) | diagonal)};
  return maybe(kEverything);
}

bool orders_what_others_read(const Constraint& constraint) {
  return constraint.kind == ConstraintKind::kAcyclic && !constraint.flag && !constraint.negated;
}

// The acyclic constraints in which a path leads from the first known event to the last one.
std::vector<bool> ordering(const CatModel& model, const Facts& facts) {
  Scene scene;
  scene.base = [&](const Term& term) { return known(facts, term); };
  const std::vector<Bounds> bounds = scene.evaluate(model);
  std::vector<bool> result(model.constraints.size());
  for (size_t i = 0; i < model.constraints.size(); ++i) {
    if (!orders_what_others_read(model.constraints[i])) continue;
    Pairs paths = bounds[model.constraints[i].term.index()].lower;
    for (size_t k = 0; k < kKnown; ++k)
      for (size_t x = 0; x < kKnown; ++x)
        for (size_t y = 0; y < kKnown; ++y)
          if ((paths & bit(x, k)) != 0 && (paths & bit(k, y)) != 0)
            paths = static_cast<Pairs>(paths | bit(x, y));
    result[i] = (paths & bit(0, 2)) != 0;
  }
  return result;
}

// Does the same acyclic constraint order these and what is read from other threads?
bool keeps(const CatModel& model, const Facts& facts) {
  const std::vector<bool> kept = ordering(model, facts);
  const std::vector<bool> read = ordering(model, {"WRR", bit(1, 2), bit(1, 2), bit(0, 1) | bit(0, 2)});
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i] && read[i]) return true;
  return false;
}

}  // namespace

bool forbids_reading_the_future(const CatModel& model) {
  const Facts facts{"RWW", bit(0, 1) | bit(1, 2) | bit(0, 2), bit(0, 1) | bit(1, 2) | bit(0, 2), bit(1, 0), 0,
                    0};
  Scene scene;
  scene.base = [&](const Term& term) { return known(facts, term); };
  const std::vector<Bounds> bounds = scene.evaluate(model);
  return std::any_of(model.constraints.begin(), model.constraints.end(), [&](const Constraint& constraint) {
    if (constraint.flag || constraint.negated || constraint.kind == ConstraintKind::kEmpty) return false;
    const Pairs sure = bounds[constraint.term.index()].lower;
    if ((sure & kIdentity) != 0) return true;
    return constraint.kind == ConstraintKind::kAcyclic && (sure & bit(0, 1)) != 0 && (sure & bit(1, 0)) != 0;
  });
}

bool forbids_load_buffering(const CatModel& model) {
  if (!forbids_reading_the_future(model)) return false;
  // A cycle alternates between reads from other threads and paths from a read to a later write, or to the write of the
  // same instruction. (What reads a write of its own thread comes after that.)
  Facts facts{"WRW", bit(1, 2), bit(1, 2), bit(0, 1)};
  const std::vector<bool> separate = ordering(model, facts);
  facts.same_operation = bit(1, 2);
  const std::vector<bool> together = ordering(model, facts);
  facts.po = 0;
  facts.rmw = bit(1, 2);
  const std::vector<bool> instruction = ordering(model, facts);
  for (size_t i = 0; i < separate.size(); ++i)
    if (separate[i] && together[i] && instruction[i]) return true;
  return false;
}

bool keeps_control_dependencies(const CatModel& model) {
  if (!forbids_reading_the_future(model)) return false;
  // A cycle alternates between reads from other threads and control dependencies to writes. (What depends on
  // a read of the own thread comes after the write that it reads, so it depends on what that write depends
  // on.) The read and the write that depends on it are of one operation, or of two.
  Facts facts{"WRW", bit(1, 2), bit(1, 2), bit(0, 1), bit(1, 2)};
  const std::vector<bool> separate = ordering(model, facts);
  facts.same_operation = bit(1, 2);
  const std::vector<bool> together = ordering(model, facts);
  for (size_t i = 0; i < separate.size(); ++i)
    if (separate[i] && together[i]) return true;
  return false;
}

bool keeps_load_store_fences(const CatModel& model) { return keeps(model, {"RFW", kInOrder, kInOrder}); }

bool keeps_load_store_locations(const CatModel& model) {
  return keeps(model, {"RRW", kInOrder, kInOrder, 0, 0, 0, bit(0, 2)});
}

}  // namespace fenceline::sat
