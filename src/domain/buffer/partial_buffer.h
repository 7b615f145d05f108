// SPDX-License-Identifier: GPL-3.0-or-later
//
// Partial coherence: the pending stores of one thread, of which only part is kept. Kuperstein, Vechev, Yahav,
// sections 4.1 to 4.3 (Semantics 3 and 4), for one queue per cell (PSO) and for one per thread (TSO) alike.
//
// Two things are kept. The *head*: the oldest stores in order, at most `order` of them (per cell on PSO, of
// the thread on TSO). Then, for every cell that has younger stores, a *summarised tail*: the set of their
// values, and the newest one. A store goes to the head while there is room and no tail yet; else into the
// tail. The head is flushed in order. After it any value of a tail may be flushed, since it is not known
// which is the oldest, nor how often it was stored. The cases of FlushChoice::Kind:
//
//                        fully disjunctive                    partially disjunctive
//   the tail means       exactly these values are pending     these values or fewer, the newest among them
//   v is flushed:
//     kStays             v reaches memory, tail unchanged     the same
//     kLoses             v ≠ newest is removed from the tail  –
//     kEnds              the tail is {newest}; it is removed  v is the newest; the tail is removed
//
// The set abstraction is the fully disjunctive one without a head and without the newest value: the thread
// may read any pending value, and any may be the last to be flushed.
//
// Why it is sound: each exact step from an exact buffer that this one represents leads to one that a step
// here leads to. Whether a cell has pending stores is exact throughout, so fences, rmw and loads from memory
// are enabled here exactly when they are there.
//
// Barriers and marks (docs/semantics.md, "Partial fences") are kept for every entry of the head. Of a tail,
// only the epochs of its oldest and its newest store are known, and whether the newest is marked. What is
// lost: once a store goes into a tail, older marked stores in it no longer hold back loads, and stores
// between its first and last epoch may be flushed as early as the first could. Only the order of epochs means
// anything, so they are renumbered without gaps; that keeps their number finite.
//
// Corrections to the paper: the newest value has to be dropped with the last store; beta("ab") has the newest
// value b; the order for empty sets must read H1 = H2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/buffer/values.h"
#include "task/buffer_contents.h"

namespace fenceline::buffer {

template <BufferValues D>
class PartialBuffer {
 public:
  using Element = typename D::Element;
  using Set = typename D::Set;
  static constexpr bool kOneReading = false;
  static constexpr bool kNarrows = false;

  struct Entry {
    uint32_t cell = 0;
    uint32_t epoch : 31 = 0;
    uint32_t marked : 1 = 0;
    Element value{};
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  struct Tail {
    uint32_t cell = 0;
    uint32_t oldest_epoch = 0;
    uint32_t newest_epoch = 0;
    bool newest_marked = false;
    Element newest{};  // the set abstraction: always Element()
    Set values = D::none();
  };

  bool empty() const { return head_.empty() && tails_.empty(); }
  bool may_be_empty() const { return empty(); }
  size_t size() const { return head_.size() + tails_.size(); }
  const std::vector<Entry>& head() const { return head_; }
  const std::vector<Tail>& tails() const { return tails_; }

  bool holds(uint32_t cell) const { return find_tail(cell) != nullptr || newest_entry(cell) != nullptr; }

  uint64_t readings(uint32_t cell, Value /*memory*/, const BufferLayout& layout) const {
    if (D::kExact && layout.abstraction.kind != Abstraction::Kind::kSet) return 1;
    uint64_t count = 0;
    for_each_reading(cell, layout, [&count](Value) { ++count; });
    return std::max<uint64_t>(count, 1);
  }
  std::optional<Value> newest(uint32_t cell, uint64_t reading, const BufferLayout& layout) const {
    std::optional<Value> found;
    for_each_reading(cell, layout, [&](Value value) {
      if (reading-- == 0) found = value;
    });
    return found;
  }
  Value read(uint32_t cell, uint64_t reading, Value memory, const BufferLayout& layout) const {
    return newest(cell, reading, layout).value_or(memory);
  }

