// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of a `let rec` on a graph that grows event by event: the least solution of their equations.
//
// Nearly all are made of unions, sequences and restrictions. Then a row follows from the same row of the operands, and,
// in a sequence a; b, from the rows of a that the row of b names. If b names events with lower numbers only, as it does where
// it is about program order, the rows are settled one after the other, each by iterating its own equations. An event
// that is added then costs one row, and none of the others is looked at.
//
// In a; b, not all events that b names are needed: if the equation of a has the part a; t, as in `a = ... | (a; t)`, what
// a leads to an event x, it also leads to what x is before in t. So whatever is before x in t adds nothing. That supposes
// that the row of x is settled.
//
// Otherwise an operand has gained pairs between older events: rows are iterated until none changes, and no event of a
// sequence is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/executions/bits.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/term_gains.h"
#include "engine/executions/term_values.h"
#include "env/errors.h"

namespace fenceline::executions {

template <size_t kWords>
class RecursiveTerms {
 public:
  using Set = Bits<kWords>;

  // Those from `begin` on and before `end`, which are neighbours. Keeps references.
  RecursiveTerms(const ModelPlan& plan, TermValues<kWords>& values, TermGains<kWords>& gains, size_t begin,
                 size_t end)
      : plan_(plan), values_(values), gains_(gains) {
    for (auto id = static_cast<uint32_t>(begin); id < end; ++id)
      if (plan.terms()[id].component != kNoTerm) terms_.push_back(id);
    for (const uint32_t id : terms_) {
      const PlanTerm& term = plan.terms()[id];
      by_rows_ = by_rows_ && is_by_row(term);
      for (const uint32_t operand : {term.a, term.b, term.c})
        if (operand != kNoTerm && !contains(operand)) inputs_.push_back(operand);
    }
  }

  bool contains(uint32_t term) const {
    return !terms_.empty() && term >= terms_.front() && term <= terms_.back();
  }
  uint32_t last() const { return terms_.back(); }

  // An event was added; what the equations are about is known.
  void update(const Graph<kWords>& graph) {
    const size_t e = values_.size() - 1;
    for (const uint32_t id : terms_)
      if (!plan_.terms()[id].is_set) values_.rows(id)[e] = Set();
    if (!by_rows_) return iterate_all(graph);
    Set changed;
    for (const uint32_t input : inputs_) {
      const auto& gain = gains_.of(input);
      changed |= gain.rows;
      if (!gain.members.empty()) changed = Set::first(e);
    }
    if (changed.empty()) {
      settle(graph, e, true);
      return;
    }
    changed.add(e);
    propagate(graph, changed);
  }

  void recompute(const Graph<kWords>& graph) {
    for (const uint32_t id : terms_) {
      values_.members(id) = Set();
      for (size_t row = 0; row < values_.size(); ++row) values_.rows(id)[row] = Set();
    }
    if (!by_rows_) return iterate_all(graph);
    for (size_t row = 0; row < values_.size(); ++row) settle(graph, row, true);
    if (!lead_to_higher_numbers()) propagate(graph, Set::first(values_.size()));
  }

 private:
  bool is_by_row(const PlanTerm& term) const {
    switch (term.op) {
      case PlanOp::kVariable:
      case PlanOp::kUnion:
      case PlanOp::kIntersect:
      case PlanOp::kSequence:
      case PlanOp::kFrom:
      case PlanOp::kTo:
      case PlanOp::kWithin:
      case PlanOp::kOutside:
      case PlanOp::kReflexive:
        return !term.is_set;
      case PlanOp::kMinus:
      case PlanOp::kComplement:
      case PlanOp::kInverse:
      case PlanOp::kProduct:
      case PlanOp::kIdentity:
      case PlanOp::kMeet:
      case PlanOp::kSet:
      case PlanOp::kBase:
      case PlanOp::kTransitive:
      case PlanOp::kDomain:
      case PlanOp::kRange:
        return false;
    }
    throw Bug("a term without a meaning");
  }

  // Iterates the equations of a row, from its previous value. `settled`: the rows that it is about are settled. True: it has
  // changed.
  bool settle(const Graph<kWords>& graph, size_t row, bool settled) {
    bool any = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t id : terms_) {
        const PlanTerm& term = plan_.terms()[id];
        const Set value = settled && term.op == PlanOp::kSequence ? sequence_row(term, row)
                                                                  : values_.row_of(id, graph, row);
        if (value == values_.rows(id)[row]) continue;
        changed = true;
        set_row(id, row, value);
      }
      any = any || changed;
    }
    return any;
  }

  // Of all rows that it may name, only the row itself is not settled.
  Set sequence_row(const PlanTerm& term, size_t row) const {
    const Set* first = values_.rows(term.a);
    Set middle = values_.rows(term.b)[row];
    Set result;
    if (middle.has(row)) {
      result = first[row];
      middle.remove(row);
    }
    const uint32_t order = values_.closed_under(term.a);
    if (order == kNoTerm)
      middle.for_each([&](size_t x) { result |= first[x]; });
    else
      for_each_last(middle, values_.rows(order), [&](size_t x) { result |= first[x]; });
    return result;
  }

  bool lead_to_higher_numbers() const {
    for (const uint32_t id : terms_) {
      const PlanTerm& term = plan_.terms()[id];
      if (term.op != PlanOp::kSequence) continue;
      for (size_t row = 0; row < values_.size(); ++row)
        if (!values_.rows(term.b)[row].subset_of(Set::first(row + 1))) return false;
    }
    return true;
  }

  void propagate(const Graph<kWords>& graph, Set changed) {
    while (!changed.empty()) {
      const size_t row = changed.member(0);
      changed.remove(row);
      if (!settle(graph, row, false)) continue;
      for (const uint32_t id : terms_) {
        const PlanTerm& term = plan_.terms()[id];
        if (term.op != PlanOp::kSequence) continue;
        for (size_t behind = 0; behind < values_.size(); ++behind)
          if (behind != row && values_.rows(term.b)[behind].has(row)) changed.add(behind);
      }
    }
  }

  void iterate_all(const Graph<kWords>& graph) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t id : terms_) {
        const PlanTerm& of = plan_.terms()[id];
        if (of.is_set) {
          const Set value = values_.set_of(of, graph);
          changed = changed || value != values_.members(id);
          gains_.set_members(id, value);
          continue;
        }
        if (of.op == PlanOp::kTransitive) throw Unsupported("a closure inside of a `let rec`");
        for (size_t row = 0; row < values_.size(); ++row) {
          const Set value = values_.row_of(id, graph, row);
          if (value == values_.rows(id)[row]) continue;
          changed = true;
          set_row(id, row, value);
        }
      }
    }
  }

  void set_row(uint32_t id, size_t row, const Set& value) {
    if (row + 1 == values_.size())
      values_.rows(id)[row] = value;
    else
      gains_.set_row(id, row, value);
  }

  const ModelPlan& plan_;
  TermValues<kWords>& values_;
  TermGains<kWords>& gains_;
  std::vector<uint32_t> terms_;
  std::vector<uint32_t> inputs_;  // operands that are not among them
  bool by_rows_ = true;           // their rows follow from rows
};

}  // namespace fenceline::executions
