// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values of the state say what the dimensions of the member have to be: where the member has a dimension,
// the state has a form. Then the facts of the member become facts about the state, and have to follow from
// what is known there. Where the same dimension occurs twice, the two forms have to be equal.
//
// Buffers: the first entries of the state are entries of the member (on PSO of each cell), and all that is
// behind them is the tail of the member. The order that barriers enforce may be lost, not added: if in the
// member an entry has to be flushed after another one, so it is in the state; the same goes for marks.
//
// The bounds of the tail may be chosen: any numbers will do that are below and above all that is pending (where
// the tail is monotone, all but the newest; and then each group ends where the next one begins, or before), and
// of which the facts of the member are true. So dimensions that are nothing but such bounds are eliminated,
// and only exactly: an integer has to exist. Where that is not possible, the closest bounds are tried.
#include "check/numeric/numeric_subsumption.h"

#include <algorithm>

namespace fenceline::check {
namespace {

class Match {
 public:
  // `least`: bounds that may be chosen are the least that can be, and are not eliminated.
  Match(const NumericMember& member, const FormState& state, Buffering buffering, bool least = false)
      : member_(member), state_(state), buffering_(buffering), least_(least), bound_(member.dimensions) {}

  // What must follow from the facts of the state. None: the two cannot be matched.
  std::optional<std::vector<LinearFact>> needed() {
    for (size_t c = 0; c < member_.memory.size(); ++c)
      if (member_.memory[c] && !match(*member_.memory[c], state_.memory[c])) return std::nullopt;
    for (size_t t = 0; t < member_.registers.size(); ++t)
      for (size_t r = 0; r < member_.registers[t].size(); ++r)
        if (member_.registers[t][r] && !match(*member_.registers[t][r], state_.registers[t][r]))
          return std::nullopt;
    for (size_t t = 0; t < member_.buffers.size(); ++t)
      if (!match_buffers(member_.buffers[t], state_.buffers[t])) return std::nullopt;
    if (least_ && !choose_least()) return std::nullopt;
    for (const Bounds& bounds : bounds_) need_bounds(bounds);
    for (const LinearFact& fact : member_.facts) needed_.push_back({translated(fact.form), fact.equality});
    if (chosen_.empty()) return std::move(needed_);
    auto left = project(std::move(needed_), chosen_, true);
    return left ? std::move(left) : Match(member_, state_, buffering_, true).needed();
  }

 private:
  struct Bounds {
    NumericTerm low, high;
    std::vector<std::pair<LinearForm, LinearForm>> between;  // oldest first
    bool monotone;
    LinearForm newest = {};
  };

  bool match(const NumericTerm& term, const LinearForm& form) {
    if (const auto* value = std::get_if<Value>(&term.what)) return match_equal(less(form, *value));
    std::optional<LinearForm>& bound = bound_[std::get<Dimension>(term.what)];
    if (bound) return *bound == form || match_equal(difference_of(form, *bound));
    bound = form;
    return true;
  }

  // A value that is not known is some number.
  bool match(const NumericTerm& term, const std::optional<LinearForm>& form) {
    return match(term, form ? *form : LinearForm::dimension(state_.dimensions + unknown_++));
  }

  bool match_equal(LinearForm difference) {
    if (difference.is_constant()) return difference.constant == 0;
    needed_.push_back({std::move(difference), true});
    return true;
  }

  // Which entries of the state are those of the member, in the order of the member; none if they are not
  // there, or not the first ones.
  std::optional<std::vector<size_t>> first_entries(const NumericBuffer& there, const FormBuffer& here) const {
    std::vector<size_t> kept;
    std::vector<bool> taken(here.entries.size(), false);
    for (const NumericEntry& entry : there.entries) {
      size_t i = 0;
      while (i < here.entries.size() &&
             (taken[i] || (buffering_ == Buffering::kPerCell && here.entries[i].cell != entry.cell)))
        ++i;
      if (i == here.entries.size() || here.entries[i].cell != entry.cell) return std::nullopt;
      taken[i] = true;
      kept.push_back(i);
    }
    return kept;
  }

  bool match_buffers(const NumericBuffer& there, const FormBuffer& here) {
    if (there.entries.empty() && there.tail.empty()) return here.empty();
    const std::optional<std::vector<size_t>> kept = first_entries(there, here);
    if (!kept) return false;
    std::vector<bool> is_kept(here.entries.size(), false);
    for (size_t i = 0; i < kept->size(); ++i) {
      const NumericEntry& entry = there.entries[i];
      const FormEntry& real = here.entries[(*kept)[i]];
      is_kept[(*kept)[i]] = true;
      if (entry.marked && !real.marked) return false;
      if (entry.epoch < there.epoch && real.epoch >= here.epoch) return false;
      for (size_t j = 0; j < kept->size(); ++j)
        if (entry.epoch < there.entries[j].epoch && real.epoch >= here.entries[(*kept)[j]].epoch)
          return false;
      if (!match(entry.value, real.value)) return false;
    }
    return match_tail(there, here, is_kept);
  }