  bool loads_blocked() const {
    return std::any_of(head_.begin(), head_.end(), [](const Entry& e) { return e.marked; }) ||
           std::any_of(tails_.begin(), tails_.end(), [](const Tail& r) { return r.newest_marked; });
  }
  bool stores_blocked() const { return barrier_pending_ || earlier_than(last_epoch()); }
  bool order_is_exact(const BufferLayout& layout) const {
    return tails_.empty() || !(layout.barriers || layout.marks);
  }

  bool keep_drained() const { return empty(); }
  bool keep_loadable() const { return !loads_blocked(); }
  bool keep_unbarred() const { return !stores_blocked(); }
  bool keep_without(uint32_t cell, const BufferLayout& /*layout*/) const { return !holds(cell); }

  void append(uint32_t cell, Value value, uint32_t origin, const BufferLayout& layout) {
    const uint32_t epoch = empty() ? 0 : last_epoch() + (barrier_pending_ ? 1 : 0);
    barrier_pending_ = false;
    const Element element = D::element(value, origin);
    if (has_room(cell, layout)) {
      auto at = head_.end();
      if (layout.per_cell)
        while (at != head_.begin() && (at - 1)->cell > cell) --at;
      head_.insert(at, Entry{cell, epoch & 0x7fffffffU, 0, element});
      return;
    }
    const bool first = find_tail(cell) == nullptr;
    Tail& tail = tail_for(tails_, cell);
    if (first) tail.oldest_epoch = epoch;
    tail.newest_epoch = epoch;
    tail.newest_marked = false;
    if (layout.abstraction.kind != Abstraction::Kind::kSet) tail.newest = element;
    D::add(tail.values, element, layout.values[cell]);
    if (layout.barriers) renumber_epochs();
  }

  uint64_t barrier_alternatives() const { return 1; }
  void barrier(uint64_t /*alternative*/ = 0) { barrier_pending_ = !empty(); }
  void mark() {
    for (Entry& entry : head_) entry.marked = 1;
    for (Tail& tail : tails_) tail.newest_marked = true;
  }

  template <class F>
  void for_each_cell(const F& f) const {
    for (const Entry& entry : head_) f(entry.cell);
    for (const Tail& tail : tails_) f(tail.cell);
  }

  // Choices for one cell are consecutive.
  template <class F>
  void for_each_flush(const BufferLayout& layout, const F& f) const {
    for (uint32_t i = 0; i < head_.size(); ++i) {
      const Entry& entry = head_[i];
      const bool oldest = layout.per_cell ? i == 0 || head_[i - 1].cell != entry.cell : i == 0;
      if (!oldest || (layout.barriers && earlier_than(entry.epoch))) continue;
      D::for_each_value(entry.value, layout.values[entry.cell], [&](Value value) {
        f(FlushChoice{entry.cell, value, i, FlushChoice::Kind::kEntry, 0});
      });
    }
    for (uint32_t i = 0; i < tails_.size(); ++i) {
      const Tail& tail = tails_[i];
      if (layout.per_cell ? newest_entry(tail.cell) != nullptr : !head_.empty()) continue;
      if (layout.barriers && earlier_than(tail.oldest_epoch)) continue;
      flush_from_tail(i, layout, f);
    }
  }

  void flush(const FlushChoice& choice, const BufferLayout& layout) {
    using Kind = FlushChoice::Kind;
    std::optional<uint32_t> epoch;  // of what was flushed, if it is known
    if (choice.kind == Kind::kEntry) {
      epoch = uint32_t{head_[choice.index].epoch};
      head_.erase(head_.begin() + choice.index);
    } else if (choice.kind == Kind::kLoses) {
      if constexpr (D::kExact)
        D::remove(tails_[choice.index].values, choice.element, layout.values[choice.cell]);
    } else if (choice.kind == Kind::kEnds) {
      epoch = tails_[choice.index].newest_epoch;
      tails_.erase(tails_.begin() + choice.index);
    }
    if (empty()) barrier_pending_ = false;
    if (!layout.barriers || !epoch) return;
    // Stores of earlier epochs must have been flushed before.
    for (Tail& tail : tails_)
      tail.oldest_epoch = std::min(std::max(tail.oldest_epoch, *epoch), tail.newest_epoch);
    renumber_epochs();
  }

