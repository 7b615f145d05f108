// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/early_stores.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "ir/analysis/value_sets.h"

namespace fenceline {
namespace {

// ---- What a model says about a few events ----

// Three events of which something is known, and one that stands for all others, of which nothing is.
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
  // The event that stands for others need not exist: no way that certainly exists leads through it.
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
  static Pairs inverse(Pairs a) {
    Pairs result = 0;
    for (size_t x = 0; x < kAll; ++x)
      for (size_t y = 0; y < kAll; ++y)
        if ((a & bit(x, y)) != 0) result = static_cast<Pairs>(result | bit(y, x));
    return result;
  }
  static Pairs product(Pairs a, Pairs b) {
    Pairs result = 0;
    for (size_t x = 0; x < kAll; ++x)
      for (size_t y = 0; y < kAll; ++y)
        if ((a & bit(x, x)) != 0 && (b & bit(y, y)) != 0) result = static_cast<Pairs>(result | bit(x, y));
    return result;
  }
  static Pairs domain(Pairs a) {
    Pairs result = 0;
    for (size_t x = 0; x < kAll; ++x)
      for (size_t y = 0; y < kAll; ++y)
        if ((a & bit(x, y)) != 0) result = static_cast<Pairs>(result | bit(x, x));
    return result;
  }

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

constexpr Pairs both_ways(Pairs pair) {
  Pairs result = pair;
  for (size_t x = 0; x < kAll; ++x)
    for (size_t y = 0; y < kAll; ++y)
      if ((pair & bit(x, y)) != 0) result = static_cast<Pairs>(result | bit(y, x));
  return result;
}

// What is so in every scene of known events, given what they are.
struct Facts {
  const char* kinds;      // by event: 'R', 'W', or 'F', a fence that orders loads with later stores
  Pairs same_thread = 0;  // one way is enough
  Pairs po = 0, rf = 0, ctrl = 0;
  Pairs same_operation = 0, same_location = 0;
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
  const Pairs inside = static_cast<Pairs>(both_ways(facts.same_thread) | diagonal);
  if (name == "id") return exactly(diagonal);
  if (name == "po") return exactly(facts.po);
  if (name == "rf") return exactly(facts.rf);
  if (name == "int") return exactly(inside);
  if (name == "ext") return exactly(static_cast<Pairs>(~inside & ~kOfOthers));
  // No two of them are of one atomic section or read-modify-write: there are no loops in these.
  if (name == "rmw" || name == "atomic") return exactly(0);
  if (name == "operation") return exactly(both_ways(facts.same_operation));
  if (name == "ctrl") return {static_cast<Pairs>(facts.po), facts.ctrl};
  if (name == "loc")
    return {kEverything, static_cast<Pairs>(both_ways(facts.rf) | both_ways(facts.same_location) | diagonal)};
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

// Is it forbidden that a load reads a later store of its own thread?
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

// ---- What a program does ----

// What orders a load and a later store.
struct Kept {
  bool fences = false, locations = false;
};

class ThreadLoops {
 public:
  ThreadLoops(const Overlay& overlay, ThreadId thread, const Liveness& liveness, Kept kept)
      : overlay_(overlay),
        program_(overlay.program()),
        thread_(thread),
        liveness_(liveness),
        kept_(kept),
        size_(static_cast<uint32_t>(overlay.points(thread))),
        successors_(size_) {
    for (uint32_t i = 0; i < size_; ++i)
      for (size_t slot = 0; slot < at(i).next.size(); ++slot)
        successors_[i].push_back(overlay.next(thread, Point(i), slot).value());
    find_what_depends_on_loads();
  }

  // Is there a store behind some load, without a fence between them that orders the two? Nor does it order
  // them that both are certainly about one location.
  bool has_early_store() const {
    for (uint32_t load = 0; load < size_; ++load) {
      if (!at(load).reads_memory()) continue;
      const std::vector<bool> unfenced = reachable(successors_[load], kept_.fences);
      for (uint32_t i = 0; i < size_; ++i)
        if (at(i).writes_memory() && unfenced[i] && !(kept_.locations && same_location(load, i))) return true;
    }
    return false;
  }

  std::optional<SourcePos> affected() const {
    std::optional<SourcePos> found;
    divide(successors_, found);
    return found;
  }

 private:
  const Instruction& at(uint32_t point) const { return overlay_.at(thread_, Point(point)); }

  bool same_location(uint32_t one, uint32_t other) const {
    const Address &a = at(one).address, &b = at(other).address;
    const Expr &here = program_.expr(a.offset), &there = program_.expr(b.offset);
    return a.object == b.object && here.op == ExprOp::kConst && there.op == ExprOp::kConst &&
           here.imm == there.imm;
  }