  bool match_tail(const NumericBuffer& there, const FormBuffer& here, const std::vector<bool>& is_kept) {
    const auto has_tail = [&](CellId cell) {
      return std::any_of(there.tail.begin(), there.tail.end(),
                         [&](const NumericTail& item) { return item.cell == cell; });
    };
    for (size_t i = 0; i < here.entries.size(); ++i)
      if (!is_kept[i] && !has_tail(here.entries[i].cell)) return false;
    for (const FormTail& item : here.tail)
      if (!has_tail(item.cell)) return false;
    for (const NumericTail& item : there.tail) {
      Bounds bounds{item.low, item.high, {}, item.monotone};
      const LinearForm* newest = nullptr;
      for (size_t i = 0; i < here.entries.size(); ++i) {
        if (is_kept[i] || here.entries[i].cell != item.cell) continue;
        newest = &here.entries[i].value;
        bounds.between.emplace_back(*newest, *newest);
      }
      for (const FormTail& more : here.tail) {
        if (more.cell != item.cell) continue;
        if (item.monotone && !more.first_monotone) return false;
        newest = &more.newest;
        bounds.between.insert(bounds.between.end(), more.bounds.begin(), more.bounds.end());
      }
      if (!newest || !match(item.newest, *newest)) return false;
      if (item.monotone) bounds.between.pop_back();  // the newest may be anything
      bounds.newest = *newest;
      bounds_.push_back(std::move(bounds));
    }
    return true;
  }

  // The smallest and the largest of what is pending, if it is known which ones these are.
  bool choose_least() {
    for (const Bounds& bounds : bounds_) {
      const auto pick = [&](const NumericTerm& term, bool low) {
        const auto* d = std::get_if<Dimension>(&term.what);
        if (!d || bound_[*d]) return true;
        if (bounds.between.empty()) {
          bound_[*d] = close_to(low ? bounds.high : bounds.low, bounds.newest);
          return true;
        }
        for (const auto& candidate : bounds.between) {
          const LinearForm& form = low ? candidate.first : candidate.second;
          const auto is_beyond = [&](const auto& other) {
            return state_.implies_not_negative(low ? difference_of(other.first, form)
                                                   : difference_of(form, other.second));
          };
          if (!std::all_of(bounds.between.begin(), bounds.between.end(), is_beyond)) continue;
          bound_[*d] = form;
          return true;
        }
        return false;
      };
      if (!pick(bounds.low, true) || !pick(bounds.high, false)) return false;
    }
    return true;
  }

  // For a bound of nothing anything will do; best what the other bound is, if that is known.
  LinearForm close_to(const NumericTerm& other, const LinearForm& newest) const {
    if (const auto* value = std::get_if<Value>(&other.what)) return LinearForm::of(*value);
    return bound_[std::get<Dimension>(other.what)].value_or(newest);
  }

  // After all that says what dimensions are.
  void need_bounds(const Bounds& bounds) {
    const LinearForm low = chosen(bounds.low), high = chosen(bounds.high);
    for (const auto& [lowest, highest] : bounds.between) {
      needed_.push_back({difference_of(lowest, low), false});
      needed_.push_back({difference_of(high, highest), false});
    }
    if (!bounds.monotone) return;
    for (size_t i = 1; i < bounds.between.size(); ++i)
      needed_.push_back({difference_of(bounds.between[i].first, bounds.between[i - 1].second), false});
  }

  LinearForm chosen(const NumericTerm& term) {
    if (const auto* value = std::get_if<Value>(&term.what)) return LinearForm::of(*value);
    std::optional<LinearForm>& bound = bound_[std::get<Dimension>(term.what)];
    if (!bound) {
      chosen_.push_back(state_.dimensions + unknown_++);
      bound = LinearForm::dimension(chosen_.back());
    }
    return *bound;
  }

  // Every dimension of a member is named by a term, and so is bound by now.
  LinearForm translated(const LinearForm& form) const {
    LinearForm result = LinearForm::of(form.constant);
    for (const auto& [d, coefficient] : form.terms) result = combined(result, coefficient, *bound_[d]);
    return result;
  }

  const NumericMember& member_;
  const FormState& state_;
  Buffering buffering_;
  bool least_;
  std::vector<std::optional<LinearForm>> bound_;  // by dimension of the member
  std::vector<LinearFact> needed_;
  std::vector<Bounds> bounds_;
  std::vector<Dimension> chosen_;  // beyond those of the state
  uint32_t unknown_ = 0;
};

// Most pairs differ in a number somewhere.
bool differ_at_once(const NumericMember& member, const FormState& state) {
  const auto differs = [](const std::optional<NumericTerm>& term, const std::optional<LinearForm>& form) {
    if (!term || !form || !form->is_constant()) return false;
    const auto* value = std::get_if<Value>(&term->what);
    return value && form->constant != *value;
  };
  for (size_t c = 0; c < member.memory.size(); ++c)
    if (differs(member.memory[c], state.memory[c])) return true;
  for (size_t t = 0; t < member.registers.size(); ++t)
    for (size_t r = 0; r < member.registers[t].size(); ++r)
      if (differs(member.registers[t][r], state.registers[t][r])) return true;
  return false;
}

}  // namespace

bool subsumes(const NumericMember& member, const FormState& state, Buffering buffering) {
  if (differ_at_once(member, state)) return false;
  const auto needed = Match(member, state, buffering).needed();
  return needed && std::all_of(needed->begin(), needed->end(),
                               [&](const LinearFact& fact) { return state.facts->implies(fact); });
}

std::optional<std::vector<LinearForm>> missing_facts(const NumericMember& member, const FormState& state,
                                                     Buffering buffering) {
  if (differ_at_once(member, state)) return std::nullopt;
  const auto needed = Match(member, state, buffering).needed();
  if (!needed) return std::nullopt;
  std::vector<LinearForm> missing;
  for (const LinearFact& fact : *needed) {
    if (state.facts->implies(fact)) continue;
    const LinearForm opposite = scaled_form(fact.form, -1);
    if (!state.facts->implies({fact.form, false})) missing.push_back(fact.form);
    if (fact.equality && !state.facts->implies({opposite, false})) missing.push_back(opposite);
  }
  return missing;
}

}  // namespace fenceline::check
