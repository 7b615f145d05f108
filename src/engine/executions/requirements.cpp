// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fenceline::executions {
namespace {

// All old events, and the new ones.
enum Node : uint8_t { kOld, kRead, kWrite };
constexpr size_t kNodes = 3;
using Pairs = uint16_t;  // bit x * kNodes + y
constexpr Pairs bit(size_t x, size_t y) { return static_cast<Pairs>(1U << (x * kNodes + y)); }
constexpr Pairs kOldPairs = bit(kOld, kOld);
constexpr Pairs kEverything = (1U << (kNodes * kNodes)) - 1;
constexpr Pairs kIdentity = bit(0, 0) | bit(1, 1) | bit(2, 2);

// What a term can gain, and which pairs of new events it certainly gains. Pairs of old events are those that were not
// there before. Of a set, an event is its pair with itself.
struct Gain {
  Pairs upper = 0, lower = 0;
  friend bool operator==(const Gain&, const Gain&) = default;
};

// What is added.
enum class Addition : uint8_t {
  kRead,
  kWrite,
  kFence,
  kRmw,
  kExclusive,           // a read-modify-write whose accesses have the tag EX
  kRmwInSection,        // one in an atomic section of its own
  kExclusiveInSection,  // likewise
  kSection,             // a load and a store in an atomic section
  kInitial,
};
constexpr std::array kAdditions = {Addition::kRead,
                                   Addition::kWrite,
                                   Addition::kFence,
                                   Addition::kRmw,
                                   Addition::kExclusive,
                                   Addition::kRmwInSection,
                                   Addition::kExclusiveInSection,
                                   Addition::kSection,
                                   Addition::kInitial};

// A fence is added in the place of a read. The initial write of a cell comes with the first access to it.
constexpr bool has_first(Addition addition) {
  return addition != Addition::kWrite && addition != Addition::kInitial;
}
constexpr bool is_exclusive(Addition addition) {
  return addition == Addition::kExclusive || addition == Addition::kExclusiveInSection;
}
constexpr bool is_rmw(Addition addition) {
  return addition == Addition::kRmw || addition == Addition::kRmwInSection || is_exclusive(addition);
}
constexpr bool is_pair(Addition addition) { return is_rmw(addition) || addition == Addition::kSection; }
constexpr bool has_write(Addition addition) { return !has_first(addition) || is_pair(addition); }

class Step {
 public:
  Step(const CatModel& model, Addition addition, bool maximal)
      : model_(model), addition_(addition), maximal_(maximal), gains_(model.terms.size()) {
    new_ = (has_first(addition) ? bit(kRead, kRead) : 0) | (has_write(addition) ? bit(kWrite, kWrite) : 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < model.terms.size(); ++i) {
        Gain next = of(model.terms[i]);
        next.lower = static_cast<Pairs>(next.lower & existing() & ~touching_old());
        next.upper = static_cast<Pairs>(next.upper & existing());
        changed = changed || next != gains_[i];
        gains_[i] = next;
      }
    }
  }

  const Gain& gain(TermId term) const { return gains_[term.index()]; }

  // Can it become violated?
  bool endangers(const Constraint& constraint) const {
    const Pairs gained = gain(constraint.term).upper;
    switch (constraint.kind) {
      case ConstraintKind::kEmpty:
        return gained != 0;
      case ConstraintKind::kIrreflexive:
        return (gained & kIdentity) != 0;
      case ConstraintKind::kAcyclic: {
        const Pairs into = bit(kOld, kRead) | bit(kOld, kWrite), out = inverse(into);
        return (gained & (kOldPairs | kIdentity)) != 0 || ((gained & into) != 0 && (gained & out) != 0) ||
               ((gained & bit(kRead, kWrite)) != 0 && (gained & bit(kWrite, kRead)) != 0);
      }
    }
    return true;
  }

 private:
  static constexpr Pairs touching_old() {
    Pairs result = 0;
    for (size_t x = 0; x < kNodes; ++x) result = static_cast<Pairs>(result | bit(x, kOld) | bit(kOld, x));
    return result;
  }
  // The pairs of nodes that there are.
  Pairs existing() const {
    Pairs result = 0;
    const auto there = [&](size_t x) { return x == kOld || (new_ & bit(x, x)) != 0; };
    for (size_t x = 0; x < kNodes; ++x)
      for (size_t y = 0; y < kNodes; ++y)
        if (there(x) && there(y)) result = static_cast<Pairs>(result | bit(x, y));
    return result;
  }

