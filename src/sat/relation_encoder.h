// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a model and the events of a program to clauses.
//
// Every term of the model gets two things: an upper bound, the pairs that can be in it in some execution, as
// bits; and, for the pairs that are needed, a literal. Bounds are computed first, bottom up, and are
// cheap; literals are made top down, from the constraints: of an acyclic relation only the pairs that lie on
// a possible cycle matter, and of a composition only the pairs that lead to one of those. What must hold
// becomes the constant true meanwhile: program order between two accesses that are always executed is no
// variable.
//
// Literals of relations imply that both their events are executed; those of sets say nothing about that.
//
// A closure, a `let rec`, a composition or fr that can only do harm (the constraint forbids cycles, so a
// larger relation allows less) is encoded by implications towards it: some solution of these satisfies the
// constraint if and only if the least one does. Where it could do good it is unfolded exactly. Which of the
// two it is changes behind a difference: of "these two race if hb orders neither", hb can only do harm to
// those who look for a race.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/cat/relational.h"
#include "sat/acyclic.h"
#include "sat/bit_matrix.h"
#include "sat/circuit.h"
#include "sat/paths.h"

namespace fenceline::sat {

// The base sets and relations of the encoded executions. An event that is not executed is in none.
class BaseRelations {
 public:
  virtual ~BaseRelations() = default;

  virtual size_t events() const = 0;
  virtual Lit executed(size_t event) const = 0;
  // What can be in the set or relation at all, and what is in it whenever its events are executed.
  struct SetBounds {
    std::vector<bool> upper, lower;
  };
  struct RelationBounds {
    BitMatrix upper, lower;
  };
  virtual SetBounds set_bounds(std::string_view name) const = 0;
  virtual RelationBounds relation_bounds(std::string_view name) const = 0;
  // Precondition: within the bound.
  virtual Lit in_set(std::string_view name, size_t event) = 0;
  virtual Lit in_relation(std::string_view name, size_t x, size_t y) = 0;
  // A literal that holds if the pair is in the relation, and may hold otherwise.
  virtual Lit at_least_in_relation(std::string_view name, size_t x, size_t y) {
    return in_relation(name, x, y);
  }
  // Are rf, co and fr those of an execution? Then each executed read has one write that it reads from, at its
  // location; co is a strict total order of the executed writes of each location; fr is rf^-1; co; the two
  // events of a pair of rmw are at one location.
  virtual bool coherent() const { return false; }
  // Is `other` executed whenever `event` is?
  virtual bool implies(size_t event, size_t other) const {
    return event == other || executed(other) == kTrue;
  }
};

class RelationEncoder {
 public:
  static constexpr size_t kMostEvents = (size_t{1} << 20) - 1;

  // Keeps references to all of them.
  RelationEncoder(const CatModel& model, BaseRelations& base, Circuit& circuit,
                  AcyclicEncoding acyclic = require_acyclic);

  // The pairs of a base relation (rf, co) that the model forbids in every execution. Precondition: pairs of
  // that relation are at the same location.
  BitMatrix impossible(std::string_view base) const;
  // The bounds of the base relations have become narrower. Precondition: nothing was demanded yet.
  void update_bounds() { compute_bounds(); }

  // Adds all constraints of the model.
  void require_consistent();

  // For queries that assume it: the literal holds only in executions that raise the flag, and each of these
  // has a solution in which it holds. That it does not hold in a solution means nothing. Precondition:
  // constraint.flag.
  Lit flagged(const Constraint& constraint);
  // By event: can it be (an end of) what raises the flag? Precondition: constraint.flag.
  std::vector<bool> may_raise(const Constraint& constraint) const;

  const AcyclicFigures& figures() const { return figures_; }

  // What the formula spends on each term (index: TermId), its operands not included, and on each constraint
  // (index: CatModel::constraints), its term not included.
  struct Cost {
    uint64_t pairs = 0, variables = 0, clauses = 0;
  };
  const std::vector<Cost>& term_costs() const { return term_costs_; }
  const std::vector<Cost>& constraint_costs() const { return constraint_costs_; }

  // The graph whose acyclicity the constraint demands, with atomic sections as one node each if the
  // constraint says so (as in `acyclic (atomic? ; (r \ atomic) ; atomic?)`), and the node of each event. If
  // `only_cycles`, edges may be left out that lie on no possible cycle or that other edges bridge: there is a
  // cycle of edges whose conditions hold if and only if there is one in the relation. Precondition: it is an
  // `acyclic`.
  ConditionalGraph graph_of(const Constraint& constraint, bool only_cycles, std::vector<uint32_t>& node_of);

 private:
  // What a literal may stand for, given that some solution has exactly what the term is: only that or more
  // (the literal holds if the pair is in the term), or that or less (only if it is).
  enum class Use : uint8_t { kUpward, kDownward };
  // Of what is subtracted or negated.
  static Use opposite(Use use) { return use == Use::kUpward ? Use::kDownward : Use::kUpward; }

  struct Bounds {
    BaseRelations::SetBounds set;
    BaseRelations::RelationBounds relation;
  };

  void compute_bounds();
  Bounds bounds_of(const Term& term) const;
  Bounds set_bounds_of(const Term& term) const;
  const BitMatrix& upper(TermId term) const { return bounds_[term.index()].relation.upper; }
  const BitMatrix& lower(TermId term) const { return bounds_[term.index()].relation.lower; }
  // Terms without anything that is encoded by implications have one literal for both uses.
  Use how(TermId term, Use use) const { return loose_[term.index()] ? use : Use::kUpward; }

