// SPDX-License-Identifier: GPL-3.0-or-later
//
// What waits: how stores enter the buffers of abstract states, and when they leave.
#include <algorithm>

#include "engine/numeric/abstract_machine.h"
#include "env/errors.h"

namespace fenceline {
namespace {

// Numbers in which a <= b, and those in which a > b.
Numbers where_at_most(const NumericTerm& a, const NumericTerm& b, Numbers numbers) {
  const std::optional<Linear> apart = difference(linear_of(b), linear_of(a));
  if (apart) numbers.assume_not_negative(*apart);
  return numbers;
}
Numbers where_above(const NumericTerm& a, const NumericTerm& b, Numbers numbers) {
  const std::optional<Linear> apart = difference(linear_of(a), linear_of(b));
  const std::optional<Linear> strictly = apart ? sum(*apart, Linear::of(-1)) : std::nullopt;
  if (strictly) numbers.assume_not_negative(*strictly);
  return numbers;
}

struct RestCase {
  NumericTail rest;
  Numbers numbers;
};

// Now the value is between the bounds, too: min(low, value) and max(high, value), by cases, so that nothing
// is lost.
void include(const NumericTerm& value, std::vector<RestCase>& cases) {
  std::vector<RestCase> before = std::move(cases);
  cases.clear();
  const auto add = [&](Numbers&& numbers, NumericTail rest) {
    if (!numbers.empty()) cases.push_back({rest, std::move(numbers)});
  };
  for (const RestCase& old : before) {
    const NumericTail& rest = old.rest;
    add(where_above(rest.low, value, old.numbers), {rest.cell, rest.newest, value, rest.high});
    const Numbers at_least_low = where_at_most(rest.low, value, old.numbers);
    add(where_above(value, rest.high, at_least_low), {rest.cell, rest.newest, rest.low, value});
    add(where_at_most(value, rest.high, at_least_low), rest);
  }
}

// The rest with a further store.
std::vector<RestCase> appended(const NumericTail& rest, const NumericTerm& value, const Numbers& numbers) {
  std::vector<RestCase> cases;
  if (!rest.monotone) {
    cases.push_back({rest, numbers});
  } else if (Numbers broken = where_above(rest.high, rest.newest, numbers); !broken.empty()) {
    cases.push_back({{rest.cell, rest.newest, rest.low, rest.high}, std::move(broken)});
    include(rest.newest, cases);
  }
  include(value, cases);
  for (RestCase& one : cases) one.rest.newest = value;
  if (!rest.monotone) return cases;
  if (Numbers ascends = where_at_most(rest.high, rest.newest, numbers); !ascends.empty())
    cases.push_back({{rest.cell, value, rest.low, rest.newest, true}, std::move(ascends)});
  return cases;
}

bool same_but_for_numbers(const AbstractState& a, const AbstractState& b) {
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

// The normal form: on PSO, entries of one epoch by cell; epochs without gaps, from 0; the rest by cell.
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
  const auto in_rest = std::find_if(before.tail.begin(), before.tail.end(),
                                    [&](const NumericTail& rest) { return rest.cell == cell; });
  const auto waiting = std::count_if(before.entries.begin(), before.entries.end(),
                                     [&](const NumericEntry& e) { return !per_cell || e.cell == cell; });
  const bool behind_rest = per_cell ? in_rest != before.tail.end() : !before.tail.empty();
  AbstractState next = state;
  NumericBuffer& buffer = next.buffers[thread.index()];
  if (!behind_rest && static_cast<unsigned>(waiting) < slots_) {
    buffer.entries.push_back({cell, value, buffer.epoch, false});
    tidy(buffer);
    out.push_back(std::move(next));
    return;
  }
  next.exact = false;
  if (in_rest == before.tail.end()) {
    buffer.tail.push_back({cell, value, value, value, !plan_.explicit_cell(cell)});
    tidy(buffer);
    out.push_back(std::move(next));
    return;
  }
  const auto index = static_cast<size_t>(in_rest - before.tail.begin());
  for (RestCase& one : appended(*in_rest, value, next.numbers)) {
    AbstractState after = next;
    after.numbers = std::move(one.numbers);
    after.buffers[thread.index()].tail[index] = one.rest;
    out.push_back(std::move(after));
  }
}

// Each way in which one store of the thread can reach memory now. Numbers stay as they are.
std::vector<AbstractMachine::Flushed> AbstractMachine::flushes(const AbstractState& state, ThreadId thread,
                                                               const SomeOfRest& some) const {
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
    const NumericTail& rest = buffer.tail[i];
    const auto is_before = [&](const NumericEntry& entry) { return entry.cell == rest.cell; };
    const auto one_of_them = some.find({thread, rest.cell});
    if (one_of_them == some.end() || std::any_of(buffer.entries.begin(), buffer.entries.end(), is_before))
      continue;
    Flushed last{state, rest.cell};
    last.state.memory[rest.cell.index()] = rest.newest;
    NumericBuffer& after = last.state.buffers[thread.index()];
    after.tail.erase(after.tail.begin() + static_cast<std::ptrdiff_t>(i));
    result.push_back(std::move(last));
    Flushed not_last{state, rest.cell};
    not_last.state.memory[rest.cell.index()] = one_of_them->second;
    if (rest.monotone) not_last.state.buffers[thread.index()].tail[i].low = one_of_them->second;
    result.push_back(std::move(not_last));
  }
  return result;
}

// The cells whose stores have to leave so that those to `cells` can, these included.
std::vector<bool> AbstractMachine::moved_with(const AbstractState& state, std::vector<bool> cells) const {
  const bool one_buffer = plan_.buffering() == Buffering::kPerThread;
  for (bool grown = true; grown;) {
    grown = false;
    const auto add = [&](CellId cell) {
      if (!cells[cell.index()]) cells[cell.index()] = grown = true;
    };
    for (const NumericBuffer& buffer : state.buffers) {
      const auto moves = [&](const NumericTail& rest) { return cells[rest.cell.index()]; };
      const bool behind_all = one_buffer && std::any_of(buffer.tail.begin(), buffer.tail.end(), moves);
      for (size_t i = 0; i < buffer.entries.size(); ++i) {
        bool in_the_way = behind_all;
        for (size_t j = i + 1; j < buffer.entries.size(); ++j)
          if (cells[buffer.entries[j].cell.index()])
            in_the_way = in_the_way || one_buffer || buffer.entries[i].epoch < buffer.entries[j].epoch;
        if (in_the_way) add(buffer.entries[i].cell);
      }
    }
  }
  return cells;
}

// All that comes out of flushes of such stores, in any order, the state itself first; but only what ends with
// a flush of one of `cells`: what leaves behind that can do so later. A store of the rest that leaves others
// of its cell behind only matters as the last to write the cell; so whenever it is needed, it may be the same
// unknown store.
std::vector<AbstractState> AbstractMachine::with_flushes(const AbstractState& state,
                                                         const std::vector<bool>& cells) const {
  if (plan_.buffering() == Buffering::kUnbuffered) return {state};
  const std::vector<bool> moving = moved_with(state, cells);
  AbstractState begin = state;
  SomeOfRest some;
  for (size_t t = 0; t < plan_.threads(); ++t)
    for (const NumericTail& rest : state.buffers[t].tail) {
      if (!moving[rest.cell.index()]) continue;
      NumericTerm any = rest.low;
      if (rest.low != rest.high) {
        any = NumericTerm{begin.numbers.add()};
        begin.numbers = where_at_most(rest.low, any, std::move(begin.numbers));
        begin.numbers = where_at_most(any, rest.high, std::move(begin.numbers));
      }
      some.emplace(std::pair(ThreadId(t), rest.cell), any);
    }
  if (begin.numbers.empty()) return {};
  States all = {begin}, seen = {begin};
  for (size_t next = 0; next < seen.size(); ++next)
    for (size_t t = 0; t < plan_.threads(); ++t)
      for (Flushed& flushed : flushes(seen[next], ThreadId(t), some)) {
        if (!moving[flushed.cell.index()]) continue;
        const auto same = [&](const AbstractState& old) { return same_but_for_numbers(old, flushed.state); };
        if (std::any_of(seen.begin(), seen.end(), same)) continue;
        if (cells[flushed.cell.index()]) all.push_back(flushed.state);
        seen.push_back(std::move(flushed.state));
      }
  return all;
}

}  // namespace fenceline
