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
  const char* kinds;      // by event: 'R', 'W', 'F', a fence that orders loads with later stores, or '?': any
  Pairs same_thread = 0;  // one direction is enough
  Pairs po = 0, rf = 0, ctrl = 0;
  Pairs same_operation = 0, same_location = 0;
  Pairs rmw = 0;
  Pairs addr = 0, data = 0, co = 0, fr = 0;
  // By event: the instruction, if more is known than that.
  const Instruction* instructions[kKnown] = {};
};

// Is the event of that kind, of the instruction, in a set that programs mark?
bool is_marked(std::string_view set, char kind, const Instruction& instruction) {
  const bool rmw = instruction.kind == InstrKind::kRmw;
  if (set == "RMW") return rmw;
  if (set == "SL") return kind == 'F' && instruction.fence.has_store_load();
  if (set == "SS") return kind == 'F' && instruction.fence.has_store_store();
  if (set == "LL") return kind == 'F' && instruction.fence.has_load_load();
  if (set == "LS") return kind == 'F' && instruction.fence.has_load_store();
  const std::vector<std::string>& tags = rmw && kind == 'W' ? instruction.write_tags : instruction.tags;
  return std::find(tags.begin(), tags.end(), set) != tags.end();
}

Bounds known_relation(const Facts& facts, std::string_view name, Pairs unknown);

Bounds known(const Facts& facts, const Term& term) {
  Pairs reads = 0, writes = 0, fences = 0, unknown = 0;
  for (size_t x = 0; x < kKnown; ++x) {
    Pairs& kind = facts.kinds[x] == 'R'   ? reads
                  : facts.kinds[x] == 'W' ? writes
                  : facts.kinds[x] == 'F' ? fences
                                          : unknown;
    kind = static_cast<Pairs>(kind | bit(x, x));
  }
  // What is marked, of those events whose instructions are known.
  const auto marked = [&](std::string_view set) {
    Bounds result{kIdentity, 0};
    for (size_t x = 0; x < kKnown; ++x) {
      if (facts.instructions[x] == nullptr || set == "ATOMIC") continue;
      const bool member = is_marked(set, facts.kinds[x], *facts.instructions[x]);
      if (member) result.lower = static_cast<Pairs>(result.lower | bit(x, x));
      if (!member) result.upper = static_cast<Pairs>(result.upper & ~bit(x, x));
    }
    return result;
  };
  const auto kind_of = [&](Pairs pairs) { return Bounds{static_cast<Pairs>(pairs | unknown), pairs}; };
  const auto exactly = [](Pairs pairs) { return Bounds{pairs, pairs}; };
  const std::string& name = term.name;
  if (term.is_set) {
    if (name == "_") return exactly(kIdentity & ~kOfOthers);
    if (name == "R") return kind_of(reads);
    if (name == "W") return kind_of(writes);
    if (name == "M") return kind_of(static_cast<Pairs>(reads | writes));
    if (name == "F") return kind_of(fences);
    if (name == "LS" && facts.instructions[0] == nullptr) return kind_of(fences);
    if (name == "IW") return {unknown, 0};
    return marked(name);
  }
  return known_relation(facts, name, unknown);
}

