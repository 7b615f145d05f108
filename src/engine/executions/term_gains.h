// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the terms of a model gain between older events when an event is added to a graph (relations.h), which terms must
// therefore be looked at, and how it is undone when the event is removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/executions/active_terms.h"
#include "engine/executions/bits.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/term_values.h"

namespace fenceline::executions {

template <size_t kWords>
class TermGains {
 public:
  using Set = Bits<kWords>;

  struct Gain {
    Set rows;   // relations: old rows that have changed
    Set older;  // relations: those of them that have gained more than the pair that begins with the new event
    Set members;  // sets: old events that have become members
  };

  // Keeps a reference to the values, which it changes.
  TermGains(const ModelPlan& plan, TermValues<kWords>& values)
      : values_(values),
        gains_(plan.terms().size()),
        gained_(plan.terms().size(), 0),
        users_(plan.terms().size()),
        evaluated_(plan.terms().size(), 0) {
    for (uint32_t id = 0; id < plan.first_flag_term(); ++id) {
      const PlanTerm& term = plan.terms()[id];
      if (term.is_set) set_terms_.push_back(id);
      for (const uint32_t operand : {term.a, term.b, term.c})
        if (operand != kNoTerm) users_[operand].push_back(id);
    }
  }

  // An event was added, of which these terms are known.
  void begin_event(const ActiveTerms& active) {
    first_change_.push_back(changes_.size());
    noting_ = true;
    for (const uint32_t term : gaining_) {
      gains_[term] = {};
      gained_[term] = 0;
    }
    gaining_.clear();
    std::copy(active.evaluated.begin(), active.evaluated.end(), evaluated_.begin());
  }
  // It was removed.
  void undo_event() {
    for (size_t i = changes_.size(); i > first_change_.back(); --i) {
      const Change& change = changes_[i - 1];
      (change.row == kNoEvent ? values_.members(change.term) : values_.rows(change.term)[change.row]) =
          change.before;
    }
    changes_.resize(first_change_.back());
    first_change_.pop_back();
    for (const uint32_t term : set_terms_) values_.members(term).remove(values_.size());
  }
  // Until an event is added, changes are not noted.
  void stop_noting() { noting_ = false; }
  void forget_events() {
    stop_noting();
    changes_.clear();
    first_change_.assign(values_.size(), 0);
  }
  bool noting() const { return noting_; }

  const Gain& of(uint32_t term) const { return gains_[term]; }
  // The last event can be in the term, or an operand has gained.
  bool is_evaluated(uint32_t term) const { return evaluated_[term] != 0; }

  // Precondition: the row is an old one.
  void set_row(uint32_t term, size_t row, const Set& value) {
    Set& present = values_.rows(term)[row];
    if (present == value) return;
    if (noting_) {
      Set gained = value.minus(present);
      changes_.push_back({term, static_cast<uint32_t>(row), present});
      note_gain(term);
      gains_[term].rows.add(row);
      gained.remove(values_.size() - 1);
      if (!gained.empty()) gains_[term].older.add(row);
    }
    present = value;
  }
  void set_members(uint32_t term, const Set& value) {
    Set& present = values_.members(term);
    if (noting_) {  // that the new event is a member needs no note: undo_event() knows
      Set gained = value.minus(present);
      gained.remove(values_.size() - 1);
      if (!gained.empty()) {
        changes_.push_back({term, kNoEvent, present});
        note_gain(term);
        gains_[term].members |= gained;
      }
    }
    present = value;
  }

 private:
  struct Change {
    uint32_t term;
    uint32_t row;  // kNoEvent: the set itself
    Set before;
  };

  void note_gain(uint32_t term) {
    if (gained_[term] != 0) return;
    gained_[term] = 1;
    gaining_.push_back(term);
    for (const uint32_t user : users_[term]) evaluated_[user] = 1;
  }

  TermValues<kWords>& values_;
  std::vector<uint32_t> set_terms_;           // those that axioms need
  std::vector<Gain> gains_;                   // by term
  std::vector<uint8_t> gained_;               // by term: is there a gain?
  std::vector<std::vector<uint32_t>> users_;  // by term: those that it is an operand of
  std::vector<uint32_t> gaining_;             // the terms that have one
  std::vector<uint8_t> evaluated_;            // by term
  bool noting_ = false;
  std::vector<Change> changes_;
  std::vector<size_t> first_change_;  // by event
};

}  // namespace fenceline::executions
