// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pending stores: how stores enter the buffers of abstract states, and when they are flushed.
#include <algorithm>

#include "engine/numeric/abstract_machine.h"
#include "env/errors.h"

namespace fenceline::numeric {
namespace {

// The part of the element in which a <= b, and the one in which a > b.
AbstractElement where_at_most(const NumericTerm& a, const NumericTerm& b, AbstractElement element) {
  const std::optional<Linear> gap = difference(linear_of(b), linear_of(a));
  if (gap) element.assume_not_negative(*gap);
  return element;
}
AbstractElement where_above(const NumericTerm& a, const NumericTerm& b, AbstractElement element) {
  const std::optional<Linear> gap = difference(linear_of(a), linear_of(b));
  const std::optional<Linear> strictly = gap ? sum(*gap, Linear::of(-1)) : std::nullopt;
  if (strictly) element.assume_not_negative(*strictly);
  return element;
}

struct TailCase {
  NumericTail tail;
  AbstractElement element;
};

// Now the value is between the bounds, too: min(low, value) and max(high, value), by cases, so that no
// precision is lost.
void include(const NumericTerm& value, std::vector<TailCase>& cases) {
  std::vector<TailCase> before = std::move(cases);
  cases.clear();
  const auto add = [&](AbstractElement&& element, NumericTail tail) {
    if (!element.empty()) cases.push_back({tail, std::move(element)});
  };
  for (const TailCase& old : before) {
    const NumericTail& tail = old.tail;
    add(where_above(tail.low, value, old.element), {tail.cell, tail.newest, value, tail.high});
    const AbstractElement at_least_low = where_at_most(tail.low, value, old.element);
    add(where_above(value, tail.high, at_least_low), {tail.cell, tail.newest, tail.low, value});
    add(where_at_most(value, tail.high, at_least_low), tail);
  }
}

// The summarised tail with a further store.
std::vector<TailCase> appended(const NumericTail& tail, const NumericTerm& value,
                               const AbstractElement& element) {
  std::vector<TailCase> cases;
  if (!tail.monotone) {
    cases.push_back({tail, element});
  } else if (AbstractElement broken = where_above(tail.high, tail.newest, element); !broken.empty()) {
    cases.push_back({{tail.cell, tail.newest, tail.low, tail.high}, std::move(broken)});
    include(tail.newest, cases);
  }
  include(value, cases);
  for (TailCase& one : cases) one.tail.newest = value;
  if (!tail.monotone) return cases;
  if (AbstractElement monotone = where_at_most(tail.high, tail.newest, element); !monotone.empty())
    cases.push_back({{tail.cell, value, tail.low, tail.newest, true}, std::move(monotone)});
  return cases;
}

bool same_terms(const AbstractState& a, const AbstractState& b) {
  return a.memory == b.memory && a.buffers == b.buffers;
}

}  // namespace

// May the thread write the cell in memory directly?
bool AbstractMachine::may_write(const NumericBuffer& buffer, CellId cell) const {
  if (plan_.buffering() == Buffering::kPerThread) return buffer.entries.empty() && buffer.tail.empty();
  for (const NumericEntry& entry : buffer.entries)
    if (entry.cell == cell || entry.epoch < buffer.epoch) return false;
  return std::none_of(buffer.tail.begin(), buffer.tail.end(), [&](const auto& r) { return r.cell == cell; });
}

// The normal form: on PSO, entries of one epoch by cell; epochs without gaps, from 0; the tail by cell.
void AbstractMachine::tidy(NumericBuffer& buffer) const {
  if (plan_.buffering() == Buffering::kPerCell)
    std::stable_sort(buffer.entries.begin(), buffer.entries.end(),
                     [](const NumericEntry& a, const NumericEntry& b) {
                       return std::pair(a.epoch, a.cell) < std::pair(b.epoch, b.cell);
                     });
  std::sort(buffer.tail.begin(), buffer.tail.end(),
            [](const NumericTail& a, const NumericTail& b) { return a.cell < b.cell; });
  if (buffer.entries.empty()) {
    buffer.epoch = 0;
    return;
  }
  const bool barrier_behind = buffer.epoch > buffer.entries.back().epoch;
  uint32_t before = buffer.entries.front().epoch, now = 0;
  for (NumericEntry& entry : buffer.entries) {
    if (entry.epoch != before) ++now;
    before = entry.epoch;
    entry.epoch = now;
  }
  buffer.epoch = now + (barrier_behind ? 1 : 0);
}

void AbstractMachine::append(const AbstractState& state, ThreadId thread, CellId cell,
                             const NumericTerm& value, States& out) const {
  const NumericBuffer& before = state.buffers[thread.index()];
  const bool per_cell = plan_.buffering() == Buffering::kPerCell;
  const auto in_tail = std::find_if(before.tail.begin(), before.tail.end(),
                                    [&](const NumericTail& tail) { return tail.cell == cell; });
  const auto pending = std::count_if(before.entries.begin(), before.entries.end(),
                                     [&](const NumericEntry& e) { return !per_cell || e.cell == cell; });
  const bool behind_tail = per_cell ? in_tail != before.tail.end() : !before.tail.empty();
  AbstractState next = state;
  NumericBuffer& buffer = next.buffers[thread.index()];
  if (!behind_tail && static_cast<unsigned>(pending) < slots_) {
    buffer.entries.push_back({cell, value, buffer.epoch, false});
    tidy(buffer);
    out.push_back(std::move(next));
    return;
  }
  next.exact = false;
  if (in_tail == before.tail.end()) {
    buffer.tail.push_back({cell, value, value, value, !plan_.explicit_cell(cell)});
    tidy(buffer);
    out.push_back(std::move(next));
    return;
  }
  const auto index = static_cast<size_t>(in_tail - before.tail.begin());
  for (TailCase& one : appended(*in_tail, value, next.element)) {
    AbstractState after = next;
    after.element = std::move(one.element);
    after.buffers[thread.index()].tail[index] = one.tail;
    out.push_back(std::move(after));
  }
}

// The alternatives for flushing one store of the thread now. The abstract element does not change.
std::vector<AbstractMachine::Flushed> AbstractMachine::flushes(const AbstractState& state, ThreadId thread,
                                                               const SomeOfTail& some) const {
  std::vector<Flushed> result;
  const NumericBuffer& buffer = state.buffers[thread.index()];
  const bool per_cell = plan_.buffering() == Buffering::kPerCell;
  std::vector<CellId> seen;
  for (size_t i = 0; i < buffer.entries.size(); ++i) {
    const NumericEntry& entry = buffer.entries[i];
    if (!per_cell && i > 0) break;
    if (entry.epoch > buffer.entries.front().epoch) break;
    if (std::find(seen.begin(), seen.end(), entry.cell) != seen.end()) continue;
    seen.push_back(entry.cell);
    Flushed flushed{state, entry.cell};
    flushed.state.memory[entry.cell.index()] = entry.value;
    NumericBuffer& after = flushed.state.buffers[thread.index()];
    after.entries.erase(after.entries.begin() + static_cast<std::ptrdiff_t>(i));
    tidy(after);
    result.push_back(std::move(flushed));
  }
  if (!per_cell && !buffer.entries.empty()) return result;
  for (size_t i = 0; i < buffer.tail.size(); ++i) {
    const NumericTail& tail = buffer.tail[i];
    const auto is_before = [&](const NumericEntry& entry) { return entry.cell == tail.cell; };
    const auto one_of_them = some.find({thread, tail.cell});
    if (one_of_them == some.end() || std::any_of(buffer.entries.begin(), buffer.entries.end(), is_before))
      continue;
    Flushed last{state, tail.cell};
    last.state.memory[tail.cell.index()] = tail.newest;
    NumericBuffer& after = last.state.buffers[thread.index()];
    after.tail.erase(after.tail.begin() + static_cast<std::ptrdiff_t>(i));
    result.push_back(std::move(last));
    Flushed not_last{state, tail.cell};
    not_last.state.memory[tail.cell.index()] = one_of_them->second;
    if (tail.monotone) not_last.state.buffers[thread.index()].tail[i].low = one_of_them->second;
    result.push_back(std::move(not_last));
  }
  return result;
}

// The cells whose stores have to be flushed so that those to `cells` can be, these included.
std::vector<bool> AbstractMachine::moved_with(const AbstractState& state, std::vector<bool> cells) const {
  const bool one_buffer = plan_.buffering() == Buffering::kPerThread;
  for (bool grown = true; grown;) {
    grown = false;
    const auto add = [&](CellId cell) {
      if (!cells[cell.index()]) cells[cell.index()] = grown = true;
    };
    for (const NumericBuffer& buffer : state.buffers) {
      const auto moves = [&](const NumericTail& tail) { return cells[tail.cell.index()]; };
      const bool behind_all = one_buffer && std::any_of(buffer.tail.begin(), buffer.tail.end(), moves);
      for (size_t i = 0; i < buffer.entries.size(); ++i) {
        bool flushed_first = behind_all;
        for (size_t j = i + 1; j < buffer.entries.size(); ++j)
          if (cells[buffer.entries[j].cell.index()])
            flushed_first = flushed_first || one_buffer || buffer.entries[i].epoch < buffer.entries[j].epoch;
        if (flushed_first) add(buffer.entries[i].cell);
      }
    }
  }
  return cells;
}

// All results of flushing such stores, in any order, the state itself first; but only those that end with a
// flush of one of `cells`: later flushes can happen later. A store of the summarised tail that is flushed
// before others of its cell only matters as the last to write the cell; so whenever it is needed, it may be
// the same unknown store.
std::vector<AbstractState> AbstractMachine::with_flushes(const AbstractState& state,
                                                         const std::vector<bool>& cells) const {
  if (plan_.buffering() == Buffering::kUnbuffered) return {state};
  const std::vector<bool> moving = moved_with(state, cells);
  AbstractState begin = state;
  SomeOfTail some;
  for (size_t t = 0; t < plan_.threads(); ++t)
    for (const NumericTail& tail : state.buffers[t].tail) {
      if (!moving[tail.cell.index()]) continue;
      NumericTerm any = tail.low;
      if (tail.low != tail.high) {
        any = NumericTerm{begin.element.add()};
        begin.element = where_at_most(tail.low, any, std::move(begin.element));
        begin.element = where_at_most(any, tail.high, std::move(begin.element));
      }
      some.emplace(std::pair(ThreadId(t), tail.cell), any);
    }
  if (begin.element.empty()) return {};
  States all = {begin}, seen = {begin};
  for (size_t next = 0; next < seen.size(); ++next)
    for (size_t t = 0; t < plan_.threads(); ++t)
      for (Flushed& flushed : flushes(seen[next], ThreadId(t), some)) {
        if (!moving[flushed.cell.index()]) continue;
        const auto same = [&](const AbstractState& old) { return same_terms(old, flushed.state); };
        if (std::any_of(seen.begin(), seen.end(), same)) continue;
        if (cells[flushed.cell.index()]) all.push_back(flushed.state);
        seen.push_back(std::move(flushed.state));
      }
  return all;
}

}  // namespace fenceline::numeric
