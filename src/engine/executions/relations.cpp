// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/relations.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::executions {

template <size_t kWords>
Relations<kWords>::Relations(const ModelPlan& plan)
    : plan_(plan),
      axioms_behind_(plan.terms().size()),
      rows_(plan.terms().size() * Set::kCapacity),
      sets_(plan.terms().size()),
      gains_(plan.terms().size()) {
  for (size_t i = 0; i < plan.axioms().size(); ++i) {
    const PlanConstraint& axiom = plan.axioms()[i];
    if (axiom.term == kNoTerm) continue;
    axioms_behind_[axiom.second == kNoTerm ? axiom.term : std::max(axiom.term, axiom.second)].push_back(i);
  }
  for (uint32_t term = 0; term < plan.first_flag_term(); ++term)
    if (plan.terms()[term].is_set) set_terms_.push_back(term);
}

// ---- Adding an event

template <size_t kWords>
bool Relations<kWords>::add(const Graph<kWords>& graph) {
  require(graph.size() == size_ + 1, "events are added one by one");
  first_change_.push_back(changes_.size());
  size_ = graph.size();
  adding_ = true;
  note_event(graph, size_ - 1);
  for (uint32_t term = 0; term < plan_.first_flag_term(); ++term) {
    const uint32_t first = term;
    if (plan_.terms()[term].component != kNoTerm)
      update_component(term, graph);
    else
      update(term, graph);
    for (uint32_t done = first; done <= term; ++done)
      for (const size_t axiom : axioms_behind_[done])
        if (!holds_for_new(plan_.axioms()[axiom])) return false;
  }
  return true;
}

template <size_t kWords>
void Relations<kWords>::note_event(const Graph<kWords>& graph, size_t e) {
  if (graph.event(e).kind == GraphEventKind::kChoice)
    universe_.remove(e);
  else
    universe_.add(e);
}

template <size_t kWords>
void Relations<kWords>::remove_last() {
  universe_.remove(size_ - 1);
  --size_;
  unflagged_ = std::min(unflagged_, size_);
  for (size_t i = changes_.size(); i > first_change_.back(); --i) {
    const Change& change = changes_[i - 1];
    (change.row == kNoEvent ? sets_[change.term] : rows(change.term)[change.row]) = change.before;
  }
  changes_.resize(first_change_.back());
  first_change_.pop_back();
  for (const uint32_t term : set_terms_) sets_[term].remove(size_);
}

// Precondition: the row is an old one.
template <size_t kWords>
void Relations<kWords>::set_row(uint32_t term, size_t row, const Set& value) {
  Set& present = rows(term)[row];
  if (present == value) return;
  if (adding_) {
    Set gained = value.minus(present);
    changes_.push_back({term, static_cast<uint32_t>(row), present});
    gains_[term].rows.add(row);
    gained.remove(size_ - 1);
    if (!gained.empty()) gains_[term].older.add(row);
  }
  present = value;
}

template <size_t kWords>
void Relations<kWords>::set_members(uint32_t term, const Set& value) {
  Set& present = sets_[term];
  if (adding_) {  // that the new event is a member needs no note: remove_last() knows
    Set gained = value.minus(present);
    gained.remove(size_ - 1);
    if (!gained.empty()) changes_.push_back({term, kNoEvent, present});
    gains_[term].members = gained;
  }
  present = value;
}