  bool names_tainted(ExprId id) const {
    if (!id.valid()) return false;
    const auto named = registers_of(program_, id).registers;
    return std::any_of(named.begin(), named.end(), [&](RegId reg) { return tainted_[reg.index()]; });
  }

  // Registers whose values depend on loads, by data or by control. In any order of instructions: what is
  // so somewhere is so everywhere.
  void find_what_depends_on_loads() {
    tainted_.resize(program_.thread(thread_).registers.size());
    const std::vector<std::vector<bool>> always_later = post_dominators();
    std::vector<bool> controlled(size_);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < size_; ++i) {
        const Instruction& instruction = at(i);
        if (instruction.kind == InstrKind::kBranch && names_tainted(instruction.a))
          for (const uint32_t next : successors_[i])
            for (uint32_t point = 0; point < size_; ++point)
              if (always_later[next][point] && !always_later[i][point] && !controlled[point])
                controlled[point] = changed = true;
        if (!instruction.dest.valid()) continue;
        const bool depends = instruction.reads_memory() || controlled[i] || names_tainted(instruction.a) ||
                             names_tainted(instruction.b) ||
                             (instruction.dest.is_element() && names_tainted(instruction.dest.index));
        for (uint32_t k = 0; depends && k < std::max(1U, instruction.dest.count); ++k)
          if (std::vector<bool>::reference mark = tainted_[instruction.dest.reg.index() + k]; !mark)
            mark = changed = true;
      }
    }
  }

  // By point, the points that every way from it to the end of the thread passes, itself too. Where no way
  // leads to the end it is taken to pass only itself and what it reaches first: all else is decided by
  // branches.
  std::vector<std::vector<bool>> post_dominators() const {
    std::vector<std::vector<bool>> later(size_, std::vector<bool>(size_, true));
    std::vector<bool> ends(size_);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < size_; ++i) {
        const bool now = successors_[i].empty() || std::any_of(successors_[i].begin(), successors_[i].end(),
                                                               [&](uint32_t next) { return ends[next]; });
        if (now && !ends[i]) ends[i] = changed = true;
      }
    }
    for (uint32_t i = 0; i < size_; ++i)
      if (!ends[i] || successors_[i].empty()) {
        later[i].assign(size_, false);
        later[i][i] = true;
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = size_; i-- > 0;) {
        if (!ends[i] || successors_[i].empty()) continue;
        std::vector<bool> all(size_, true);
        for (const uint32_t next : successors_[i])
          for (uint32_t point = 0; point < size_; ++point) all[point] = all[point] && later[next][point];
        all[i] = true;
        if (all != later[i]) {
          later[i] = std::move(all);
          changed = true;
        }
      }
    }
    return later;
  }

  void divide(const std::vector<std::vector<uint32_t>>& graph, std::optional<SourcePos>& found) const {
    for (const std::vector<uint32_t>& nodes : cyclic_components(graph)) {
      if (found) return;
      const uint32_t header = *std::min_element(nodes.begin(), nodes.end());
      std::vector<bool> inside(size_);
      for (const uint32_t node : nodes) inside[node] = true;
      if ((decided_by_a_load(nodes, inside) || reached_by_a_load(header)) && does_something(nodes, header) &&
          has_later_store(nodes)) {
        found = at(header).pos;
        return;
      }
      std::vector<std::vector<uint32_t>> rest(size_);
      for (const uint32_t node : nodes)
        for (const uint32_t to : graph[node])
          if (inside[to] && to != header) rest[node].push_back(to);
      divide(rest, found);
    }
  }

  bool decided_by_a_load(const std::vector<uint32_t>& nodes, const std::vector<bool>& inside) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      return at(node).kind == InstrKind::kBranch && names_tainted(at(node).a) &&
             std::any_of(successors_[node].begin(), successors_[node].end(),
                         [&](uint32_t to) { return !inside[to]; });
    });
  }

  // Does it depend on a load whether the thread comes to this point (again): on a branch from which a way
  // leads elsewhere, or round another loop for ever, or on an assumption?
  bool reached_by_a_load(uint32_t point) const {
    std::vector<bool> sure(size_), possible(size_);  // all ways, some way leads there
    sure[point] = possible[point] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < size_; ++i) {
        const std::vector<uint32_t>& next = successors_[i];
        const auto is = [&](const std::vector<bool>& set) { return [&](uint32_t to) { return set[to]; }; };
        if (!sure[i] && !next.empty() && std::all_of(next.begin(), next.end(), is(sure)))
          sure[i] = changed = true;
        if (!possible[i] && std::any_of(next.begin(), next.end(), is(possible))) possible[i] = changed = true;
      }
    }
    for (uint32_t i = 0; i < size_; ++i) {
      if (!possible[i] || !names_tainted(at(i).a)) continue;
      if (at(i).kind == InstrKind::kAssume) return true;
      if (at(i).kind == InstrKind::kBranch &&
          std::any_of(successors_[i].begin(), successors_[i].end(), [&](uint32_t to) { return !sure[to]; }))
        return true;
    }
    return false;
  }

  // Can an iteration be something else than idle?
  bool does_something(const std::vector<uint32_t>& nodes, uint32_t header) const {
    Point head(header);
    while (overlay_.inserted(thread_, head)) head = overlay_.next(thread_, head, 0);
    return std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      const Instruction& instruction = at(node);
      if (instruction.writes_memory()) return true;
      for (uint32_t k = 0; instruction.dest.valid() && k < std::max(1U, instruction.dest.count); ++k)
        if (liveness_.live(thread_, head, RegId(instruction.dest.reg.index() + k))) return true;
      return false;
    });
  }

  bool has_later_store(const std::vector<uint32_t>& nodes) const {
    const std::vector<bool> behind = reachable({nodes.begin(), nodes.end()}, false);
    for (uint32_t i = 0; i < size_; ++i)
      if (at(i).writes_memory() && behind[i]) return true;
    return false;
  }

  std::vector<bool> reachable(std::vector<uint32_t> stack, bool stops_at_fences) const {
    std::vector<bool> seen(size_);
    while (!stack.empty()) {
      const uint32_t node = stack.back();
      stack.pop_back();
      if (seen[node]) continue;
      if (stops_at_fences && at(node).kind == InstrKind::kFence && at(node).fence.has_load_store()) continue;
      seen[node] = true;
      stack.insert(stack.end(), successors_[node].begin(), successors_[node].end());
    }
    return seen;
  }

  const Overlay& overlay_;
  const Program& program_;
  ThreadId thread_;
  const Liveness& liveness_;
  Kept kept_;
  uint32_t size_;
  std::vector<std::vector<uint32_t>> successors_;
  std::vector<bool> tainted_;  // by register: its value may depend on a load
};

}  // namespace

