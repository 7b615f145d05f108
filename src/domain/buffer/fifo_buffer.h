// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exact store buffer: the stores of one thread that have not reached memory, unbounded. Entries are kept
// in a canonical order, so that equal behaviour means equal bytes: by age when there is one buffer per
// thread; by epoch, then cell, then age when there is one per cell (the order of entries of different cells
// in one epoch has no meaning).
//
// Epochs and marks are explained in docs/semantics.md, "Partial fences". Epochs are numbered from the oldest
// one that still has an entry, and there is never an empty epoch in between: only entries of the oldest epoch
// can be flushed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/buffer/store_buffer.h"

namespace fenceline::buffer {

class FifoBuffer {
 public:
  struct Entry {
    uint32_t cell;
    uint32_t epoch : 31;
    uint32_t marked : 1;
    Value value;
  };

  static constexpr bool kOneReading = true;
  static constexpr bool kNarrows = false;

  bool empty() const { return entries_.empty(); }
  bool may_be_empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }

  // Scanning from the back finds the newest one: entries of a cell are in order of age in both layouts.
  const Value* newest(uint32_t cell) const {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
      if (entry->cell == cell) return &entry->value;
    return nullptr;
  }
  Value read(uint32_t cell, uint64_t /*reading*/, Value memory, const BufferLayout& /*layout*/) const {
    const Value* value = newest(cell);
    return value != nullptr ? *value : memory;
  }
  uint64_t readings(uint32_t /*cell*/, Value /*memory*/, const BufferLayout& /*layout*/) const { return 1; }
  bool holds(uint32_t cell) const { return newest(cell) != nullptr; }

  bool loads_blocked() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.marked; });
  }
  bool stores_blocked() const { return barrier_pending_ || (!entries_.empty() && entries_.back().epoch > 0); }

  bool keep_drained() const { return empty(); }
  bool keep_loadable() const { return !loads_blocked(); }
  bool keep_unbarred() const { return !stores_blocked(); }
  bool keep_without(uint32_t cell, const BufferLayout& /*layout*/) const { return !holds(cell); }

  bool order_is_exact(const BufferLayout& /*layout*/) const { return true; }

  void append(uint32_t cell, Value value, uint32_t /*origin*/, const BufferLayout& layout) {
    uint32_t epoch = entries_.empty() ? 0 : entries_.back().epoch;
    if (barrier_pending_) ++epoch;
    barrier_pending_ = false;
    auto at = entries_.end();
    if (layout.per_cell)
      while (at != entries_.begin() && (at - 1)->epoch == epoch && (at - 1)->cell > cell) --at;
    entries_.insert(at, Entry{cell, epoch & 0x7fffffffU, 0, value});
  }

  uint64_t barrier_alternatives() const { return 1; }
  void barrier(uint64_t /*alternative*/ = 0) { barrier_pending_ = !entries_.empty(); }
  void mark() {
    for (Entry& entry : entries_) entry.marked = 1;
  }

  template <class F>
  void for_each_cell(const F& f) const {
    for (const Entry& entry : entries_) f(entry.cell);
  }

  template <class F>
  void for_each_flush(const BufferLayout& layout, const F& f) const {
    for (size_t i = 0; i < entries_.size() && entries_[i].epoch == 0; ++i) {
      if (i == 0 || entries_[i - 1].cell != entries_[i].cell)
        f(FlushChoice{entries_[i].cell, entries_[i].value, static_cast<uint32_t>(i),
                      FlushChoice::Kind::kEntry, 0});
      if (!layout.per_cell) return;
    }
  }

  void flush(const FlushChoice& choice, const BufferLayout& /*layout*/) {
    entries_.erase(entries_.begin() + choice.index);
    if (entries_.empty())
      barrier_pending_ = false;
    else if (entries_.front().epoch > 0)
      for (Entry& entry : entries_) --entry.epoch;
  }

  // A 1 before each entry, a 0 after the last: self-delimiting, and one bit when empty.
  void pack(BitWriter& writer, const BufferLayout& layout) const {
    uint32_t epoch = 0;
    for (const Entry& entry : entries_) {
      uint64_t head = 1;
      unsigned bits = 1;
      if (layout.barriers) head |= uint64_t{entry.epoch - epoch} << bits++;
      if (layout.marks) head |= uint64_t{entry.marked} << bits++;
      head |= uint64_t{layout.cell_index[entry.cell]} << bits;
      writer.put(head, bits + layout.cell_bits);
      const FieldLayout& value = layout.values[entry.cell];
      writer.put(value.encode(entry.value), value.bits);
      epoch = entry.epoch;
    }
    writer.put(layout.barriers && barrier_pending_ ? 2 : 0, layout.barriers ? 2 : 1);
  }

  void unpack(BitReader& reader, const BufferLayout& layout) {
    entries_.clear();
    uint32_t epoch = 0;
    while (reader.get(1)) {
      if (layout.barriers) epoch += static_cast<uint32_t>(reader.get(1));
      const auto marked = static_cast<uint32_t>(layout.marks ? reader.get(1) : 0);
      const uint32_t cell = layout.cells[reader.get(layout.cell_bits)];
      const FieldLayout& value = layout.values[cell];
      entries_.push_back({cell, epoch & 0x7fffffffU, marked & 1U, value.decode(reader.get(value.bits))});
    }
    barrier_pending_ = layout.barriers && reader.get(1);
  }

 private:
  std::vector<Entry> entries_;
  bool barrier_pending_ = false;
};

static_assert(StoreBuffer<FifoBuffer>);

}  // namespace fenceline::buffer