  static uint64_t pair_key(TermId term, size_t x, size_t y, unsigned use);
  Lit in(TermId term, size_t event, Use use);
  Lit in(TermId term, size_t x, size_t y, Use use);
  Lit build(TermId id, size_t x, size_t y, Use use);

  // relation_sequence.cpp
  struct SharedRows {
    static constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> same;              // the first row that is the same
    std::vector<uint32_t> part;              // a row that is included in this one, the largest
    std::vector<std::vector<uint32_t>> own;  // what else this row has
  };
  static SharedRows shared_rows(const BitMatrix& matrix);
  const SharedRows& shared(TermId term, bool columns);
  Lit sequence(TermId id, size_t x, size_t y, Use use);
  Lit composed(TermId id, TermId a, TermId b, size_t x, size_t y);
  Lit after_static(TermId id, TermId a, TermId b, size_t x, size_t y);
  Lit before_static(TermId id, TermId a, TermId b, size_t x, size_t y);
  Lit at_least_one_of(std::vector<Lit> parts);

  Lit solution(TermId whole, TermId body, size_t x, size_t y);  // of a `let rec`

  // relation_closure.cpp
  Lit transitive(TermId whole, TermId a, size_t x, size_t y, Use use);
  Paths& paths_of(TermId a);
  bool must_be_acyclic(TermId r) const;

  // relation_coherence.cpp
  bool is_communication(TermId term) const;
  BitMatrix communication_bound(TermId a) const;
  Lit communicates(TermId whole, TermId a, size_t x, size_t y);
  void require_irreflexive(TermId id);
  bool within_location(TermId term) const;
  bool require_coherence(TermId id);
  void forbid_communication(Lit condition, size_t x, size_t y, TermId rf, TermId co, TermId fr);
  Lit squared(TermId a, size_t x, size_t y, unsigned level, Use use);
  Lit executed(size_t x, size_t y) {
    if (base_.implies(x, y)) return base_.executed(x);
    if (base_.implies(y, x)) return base_.executed(y);
    return circuit_.both(base_.executed(x), base_.executed(y));
  }

  // A pair of a base relation that is assumed to hold.
  struct Assumed {
    std::string_view base;
    size_t x, y;
  };
  bool surely(TermId term, size_t x, size_t y, const Assumed& assumed) const;
  // Adds the paths that are there whenever their ends are executed. Precondition: the pairs are.
  void close(BitMatrix& paths) const;
  bool between(size_t x, size_t k, size_t y) const {  // is k executed if x and y are?
    return base_.implies(x, k) || base_.implies(y, k);
  }

  // relation_graph.cpp
  bool is_equivalence(TermId term) const;
  TermId without_classes(TermId relation, std::vector<uint32_t>& node_of) const;
  bool within_communication(TermId term) const;
  std::vector<uint32_t> components(TermId relation, const std::vector<uint32_t>& node_of) const;
  BitMatrix bridged(const BitMatrix& order) const;

  void require_holds(const Constraint& constraint);
  Lit given_executed(TermId id, size_t x, size_t y);
  Lit holds(const Constraint& constraint);  // only if it does

  // Whatever is added to the formula until the end of the scope counts for this, except where a scope inside
  // of it counts for something else.
  class Accounting {
   public:
    Accounting(RelationEncoder& encoder, Cost& cost) : encoder_(encoder), outer_(encoder.charged_) {
      encoder_.charge();
      encoder_.charged_ = &cost;
    }
    ~Accounting() {
      encoder_.charge();
      encoder_.charged_ = outer_;
    }
    Accounting(const Accounting&) = delete;
    Accounting& operator=(const Accounting&) = delete;

   private:
    RelationEncoder& encoder_;
    Cost* outer_;
  };
  void charge();
  Cost& cost_of(const Constraint& constraint);

  const CatModel& model_;
  BaseRelations& base_;
  Circuit& circuit_;
  AcyclicEncoding acyclic_;
  size_t n_;
  std::vector<Bounds> bounds_;  // by TermId
  std::vector<bool> loose_;     // by TermId: contains what is encoded by implications where that is enough
  std::unordered_map<uint64_t, Lit> pairs_;       // by term, events and use
  std::unordered_map<uint64_t, Lit> squares_[2];  // by use; then by term, events and level
  std::unordered_map<uint64_t, Lit>
      partial_[2];  // of compositions, by the side that is static, then as pairs_
  std::unordered_map<uint32_t, SharedRows> shared_[2];          // of lower bounds: rows and columns, by term
  std::unordered_map<uint32_t, BitMatrix> closed_bounds_;       // closures of upper bounds, by term
  std::unordered_map<uint32_t, std::unique_ptr<Paths>> paths_;  // by what they are paths of
  TermId rf_;                                                   // if there is one
  AcyclicFigures figures_;
  std::vector<Cost> term_costs_, constraint_costs_;
  Cost elsewhere_;  // what others add to the formula
  Cost* charged_ = &elsewhere_;
  uint64_t variables_ = 0, clauses_ = 0;  // of the formula when something was charged for the last time
};

}  // namespace fenceline::sat