template <size_t kWords>
void Relations<kWords>::update(uint32_t id, const Graph<kWords>& graph) {
  const PlanTerm& term = plan_.terms()[id];
  Gain& gain = gains_[id];
  const size_t e = size_ - 1;
  if (term.op == PlanOp::kSet) {
    if ((graph.event(e).sets >> term.set_bit) & 1)
      sets_[id].add(e);
    else
      sets_[id].remove(e);
    return;
  }
  if (term.is_set) return set_members(id, set_of(term, graph));
  gain.rows = gain.older = Set();
  Set* own = rows(id);
  const auto redo = [&](const Set& changed) {
    changed.for_each([&](size_t row) { set_row(id, row, row_of(term, row)); });
  };
  switch (term.op) {
    case PlanOp::kBase:
      return update_base(id, graph);
    case PlanOp::kUnion:
    case PlanOp::kIntersect:
    case PlanOp::kMinus:
      own[e] = row_of(term, e);
      return redo(gains_[term.a].rows | gains_[term.b].rows);
    case PlanOp::kReflexive:
      own[e] = row_of(term, e);
      return redo(gains_[term.a].rows);
    case PlanOp::kWithin:
    case PlanOp::kOutside:  // whether an old pair is in the base relation never changes
      own[e] = restricted_row(term, graph, e);
      gains_[term.a].rows.for_each([&](size_t row) { set_row(id, row, restricted_row(term, graph, row)); });
      return;
    case PlanOp::kFrom:
      own[e] = row_of(term, e);
      return redo(gains_[term.a].members.empty() ? gains_[term.b].rows : Set::first(e));
    case PlanOp::kTo:
      own[e] = row_of(term, e);
      return redo(gains_[term.a].rows | gains_[term.b].members);
    case PlanOp::kIdentity:
      own[e] = row_of(term, e);
      return redo(gains_[term.a].members);
    case PlanOp::kComplement:
      own[e] = row_of(term, e);
      return redo(Set::first(e));
    case PlanOp::kProduct: {
      own[e] = row_of(term, e);
      const bool first_grew = sets_[term.a].has(e) || !gains_[term.a].members.empty();
      Set changed = first_grew ? sets_[term.b] : gains_[term.b].members;
      changed.remove(e);
      return redo(changed);
    }
    case PlanOp::kInverse:
      own[e] = row_of(term, e);
      return redo(gains_[term.a].older.empty() ? rows(term.a)[e].minus(Set::single(e)) : Set::first(e));
    case PlanOp::kSequence:
      return update_sequence(id);
    case PlanOp::kMeet:
      return update_meet(id);
    case PlanOp::kTransitive:
      return update_transitive(id);
    case PlanOp::kSet:
    case PlanOp::kDomain:
    case PlanOp::kRange:
    case PlanOp::kVariable:
      break;
  }
  throw Bug("a term that is updated by itself");
}

template <size_t kWords>
Bits<kWords> Relations<kWords>::restricted_row(const PlanTerm& term, const Graph<kWords>& graph,
                                               size_t row) const {
  const Set& kept = rows(term.a)[row];
  if (kept.empty()) return kept;
  const Set base = base_row(term.base, graph, row);
  return term.op == PlanOp::kWithin ? kept & base : kept.minus(base);
}

template <size_t kWords>
void Relations<kWords>::update_base(uint32_t id, const Graph<kWords>& graph) {
  const size_t e = size_ - 1;
  const Base base = plan_.terms()[id].base;
  rows(id)[e] = base_row(base, graph, e);
  Set behind;  // y with (e, y)
  const GraphEvent<kWords>& event = graph.event(e);
  switch (base) {
    case Base::kCo:
    case Base::kFr: {
      const bool write = event.kind == GraphEventKind::kWrite;
      if (write != (base == Base::kCo) || event.kind == GraphEventKind::kFence ||
          event.kind == GraphEventKind::kChoice)
        break;
      const std::vector<uint32_t>& order = graph.coherence(event.cell);
      const uint32_t from = write ? static_cast<uint32_t>(e) : event.source;
      for (size_t i = order.size(); order[i - 1] != from; --i) behind.add(order[i - 1]);
      break;
    }
    case Base::kEco: {
      if (!event.cell.valid()) break;
      const std::vector<uint32_t>& order = graph.coherence(event.cell);
      const uint32_t from = event.kind == GraphEventKind::kWrite ? static_cast<uint32_t>(e) : event.source;
      for (size_t i = order.size(); order[i - 1] != from; --i) {
        behind.add(order[i - 1]);
        behind |= graph.readers(order[i - 1]);
      }
      break;
    }
    case Base::kLoc:
    case Base::kInt:
    case Base::kExt:
    case Base::kAtomic:  // these are symmetric
      behind = rows(id)[e];
      break;
    case Base::kPo:
    case Base::kRf:
    case Base::kAddr:
    case Base::kData:
    case Base::kCtrl:
    case Base::kRmw:
    case Base::kId:
      break;
  }
  behind.remove(e);
  behind.for_each([&](size_t row) { set_row(id, row, rows(id)[row] | Set::single(e)); });
}

template <size_t kWords>
void Relations<kWords>::update_sequence(uint32_t id) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = size_ - 1;
  rows(id)[e] = row_of(term, e);
  Set changed = gains_[term.b].rows;
  if (const Set& middle = gains_[term.a].rows; !middle.empty())
    for (size_t row = 0; row < e; ++row)
      if (rows(term.b)[row].meets(middle)) changed.add(row);
  changed.for_each([&](size_t row) { set_row(id, row, row_of(term, row)); });
}

