// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sets and relations that the terms of a model are on a graph, by their definitions. A relation is one row per event:
// the events that are before it.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/executions/bits.h"
#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/term_facts.h"
#include "env/errors.h"

namespace fenceline::executions {

// Those of the events that are not before another one of them in the relation, which is transitive; and perhaps a few more.
template <size_t kWords, class Visit>
void for_each_last(Bits<kWords> events, const Bits<kWords>* relation, const Visit& visit) {
  while (!events.empty()) {
    const size_t x = events.highest();
    visit(x);
    events.remove(x);
    events = events.minus(relation[x]);
  }
}

template <size_t kWords>
class TermValues {
 public:
  using Set = Bits<kWords>;

  // Keeps a reference: the plan must outlive this.
  explicit TermValues(const ModelPlan& plan)
      : plan_(plan), rows_(plan.terms().size() * kStride), sets_(plan.terms().size()) {
    find_closed_terms();
  }

  Set* rows(uint32_t term) { return rows_.data() + static_cast<size_t>(term) * kStride; }
  const Set* rows(uint32_t term) const { return rows_.data() + static_cast<size_t>(term) * kStride; }
  Set& members(uint32_t term) { return sets_[term]; }
  const Set& members(uint32_t term) const { return sets_[term]; }
  size_t size() const { return size_; }  // events
  // A term t such that r; t is part of r, the given term. kNoTerm: none is known.
  uint32_t closed_under(uint32_t term) const { return closed_under_[term]; }

  // The graph has one event more, its last one; one event less; or is another one. Values of terms stay as they are.
  void event_added(const Graph<kWords>& graph) { note_event(graph, size_++); }
  void event_removed() { universe_.remove(--size_); }
  void begin(const Graph<kWords>& graph) {
    size_ = graph.size();
    universe_ = Set();
    for (size_t e = 0; e < size_; ++e) note_event(graph, e);
  }

  // A term from its operands. Precondition: it is not one of a `let rec`.
  void recompute(uint32_t term, const Graph<kWords>& graph);

  // The row of a term from the rows of its operands.
  Set row_of(uint32_t term, const Graph<kWords>& graph, size_t row) const {
    return with_definition(plan_.terms()[term], graph,
                           [&](const auto& definition) { return definition(row); });
  }
  // For rows one by one, whatever the operator: calls `use` with a function from a row's number to the row.
  template <class Use>
  auto with_definition(const PlanTerm& term, const Graph<kWords>& graph, const Use& use) const;
  // The row of a; b. Precondition: lower rows are known.
  Set sequence_row(uint32_t term, size_t row) const;
  Set base_row(Base base, const Graph<kWords>& graph, size_t row) const;
  Set set_of(const PlanTerm& term, const Graph<kWords>& graph) const;

 private:
  // Rows of a term lie side by side. A cache line more than they need, so that the rows of one event in all terms, which
  // are written one after the other, do not compete for the same places of the cache.
  static constexpr size_t kStride = Set::kCapacity + (64 + sizeof(Set) - 1) / sizeof(Set);

  void note_event(const Graph<kWords>& graph, size_t e) {
    if (graph.event(e).kind == GraphEventKind::kChoice)
      universe_.remove(e);
    else
      universe_.add(e);
  }
  Set program_order_row(const Graph<kWords>& graph, size_t row) const;
  void close(uint32_t term);
  void find_closed_terms();