  // Both operands have any pairs of old events; the path is new if one of its steps is.
  static Pairs sequence(Pairs a, Pairs b) {
    Pairs result = static_cast<Pairs>((a | b) & kOldPairs);
    for (size_t x = 0; x < kNodes; ++x)
      for (size_t y = 0; y < kNodes; ++y)
        for (size_t k = 0; k < kNodes; ++k) {
          const bool first = (a & bit(x, k)) != 0 || (x == kOld && k == kOld);
          const bool second = (b & bit(k, y)) != 0 || (k == kOld && y == kOld);
          const bool old = x == kOld && k == kOld && y == kOld;
          if (first && second && !old) result = static_cast<Pairs>(result | bit(x, y));
        }
    return result;
  }
  // Of pairs that certainly are there, none of which is about old events.
  static Pairs sequence_of_new(Pairs a, Pairs b) {
    Pairs result = 0;
    for (size_t x = kRead; x < kNodes; ++x)
      for (size_t y = kRead; y < kNodes; ++y)
        for (size_t k = kRead; k < kNodes; ++k)
          if ((a & bit(x, k)) != 0 && (b & bit(k, y)) != 0) result = static_cast<Pairs>(result | bit(x, y));
    return result;
  }
  template <class Sequence>
  static Pairs transitive(Pairs a, const Sequence& sequence) {
    for (Pairs before = 0; before != a;) {
      before = a;
      a = static_cast<Pairs>(a | sequence(a, a));
    }
    return a;
  }
  static Pairs inverse(Pairs a) {
    Pairs result = 0;
    for (size_t x = 0; x < kNodes; ++x)
      for (size_t y = 0; y < kNodes; ++y)
        if ((a & bit(x, y)) != 0) result = static_cast<Pairs>(result | bit(y, x));
    return result;
  }
  // Old events may be members of either.
  static Pairs product(Pairs a, Pairs b, bool with_old) {
    Pairs result = 0;
    for (size_t x = 0; x < kNodes; ++x)
      for (size_t y = 0; y < kNodes; ++y) {
        if (x == kOld && y == kOld) continue;
        const bool first = (a & bit(x, x)) != 0 || (with_old && x == kOld);
        const bool second = (b & bit(y, y)) != 0 || (with_old && y == kOld);
        if (first && second) result = static_cast<Pairs>(result | bit(x, y));
      }
    return static_cast<Pairs>(result | ((a | b) & kOldPairs));
  }
  // An old event becomes a member if it gets a pair, with whatever event.
  static Pairs domain(Pairs a) {
    Pairs result = 0;
    for (size_t x = 0; x < kNodes; ++x)
      for (size_t y = 0; y < kNodes; ++y)
        if ((a & bit(x, y)) != 0) result = static_cast<Pairs>(result | bit(x, x));
    return result;
  }

