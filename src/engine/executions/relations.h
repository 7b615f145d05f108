// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of a model on a graph that grows event by event.
//
// A relation is one row per event: the events that are before it. When an event e is added, nothing changes between
// the events that were there in rf, co, fr, po or any other base relation: all new pairs have e at one end. So most
// terms get a new row and, where e is not the last in co, some pairs (e, y): bits of old rows. Only where a path leads
// through e, old rows get other new bits. Each term is updated from what its operands have gained (semi-naive
// evaluation), and a constraint is tested as soon as its term is known, on what is new. That is exact as long as
// nothing is subtracted that can grow (requirements.h decides that from the model); a term with a `let rec` is
// iterated from its previous value.
//
// Every old row that changes is noted, so that removing the last event restores it.
#pragma once

#include <vector>

#include "engine/executions/bits.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"

namespace fenceline::executions {

template <size_t kWords>
class Relations {
 public:
  using Set = Bits<kWords>;

  // Keeps a reference: the plan must outlive this.
  explicit Relations(const ModelPlan& plan);

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
  size_t unflagged() const { return unflagged_; }
  void set_unflagged(size_t events) { unflagged_ = events; }

 private:
  // What a term has gained by the last event.
  struct Gain {
    Set rows;   // relations: old rows that have changed
    Set older;  // relations: those of them that have gained more than the pair that begins with the new event
    Set members;  // sets: old events that have become members
  };
  struct Change {
    uint32_t term;
    uint32_t row;  // kNoEvent: the set itself
    Set before;
  };

  Set* rows(uint32_t term) { return rows_.data() + static_cast<size_t>(term) * Set::kCapacity; }
  const Set* rows(uint32_t term) const { return rows_.data() + static_cast<size_t>(term) * Set::kCapacity; }

  void note_event(const Graph<kWords>& graph, size_t e);
  void set_row(uint32_t term, size_t row, const Set& value);
  void set_members(uint32_t term, const Set& value);
  void update(uint32_t term, const Graph<kWords>& graph);
  void update_base(uint32_t term, const Graph<kWords>& graph);
  void update_sequence(uint32_t term);
  void update_meet(uint32_t term);
  void update_transitive(uint32_t term);
  void update_component(uint32_t& term, const Graph<kWords>& graph);
  void recompute(uint32_t term, const Graph<kWords>& graph);
  Set row_of(const PlanTerm& term, size_t row) const;
  Set restricted_row(const PlanTerm& term, const Graph<kWords>& graph, size_t row) const;
  Set value_of_row(const PlanTerm& term, const Graph<kWords>& graph, size_t row) const;
  Set base_row(Base base, const Graph<kWords>& graph, size_t row) const;
  Set set_of(const PlanTerm& term, const Graph<kWords>& graph) const;
  void close(uint32_t term);
  bool holds_for_new(const PlanConstraint& constraint) const;
  bool raise_flags_by_pairs(const Graph<kWords>& graph);
  bool sequence_holds_for_new(const PlanConstraint& constraint) const;
  bool sequence_holds_at(const PlanConstraint& constraint, size_t row) const;
  bool holds(const PlanConstraint& constraint) const;

  const ModelPlan& plan_;
  std::vector<std::vector<size_t>> axioms_behind_;  // by term: the axioms about it
  std::vector<uint32_t> set_terms_;                 // those that axioms need
  std::vector<Set> rows_;                           // by term and event
  std::vector<Set> sets_;                           // by term
  std::vector<Gain> gains_;                         // by term
  size_t size_ = 0;                                 // events
  size_t unflagged_ = 0;                            // ModelPlan::flags_are_about_pairs
  Set universe_;                                    // those that the model looks at: no choices
  bool adding_ = false;                             // changes are noted
  std::vector<Change> changes_;
  std::vector<size_t> first_change_;  // by event
};

extern template class Relations<1>;
extern template class Relations<2>;
extern template class Relations<4>;
extern template class Relations<8>;
extern template class Relations<16>;

}  // namespace fenceline::executions