// `unknown` are events of which nothing is known.
Bounds known_relation(const Facts& facts, std::string_view name, Pairs unknown) {
  Pairs with_unknown = 0;
  for (size_t x = 0; x < kKnown; ++x)
    for (size_t y = 0; y < kKnown; ++y)
      if ((unknown & (bit(x, x) | bit(y, y))) != 0)
        with_unknown = static_cast<Pairs>(with_unknown | bit(x, y));
  const auto between = [&](Pairs upper, Pairs lower) {
    return Bounds{static_cast<Pairs>(upper | with_unknown), static_cast<Pairs>(lower & ~with_unknown)};
  };
  const auto exactly = [&](Pairs pairs) { return between(pairs, pairs); };
  const Pairs diagonal = kIdentity & ~kOfOthers;
  const Pairs inside = static_cast<Pairs>(symmetric(facts.same_thread) | diagonal);
  if (name == "id") return {diagonal, diagonal};
  if (name == "po") return exactly(facts.po);
  if (name == "rf") return exactly(facts.rf);
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(static_cast<Pairs>(~inside & ~kOfOthers));
  // No others are of one atomic section or read-modify-write: there are no loops in these.
  if (name == "rmw") return exactly(facts.rmw);
  if (name == "atomic") return exactly(symmetric(facts.rmw));
  if (name == "operation") return exactly(symmetric(facts.same_operation));
  if (name == "ctrl") return between(facts.po, facts.ctrl);
  if (name == "addr") return between(kEverything, facts.addr);
  if (name == "data") return between(kEverything, facts.data);
  if (name == "co") return between(kEverything, facts.co);
  if (name == "fr") return between(kEverything, facts.fr);
  if (name == "loc")
    return between(kEverything,
                   static_cast<Pairs>(symmetric(facts.rf) | symmetric(facts.same_location) | diagonal));
  return {kEverything, 0};
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

std::vector<bool> orders_external_reads(const CatModel& model) {
  return ordering(model, {"WRR", bit(1, 2), bit(1, 2), bit(0, 1) | bit(0, 2)});
}

namespace {

// Does the model certainly forbid a scene, since an acyclic relation has a cycle there?
bool forbids(const CatModel& model, const Facts& facts) {
  Scene scene;
  scene.base = [&](const Term& term) { return known(facts, term); };
  const std::vector<Bounds> bounds = scene.evaluate(model);
  return std::any_of(model.constraints.begin(), model.constraints.end(), [&](const Constraint& constraint) {
    const Pairs sure = bounds[constraint.term.index()].lower;
    const bool of_three = (sure & bit(0, 1)) != 0 && (sure & bit(1, 2)) != 0 && (sure & bit(2, 0)) != 0;
    const bool of_two = (sure & bit(1, 2)) != 0 && (sure & bit(2, 1)) != 0;
    return orders_what_others_read(constraint) && (of_three || of_two || (sure & kIdentity) != 0);
  });
}

// A write that is before another one in coherence order although that one is read before it in its thread.
bool orders_what_is_read_by_coherence(const CatModel& model) {
  Facts facts{.kinds = "WRW", .same_thread = bit(1, 2), .po = bit(1, 2), .rf = bit(0, 1)};
  facts.same_location = bit(0, 1) | bit(1, 2) | bit(0, 2);
  facts.co = bit(2, 0);
  return forbids(model, facts);
}

// Two writes of a thread to one location in the other coherence order.
bool orders_own_writes_by_coherence(const CatModel& model) {
  Facts facts{.kinds = "?WW", .same_thread = bit(1, 2), .po = bit(1, 2)};
  facts.same_location = bit(1, 2);
  facts.co = bit(2, 1);
  return forbids(model, facts);
}

// A read of a write that is before an earlier write of the own thread in coherence order.
bool reads_own_writes_or_later(const CatModel& model) {
  Facts facts{.kinds = "WWR", .same_thread = bit(1, 2), .po = bit(1, 2), .rf = bit(0, 2)};
  facts.same_location = bit(0, 1) | bit(1, 2) | bit(0, 2);
  facts.co = bit(0, 1);
  facts.fr = bit(2, 1);
  return forbids(model, facts);
}

// By constraint: does it certainly order two writes of different threads as coherence does?
std::vector<bool> orders_external_coherence(const CatModel& model) {
  Facts facts{.kinds = "W?W"};
  facts.same_location = facts.co = bit(0, 2);
  return ordering(model, facts);
}

// By constraint: is a read certainly ordered behind the last earlier write of its thread to the same location? If it reads
// that write; else what it reads is a write of another thread behind that in coherence order.
std::vector<bool> orders_write_and_read(const CatModel& model, const AccessPair& pair) {
  Facts facts{.kinds = "RWR"};
  const bool rmw = pair.first->kind == InstrKind::kRmw;
  if (!rmw) facts.kinds = "?WR";
  facts.same_thread = rmw ? kInOrder : bit(1, 2);
  facts.po = rmw ? bit(0, 2) | bit(1, 2) : bit(1, 2);
  facts.rmw = rmw ? bit(0, 1) : 0;
  facts.rf = bit(1, 2);
  facts.same_location = bit(1, 2);
  facts.instructions[0] = rmw ? pair.first : nullptr;
  facts.instructions[1] = pair.first;
  facts.instructions[2] = pair.second;
  Scene scene;
  scene.base = [&](const Term& term) { return known(facts, term); };
  const std::vector<Bounds> bounds = scene.evaluate(model);
  const std::vector<bool> coherence = orders_external_coherence(model);
  std::vector<bool> result(model.constraints.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = orders_what_others_read(model.constraints[i]) && coherence[i] &&
                (bounds[model.constraints[i].term.index()].lower & bit(1, 2)) != 0;
  return result;
}

}  // namespace

std::vector<bool> orders(const CatModel& model, const AccessPair& pair) {
  const bool fence = pair.middle != nullptr && pair.middle->kind == InstrKind::kFence;
  const char middle = pair.middle == nullptr ? '?' : fence ? 'F' : pair.middle_writes ? 'W' : 'R';
  const char kinds[] = {pair.first_writes ? 'W' : 'R', middle, pair.second_writes ? 'W' : 'R', 0};
  Facts facts{.kinds = kinds};
  facts.same_thread = facts.po = pair.middle == nullptr ? bit(0, 2) : kInOrder;
  if (pair.same_instruction) {
    facts.po = 0;
    facts.rmw = bit(0, 2);
  }
  facts.instructions[0] = pair.first;
  facts.instructions[1] = pair.middle;
  facts.instructions[2] = pair.second;
  using Kind = AccessPair::Dependency;
  const auto holds = [&](Kind kind, Kind of) { return (static_cast<int>(kind) & static_cast<int>(of)) != 0; };
  facts.ctrl = holds(Kind::kCtrl, pair.of_second) ? bit(0, 2) : 0;
  facts.data = static_cast<Pairs>((holds(Kind::kData, pair.of_second) ? bit(0, 2) : 0) |
                                  (holds(Kind::kData, pair.of_middle) ? bit(0, 1) : 0));
  facts.addr = static_cast<Pairs>((holds(Kind::kAddr, pair.of_second) ? bit(0, 2) : 0) |
                                  (holds(Kind::kAddr, pair.of_middle) ? bit(0, 1) : 0));
  facts.same_location =
      static_cast<Pairs>((pair.ends_alias ? bit(0, 2) : 0) | (pair.middle_and_second_alias ? bit(1, 2) : 0));
  if (pair.middle_writes && pair.middle_and_second_alias && orders_own_writes_by_coherence(model))
    facts.co = bit(1, 2);
  std::vector<bool> ordered = ordering(model, facts);
  const auto also = [&](const std::vector<bool>& more) {
    for (size_t i = 0; i < ordered.size(); ++i) ordered[i] = ordered[i] || more[i];
  };
  // A read and a write of one location: the write comes behind what the read reads.
  if (pair.ends_alias && !pair.first_writes && pair.second_writes && orders_what_is_read_by_coherence(model))
    also(orders_external_coherence(model));
  if (pair.ends_alias && pair.first_writes && !pair.second_writes && reads_own_writes_or_later(model))
    also(orders_write_and_read(model, pair));
  const std::vector<bool> read = orders_external_reads(model);
  for (size_t i = 0; i < ordered.size(); ++i) ordered[i] = ordered[i] && read[i];
  return ordered;
}

bool keeps_load_store_fences(const CatModel& model) { return keeps(model, {"RFW", kInOrder, kInOrder}); }

bool keeps_load_store_locations(const CatModel& model) {
  return keeps(model, {"RRW", kInOrder, kInOrder, 0, 0, 0, bit(0, 2)});
}

}  // namespace fenceline::sat
