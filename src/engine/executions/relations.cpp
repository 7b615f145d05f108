// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/relations.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::executions {

template <size_t kWords>
Relations<kWords>::Relations(const ModelPlan& plan)
    : plan_(plan),
      values_(plan),
      gains_(plan, values_),
      constraints_(plan, values_, gains_),
      flags_(plan, values_),
      recursive_(plan, values_, gains_, 0, plan.first_flag_term()),
      recursive_of_flags_(plan, values_, gains_, plan.first_flag_term(), plan.terms().size()) {
  for (const PlanConstraint& axiom : plan.axioms()) {
    if (axiom.term == kNoTerm) continue;
    axioms_.push_back({&axiom, axiom.second == kNoTerm ? axiom.term : std::max(axiom.term, axiom.second)});
  }
  std::stable_sort(axioms_.begin(), axioms_.end(),
                   [](const Axiom& a, const Axiom& b) { return a.last < b.last; });
}

// ---- Adding an event

template <size_t kWords>
bool Relations<kWords>::add(const Graph<kWords>& graph) {
  require(graph.size() == values_.size() + 1, "events are added one by one");
  values_.event_added(graph);
  const size_t e = last_event();
  const ActiveTerms& active = active_terms(EventShape::of(graph.event(e)));
  for (const uint32_t term : active.members) values_.members(term).add(e);
  for (const uint32_t term : active.empty) rows(term)[e] = Set();
  gains_.begin_event(active);

  auto axiom = axioms_.begin();
  for (uint32_t id = 0; id < plan_.first_flag_term(); ++id) {
    if (!gains_.is_evaluated(id)) continue;
    if (recursive_.contains(id)) {
      recursive_.update(graph);
      id = recursive_.last();
    } else {
      update(id, graph);
    }
    for (; axiom != axioms_.end() && axiom->last <= id; ++axiom)
      if (!constraints_.still_holds(*axiom->constraint)) return false;
  }
  return std::all_of(axiom, axioms_.end(),
                     [&](const Axiom& last) { return constraints_.still_holds(*last.constraint); });
}

template <size_t kWords>
const ActiveTerms& Relations<kWords>::active_terms(const EventShape& shape) {
  for (const ActiveTerms& known : active_)
    if (known.shape == shape) return known;
  return active_.emplace_back(plan_, shape);
}

template <size_t kWords>
void Relations<kWords>::remove_last() {
  values_.event_removed();
  flags_.set_unflagged(std::min(flags_.unflagged(), values_.size()));
  gains_.undo_event();
}

template <size_t kWords>
void Relations<kWords>::update(uint32_t id, const Graph<kWords>& graph) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = last_event();
  if (term.is_set) return gains_.set_members(id, values_.set_of(term, graph));
  const auto renew = [&](const Set& changed) {
    values_.with_definition(term, graph, [&](const auto& definition) {
      rows(id)[e] = definition(e);
      changed.for_each([&](size_t row) { gains_.set_row(id, row, definition(row)); });
    });
  };
  switch (term.op) {
    case PlanOp::kBase:
      return update_base(id, graph);
    case PlanOp::kUnion:
    case PlanOp::kIntersect:
    case PlanOp::kMinus:
      return renew(gains_.of(term.a).rows | gains_.of(term.b).rows);
    case PlanOp::kReflexive:
    case PlanOp::kWithin:
    case PlanOp::kOutside:  // whether an old pair is in the base relation never changes
      return renew(gains_.of(term.a).rows);
    case PlanOp::kFrom:
      return renew(gains_.of(term.a).members.empty() ? gains_.of(term.b).rows : Set::first(e));
    case PlanOp::kTo:
      return renew(gains_.of(term.a).rows | gains_.of(term.b).members);
    case PlanOp::kIdentity:
      return renew(gains_.of(term.a).members);
    case PlanOp::kComplement:
      return renew(Set::first(e));
    case PlanOp::kProduct: {
      const bool first_grew = values_.members(term.a).has(e) || !gains_.of(term.a).members.empty();
      return renew((first_grew ? values_.members(term.b) : gains_.of(term.b).members).minus(Set::single(e)));
    }
    case PlanOp::kInverse:
      return renew(gains_.of(term.a).older.empty() ? rows(term.a)[e].minus(Set::single(e)) : Set::first(e));
    case PlanOp::kSequence:
      return update_sequence(id);
    case PlanOp::kMeet:
      return update_meet(id, graph);
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
void Relations<kWords>::update_base(uint32_t id, const Graph<kWords>& graph) {
  const size_t e = last_event();
  const Base base = plan_.terms()[id].base;
  rows(id)[e] = values_.base_row(base, graph, e);
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
  behind.for_each([&](size_t row) { gains_.set_row(id, row, rows(id)[row] | Set::single(e)); });
}

// Old rows first: the new one may build on them.
template <size_t kWords>
void Relations<kWords>::update_sequence(uint32_t id) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = last_event();
  const Set* first = rows(term.a);
  const Set* second = rows(term.b);
  const auto& gain = gains_.of(term.b);
  if (const Set& middle = gains_.of(term.a).rows; !middle.empty()) {
    for (size_t row = 0; row < e; ++row) {
      if (!second[row].meets(middle)) continue;
      Set value = rows(id)[row];
      (second[row] & middle).for_each([&](size_t x) { value |= first[x]; });
      gains_.set_row(id, row, value);
    }
  }
  gain.rows.for_each([&](size_t row) {
    Set value = rows(id)[row];
    if (gain.older.has(row))
      second[row].for_each([&](size_t x) { value |= first[x]; });
    else
      value |= first[e];
    gains_.set_row(id, row, value);
  });
  rows(id)[e] = values_.sequence_row(id, e);
}