bool keeps_control_dependencies(const CatModel& model) {
  if (!forbids_reading_the_future(model)) return false;
  // A cycle alternates between reads from other threads and control dependencies to writes. (What depends on
  // a read of the own thread comes after the write that it reads, so it depends on what that write depends
  // on.) The read and the write that depends on it are of one operation, or of two.
  Facts facts{"WRW", bit(1, 2), bit(1, 2), bit(0, 1), bit(1, 2)};
  const std::vector<bool> apart = ordering(model, facts);
  facts.same_operation = bit(1, 2);
  const std::vector<bool> together = ordering(model, facts);
  for (size_t i = 0; i < apart.size(); ++i)
    if (apart[i] && together[i]) return true;
  return false;
}

namespace {

// Does the same acyclic constraint order these and what is read from other threads?
bool keeps(const CatModel& model, const Facts& facts) {
  const std::vector<bool> kept = ordering(model, facts);
  const std::vector<bool> read = ordering(model, {"WRR", bit(1, 2), bit(1, 2), bit(0, 1) | bit(0, 2)});
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i] && read[i]) return true;
  return false;
}

}  // namespace

bool keeps_load_store_fences(const CatModel& model) { return keeps(model, {"RFW", kInOrder, kInOrder}); }

std::optional<SourcePos> loop_with_early_stores(const Overlay& overlay, const Liveness& liveness,
                                                const CatModel& model) {
  Kept kept;
  if (forbids_reading_the_future(model)) {
    kept.fences = keeps_load_store_fences(model);
    kept.locations = keeps(model, {"RRW", kInOrder, kInOrder, 0, 0, 0, bit(0, 2)});
  }
  std::vector<ThreadLoops> threads;
  for (size_t thread = 0; thread < overlay.program().threads.size(); ++thread)
    threads.emplace_back(overlay, ThreadId(thread), liveness, kept);
  if (std::none_of(threads.begin(), threads.end(),
                   [](const ThreadLoops& thread) { return thread.has_early_store(); }))
    return std::nullopt;
  for (const ThreadLoops& thread : threads)
    if (const auto found = thread.affected()) return found;
  return std::nullopt;
}

}  // namespace fenceline