  // A 1 before each entry and each tail, a 0 after the last.
  void pack(BitWriter& writer, const BufferLayout& layout) const {
    pack_head(writer, layout);
    for (const Tail& tail : tails_) {
      pack_tail_frame(tail, writer, layout);
      D::pack(tail.values, writer, layout.values[tail.cell], layout);
    }
    writer.put(0, 1);
    if (layout.barriers) writer.put(barrier_pending_ ? 1 : 0, 1);
  }

  void unpack(BitReader& reader, const BufferLayout& layout) {
    head_.clear();
    tails_.clear();
    while (reader.get(1)) {
      Entry entry;
      entry.cell = layout.cells[reader.get(layout.cell_bits)];
      if (layout.barriers) entry.epoch = reader.get(kEpochBits) & 0x7fffffffU;
      if (layout.marks) entry.marked = reader.get(1) & 1U;
      D::unpack(entry.value, reader, layout.values[entry.cell], layout);
      head_.push_back(entry);
    }
    while (reader.get(1)) {
      Tail& tail = tails_.emplace_back();
      tail.cell = layout.cells[reader.get(layout.cell_bits)];
      if (layout.barriers) {
        tail.oldest_epoch = static_cast<uint32_t>(reader.get(kEpochBits));
        tail.newest_epoch = static_cast<uint32_t>(reader.get(kEpochBits));
      }
      if (layout.marks) tail.newest_marked = reader.get(1);
      if (layout.abstraction.kind != Abstraction::Kind::kSet)
        D::unpack(tail.newest, reader, layout.values[tail.cell], layout);
      D::unpack(tail.values, reader, layout.values[tail.cell], layout);
    }
    barrier_pending_ = layout.barriers && reader.get(1);
  }

  // What two buffers must have in common for one to subsume the other: which cells have pending stores, and
  // the newest values. Where tails are exact, all values of a cell, in head and tail together: subsumption
  // moves them from one to the other, but drops none. With barriers or marks also the head and all epochs.
  void pack_subsumption_class(BitWriter& writer, const BufferLayout& layout) const {
    if (layout.barriers || layout.marks) {
      pack_head(writer, layout);
      for (const Tail& tail : tails_) pack_tail_frame(tail, writer, layout);
      writer.put(barrier_pending_ ? 2 : 0, 2);
      return;
    }
    if (layout.heads_differ) pack_head(writer, layout);
    for (const uint32_t cell : layout.cells) {
      const Tail* tail = find_tail(cell);
      const Entry* entry = newest_entry(cell);
      const bool pending = tail != nullptr || entry != nullptr;
      writer.put(pending ? 1 : 0, 1);
      if (pending && is_exact(layout)) {
        Set all = tail != nullptr ? tail->values : D::none();
        for (const Entry& each : head_)
          if (each.cell == cell) D::add(all, each.value, layout.values[cell]);
        D::pack(all, writer, layout.values[cell], layout);
      }
      if (layout.abstraction.kind == Abstraction::Kind::kSet) continue;
      if (tail != nullptr)
        D::pack(tail->newest, writer, layout.values[cell], layout);
      else if (entry != nullptr)
        D::pack(entry->value, writer, layout.values[cell], layout);
    }
  }

