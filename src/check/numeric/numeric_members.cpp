// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/numeric/numeric_members.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "check/numeric/numeric_subsumption.h"

namespace fenceline::check {
namespace {

template <class Member, class Visit>
void each_term(Member& member, const Visit& visit) {
  for (auto& cell : member.memory)
    if (cell) visit(*cell);
  for (auto& registers : member.registers)
    for (auto& reg : registers)
      if (reg) visit(*reg);
  for (auto& buffer : member.buffers) {
    for (auto& entry : buffer.entries) visit(entry.value);
    for (auto& item : buffer.tail) {
      visit(item.newest);
      visit(item.low);
      visit(item.high);
    }
  }
}

// Eliminates the dimensions that no term names, and numbers the others through. False: it represents nothing.
bool settle(NumericMember& member) {
  std::set<Dimension> named, eliminated;
  each_term(member, [&](const NumericTerm& term) {
    if (const auto* d = std::get_if<Dimension>(&term.what)) named.insert(*d);
  });
  for (const LinearFact& fact : member.facts)
    for (const auto& term : fact.form.terms)
      if (named.count(term.first) == 0) eliminated.insert(term.first);
  member.facts = *project(std::move(member.facts), {eliminated.begin(), eliminated.end()}, false);
  std::unordered_map<Dimension, Dimension> renamed;
  for (const Dimension d : named) renamed.emplace(d, static_cast<Dimension>(renamed.size()));
  each_term(member, [&](NumericTerm& term) {
    if (auto* d = std::get_if<Dimension>(&term.what)) *d = renamed.at(*d);
  });
  for (LinearFact& fact : member.facts)
    for (auto& term : fact.form.terms) term.first = renamed.at(term.first);  // the order stays
  member.dimensions = static_cast<uint32_t>(named.size());
  auto system = std::make_shared<LinearSystem>();
  for (const LinearFact& fact : member.facts)
    if (!system->add(fact)) return false;
  if (!system->feasible()) return false;
  member.system = std::move(system);
  return true;
}

LinearForm form_of_term(const NumericTerm& term) {
  if (const auto* value = std::get_if<Value>(&term.what)) return LinearForm::of(*value);
  return LinearForm::dimension(std::get<Dimension>(term.what));
}

}  // namespace

// ---- Members
// -----------------------------------------------------------------------------------------------

FormState NumericMember::as_forms() const {
  FormState state;
  const auto form_if = [](const std::optional<NumericTerm>& term) {
    return term ? std::optional<LinearForm>(form_of_term(*term)) : std::nullopt;
  };
  state.locations = locations;
  for (const auto& cell : memory) state.memory.push_back(form_if(cell));
  for (const auto& thread : registers) {
    auto& forms = state.registers.emplace_back();
    for (const auto& reg : thread) forms.push_back(form_if(reg));
  }
  for (const NumericBuffer& buffer : buffers) {
    FormBuffer& forms = state.buffers.emplace_back();
    forms.epoch = buffer.epoch;
    for (const NumericEntry& e : buffer.entries)
      forms.entries.push_back({e.cell, form_of_term(e.value), e.epoch, e.marked});
    for (const NumericTail& r : buffer.tail) {
      const LinearForm newest = form_of_term(r.newest);
      forms.tail.push_back({r.cell, newest, {{form_of_term(r.low), form_of_term(r.high)}}, r.monotone});
      if (r.monotone) forms.tail.back().bounds.emplace_back(newest, newest);
    }
  }
  state.dimensions = dimensions;
  state.facts = system;
  return state;
}

std::optional<NumericMember> member_of(const NumericState& state, size_t disjunct, size_t number,
                                       Buffering buffering) {
  NumericMember member;
  member.locations = state.locations;
  member.memory = state.memory;
  member.registers = state.registers;
  member.buffers = state.buffers;
  member.number = number;
  for (const LinearConstraint& constraint : state.disjuncts[disjunct]) {
    LinearFact fact{form_of(constraint.expression), constraint.equality};
    if (!tighten(fact)) return std::nullopt;
    if (!fact.form.is_constant()) member.facts.push_back(std::move(fact));
  }
  for (NumericBuffer& buffer : member.buffers) {
    if (buffering != Buffering::kPerCell) {  // there are no barriers and no marks
      buffer.epoch = 0;
      for (NumericEntry& entry : buffer.entries) entry.epoch = 0, entry.marked = false;
    }
    for (const NumericTail& item : buffer.tail) {
      if (item.monotone) continue;
      const LinearForm newest = form_of_term(item.newest);
      member.facts.push_back({difference_of(newest, form_of_term(item.low)), false});
      member.facts.push_back({difference_of(form_of_term(item.high), newest), false});
    }
  }
  if (!settle(member)) return std::nullopt;
  return member;
}

// ---- Flushes
// -------------------------------------------------------------------------------------

namespace {

bool may_be_flushed(const NumericBuffer& buffer, size_t entry, Buffering buffering) {
  if (buffering == Buffering::kPerThread) return entry == 0;
  const NumericEntry& leaving = buffer.entries[entry];
  for (size_t i = 0; i < buffer.entries.size(); ++i) {
    if (buffer.entries[i].epoch < leaving.epoch) return false;
    if (i < entry && buffer.entries[i].cell == leaving.cell) return false;
  }
  return true;
}

bool tail_may_be_flushed(const NumericBuffer& buffer, CellId cell, Buffering buffering) {
  if (buffering == Buffering::kPerThread) return buffer.entries.empty();
  return std::none_of(buffer.entries.begin(), buffer.entries.end(),
                      [&](const NumericEntry& entry) { return entry.cell == cell; });
}

}  // namespace

std::vector<NumericMember> flushes(const NumericMember& member, Buffering buffering) {
  std::vector<NumericMember> results;
  const auto reach = [&](NumericMember&& next) {
    next.flushed = true;
    if (settle(next)) results.push_back(std::move(next));
  };
  for (size_t t = 0; t < member.buffers.size(); ++t) {
    const NumericBuffer& buffer = member.buffers[t];
    for (size_t i = 0; i < buffer.entries.size(); ++i) {
      if (!may_be_flushed(buffer, i, buffering)) continue;
      NumericMember next = member;
      next.memory[buffer.entries[i].cell.index()] = buffer.entries[i].value;
      next.buffers[t].entries.erase(next.buffers[t].entries.begin() + static_cast<std::ptrdiff_t>(i));
      reach(std::move(next));
    }
    for (size_t i = 0; i < buffer.tail.size(); ++i) {
      const NumericTail& item = buffer.tail[i];
      if (!tail_may_be_flushed(buffer, item.cell, buffering)) continue;
      NumericMember last = member;  // it is the only one
      last.memory[item.cell.index()] = item.newest;
      last.buffers[t].tail.erase(last.buffers[t].tail.begin() + static_cast<std::ptrdiff_t>(i));
      reach(std::move(last));
      NumericMember one = member;  // one of several
      if (item.low == item.high) {
        one.memory[item.cell.index()] = item.low;
      } else {
        const Dimension value = one.dimensions++;
        const LinearForm form = LinearForm::dimension(value);
        one.memory[item.cell.index()] = NumericTerm{value};
        one.facts.push_back({difference_of(form, form_of_term(item.low)), false});
        one.facts.push_back({difference_of(form_of_term(item.high), form), false});
      }
      if (item.monotone) one.buffers[t].tail[i].low = *one.memory[item.cell.index()];
      reach(std::move(one));
    }
  }
  return results;
}

// ---- All of them
// -------------------------------------------------------------------------------------------

size_t NumericMembers::LocationsHash::operator()(const std::vector<Point>& locations) const {
  uint64_t hash = locations.size();
  for (const Point point : locations) hash = hash_combine(hash, point.value());
  return hash;
}

void NumericMembers::add(NumericMember member) {
  by_locations_[member.locations].push_back(members_.size());
  members_.push_back(std::make_unique<NumericMember>(std::move(member)));
}

bool NumericMembers::subsumed_cutting(const FormState& state, unsigned& cuts) const {
  const auto candidates = by_locations_.find(state.locations);
  if (candidates == by_locations_.end()) return !state.facts->feasible();
  for (const size_t i : candidates->second)
    if (subsumes(*members_[i], state, buffering_)) return true;
  return !state.facts->feasible() || (cuts > 0 && subsumed_by_pieces(state, candidates->second, cuts));
}

// Splits at the bounds of a member that subsumes almost all of it.
bool NumericMembers::subsumed_by_pieces(const FormState& state, const std::vector<size_t>& candidates,
                                        unsigned& cuts) const {
  std::optional<LinearForm> edge;
  size_t fewest = cuts + 1;
  for (const size_t i : candidates) {
    const std::optional<std::vector<LinearForm>> missing = missing_facts(*members_[i], state, buffering_);
    if (!missing || missing->empty() || missing->size() >= fewest) continue;
    const bool disjoint = std::any_of(missing->begin(), missing->end(), [&](const LinearForm& form) {
      return state.implies_not_negative(less_from(-1, form));
    });
    if (disjoint) continue;
    edge = missing->front();
    fewest = missing->size();
  }
  if (!edge) return false;
  --cuts;
  FormState inner = state, outer = state;
  return (!inner.assume_not_negative(*edge) || subsumed_cutting(inner, cuts)) &&
         (!outer.assume_not_negative(less_from(-1, *edge)) || subsumed_cutting(outer, cuts));
}

}  // namespace fenceline::check