template <size_t kWords>
void Relations<kWords>::update_meet(uint32_t id) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = size_ - 1;
  rows(id)[e] = row_of(term, e);
  const Set& middle = gains_[term.b].rows;
  const Set changed = gains_[term.a].rows | gains_[term.c].rows;
  if (middle.empty() && changed.empty()) return;
  for (size_t row = 0; row < e; ++row)
    if (!rows(term.a)[row].empty() && (changed.has(row) || rows(term.c)[row].meets(middle)))
      set_row(id, row, row_of(term, row));
}

// Edges to the new event, then those from it, then those between old events, each with what they connect.
template <size_t kWords>
void Relations<kWords>::update_transitive(uint32_t id) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = size_ - 1;
  Set* own = rows(id);
  const Set* edges = rows(term.a);
  own[e] = Set();
  const auto before = [&](size_t row) {
    Set result = edges[row];
    edges[row].for_each([&](size_t x) { result |= own[x]; });
    return result;
  };
  own[e] = before(e);
  const Gain& gain = gains_[term.a];
  if (gain.rows.empty()) return;
  const auto insert = [&](const Set& ends, const Set& prefix) {
    for (size_t row = 0; row <= e; ++row) {
      if (!ends.has(row) && !own[row].meets(ends)) continue;
      if (row == e)
        own[e] |= prefix;
      else
        set_row(id, row, own[row] | prefix);
    }
  };
  Set from;
  gain.rows.for_each([&](size_t row) {
    if (edges[row].has(e)) from.add(row);
  });
  if (!from.empty()) insert(from, own[e] | Set::single(e));
  gain.older.for_each([&](size_t row) { insert(Set::single(row), before(row)); });
}

// The terms of a `let rec`: from their previous values up to the next fixpoint. `term` is the first of them, and the
// last one afterwards.
template <size_t kWords>
void Relations<kWords>::update_component(uint32_t& term, const Graph<kWords>& graph) {
  const uint32_t first = term;
  while (term + 1 < plan_.terms().size() &&
         plan_.terms()[term + 1].component == plan_.terms()[first].component)
    ++term;
  if (adding_)
    for (uint32_t id = first; id <= term; ++id) {
      gains_[id] = {};
      if (!plan_.terms()[id].is_set) rows(id)[size_ - 1] = Set();
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t id = first; id <= term; ++id) {
      const PlanTerm& of = plan_.terms()[id];
      if (of.is_set) {
        const Set value = set_of(of, graph);
        changed = changed || value != sets_[id];
        const Set members = gains_[id].members;
        set_members(id, value);
        gains_[id].members |= members;
        continue;
      }
      if (of.op == PlanOp::kTransitive) throw Unsupported("a closure inside of a `let rec`");
      for (size_t row = 0; row < size_; ++row) {
        const Set value = value_of_row(of, graph, row);
        if (value == rows(id)[row]) continue;
        changed = true;
        if (row + 1 == size_)
          rows(id)[row] = value;
        else
          set_row(id, row, value);
      }
    }
  }
}

// ---- Values by definition

template <size_t kWords>
Bits<kWords> Relations<kWords>::row_of(const PlanTerm& term, size_t row) const {
  switch (term.op) {
    case PlanOp::kUnion:
      return rows(term.a)[row] | rows(term.b)[row];
    case PlanOp::kIntersect:
      return rows(term.a)[row] & rows(term.b)[row];
    case PlanOp::kMinus:
      return rows(term.a)[row].minus(rows(term.b)[row]);
    case PlanOp::kComplement:
      return universe_.has(row) ? universe_.minus(rows(term.a)[row]) : Set();
    case PlanOp::kReflexive:
      return universe_.has(row) ? rows(term.a)[row] | Set::single(row) : Set();
    case PlanOp::kFrom:
      return rows(term.b)[row] & sets_[term.a];
    case PlanOp::kTo:
      return sets_[term.b].has(row) ? rows(term.a)[row] : Set();
    case PlanOp::kIdentity:
      return sets_[term.a].has(row) ? Set::single(row) : Set();
    case PlanOp::kProduct:
      return sets_[term.b].has(row) ? sets_[term.a] : Set();
    case PlanOp::kSequence: {
      Set result;
      const Set* first = rows(term.a);
      rows(term.b)[row].for_each([&](size_t middle) { result |= first[middle]; });
      return result;
    }
    case PlanOp::kMeet: {
      Set result;
      if (rows(term.a)[row].empty()) return result;
      rows(term.c)[row].for_each([&](size_t middle) { result |= rows(term.b)[middle]; });
      return result & rows(term.a)[row];
    }
    case PlanOp::kInverse: {
      Set result;
      for (size_t e = 0; e < size_; ++e)
        if (rows(term.a)[e].has(row)) result.add(e);
      return result;
    }
    case PlanOp::kVariable:
      return term.a == kNoTerm ? Set() : rows(term.a)[row];
    case PlanOp::kSet:
    case PlanOp::kBase:
    case PlanOp::kWithin:
    case PlanOp::kOutside:
    case PlanOp::kTransitive:
    case PlanOp::kDomain:
    case PlanOp::kRange:
      break;
  }
  throw Bug("a term whose rows are not computed one by one");
}