  // Does this represent everything that `narrow` represents? Precondition: they are of one subsumption class.
  bool subsumes(const PartialBuffer& narrow, const BufferLayout& layout) const {
    // Of every queue our head must be a prefix; what the other has in order beyond it must be in our tails.
    std::vector<Tail> tails = narrow.tails_;
    size_t ours = 0;
    bool dropped = false;
    for (size_t theirs = 0; theirs < narrow.head_.size(); ++theirs) {
      const Entry& entry = narrow.head_[theirs];
      if (layout.per_cell && theirs > 0 && narrow.head_[theirs - 1].cell != entry.cell) dropped = false;
      if (!dropped && ours < head_.size() && head_[ours] == entry) {
        ++ours;
        continue;
      }
      dropped = true;
      D::add(tail_for(tails, entry.cell).values, entry.value, layout.values[entry.cell]);
    }
    if (ours != head_.size()) return false;
    if (tails.size() != tails_.size()) return false;
    for (size_t i = 0; i < tails.size(); ++i) {
      if (tails[i].cell != tails_[i].cell || !D::subset(tails[i].values, tails_[i].values)) return false;
      if (is_exact(layout) && !D::subset(tails_[i].values, tails[i].values)) return false;
    }
    return true;
  }

  BufferContents contents(const BufferLayout& layout) const {
    BufferContents all;
    for (const Entry& entry : head_) {
      all.head.push_back({entry.cell, {}, entry.epoch, entry.marked != 0});
      D::for_each_value(entry.value, layout.values[entry.cell],
                        [&](Value value) { all.head.back().values.push_back(value); });
    }
    for (const Tail& tail : tails_) {
      all.tail.push_back(
          {tail.cell, {}, {}, is_exact(layout), tail.oldest_epoch, tail.newest_epoch, tail.newest_marked});
      for_each_reading(tail.cell, layout, [&](Value value) { all.tail.back().newest.push_back(value); });
      for_each_value_of(tail, layout, [&](Value value) { all.tail.back().values.push_back(value); });
    }
    all.barrier_pending = barrier_pending_;
    return all;
  }

 private:
  static constexpr unsigned kEpochBits = 16;

  static bool is_exact(const BufferLayout& layout) {
    return D::kExact && layout.abstraction.kind != Abstraction::Kind::kPartiallyDisjunctive;
  }

  // The tail of the cell; an empty one is inserted if there is none.
  static Tail& tail_for(std::vector<Tail>& tails, uint32_t cell) {
    auto tail = std::lower_bound(tails.begin(), tails.end(), cell,
                                 [](const Tail& r, uint32_t c) { return r.cell < c; });
    if (tail == tails.end() || tail->cell != cell) {
      tail = tails.insert(tail, Tail());
      tail->cell = cell;
    }
    return *tail;
  }
  const Tail* find_tail(uint32_t cell) const {
    for (const Tail& tail : tails_)
      if (tail.cell == cell) return &tail;
    return nullptr;
  }
  const Entry* newest_entry(uint32_t cell) const {
    for (auto entry = head_.rbegin(); entry != head_.rend(); ++entry)
      if (entry->cell == cell) return &*entry;
    return nullptr;
  }

  bool has_room(uint32_t cell, const BufferLayout& layout) const {
    if (!layout.per_cell) return tails_.empty() && head_.size() < layout.abstraction.order;
    if (find_tail(cell) != nullptr) return false;
    const auto count =
        std::count_if(head_.begin(), head_.end(), [cell](const Entry& e) { return e.cell == cell; });
    return static_cast<unsigned>(count) < layout.abstraction.order;
  }

  template <class F>
  static void for_each_value_of(const Tail& tail, const BufferLayout& layout, const F& f) {
    const FieldLayout& field = layout.values[tail.cell];
    D::for_each_element(tail.values, field,
                        [&](uint32_t, const Element& element) { D::for_each_value(element, field, f); });
  }
  template <class F>
  void for_each_reading(uint32_t cell, const BufferLayout& layout, const F& f) const {
    if (const Tail* tail = find_tail(cell)) {
      if (layout.abstraction.kind == Abstraction::Kind::kSet)
        for_each_value_of(*tail, layout, f);
      else
        D::for_each_value(tail->newest, layout.values[cell], f);
    } else if (const Entry* entry = newest_entry(cell)) {
      D::for_each_value(entry->value, layout.values[cell], f);
    }
  }

