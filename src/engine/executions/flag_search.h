// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks for two events of a graph that raise a flag of the model, a data race say, where a flag is about pairs of events
// (ModelPlan::flags_are_about_pairs). Only pairs with a later event are looked at: an event x before it is in the row of y
// if (x, y) raises a flag. Terms that only flags need are evaluated row by row, as far as they are needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/executions/bits.h"
#include "engine/executions/flag_pairs.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/term_values.h"

namespace fenceline::executions {

template <size_t kWords>
class FlagSearch {
 public:
  using Set = Bits<kWords>;

  // Keeps references.
  FlagSearch(const ModelPlan& plan, TermValues<kWords>& values)
      : plan_(plan), values_(values), pairs_(plan), row_of_(plan.terms().size(), 0) {}

  bool finds_pair(const Graph<kWords>& graph) {
    std::fill(row_of_.begin(), row_of_.end(), 0);
    for (size_t row = unflagged_; row < values_.size(); ++row) {
      if (may_raise(graph, row))
        for (const PlanConstraint& flag : plan_.flags())
          if (!row_of(flag.term, graph, row).empty()) return true;
      unflagged_ = row + 1;
    }
    return false;
  }

  // Of the first events, how many are known to raise none among themselves.
  size_t unflagged() const { return unflagged_; }
  void set_unflagged(size_t events) { unflagged_ = events; }

 private:
  // With an event before it, or by itself.
  bool may_raise(const Graph<kWords>& graph, size_t row) {
    if (!pairs_.of_one_cell()) return true;
    const GraphEvent<kWords>& event = graph.event(row);
    if (!event.cell.valid()) return false;
    const size_t shape = pairs_.number_of(EventShape::of(event));
    bool may_raise = false;
    const Set others = graph.accesses(event.cell) & Set::first(row + 1);
    others.for_each([&](size_t other) {
      may_raise = may_raise || pairs_.may_raise(shape, pairs_.number_of(EventShape::of(graph.event(other))));
    });
    return may_raise;
  }

  // The row of a term on which a flag depends. Most intersections are empty because their first operand is.
  const Set& row_of(uint32_t id, const Graph<kWords>& graph, size_t row) {
    Set& result = values_.rows(id)[row];
    if (id < plan_.first_flag_term() || row_of_[id] == row + 1) return result;
    row_of_[id] = row + 1;
    const PlanTerm& term = plan_.terms()[id];
    const bool first_only = term.op == PlanOp::kIntersect || term.op == PlanOp::kMinus;
    result = Set();
    for (const uint32_t operand : {term.a, term.b, term.c}) {
      if (operand == kNoTerm || plan_.terms()[operand].is_set) continue;
      if (row_of(operand, graph, row).empty() && operand == term.a && first_only) return result;
    }
    return result = values_.row_of(id, graph, row);
  }

  const ModelPlan& plan_;
  TermValues<kWords>& values_;
  FlagPairs pairs_;
  std::vector<size_t> row_of_;  // by term: the row that was evaluated last, and 1; 0: none
  size_t unflagged_ = 0;
};

}  // namespace fenceline::executions
