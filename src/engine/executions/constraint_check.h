// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a graph satisfies the constraints of a model, from the values of its terms: from scratch, or by what an event
// that was added has changed.
#pragma once

#include <cstddef>

#include "engine/executions/bits.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/term_gains.h"
#include "engine/executions/term_values.h"

namespace fenceline::executions {

template <size_t kWords>
class ConstraintCheck {
 public:
  using Set = Bits<kWords>;

  // Keeps references.
  ConstraintCheck(const ModelPlan& plan, const TermValues<kWords>& values, const TermGains<kWords>& gains)
      : plan_(plan), values_(values), gains_(gains) {}

  bool holds(const PlanConstraint& constraint) const {
    if (constraint.term == kNoTerm) return true;
    if (constraint.second != kNoTerm) {
      for (size_t row = 0; row < values_.size(); ++row)
        if (!sequence_holds_at(constraint, row)) return false;
      return true;
    }
    if (plan_.terms()[constraint.term].is_set) return values_.members(constraint.term).empty();
    const Set* own = values_.rows(constraint.term);
    for (size_t row = 0; row < values_.size(); ++row)
      if (!holds_at(constraint, own, row)) return false;
    return true;
  }

  // Precondition: it held before the last event was added.
  bool still_holds(const PlanConstraint& constraint) const {
    if (!gains_.is_evaluated(constraint.term) &&
        (constraint.second == kNoTerm || !gains_.is_evaluated(constraint.second)))
      return true;  // nothing is new
    if (constraint.second != kNoTerm) return sequence_still_holds(constraint);
    if (plan_.terms()[constraint.term].is_set) return values_.members(constraint.term).empty();
    const Set* own = values_.rows(constraint.term);
    bool violated = !holds_at(constraint, own, values_.size() - 1);
    gains_.of(constraint.term).rows.for_each([&](size_t row) {
      violated = violated || !holds_at(constraint, own, row);
    });
    return !violated;
  }

 private:
  static bool holds_at(const PlanConstraint& constraint, const Set* own, size_t row) {
    return constraint.kind == ConstraintKind::kEmpty ? own[row].empty() : !own[row].has(row);
  }

  // No x with (row, x) in the second relation and (x, row) in the first.
  bool sequence_holds_at(const PlanConstraint& constraint, size_t row) const {
    bool violated = false;
    const Set* second = values_.rows(constraint.second);
    values_.rows(constraint.term)[row].for_each([&](size_t x) { violated = violated || second[x].has(row); });
    return !violated;
  }

  // A new pair of the one relation, and its inverse in the other one. Old rows with the new event are among those that
  // have changed.
  bool sequence_still_holds(const PlanConstraint& constraint) const {
    const size_t e = values_.size() - 1;
    const Set* first = values_.rows(constraint.term);
    const Set* second = values_.rows(constraint.second);
    const auto& first_gain = gains_.of(constraint.term);
    const auto& second_gain = gains_.of(constraint.second);
    bool violated = first[e].has(e) && second[e].has(e);
    // (x, e) and (e, x)
    (first[e] & second_gain.rows).for_each([&](size_t x) { violated = violated || second[x].has(e); });
    (second[e] & first_gain.rows).for_each([&](size_t x) { violated = violated || first[x].has(e); });
    // Both between old events.
    first_gain.older.for_each(
        [&](size_t row) { violated = violated || !sequence_holds_at(constraint, row); });
    second_gain.older.for_each([&](size_t row) {
      second[row].for_each([&](size_t x) { violated = violated || first[x].has(row); });
    });
    return !violated;
  }

  const ModelPlan& plan_;
  const TermValues<kWords>& values_;
  const TermGains<kWords>& gains_;
};

}  // namespace fenceline::executions