  template <class F>
  void flush_from_tail(uint32_t index, const BufferLayout& layout, const F& f) const {
    using Kind = FlushChoice::Kind;
    const Tail& tail = tails_[index];
    const FieldLayout& field = layout.values[tail.cell];
    const bool set_only = layout.abstraction.kind == Abstraction::Kind::kSet;
    const bool may_end = !layout.barriers || !earlier_than(tail.newest_epoch);
    D::for_each_element(tail.values, field, [&](uint32_t number, const Element& element) {
      D::for_each_value(element, field, [&](Value value) {
        f(FlushChoice{tail.cell, value, index, Kind::kStays, number});
        if (!is_exact(layout)) return;
        if (D::is_only(tail.values, element, field)) {
          if (may_end) f(FlushChoice{tail.cell, value, index, Kind::kEnds, number});
        } else if (set_only || !(element == tail.newest)) {
          f(FlushChoice{tail.cell, value, index, Kind::kLoses, number});
        }
      });
    });
    if (is_exact(layout) || !may_end) return;
    for_each_reading(tail.cell, layout, [&](Value value) {
      f(FlushChoice{tail.cell, value, index, Kind::kEnds, 0});
    });
  }

  // The greatest epoch; 0 if empty.
  uint32_t last_epoch() const {
    uint32_t last = 0;
    for (const Entry& entry : head_) last = std::max<uint32_t>(last, entry.epoch);
    for (const Tail& tail : tails_) last = std::max(last, tail.newest_epoch);
    return last;
  }
  // Is a store of an epoch before this one pending, for certain?
  bool earlier_than(uint32_t epoch) const {
    return std::any_of(head_.begin(), head_.end(), [epoch](const Entry& e) { return e.epoch < epoch; }) ||
           std::any_of(tails_.begin(), tails_.end(),
                       [epoch](const Tail& r) { return r.newest_epoch < epoch; });
  }
  void renumber_epochs() {
    std::vector<uint32_t> used;
    for (const Entry& entry : head_) used.push_back(entry.epoch);
    for (const Tail& tail : tails_) used.insert(used.end(), {tail.oldest_epoch, tail.newest_epoch});
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    require(used.size() < size_t{1} << kEpochBits, "too many epochs in an abstract buffer");
    const auto rank = [&used](uint32_t epoch) {
      return static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), epoch) - used.begin());
    };
    for (Entry& entry : head_) entry.epoch = rank(entry.epoch) & 0x7fffffffU;
    for (Tail& tail : tails_) {
      tail.oldest_epoch = rank(tail.oldest_epoch);
      tail.newest_epoch = rank(tail.newest_epoch);
    }
  }

  void pack_head(BitWriter& writer, const BufferLayout& layout) const {
    for (const Entry& entry : head_) {
      writer.put(1, 1);
      writer.put(layout.cell_index[entry.cell], layout.cell_bits);
      if (layout.barriers) writer.put(entry.epoch, kEpochBits);
      if (layout.marks) writer.put(entry.marked, 1);
      D::pack(entry.value, writer, layout.values[entry.cell], layout);
    }
    writer.put(0, 1);
  }
  // All of a tail but its values.
  static void pack_tail_frame(const Tail& tail, BitWriter& writer, const BufferLayout& layout) {
    writer.put(1, 1);
    writer.put(layout.cell_index[tail.cell], layout.cell_bits);
    if (layout.barriers) {
      writer.put(tail.oldest_epoch, kEpochBits);
      writer.put(tail.newest_epoch, kEpochBits);
    }
    if (layout.marks) writer.put(tail.newest_marked ? 1 : 0, 1);
    if (layout.abstraction.kind != Abstraction::Kind::kSet)
      D::pack(tail.newest, writer, layout.values[tail.cell], layout);
  }

  std::vector<Entry> head_;  // by age; per cell: by cell, then age
  std::vector<Tail> tails_;  // by cell; never empty ones
  bool barrier_pending_ = false;
};

}  // namespace fenceline::buffer