  Gain of(const Term& term) const {
    const Gain none;
    const Gain& a = term.a.valid() ? gains_[term.a.index()] : none;
    const Gain& b = term.b.valid() ? gains_[term.b.index()] : none;
    const auto both = [](Gain gain, Pairs with) {
      return Gain{static_cast<Pairs>(gain.upper | with), static_cast<Pairs>(gain.lower | with)};
    };
    const Pairs new_identity = kIdentity & ~kOldPairs;
    switch (term.op) {
      case TermOp::kBase:
        return term.is_set ? base_set(term.name) : base_relation(term.name);
      case TermOp::kEmpty:
        return none;
      case TermOp::kUnion:
        return {static_cast<Pairs>(a.upper | b.upper), static_cast<Pairs>(a.lower | b.lower)};
      case TermOp::kIntersect:
        return {static_cast<Pairs>((a.upper & b.upper) | ((a.upper | b.upper) & kOldPairs)),
                static_cast<Pairs>(a.lower & b.lower)};
      case TermOp::kMinus:
        return {static_cast<Pairs>(a.upper & ~b.lower), static_cast<Pairs>(a.lower & ~b.upper)};
      case TermOp::kComplement: {
        const Pairs all = term.is_set ? new_identity : static_cast<Pairs>(kEverything & ~kOldPairs);
        return {static_cast<Pairs>(all & ~a.lower), static_cast<Pairs>(all & ~a.upper)};
      }
      case TermOp::kSequence:
        return {sequence(a.upper, b.upper), sequence_of_new(a.lower, b.lower)};
      case TermOp::kInverse:
        return {inverse(a.upper), inverse(a.lower)};
      case TermOp::kTransitive:
        return {transitive(a.upper, sequence), transitive(a.lower, sequence_of_new)};
      case TermOp::kReflexive:
        return both(a, new_identity);
      case TermOp::kClosure:
        return both({transitive(a.upper, sequence), transitive(a.lower, sequence_of_new)}, new_identity);
      case TermOp::kProduct:
        return {product(a.upper, b.upper, true), product(a.lower, b.lower, false)};
      case TermOp::kIdentity:
        return a;
      case TermOp::kDomain:
        return {domain(a.upper), domain(a.lower)};
      case TermOp::kRange:
        return {domain(inverse(a.upper)), domain(inverse(a.lower))};
      case TermOp::kRecursive:
        return {gains_[model_.recursive[term.index].index()].upper, 0};
    }
    return none;
  }

  Gain base_set(std::string_view name) const {
    const bool fence = addition_ == Addition::kFence;
    const Pairs first = bit(kRead, kRead), write = bit(kWrite, kWrite);
    const auto exactly = [](int pairs) { return Gain{static_cast<Pairs>(pairs), static_cast<Pairs>(pairs)}; };
    if (name == "_") return exactly(first | write);
    if (name == "R") return exactly(fence ? 0 : first);
    if (name == "W") return exactly(write);
    if (name == "M") return exactly(fence ? 0 : first | write);
    if (name == "F") return exactly(fence ? first : 0);
    if (name == "IW") return exactly(addition_ == Addition::kInitial ? write : 0);
    if (addition_ == Addition::kInitial) return exactly(0);
    if (name == "RMW" && !is_pair(addition_)) return {static_cast<Pairs>(first | write), 0};
    if (name == "RMW") return exactly(is_rmw(addition_) ? first | write : 0);
    if (name == "EX" && is_rmw(addition_)) return exactly(is_exclusive(addition_) ? first | write : 0);
    if (name == "SECTION" && is_pair(addition_))
      return exactly(addition_ != Addition::kRmw && addition_ != Addition::kExclusive ? first | write : 0);
    if (name == "MEMBARRIER") return exactly(0);  // programs with a `sync` are not explored
    if (name == "ATOMIC" && is_pair(addition_)) return exactly(first | write);
    return {static_cast<Pairs>(first | write), 0};  // a tag, or that a fence orders something
  }

  // The initial write of a cell that nothing has accessed yet: it is in no thread.
  static Gain base_relation_of_initial(std::string_view name) {
    const Pairs self = bit(kWrite, kWrite);
    if (name == "id" || name == "loc") return {self, self};
    if (name == "ext") {
      const Pairs all = self | bit(kWrite, kOld) | bit(kOld, kWrite);
      return {all, all};
    }
    const bool known = base_sort(name) == BaseSort::kRelation && name != "operation";
    return known ? Gain{} : Gain{kEverything, 0};
  }