  const ModelPlan& plan_;
  std::vector<Set> rows_;               // by term and event
  std::vector<Set> sets_;               // by term
  std::vector<uint32_t> closed_under_;  // by term
  size_t size_ = 0;
  Set universe_;  // the events that the model looks at: no choices
};

template <size_t kWords>
template <class Use>
auto TermValues<kWords>::with_definition(const PlanTerm& term, const Graph<kWords>& graph,
                                         const Use& use) const {
  const Set* a = term.a == kNoTerm ? nullptr : rows(term.a);
  const Set* b = term.b == kNoTerm ? nullptr : rows(term.b);
  switch (term.op) {
    case PlanOp::kBase:
      return use([&](size_t row) { return base_row(term.base, graph, row); });
    case PlanOp::kUnion:
      return use([&](size_t row) { return a[row] | b[row]; });
    case PlanOp::kIntersect:
      return use([&](size_t row) { return a[row] & b[row]; });
    case PlanOp::kMinus:
      return use([&](size_t row) { return a[row].minus(b[row]); });
    case PlanOp::kComplement:
      return use([&](size_t row) { return universe_.has(row) ? universe_.minus(a[row]) : Set(); });
    case PlanOp::kReflexive:
      return use([&](size_t row) { return universe_.has(row) ? a[row] | Set::single(row) : Set(); });
    case PlanOp::kFrom:
      return use([&](size_t row) { return b[row] & members(term.a); });
    case PlanOp::kTo:
      return use([&](size_t row) { return members(term.b).has(row) ? a[row] : Set(); });
    case PlanOp::kIdentity:
      return use([&](size_t row) { return members(term.a).has(row) ? Set::single(row) : Set(); });
    case PlanOp::kProduct:
      return use([&](size_t row) { return members(term.b).has(row) ? members(term.a) : Set(); });
    case PlanOp::kWithin:
      return use(
          [&](size_t row) { return a[row].empty() ? Set() : a[row] & base_row(term.base, graph, row); });
    case PlanOp::kOutside:
      return use(
          [&](size_t row) { return a[row].empty() ? Set() : a[row].minus(base_row(term.base, graph, row)); });
    case PlanOp::kSequence:
      return use([&](size_t row) {
        Set result;
        b[row].for_each([&](size_t middle) { result |= a[middle]; });
        return result;
      });
    case PlanOp::kMeet:
      return use([&](size_t row) {
        Set result;
        if (a[row].empty()) return result;
        rows(term.c)[row].for_each([&](size_t middle) { result |= b[middle]; });
        return result & a[row];
      });
    case PlanOp::kInverse:
      return use([&](size_t row) {
        Set result;
        for (size_t e = 0; e < size_; ++e)
          if (a[e].has(row)) result.add(e);
        return result;
      });
    case PlanOp::kVariable:
      return use([&](size_t row) { return a == nullptr ? Set() : a[row]; });
    case PlanOp::kSet:
    case PlanOp::kTransitive:
    case PlanOp::kDomain:
    case PlanOp::kRange:
      break;
  }
  throw Bug("a term whose rows are not computed one by one");
}

// If b is transitive, what leads to the event by way of some x also leads to what x is before; so only the last events
// before it matter. If a; t is part of a, what a leads to x, it also leads to what x is before in t: so among those that b
// leads to the event, only the last ones in t matter.
template <size_t kWords>
Bits<kWords> TermValues<kWords>::sequence_row(uint32_t id, size_t row) const {
  const PlanTerm& term = plan_.terms()[id];
  const Set* second = rows(term.b);
  const Set* first = rows(term.a);
  Set result;
  if (plan_.terms()[term.b].op == PlanOp::kTransitive && second[row].subset_of(Set::first(row))) {
    const Set* own = rows(id);
    for_each_last(second[row], second, [&](size_t x) { result |= own[x] | first[x]; });
  } else if (const uint32_t order = closed_under_[term.a]; order != kNoTerm) {
    for_each_last(second[row], rows(order), [&](size_t x) { result |= first[x]; });
  } else {
    second[row].for_each([&](size_t x) { result |= first[x]; });
  }
  return result;
}

template <size_t kWords>
void TermValues<kWords>::find_closed_terms() {
  closed_under_.assign(plan_.terms().size(), kNoTerm);
  for (uint32_t id = 0; id < plan_.terms().size(); ++id) {
    const PlanTerm& term = plan_.terms()[id];
    if (term.op == PlanOp::kVariable && !term.is_set && term.a != kNoTerm)
      for (const PlanTerm& leaf : TermFacts(plan_.terms()).leaves_of_union(term.a))
        if (leaf.op == PlanOp::kSequence && leaf.a == id) closed_under_[id] = leaf.b;
    if (term.component != kNoTerm) continue;
    if (term.op == PlanOp::kTransitive) closed_under_[id] = id;
    if (term.op == PlanOp::kReflexive && plan_.terms()[term.a].op == PlanOp::kTransitive)
      closed_under_[id] = term.a;
    if (term.op == PlanOp::kFrom || term.op == PlanOp::kSequence) closed_under_[id] = closed_under_[term.b];
    if (term.op == PlanOp::kUnion && closed_under_[term.a] == closed_under_[term.b])
      closed_under_[id] = closed_under_[term.a];
  }
}

template <size_t kWords>
Bits<kWords> TermValues<kWords>::set_of(const PlanTerm& term, const Graph<kWords>& graph) const {
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
Bits<kWords> TermValues<kWords>::program_order_row(const Graph<kWords>& graph, size_t row) const {
  const GraphEvent<kWords>& event = graph.event(row);
  const std::vector<uint32_t>& own = graph.of_thread(event.thread);
  Set result = graph.of_thread_set(event.thread);
  for (size_t i = own.size(); i-- > 0 && graph.event(own[i]).position >= event.position;)
    result.remove(own[i]);
  return result;
}

template <size_t kWords>
Bits<kWords> TermValues<kWords>::base_row(Base base, const Graph<kWords>& graph, size_t row) const {
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
      return program_order_row(graph, row);
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
void TermValues<kWords>::recompute(uint32_t id, const Graph<kWords>& graph) {
  const PlanTerm& term = plan_.terms()[id];
  Set* own = rows(id);
  if (term.is_set) {
    sets_[id] = set_of(term, graph);
    return;
  }
  if (term.op == PlanOp::kTransitive) return close(id);
  if (term.op == PlanOp::kInverse) {
    std::fill_n(own, size_, Set());
    for (size_t e = 0; e < size_; ++e) rows(term.a)[e].for_each([&](size_t x) { own[x].add(e); });
    return;
  }
  if (term.op == PlanOp::kSequence) {
    for (size_t row = 0; row < size_; ++row) own[row] = sequence_row(id, row);
    return;
  }
  with_definition(term, graph, [&](const auto& definition) {
    for (size_t row = 0; row < size_; ++row) own[row] = definition(row);
  });
}

template <size_t kWords>
void TermValues<kWords>::close(uint32_t id) {
  Set* own = rows(id);
  const Set* edges = rows(plan_.terms()[id].a);
  std::copy_n(edges, size_, own);
  // Most relations lead to higher numbers only.
  bool forwards = true;
  for (size_t row = 0; row < size_ && forwards; ++row) forwards = own[row].subset_of(Set::first(row));
  if (forwards) {
    for (size_t row = 0; row < size_; ++row)
      for_each_last(edges[row], own, [&](size_t x) { own[row] |= own[x]; });
    return;
  }
  for (size_t middle = 0; middle < size_; ++middle)
    for (size_t row = 0; row < size_; ++row)
      if (own[row].has(middle)) own[row] |= own[middle];
}

}  // namespace fenceline::executions
