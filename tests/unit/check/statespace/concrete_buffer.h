// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the certificate checker: store buffers as they really are, and what it means that
// BufferContents represents one of them. Written from docs/semantics.md and task/buffer_contents.h, as
// directly as possible; nothing here depends on how the checker does it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ir/instruction.h"
#include "model/memory_model.h"
#include "task/buffer_contents.h"

namespace fenceline::testing {

struct ConcreteStore {
  uint32_t cell = 0;
  Value value = 0;
  uint32_t epoch = 0;
  bool marked = false;
};

// The pending stores of a thread in program order.
struct ConcreteBuffer {
  std::vector<ConcreteStore> pending;
  uint32_t epoch = 0;

  void store(uint32_t cell, Value value) { pending.push_back({cell, value, epoch}); }

  bool may_be_flushed(size_t at, Buffering buffering) const {
    if (buffering == Buffering::kPerThread) return at == 0;
    for (size_t i = 0; i < pending.size(); ++i) {
      if (i < at && pending[i].cell == pending[at].cell) return false;
      if (pending[i].epoch < pending[at].epoch) return false;
    }
    return true;
  }
  ConcreteBuffer without(size_t at) const {
    ConcreteBuffer after = *this;
    after.pending.erase(after.pending.begin() + static_cast<std::ptrdiff_t>(at));
    return after;
  }
  // False: it has to wait.
  bool fence(FenceKinds kinds, Buffering buffering) {
    const bool drains = buffering == Buffering::kPerThread
                            ? kinds.has_store_load()
                            : kinds.has_store_load() && kinds.has_store_store();
    if (drains) return pending.empty();
    if (buffering != Buffering::kPerCell) return true;
    if (kinds.has_store_store()) ++epoch;
    if (kinds.has_store_load())
      for (ConcreteStore& store : pending) store.marked = true;
    return true;
  }
  bool load_possible() const {
    return std::none_of(pending.begin(), pending.end(), [](const ConcreteStore& s) { return s.marked; });
  }
  bool write_possible(uint32_t cell, Buffering buffering) const {
    return std::none_of(pending.begin(), pending.end(), [&](const ConcreteStore& s) {
      return buffering == Buffering::kPerThread || s.epoch < epoch || s.cell == cell;
    });
  }
  std::optional<Value> newest(uint32_t cell) const {
    std::optional<Value> value;
    for (const ConcreteStore& store : pending)
      if (store.cell == cell) value = store.value;
    return value;
  }
};

inline bool has(const std::vector<Value>& values, Value value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Everything in the head, epochs counted from 0.
inline BufferContents exactly(const ConcreteBuffer& buffer, Buffering buffering) {
  std::vector<uint32_t> epochs;
  for (const ConcreteStore& store : buffer.pending) epochs.push_back(store.epoch);
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  BufferContents contents;
  for (const ConcreteStore& store : buffer.pending) {
    const auto epoch = std::find(epochs.begin(), epochs.end(), store.epoch) - epochs.begin();
    contents.head.push_back({store.cell, {store.value}, static_cast<uint32_t>(epoch), store.marked});
  }
  if (buffering == Buffering::kPerCell)
    std::stable_sort(contents.head.begin(), contents.head.end(),
                     [](const auto& a, const auto& b) { return a.cell < b.cell; });
  contents.barrier_pending = !epochs.empty() && buffer.epoch > epochs.back();
  return contents;
}

// Does `contents` represent `buffer`?
inline bool means(const BufferContents& contents, const ConcreteBuffer& buffer, Buffering buffering) {
  const bool per_cell = buffering == Buffering::kPerCell;
  std::vector<const BufferContents::Entry*> entry_of;  // by pending store; nullptr: it belongs to a tail
  std::vector<const BufferContents::Tail*> tail_of;
  std::vector<bool> used(contents.head.size());
  std::map<uint32_t, size_t> youngest;
  for (size_t i = 0; i < buffer.pending.size(); ++i) {
    const ConcreteStore& store = buffer.pending[i];
    youngest[store.cell] = i;
    size_t h = 0;  // the oldest entry of the head that is still free (per cell: and of this cell)
    while (h < used.size() && (used[h] || (per_cell && contents.head[h].cell != store.cell))) ++h;
    entry_of.push_back(h < used.size() ? &contents.head[h] : nullptr);
    tail_of.push_back(nullptr);
    if (h < used.size()) {
      used[h] = true;
      if (contents.head[h].cell != store.cell || !has(contents.head[h].values, store.value)) return false;
      if (per_cell && contents.head[h].marked && !store.marked) return false;
      continue;
    }
    for (const auto& tail : contents.tail)
      if (tail.cell == store.cell) tail_of[i] = &tail;
    if (!tail_of[i] || !has(tail_of[i]->values, store.value)) return false;
    if (per_cell && tail_of[i]->newest_marked && !store.marked) return false;
  }
  if (std::find(used.begin(), used.end(), false) != used.end()) return false;
  for (const auto& tail : contents.tail) {
    std::vector<Value> values;
    for (size_t i = 0; i < buffer.pending.size(); ++i)
      if (tail_of[i] == &tail) values.push_back(buffer.pending[i].value);
    if (values.empty() || !has(tail.newest, values.back())) return false;
    for (const Value value : tail.values)
      if (tail.all_present && !has(values, value)) return false;
  }
  if (!per_cell || buffer.pending.empty()) return true;

  // Epochs, from the youngest down: where it is certain which it is, there; else as high as possible.
  if ((buffer.epoch > buffer.pending.back().epoch) != contents.barrier_pending) return false;
  const int64_t spread = static_cast<int64_t>(buffer.pending.size()) + 1;
  std::optional<uint32_t> epoch;
  int64_t position = 0;
  for (size_t i = buffer.pending.size(); i-- > 0;) {
    if (epoch == buffer.pending[i].epoch) continue;
    std::optional<int64_t> certain;
    for (size_t j = 0; j < buffer.pending.size(); ++j) {
      if (buffer.pending[j].epoch != buffer.pending[i].epoch) continue;
      const bool is_youngest = youngest.at(buffer.pending[j].cell) == j;
      if (!entry_of[j] && !is_youngest) continue;
      const int64_t here = spread * (entry_of[j] ? entry_of[j]->epoch : tail_of[j]->newest_epoch);
      if (certain && *certain != here) return false;
      certain = here;
    }
    if (epoch && certain && *certain >= position) return false;
    position = certain ? *certain : position - 1;
    epoch = buffer.pending[i].epoch;
    for (size_t j = 0; j < buffer.pending.size(); ++j)
      if (buffer.pending[j].epoch == *epoch && tail_of[j] && position < spread * tail_of[j]->oldest_epoch)
        return false;
  }
  return true;
}

}  // namespace fenceline::testing