template <size_t kWords>
Bits<kWords> Relations<kWords>::set_of(const PlanTerm& term, const Graph<kWords>& graph) const {
  Set result;
  switch (term.op) {
    case PlanOp::kSet:
      for (size_t e = 0; e < size_; ++e)
        if ((graph.event(e).sets >> term.set_bit) & 1) result.add(e);
      return result;
    case PlanOp::kUnion:
      return sets_[term.a] | sets_[term.b];
    case PlanOp::kIntersect:
      return sets_[term.a] & sets_[term.b];
    case PlanOp::kMinus:
      return sets_[term.a].minus(sets_[term.b]);
    case PlanOp::kComplement:
      return universe_.minus(sets_[term.a]);
    case PlanOp::kDomain:
      for (size_t e = 0; e < size_; ++e) result |= rows(term.a)[e];
      return result;
    case PlanOp::kRange:
      for (size_t e = 0; e < size_; ++e)
        if (!rows(term.a)[e].empty()) result.add(e);
      return result;
    case PlanOp::kVariable:
      return term.a == kNoTerm ? Set() : sets_[term.a];
    case PlanOp::kBase:
    case PlanOp::kSequence:
    case PlanOp::kInverse:
    case PlanOp::kTransitive:
    case PlanOp::kReflexive:
    case PlanOp::kProduct:
    case PlanOp::kIdentity:
    case PlanOp::kWithin:
    case PlanOp::kOutside:
    case PlanOp::kFrom:
    case PlanOp::kTo:
    case PlanOp::kMeet:
      break;
  }
  throw Bug("a relation that is taken as a set");
}

template <size_t kWords>
Bits<kWords> Relations<kWords>::base_row(Base base, const Graph<kWords>& graph, size_t row) const {
  const GraphEvent<kWords>& event = graph.event(row);
  Set result;
  if (event.kind == GraphEventKind::kChoice) return result;
  const auto of_own_thread = [&](const Set& indices) {
    const std::vector<uint32_t>& own = graph.of_thread(event.thread);
    indices.for_each([&](size_t i) { result.add(own[i]); });
    return result;
  };
  const auto where = [&](const auto& holds) {
    for (const uint32_t e : graph.of_thread(event.thread))
      if (graph.event(e).kind != GraphEventKind::kChoice && holds(graph.event(e), e)) result.add(e);
    return result;
  };
  switch (base) {
    case Base::kPo:
      if (event.initial()) return result;
      for (const uint32_t e : graph.of_thread(event.thread)) {
        if (graph.event(e).position >= event.position) break;
        if (graph.event(e).kind != GraphEventKind::kChoice) result.add(e);
      }
      return result;
    case Base::kRf:
      if (event.source != kNoEvent) result.add(event.source);
      return result;
    case Base::kCo:
      if (event.kind != GraphEventKind::kWrite) return result;
      for (const uint32_t write : graph.coherence(event.cell)) {
        if (write == row) break;
        result.add(write);
      }
      return result;
    case Base::kFr:
      if (event.kind != GraphEventKind::kWrite) return result;
      for (const uint32_t write : graph.coherence(event.cell)) {
        if (write == row) break;
        result |= graph.readers(write);
      }
      return result;
    case Base::kEco: {
      if (!event.cell.valid()) return result;
      const uint32_t from = event.kind == GraphEventKind::kWrite ? static_cast<uint32_t>(row) : event.source;
      for (const uint32_t write : graph.coherence(event.cell)) {
        if (write == from) break;
        result.add(write);
        result |= graph.readers(write);
      }
      if (from != row) result.add(from);
      return result;
    }
    case Base::kAddr:
      return event.initial() ? result : of_own_thread(event.addr);
    case Base::kData:
      return event.initial() ? result : of_own_thread(event.data);
    case Base::kCtrl:
      return event.initial() ? result : of_own_thread(event.ctrl);
    case Base::kRmw:
      if (!event.of_rmw || event.kind != GraphEventKind::kWrite) return result;
      return where([&](const auto& other, size_t e) { return e != row && other.position == event.position; });
    case Base::kLoc:
      return event.cell.valid() ? graph.accesses(event.cell) : result;
    case Base::kInt:
      return event.initial() ? result : graph.of_thread_set(event.thread);
    case Base::kExt:
      return event.initial() ? universe_ : universe_.minus(graph.of_thread_set(event.thread));
    case Base::kId:
      return Set::single(row);
    case Base::kAtomic:
      if (event.initial()) return result;
      return where([&](const auto& other, size_t e) {
        return e != row &&
               (other.position == event.position || (event.section != 0 && other.section == event.section));
      });
  }
  throw Bug("a base relation without a meaning");
}

