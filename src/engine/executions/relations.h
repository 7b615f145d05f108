// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of a model on a graph that grows event by event.
//
// When an event e is added, nothing changes between the events that were there in rf, co, fr, po or any other base
// relation: all new pairs have e at one end. So most terms get a new row and, where e is not the last in co, some pairs
// (e, y): bits of old rows. Only where a path leads through e, old rows get other new bits. Each term is updated from what
// its operands have gained (semi-naive evaluation), and a constraint is tested as soon as its term is known, on what is
// new. That is exact as long as nothing is subtracted that can grow (requirements.h decides that from the model); a term
// with a `let rec` is iterated from its previous value. Terms that e cannot be in are not looked at (active_terms.h).
//
// Every old row that changes is noted, so that removing the last event restores it.
#pragma once

#include <deque>
#include <vector>

#include "engine/executions/active_terms.h"
#include "engine/executions/bits.h"
#include "engine/executions/flag_pairs.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/term_values.h"

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
  // An axiom, and the last of the terms that it is about.
  struct Axiom {
    const PlanConstraint* constraint;
    uint32_t last;
  };

  Set* rows(uint32_t term) { return values_.rows(term); }
  const Set* rows(uint32_t term) const { return values_.rows(term); }
  size_t last_event() const { return values_.size() - 1; }
  const ActiveTerms& active_terms(const EventShape& shape);
  void note_gain(uint32_t term);

  void set_row(uint32_t term, size_t row, const Set& value);
  void set_members(uint32_t term, const Set& value);
  void update(uint32_t term, const Graph<kWords>& graph);
  void update_base(uint32_t term, const Graph<kWords>& graph);
  void update_sequence(uint32_t term);
  void update_meet(uint32_t term, const Graph<kWords>& graph);
  void update_transitive(uint32_t term);
  void update_component(uint32_t& term, const Graph<kWords>& graph);
  bool holds_for_new(const PlanConstraint& constraint) const;
  bool sequence_holds_for_new(const PlanConstraint& constraint) const;
  bool sequence_holds_at(const PlanConstraint& constraint, size_t row) const;
  bool holds(const PlanConstraint& constraint) const;

  bool raise_flags_by_pairs(const Graph<kWords>& graph);
  bool may_raise_flag(const Graph<kWords>& graph, size_t row);
  const Set& flag_row(uint32_t term, const Graph<kWords>& graph, size_t row);

  const ModelPlan& plan_;
  TermValues<kWords> values_;
  FlagPairs flag_pairs_;
  std::vector<Axiom> axioms_;                 // by their last terms
  std::vector<uint32_t> set_terms_;           // those that axioms need
  std::deque<ActiveTerms> active_;            // by shape of events, so far
  std::vector<Gain> gains_;                   // by term
  std::vector<uint8_t> gained_;               // by term: is there a gain?
  std::vector<std::vector<uint32_t>> users_;  // by term: those that it is an operand of
  std::vector<uint32_t> gaining_;             // the terms that have one
  std::vector<uint8_t> evaluated_;   // by term: the last event can be in it, or an operand has gained
  std::vector<size_t> flag_row_of_;  // by term: the row that was evaluated last for flags, and 1; 0: none
  size_t unflagged_ = 0;             // ModelPlan::flags_are_about_pairs
  bool adding_ = false;              // changes are noted
  std::vector<Change> changes_;
  std::vector<size_t> first_change_;  // by event
};

extern template class Relations<1>;
extern template class Relations<2>;
extern template class Relations<4>;
extern template class Relations<8>;
extern template class Relations<16>;

}  // namespace fenceline::executions