template <size_t kWords>
void Relations<kWords>::update_meet(uint32_t id, const Graph<kWords>& graph) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = last_event();
  const Set& middle = gains_.of(term.b).rows;
  const Set changed = gains_.of(term.a).rows | gains_.of(term.c).rows;
  values_.with_definition(term, graph, [&](const auto& definition) {
    rows(id)[e] = definition(e);
    if (middle.empty() && changed.empty()) return;
    for (size_t row = 0; row < e; ++row)
      if (!rows(term.a)[row].empty() && (changed.has(row) || rows(term.c)[row].meets(middle)))
        gains_.set_row(id, row, definition(row));
  });
}

// Edges to the new event, then those from it, then those between old events, each with what they connect.
template <size_t kWords>
void Relations<kWords>::update_transitive(uint32_t id) {
  const PlanTerm& term = plan_.terms()[id];
  const size_t e = last_event();
  Set* own = rows(id);
  const Set* edges = rows(term.a);
  own[e] = Set();
  const auto before = [&](size_t row) {
    Set result = edges[row];
    for_each_last(edges[row], own, [&](size_t x) { result |= own[x]; });
    return result;
  };
  own[e] = before(e);
  const auto& gain = gains_.of(term.a);
  if (gain.rows.empty()) return;
  const auto insert = [&](const Set& ends, const Set& prefix) {
    for (size_t row = 0; row <= e; ++row) {
      if (!ends.has(row) && !own[row].meets(ends)) continue;
      if (row == e)
        own[e] |= prefix;
      else
        gains_.set_row(id, row, own[row] | prefix);
    }
  };
  Set from;
  gain.rows.for_each([&](size_t row) {
    if (edges[row].has(e)) from.add(row);
  });
  if (!from.empty()) insert(from, own[e] | Set::single(e));
  gain.older.for_each([&](size_t row) { insert(Set::single(row), before(row)); });
}

// ---- What coherence forbids

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
                     [&](const PlanConstraint& axiom) { return constraints_.holds(axiom); });
}

template <size_t kWords>
void Relations<kWords>::assign_allowed(const Graph<kWords>& graph) {
  values_.begin(graph);
  gains_.forget_events();
  flags_.set_unflagged(0);
  recompute(0, plan_.first_flag_term(), recursive_, graph);
}

template <size_t kWords>
void Relations<kWords>::recompute(size_t begin, size_t end, RecursiveTerms<kWords>& recursive,
                                  const Graph<kWords>& graph) {
  for (auto term = static_cast<uint32_t>(begin); term < end; ++term) {
    if (!recursive.contains(term)) {
      values_.recompute(term, graph);
      continue;
    }
    recursive.recompute(graph);
    term = recursive.last();
  }
}

template <size_t kWords>
std::vector<size_t> Relations<kWords>::raised_flags(const Graph<kWords>& graph) {
  if (plan_.flags_are_about_pairs() && !flags_.finds_pair(graph)) return {};
  gains_.stop_noting();
  recompute(plan_.first_flag_term(), plan_.terms().size(), recursive_of_flags_, graph);
  std::vector<size_t> raised;
  for (const PlanConstraint& flag : plan_.flags())
    if (constraints_.holds(flag) != flag.negated) raised.push_back(flag.number);
  return raised;
}

template class Relations<1>;
template class Relations<2>;
template class Relations<4>;
template class Relations<8>;
template class Relations<16>;

}  // namespace fenceline::executions