template <size_t kWords>
Bits<kWords> Relations<kWords>::value_of_row(const PlanTerm& term, const Graph<kWords>& graph,
                                             size_t row) const {
  if (term.op == PlanOp::kBase) return base_row(term.base, graph, row);
  if (term.op == PlanOp::kWithin || term.op == PlanOp::kOutside) return restricted_row(term, graph, row);
  return row_of(term, row);
}

template <size_t kWords>
size_t Relations<kWords>::first_place(const Graph<kWords>& graph, ThreadId thread, uint32_t position,
                                      CellId cell) const {
  const std::vector<uint32_t>& own = graph.of_thread(thread);
  const std::vector<uint32_t>& order = graph.coherence(cell);
  size_t first = 0;
  for (const CoherenceRule& rule : plan_.coherence_rules()) {
    const auto last = std::find_if(own.rbegin(), own.rend(), [&](uint32_t e) {
      const GraphEvent<kWords>& event = graph.event(e);
      return event.position < position && event.kind != GraphEventKind::kChoice &&
             (!rule.of_one_cell || event.cell == cell);
    });
    if (last == own.rend()) continue;
    Set before = rows(rule.term)[*last];
    before.add(*last);
    for (size_t i = order.size(); i > first + 1; --i)
      if (before.has(order[i - 1]) || before.meets(graph.readers(order[i - 1]))) first = i - 1;
  }
  return first;
}

// ---- From scratch

template <size_t kWords>
bool Relations<kWords>::assign(const Graph<kWords>& graph) {
  assign_allowed(graph);
  return std::all_of(plan_.axioms().begin(), plan_.axioms().end(),
                     [&](const PlanConstraint& axiom) { return holds(axiom); });
}

template <size_t kWords>
void Relations<kWords>::assign_allowed(const Graph<kWords>& graph) {
  size_ = graph.size();
  adding_ = false;
  changes_.clear();
  first_change_.assign(size_, 0);
  unflagged_ = 0;
  universe_ = Set();
  for (size_t e = 0; e < size_; ++e) note_event(graph, e);
  for (uint32_t term = 0; term < plan_.first_flag_term(); ++term) {
    recompute(term, graph);
    if (plan_.terms()[term].component != kNoTerm) update_component(term, graph);
  }
}

// A term of a `let rec` begins empty.
template <size_t kWords>
void Relations<kWords>::recompute(uint32_t id, const Graph<kWords>& graph) {
  const PlanTerm& term = plan_.terms()[id];
  if (term.component != kNoTerm) {
    for (uint32_t other = id;
         other < plan_.terms().size() && plan_.terms()[other].component == term.component; ++other) {
      sets_[other] = Set();
      std::fill_n(rows(other), size_, Set());
    }
    return;
  }
  if (term.is_set) {
    sets_[id] = set_of(term, graph);
    return;
  }
  if (term.op == PlanOp::kTransitive) return close(id);
  if (term.op == PlanOp::kInverse) {
    std::fill_n(rows(id), size_, Set());
    for (size_t e = 0; e < size_; ++e) rows(term.a)[e].for_each([&](size_t x) { rows(id)[x].add(e); });
    return;
  }
  for (size_t row = 0; row < size_; ++row) rows(id)[row] = value_of_row(term, graph, row);
}

