// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps. That none is omitted is argued at each of them, always in the same manner: take any represented
// concrete buffer, execute the step of docs/semantics.md, and show which result represents the buffer after it.
#include "check/statespace/coherence_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/hash.h"

namespace fenceline::check {
namespace {

using Entry = BufferContents::Entry;
using Tail = BufferContents::Tail;

// Both for contents that may be changed and for those that may not.
template <class Contents>
auto* find_tail(Contents& buffer, uint32_t cell) {
  for (auto& tail : buffer.tail)
    if (tail.cell == cell) return &tail;
  return static_cast<decltype(buffer.tail.data())>(nullptr);
}

template <class Contents>
auto* last_in_head(Contents& buffer, uint32_t cell) {
  for (size_t i = buffer.head.size(); i-- > 0;)
    if (buffer.head[i].cell == cell) return &buffer.head[i];
  return static_cast<decltype(buffer.head.data())>(nullptr);
}

// The epoch of the youngest of all entries: it is the youngest of its cell, and those epochs are certain.
uint32_t youngest_epoch(const BufferContents& buffer) {
  uint32_t epoch = 0;
  for (const Entry& entry : buffer.head) epoch = std::max(epoch, entry.epoch);
  for (const Tail& tail : buffer.tail) epoch = std::max(epoch, tail.newest_epoch);
  return epoch;
}

// The lowest epoch that an entry certainly has, not counting the youngest entry of `except`.
uint32_t lowest_certain_epoch(const BufferContents& buffer, const Tail* except = nullptr) {
  uint32_t epoch = std::numeric_limits<uint32_t>::max();
  for (const Entry& entry : buffer.head) epoch = std::min(epoch, entry.epoch);
  for (const Tail& tail : buffer.tail)
    if (&tail != except) epoch = std::min(epoch, tail.newest_epoch);
  return epoch;
}

void raise_oldest(BufferContents& buffer, uint32_t epoch) {
  for (Tail& tail : buffer.tail)
    tail.oldest_epoch = std::min(std::max(tail.oldest_epoch, epoch), tail.newest_epoch);
}

bool is_set(const std::vector<Value>& values) {
  return !values.empty() &&
         std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

void insert(std::vector<Value>& values, Value value) {
  const auto position = std::lower_bound(values.begin(), values.end(), value);
  if (position == values.end() || *position != value) values.insert(position, value);
}

std::vector<Value> without(std::vector<Value> values, Value value) {
  std::erase(values, value);
  return values;
}

}  // namespace

std::optional<std::string> CoherenceBuffer::malformed(const BufferContents& buffer, size_t cell_count) const {
  if (buffering_ == Buffering::kUnbuffered && !empty(buffer))
    return "a store is pending where stores are not buffered";
  constexpr uint32_t kTooLarge = std::numeric_limits<uint32_t>::max();  // a younger one needs a number, too
  for (size_t i = 0; i < buffer.head.size(); ++i) {
    const Entry& entry = buffer.head[i];
    if (entry.cell >= cell_count) return fmt::format("there is no cell {}", entry.cell);
    if (!is_set(entry.values)) return "the values of a store are not a set";
    if (entry.epoch == kTooLarge) return "an epoch is too large";
    if (!per_cell() || i == 0) continue;
    const Entry& before = buffer.head[i - 1];
    if (before.cell > entry.cell) return "the head is not sorted by cell";
    if (before.cell == entry.cell && before.epoch > entry.epoch) return "epochs fall in a head";
  }
  for (size_t i = 0; i < buffer.tail.size(); ++i) {
    const Tail& tail = buffer.tail[i];
    if (tail.cell >= cell_count) return fmt::format("there is no cell {}", tail.cell);
    if (i > 0 && buffer.tail[i - 1].cell >= tail.cell) return "the tails are not sorted by cell";
    if (!is_set(tail.values) || !is_set(tail.newest)) return "the values of a tail are not a set";
    if (!std::includes(tail.values.begin(), tail.values.end(), tail.newest.begin(), tail.newest.end()))
      return "the newest value of a tail is not one of its values";
    if (!per_cell()) continue;
    if (tail.newest_epoch == kTooLarge) return "an epoch is too large";
    if (tail.oldest_epoch > tail.newest_epoch) return "the oldest epoch of a tail is later than its newest";
    const Entry* before = last_in_head(buffer, tail.cell);
    if (before && before->epoch > tail.newest_epoch) return "a tail is of an earlier epoch than the head";
  }
  return std::nullopt;
}

const std::vector<Value>* CoherenceBuffer::newest(const BufferContents& buffer, uint32_t cell) {
  if (const Tail* tail = find_tail(buffer, cell)) return &tail->newest;
  const Entry* entry = last_in_head(buffer, cell);
  return entry ? &entry->values : nullptr;
}

void CoherenceBuffer::keep_newest(BufferContents& buffer, uint32_t cell, Value value) {
  if (Tail* tail = find_tail(buffer, cell))
    tail->newest = {value};
  else if (Entry* entry = last_in_head(buffer, cell))
    entry->values = {value};
}

bool CoherenceBuffer::keep_readable(BufferContents& buffer) const {
  if (!per_cell()) return true;
  return std::none_of(buffer.head.begin(), buffer.head.end(), [](const Entry& e) { return e.marked; }) &&
         std::none_of(buffer.tail.begin(), buffer.tail.end(), [](const Tail& r) { return r.newest_marked; });
}

std::vector<Reading<BufferContents>> CoherenceBuffer::readings(const BufferContents& buffer, uint32_t cell) {
  const std::vector<Value>* values = newest(buffer, cell);
  if (!values) return {{std::nullopt, buffer}};
  std::vector<Reading<BufferContents>> alternatives;
  for (const Value value : *values) {
    alternatives.push_back({value, buffer});
    keep_newest(alternatives.back().when, cell, value);
  }
  return alternatives;
}

// On PSO all entries must be of the current epoch, which is that of the youngest entry unless a barrier
// is behind it. A tail whose youngest entry is of that epoch may have older ones, but not when this step
// happens: what is left is the case in which it has none.
bool CoherenceBuffer::keep_drained_for_write(BufferContents& buffer) const {
  if (empty(buffer)) return true;
  if (!per_cell() || buffer.barrier_pending) return false;
  const uint32_t current = youngest_epoch(buffer);
  if (lowest_certain_epoch(buffer) < current) return false;
  raise_oldest(buffer, current);
  return true;
}

bool CoherenceBuffer::keep_drained_for_write(BufferContents& buffer, uint32_t cell) const {
  return !newest(buffer, cell) && keep_drained_for_write(buffer);
}

// The new entry is the youngest of all, and of the current epoch. Behind a tail of its cell (on TSO: behind
// any tail) there is no room for a single entry, so it joins the tail, or begins one. A tail that was
// complete (`all_present`) stays so.
void CoherenceBuffer::store(BufferContents& buffer, uint32_t cell, Value value) const {
  const uint32_t epoch =
      youngest_epoch(buffer) + (per_cell() && buffer.barrier_pending && !empty(buffer) ? 1 : 0);
  buffer.barrier_pending = false;
  auto tail = std::lower_bound(buffer.tail.begin(), buffer.tail.end(), cell,
                               [](const Tail& r, uint32_t wanted) { return r.cell < wanted; });
  if (tail != buffer.tail.end() && tail->cell == cell) {
    insert(tail->values, value);
    tail->newest = {value};
    tail->newest_epoch = epoch;
    tail->newest_marked = false;
  } else if (!per_cell() && !buffer.tail.empty()) {
    buffer.tail.insert(tail, Tail{cell, {value}, {value}, true, epoch, epoch, false});
  } else {
    auto position = buffer.head.end();
    if (per_cell())
      position = std::upper_bound(buffer.head.begin(), buffer.head.end(), cell,
                                  [](uint32_t wanted, const Entry& e) { return wanted < e.cell; });
    buffer.head.insert(position, Entry{cell, {value}, epoch, false});
  }
}

std::vector<BufferContents> CoherenceBuffer::after_fence(const BufferContents& buffer,
                                                         FenceKinds kinds) const {
  const bool drains = buffering_ != Buffering::kUnbuffered && kinds.has_store_load() &&
                      (!per_cell() || kinds.has_store_store());
  if (drains && !empty(buffer)) return {};
  if (drains || !per_cell()) return {buffer};
  BufferContents after = buffer;
  if (kinds.has_store_store()) after.barrier_pending = !empty(buffer);
  if (kinds.has_store_load()) {
    for (Entry& entry : after.head) entry.marked = true;
    for (Tail& tail : after.tail) tail.newest_marked = true;
  }
  return {after};
}

// The cells with pending stores: how many entries a cell has, and where, does not matter.
uint64_t CoherenceBuffer::hash(const BufferContents& buffer) {
  std::vector<uint32_t> cells;
  for (const Entry& entry : buffer.head) cells.push_back(entry.cell);
  for (const Tail& tail : buffer.tail) cells.push_back(tail.cell);
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return hash_array<uint32_t>(cells);
}

// ---- Flushes
// -----------------------------------------------------------------------------------------------

std::vector<Flush<BufferContents>> CoherenceBuffer::flushes(const BufferContents& buffer) const {
  std::vector<Flush> alternatives;
  for (size_t i = 0; i < buffer.head.size(); ++i)
    if (i == 0 || (per_cell() && buffer.head[i - 1].cell != buffer.head[i].cell))
      flush_head(buffer, i, alternatives);
  for (size_t i = 0; i < buffer.tail.size(); ++i)
    if (per_cell() ? !last_in_head(buffer, buffer.tail[i].cell) : buffer.head.empty())
      flush_tail(buffer, i, alternatives);
  for (Flush& flush : alternatives)
    if (empty(flush.after)) flush.after.barrier_pending = false;
  return alternatives;
}

// A head entry of epoch E is flushed if all entries are of epoch E or later; after that we know they are.
void CoherenceBuffer::flush_head(const BufferContents& buffer, size_t at,
                                 std::vector<Flush>& alternatives) const {
  const Entry& leaving = buffer.head[at];
  if (per_cell() && lowest_certain_epoch(buffer) < leaving.epoch) return;
  BufferContents after = buffer;
  after.head.erase(after.head.begin() + static_cast<std::ptrdiff_t>(at));
  if (per_cell()) raise_oldest(after, leaving.epoch);
  for (const Value value : leaving.values) alternatives.push_back({leaving.cell, value, after});
}

// The oldest entry of a tail is flushed. Let the concrete entries of its cell have the values v1..vk.
//   k = 1: v1 is the newest value, and the only one if all are present. The entry is of the newest epoch, so
//          the others must not be of an earlier one.
//   k > 1: v1 is any of the values, and what remains has the same youngest entry. If all values were present
//          in v1..vk, then all of them are in v2..vk or all but v1; the latter needs a newest value that is
//          not v1. The epoch of v1 is `oldest_epoch` or a later one, and no other is earlier than that.
void CoherenceBuffer::flush_tail(const BufferContents& buffer, size_t at,
                                 std::vector<Flush>& alternatives) const {
  const Tail& tail = buffer.tail[at];
  const uint32_t lowest_of_others = per_cell() ? lowest_certain_epoch(buffer, &tail) : 0;
  const auto position = static_cast<std::ptrdiff_t>(at);

  if (!per_cell() || lowest_of_others >= tail.newest_epoch) {
    BufferContents after = buffer;
    after.tail.erase(after.tail.begin() + position);
    if (per_cell()) raise_oldest(after, tail.newest_epoch);
    for (const Value value : tail.newest)
      if (!tail.all_present || tail.values.size() == 1) alternatives.push_back({tail.cell, value, after});
  }
  if (!per_cell() || lowest_of_others >= tail.oldest_epoch) {
    BufferContents after = buffer;
    if (per_cell()) raise_oldest(after, tail.oldest_epoch);
    for (const Value value : tail.values) {
      alternatives.push_back({tail.cell, value, after});
      if (!tail.all_present) continue;
      std::vector<Value> newest = without(tail.newest, value);
      if (newest.empty()) continue;
      alternatives.push_back({tail.cell, value, after});
      Tail& remaining = alternatives.back().after.tail[at];
      remaining.newest = std::move(newest);
      remaining.values = without(tail.values, value);
    }
  }
}

}  // namespace fenceline::check
