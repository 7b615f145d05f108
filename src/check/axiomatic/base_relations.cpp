// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/axiomatic/base_relations.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"

namespace fenceline::check {
namespace {

using Item = EventStructure::Item;

bool is_read(const Item& e) { return e.kind == EventKind::kRead; }
bool is_write(const Item& e) { return e.kind == EventKind::kWrite; }
bool is_fence(const Item& e) { return e.kind == EventKind::kFence; }
bool of_rmw(const Item& e) { return !e.initial() && e.event->of_rmw(); }
bool in_section(const Item& e) { return !e.initial() && e.event->section != 0 && !e.event->of_wide_access; }
// Parts of one access of several cells. Of two events of one thread.
bool same_access(const Item& a, const Item& b) {
  return a.event->of_wide_access && a.event->section == b.event->section;
}
// Of two events of one thread.
bool same_instruction(const Item& a, const Item& b) { return a.event->position == b.event->position; }
FenceKinds fence_kinds(const Item& e) { return is_fence(e) ? e.event->instruction->fence : FenceKinds(); }

bool is_in_set(std::string_view name, const Item& e) {
  if (name == "_") return true;
  if (name == "R") return is_read(e);
  if (name == "W") return is_write(e);
  if (name == "M") return is_read(e) || is_write(e);
  if (name == "F") return is_fence(e);
  if (name == "IW") return e.initial();
  if (name == "RMW") return of_rmw(e);
  if (name == "ATOMIC") return of_rmw(e) || in_section(e);
  if (name == "SECTION") return in_section(e);
  if (name == "SL") return fence_kinds(e).has_store_load();
  if (name == "SS") return fence_kinds(e).has_store_store();
  if (name == "LL") return fence_kinds(e).has_load_load();
  if (name == "LS") return fence_kinds(e).has_load_store();
  if (e.initial()) return false;
  const std::vector<std::string>& tags = e.event->tags();
  return std::find(tags.begin(), tags.end(), name) != tags.end();
}

}  // namespace

void EventStructure::begin(std::span<const CellId> cells) {
  items_.clear();
  first_.clear();
  for (const CellId cell : cells) items_.push_back({EventKind::kWrite, ThreadId(), cell, nullptr});
}

void EventStructure::begin(size_t cells) {
  std::vector<CellId> all;
  for (size_t c = 0; c < cells; ++c) all.emplace_back(c);
  begin(all);
}

void EventStructure::add_thread(std::span<const ThreadEvent> events) {
  const ThreadId thread(first_.size());
  first_.push_back(items_.size());
  for (const ThreadEvent& event : events) {
    if (event.kind == EventKind::kFence && event.instruction->fence.has_process_wide())
      throw Unsupported(
          "sync, which waits for the stores of all threads, has no meaning in axiomatic models");
    items_.push_back({event.kind, thread, event.cell, &event});
  }
}

void EventStructure::fill(std::string_view name, EventSet& out) const {
  require(base_sort(name) != BaseSort::kRelation && name != "FW", "a base set that is none");
  for (size_t e = 0; e < size(); ++e)
    if (is_in_set(name, items_[e])) out.add(e);
}

// Most events of a C program are initial writes and those of other threads: pairs of one thread are few.
template <class Related>
void EventStructure::relate_in_threads(const Related& related, Relation& out) const {
  for (size_t thread = 0; thread < first_.size(); ++thread) {
    const size_t end = thread + 1 < first_.size() ? first_[thread + 1] : size();
    for (size_t a = first_[thread]; a < end; ++a)
      for (size_t b = first_[thread]; b < end; ++b)
        if (related(items_[a], items_[b])) out.add(a, b);
  }
}

void EventStructure::relate_by_cell(Relation& out) const {
  std::vector<std::vector<size_t>> of_cell;
  for (size_t e = 0; e < size(); ++e) {
    if (!items_[e].cell.valid()) continue;
    const size_t cell = items_[e].cell.index();
    if (of_cell.size() <= cell) of_cell.resize(cell + 1);
    of_cell[cell].push_back(e);
  }
  for (const std::vector<size_t>& events : of_cell)
    for (const size_t a : events)
      for (const size_t b : events) out.add(a, b);
}

void EventStructure::fill_dependencies(BitSet ThreadEvent::*member, Relation& out) const {
  for (size_t e = 0; e < size(); ++e)
    if (const Item& item = items_[e]; !item.initial())
      (item.event->*member).for_each([&](size_t read) { out.add(first_of(item.thread) + read, e); });
}

void EventStructure::fill(std::string_view name, Relation& out) const {
  if (name == "po") {
    relate_in_threads([](const Item& a, const Item& b) { return a.event->position < b.event->position; },
                      out);
  } else if (name == "addr") {
    fill_dependencies(&ThreadEvent::addr, out);
  } else if (name == "data") {
    fill_dependencies(&ThreadEvent::data, out);
  } else if (name == "ctrl") {
    fill_dependencies(&ThreadEvent::ctrl, out);
  } else if (name == "rmw") {
    relate_in_threads(
        [](const Item& a, const Item& b) {
          return (same_instruction(a, b) || same_access(a, b)) && is_read(a) && is_write(b);
        },
        out);
  } else if (name == "loc") {
    relate_by_cell(out);
  } else if (name == "int" || name == "ext") {
    relate_in_threads([](const Item&, const Item&) { return true; }, out);
    if (name == "ext") out.set_complement(Relation(out));
  } else if (name == "id") {
    for (size_t e = 0; e < size(); ++e) out.add(e, e);
  } else if (name == "atomic") {
    relate_in_threads(
        [](const Item& a, const Item& b) {
          if (&a == &b) return false;
          return same_instruction(a, b) || same_access(a, b) ||
                 (in_section(a) && a.event->section == b.event->section);
        },
        out);
  } else if (name == "operation") {
    relate_in_threads(
        [this](const Item& a, const Item& b) {
          const uint32_t call = a.event->instruction->operation;
          return &a != &b && (!calls_ || (call != 0 && call == b.event->instruction->operation));
        },
        out);
  } else {
    // `observed` is for the look at memory in the middle of an execution, which this one does not have; `waited`
    // is for `sync`, which is rejected above.
    require(name == "observed" || name == "waited", "a base relation that is none");
  }
}

void EventStructure::fill_static(CatEvaluator& evaluator) const {
  evaluator.begin(size());
  for (const CatEvaluator::BaseTerm& base : evaluator.static_bases()) {
    if (base.is_set)
      fill(base.name, evaluator.set(base.term));
    else
      fill(base.name, evaluator.relation(base.term));
  }
  evaluator.evaluate_static();
}

DynamicRelations::DynamicRelations(size_t events, std::span<const EventId> reads_from,
                                   std::span<const std::vector<EventId>> coherence)
    : rf(events), co(events), fr(events), last_writes(events) {
  for (const std::vector<EventId>& order : coherence) {
    for (size_t later = 0; later < order.size(); ++later)
      for (size_t earlier = 0; earlier < later; ++earlier)
        co.add(order[earlier].index(), order[later].index());
    if (!order.empty()) last_writes.add(order.back().index());
  }
  for (size_t read = 0; read < reads_from.size(); ++read)
    if (reads_from[read].valid()) rf.add(reads_from[read].index(), read);
  Relation rf_inverse(events);
  rf_inverse.set_inverse(rf);
  fr.set_sequence(rf_inverse, co);
}

void DynamicRelations::fill(CatEvaluator& evaluator) const {
  for (const CatEvaluator::BaseTerm& base : evaluator.dynamic_bases()) {
    if (base.name == "FW")
      evaluator.set(base.term) = last_writes;
    else
      evaluator.relation(base.term) = base.name == "rf" ? rf : base.name == "co" ? co : fr;
  }
}

}  // namespace fenceline::check