template <size_t kWords>
void Relations<kWords>::close(uint32_t id) {
  Set* own = rows(id);
  std::copy_n(rows(plan_.terms()[id].a), size_, own);
  // Most relations lead to higher numbers only.
  bool forwards = true;
  for (size_t row = 0; row < size_ && forwards; ++row) forwards = own[row].subset_of(Set::first(row));
  if (forwards) {
    const Set* edges = rows(plan_.terms()[id].a);
    for (size_t row = 0; row < size_; ++row) edges[row].for_each([&](size_t x) { own[row] |= own[x]; });
    return;
  }
  for (size_t middle = 0; middle < size_; ++middle)
    for (size_t row = 0; row < size_; ++row)
      if (own[row].has(middle)) own[row] |= own[middle];
}

// ---- Constraints

// No x with (row, x) in the second relation and (x, row) in the first.
template <size_t kWords>
bool Relations<kWords>::sequence_holds_at(const PlanConstraint& constraint, size_t row) const {
  bool violated = false;
  const Set* second = rows(constraint.second);
  rows(constraint.term)[row].for_each([&](size_t x) { violated = violated || second[x].has(row); });
  return !violated;
}

template <size_t kWords>
bool Relations<kWords>::sequence_holds_for_new(const PlanConstraint& constraint) const {
  const size_t e = size_ - 1;
  if (!sequence_holds_at(constraint, e)) return false;
  bool violated = false;
  gains_[constraint.term].rows.for_each(
      [&](size_t row) { violated = violated || !sequence_holds_at(constraint, row); });
  // What the second relation has gained: the row of the new event, and other rows.
  const Set* first = rows(constraint.term);
  const Set* second = rows(constraint.second);
  const auto check = [&](size_t row) {
    second[row].for_each([&](size_t x) { violated = violated || first[x].has(row); });
  };
  check(e);
  gains_[constraint.second].rows.for_each(check);
  return !violated;
}

template <size_t kWords>
bool Relations<kWords>::holds_for_new(const PlanConstraint& constraint) const {
  if (constraint.second != kNoTerm) return sequence_holds_for_new(constraint);
  const PlanTerm& term = plan_.terms()[constraint.term];
  const size_t e = size_ - 1;
  if (term.is_set) return sets_[constraint.term].empty();
  const Set* own = rows(constraint.term);
  bool violated = constraint.kind == ConstraintKind::kEmpty ? !own[e].empty() : own[e].has(e);
  gains_[constraint.term].rows.for_each([&](size_t row) {
    violated =
        violated || (constraint.kind == ConstraintKind::kEmpty ? !own[row].empty() : own[row].has(row));
  });
  return !violated;
}

template <size_t kWords>
bool Relations<kWords>::holds(const PlanConstraint& constraint) const {
  if (constraint.term == kNoTerm) return true;
  if (constraint.second != kNoTerm) {
    for (size_t row = 0; row < size_; ++row)
      if (!sequence_holds_at(constraint, row)) return false;
    return true;
  }
  if (plan_.terms()[constraint.term].is_set) return sets_[constraint.term].empty();
  const Set* own = rows(constraint.term);
  for (size_t row = 0; row < size_; ++row)
    if (constraint.kind == ConstraintKind::kEmpty ? !own[row].empty() : own[row].has(row)) return false;
  return true;
}

// Only pairs with a later event are looked at: an event x before it is in the row of y if (x, y) raises a flag.
template <size_t kWords>
bool Relations<kWords>::raise_flags_by_pairs(const Graph<kWords>& graph) {
  for (size_t row = unflagged_; row < size_; ++row) {
    for (auto term = static_cast<uint32_t>(plan_.first_flag_term()); term < plan_.terms().size(); ++term)
      rows(term)[row] = value_of_row(plan_.terms()[term], graph, row);
    for (const PlanConstraint& flag : plan_.flags())
      if (!rows(flag.term)[row].empty()) return true;
    unflagged_ = row + 1;
  }
  return false;
}

template <size_t kWords>
std::vector<size_t> Relations<kWords>::raised_flags(const Graph<kWords>& graph) {
  if (plan_.flags_are_about_pairs() && !raise_flags_by_pairs(graph)) return {};
  adding_ = false;
  for (auto term = static_cast<uint32_t>(plan_.first_flag_term()); term < plan_.terms().size(); ++term) {
    recompute(term, graph);
    if (plan_.terms()[term].component != kNoTerm) update_component(term, graph);
  }
  std::vector<size_t> raised;
  for (const PlanConstraint& flag : plan_.flags())
    if (holds(flag) != flag.negated) raised.push_back(flag.number);
  return raised;
}

template class Relations<1>;
template class Relations<2>;
template class Relations<4>;
template class Relations<8>;
template class Relations<16>;

}  // namespace fenceline::executions