  Gain base_relation(std::string_view name) const {
    if (addition_ == Addition::kInitial) return base_relation_of_initial(name);
    const auto exactly = [](int pairs) { return Gain{static_cast<Pairs>(pairs), static_cast<Pairs>(pairs)}; };
    const auto maybe = [](int pairs) { return Gain{static_cast<Pairs>(pairs), 0}; };
    const Pairs to_first = bit(kOld, kRead), to_write = bit(kOld, kWrite), both = bit(kRead, kWrite);
    const Pairs new_identity = kIdentity & ~kOldPairs;
    const Pairs mates = is_pair(addition_) ? both | bit(kWrite, kRead) : 0;
    const bool section = addition_ == Addition::kSection;
    // The read of a pair stays when the write alone is removed.
    const Pairs from_own_read = addition_ == Addition::kWrite && !maximal_ ? to_write : 0;
    if (name == "po")
      return {static_cast<Pairs>(to_first | to_write | (section ? both : 0)), section ? both : Pairs{0}};
    if (name == "rf") return maybe(addition_ == Addition::kFence ? 0 : to_first);
    if (name == "co") return maybe(to_write | (maximal_ ? 0 : bit(kWrite, kOld)));
    if (name == "fr") {
      const Pairs from_read = addition_ == Addition::kFence || maximal_ ? 0 : bit(kRead, kOld);
      return {static_cast<Pairs>(to_write | both | from_read),
              is_pair(addition_) && maximal_ ? both : Pairs{0}};
    }
    if (name == "addr" || name == "data" || name == "ctrl")
      return maybe(to_first | to_write | (section ? both : 0));
    if (name == "rmw" && from_own_read != 0) return maybe(from_own_read);
    if (name == "rmw") return exactly(is_rmw(addition_) ? both : 0);
    if (name == "atomic" && from_own_read != 0) return maybe(from_own_read | inverse(from_own_read));
    if (name == "atomic") return exactly(mates);
    if (name == "id") return exactly(new_identity);
    if (name == "int" || name == "loc")
      return {static_cast<Pairs>(mates | new_identity | to_first | to_write | inverse(to_first | to_write)),
              static_cast<Pairs>(name == "int" || addition_ != Addition::kFence ? mates | new_identity : 0)};
    if (name == "ext") return maybe(to_first | to_write | inverse(to_first | to_write));
    if (name == "observed" || name == "waited") return exactly(0);
    return maybe(kEverything);  // `operation`, and what is not known here
  }

  const CatModel& model_;
  Addition addition_;
  bool maximal_;
  Pairs new_ = 0;  // the new events
  std::vector<Gain> gains_;
};

// The terms that a term is made of, itself included.
std::vector<TermId> parts_of(const CatModel& model, TermId term) {
  std::vector<bool> seen(model.terms.size());
  std::vector<TermId> todo{term}, result;
  while (!todo.empty()) {
    const TermId id = todo.back();
    todo.pop_back();
    if (!id.valid() || seen[id.index()]) continue;
    seen[id.index()] = true;
    result.push_back(id);
    const Term& of = model.term(id);
    todo.push_back(of.a);
    todo.push_back(of.b);
    if (of.op == TermOp::kRecursive) todo.push_back(model.recursive[of.index]);
  }
  return result;
}

bool uses_final_writes(const CatModel& model, TermId term) {
  const std::vector<TermId> parts = parts_of(model, term);
  return std::any_of(parts.begin(), parts.end(), [&](TermId id) {
    return model.term(id).op == TermOp::kBase &&
           (model.term(id).name == "FW" || model.term(id).name == "operation");
  });
}

}  // namespace

std::string unsuitable_constraint(const CatModel& model) {
  std::vector<Step> any, maximal;
  for (const Addition addition : kAdditions) {
    any.emplace_back(model, addition, false);
    maximal.emplace_back(model, addition, true);
  }
  // Nothing may be subtracted that grows between old events.
  const auto is_monotone = [&](TermId id) {
    const Term& term = model.term(id);
    if (term.op != TermOp::kMinus && term.op != TermOp::kComplement) return true;
    const TermId subtracted = term.op == TermOp::kMinus ? term.b : term.a;
    return std::none_of(any.begin(), any.end(),
                        [&](const Step& step) { return (step.gain(subtracted).upper & kOldPairs) != 0; });
  };
  for (const Constraint& constraint : model.constraints) {
    if (constraint.flag) continue;
    const std::vector<TermId> parts = parts_of(model, constraint.term);
    const bool prefix_closed = !constraint.negated && !uses_final_writes(model, constraint.term) &&
                               std::all_of(parts.begin(), parts.end(), is_monotone);
    if (!prefix_closed) return fmt::format("removing an event may violate '{}'", constraint.name);
    if (std::any_of(maximal.begin(), maximal.end(),
                    [&](const Step& step) { return step.endangers(constraint); }))
      return fmt::format("an event at the end of a thread may violate '{}'", constraint.name);
  }
  return "";
}

}  // namespace fenceline::executions
