// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of a model on a graph that grows event by event.
//
// When an event e is added, nothing changes between the events that were there in rf, co, fr, po or any other base
// relation: all new pairs have e at one end. So most terms get a new row and, where e is not the last in co, some pairs
// (e, y): bits of old rows. Only where a path leads through e, old rows get other new bits. Each term is updated from what
// its operands have gained (semi-naive evaluation), and a constraint is tested as soon as its term is known, on what is
// new. That is exact as long as nothing is subtracted that can grow (requirements.h decides that from the model); a term
// with a `let rec` is iterated from its previous value (recursive_terms.h). Terms that e cannot be in are not looked at (active_terms.h).
//
// Every old row that changes is noted, so that removing the last event restores it (term_gains.h).
#pragma once

#include <deque>
#include <vector>

#include "engine/executions/active_terms.h"
#include "engine/executions/bits.h"
#include "engine/executions/constraint_check.h"
#include "engine/executions/flag_search.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/recursive_terms.h"
#include "engine/executions/term_gains.h"
#include "engine/executions/term_values.h"

namespace fenceline::executions {

template <size_t kWords>
class Relations {
 public:
  using Set = Bits<kWords>;

  // Keeps a reference: the plan must outlive this.
  explicit Relations(const ModelPlan& plan);
  Relations(const Relations&) = delete;
  Relations& operator=(const Relations&) = delete;

  // The graph has one event more than when this was last called, its last one. False: an axiom is violated. Then the
  // event still counts as added.
  bool add(const Graph<kWords>& graph);
  // The graph has lost its last event.
  void remove_last();
  // Any graph, from scratch. False: an axiom is violated.
  bool assign(const Graph<kWords>& graph);
  // The same for a graph that is known to violate none.
  void assign_allowed(const Graph<kWords>& graph);

  // The next event of the thread, which executes the instruction at `position`, is an access to the cell. An axiom would be
  // violated if it read a write at a lower place of the coherence order than this, or were a write directly behind one.
  size_t first_place(const Graph<kWords>& graph, ThreadId thread, uint32_t position, CellId cell) const;

  // Which flags of the model are raised, as numbers of CatModel::constraints.
  std::vector<size_t> raised_flags(const Graph<kWords>& graph);
  // Of the first events, how many are known to raise none among themselves. If the graph is restricted, what is left of
  // them still raises none.
  size_t unflagged() const { return flags_.unflagged(); }
  void set_unflagged(size_t events) { flags_.set_unflagged(events); }

 private:
  // An axiom, and the last of the terms that it is about.
  struct Axiom {
    const PlanConstraint* constraint;
    uint32_t last;
  };

  Set* rows(uint32_t term) { return values_.rows(term); }
  const Set* rows(uint32_t term) const { return values_.rows(term); }
  size_t last_event() const { return values_.size() - 1; }
  const ActiveTerms& active_terms(const EventShape& shape);

  void update(uint32_t term, const Graph<kWords>& graph);
  void update_base(uint32_t term, const Graph<kWords>& graph);
  void update_sequence(uint32_t term);
  void update_meet(uint32_t term, const Graph<kWords>& graph);
  void update_transitive(uint32_t term);
  void recompute(size_t begin, size_t end, RecursiveTerms<kWords>& recursive, const Graph<kWords>& graph);

  const ModelPlan& plan_;
  TermValues<kWords> values_;
  TermGains<kWords> gains_;
  ConstraintCheck<kWords> constraints_;
  FlagSearch<kWords> flags_;
  RecursiveTerms<kWords> recursive_, recursive_of_flags_;
  std::vector<Axiom> axioms_;       // by their last terms
  std::deque<ActiveTerms> active_;  // by shape of events, so far
};

extern template class Relations<1>;
extern template class Relations<2>;
extern template class Relations<4>;
extern template class Relations<8>;
extern template class Relations<16>;

}  // namespace fenceline::executions
