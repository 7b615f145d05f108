// SPDX-License-Identifier: GPL-3.0-or-later
//
// Partial coherence: the waiting stores of one thread, remembered in part. Kuperstein, Vechev, Yahav,
// sections 4.1 to 4.3 (Semantics 3 and 4), for one queue per cell (PSO) and for one per thread (TSO) alike.
//
// Three things are kept. The *head*: the oldest stores in order, at most `order` of them (per cell on PSO, of
// the thread on TSO). Then, for every cell that has younger stores, a *rest*: the set of their values, and
// the newest one. A store goes to the head while there is room and no rest yet; else into the rest. The head
// leaves in order; after it any value of a rest may leave, since nobody knows which is oldest, and nobody
// knows how often it was stored:
//
//                 fully disjunctive                          partially disjunctive
//   rest means    exactly these values wait                  these values or fewer wait, the newest among
//   them a store of v  stays: v reaches memory, rest unchanged    the same leaves        loses: v ≠ newest is
//   gone from the rest    –
//                 ends: the rest is {newest}, and is gone    ends: the newest reaches memory, the rest is
//                 gone
//
// The plain set abstraction is the fully disjunctive one without a head and without the newest value: any
// waiting value may be read by the own thread, and any may be the last to leave.
//
// Why it is sound: each exact step from an exact buffer that this one stands for leads to one that a step
// here leads to. Whether a cell has waiting stores is exact throughout, so fences, rmw and loads from memory
// are possible here exactly when they are there.
//
// Barriers and marks (docs/semantics.md, "Partial fences") are kept for every entry of the head. Of a rest we
// know the epochs of its oldest and its newest store at most, and whether the newest is marked. What is lost:
// once a store goes into a rest, older marked stores in it no longer hold back loads, and stores between its
// first and last epoch may leave as early as the first could. Only the order of epochs means anything, so
// they are renumbered without gaps; that keeps their number finite.
//
// Found wrong in print: the newest value has to be forgotten with the last store; beta("ab") has the newest
// value b; the order for empty sets must read H1 = H2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/buffer/values.h"
#include "task/buffer_contents.h"

namespace fenceline {

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
  struct Rest {
    uint32_t cell = 0;
    uint32_t oldest_epoch = 0;
    uint32_t newest_epoch = 0;
    bool newest_marked = false;
    Element newest{};  // the set abstraction: always Element()
    Set values = D::none();
  };

  bool empty() const { return head_.empty() && rests_.empty(); }
  bool may_be_empty() const { return empty(); }
  size_t size() const { return head_.size() + rests_.size(); }
  const std::vector<Entry>& head() const { return head_; }
  const std::vector<Rest>& rests() const { return rests_; }

  bool holds(uint32_t cell) const { return find_rest(cell) != nullptr || newest_entry(cell) != nullptr; }

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

  bool loads_wait() const {
    return std::any_of(head_.begin(), head_.end(), [](const Entry& e) { return e.marked; }) ||
           std::any_of(rests_.begin(), rests_.end(), [](const Rest& r) { return r.newest_marked; });
  }
  bool stores_wait() const { return barrier_pending_ || earlier_than(last_epoch()); }
  bool order_is_exact(const BufferLayout& layout) const {
    return rests_.empty() || !(layout.barriers || layout.marks);
  }

  bool keep_drained() const { return empty(); }
  bool keep_loadable() const { return !loads_wait(); }
  bool keep_unbarred() const { return !stores_wait(); }
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
    const bool first = find_rest(cell) == nullptr;
    Rest& rest = rest_for(rests_, cell);
    if (first) rest.oldest_epoch = epoch;
    rest.newest_epoch = epoch;
    rest.newest_marked = false;
    if (layout.abstraction.kind != Abstraction::Kind::kSet) rest.newest = element;
    D::add(rest.values, element, layout.values[cell]);
    if (layout.barriers) renumber_epochs();
  }

  uint64_t barrier_ways() const { return 1; }
  void barrier(uint64_t /*way*/ = 0) { barrier_pending_ = !empty(); }
  void mark() {
    for (Entry& entry : head_) entry.marked = 1;
    for (Rest& rest : rests_) rest.newest_marked = true;
  }

  template <class F>
  void for_each_cell(const F& f) const {
    for (const Entry& entry : head_) f(entry.cell);
    for (const Rest& rest : rests_) f(rest.cell);
  }

  // Choices for one cell stand together.
  template <class F>
  void for_each_flush(const BufferLayout& layout, const F& f) const {
    for (uint32_t i = 0; i < head_.size(); ++i) {
      const Entry& entry = head_[i];
      const bool oldest = layout.per_cell ? i == 0 || head_[i - 1].cell != entry.cell : i == 0;
      if (!oldest || (layout.barriers && earlier_than(entry.epoch))) continue;
      D::for_each_value(entry.value, layout.values[entry.cell], [&](Value value) {
        f(FlushChoice{entry.cell, value, i, FlushChoice::Way::kEntry, 0});
      });
    }
    for (uint32_t i = 0; i < rests_.size(); ++i) {
      const Rest& rest = rests_[i];
      if (layout.per_cell ? newest_entry(rest.cell) != nullptr : !head_.empty()) continue;
      if (layout.barriers && earlier_than(rest.oldest_epoch)) continue;
      flush_from_rest(i, layout, f);
    }
  }

  void flush(const FlushChoice& choice, const BufferLayout& layout) {
    using Way = FlushChoice::Way;
    std::optional<uint32_t> epoch;  // of what left, if it is known
    if (choice.way == Way::kEntry) {
      epoch = uint32_t{head_[choice.index].epoch};
      head_.erase(head_.begin() + choice.index);
    } else if (choice.way == Way::kLoses) {
      if constexpr (D::kExact)
        D::remove(rests_[choice.index].values, choice.element, layout.values[choice.cell]);
    } else if (choice.way == Way::kEnds) {
      epoch = rests_[choice.index].newest_epoch;
      rests_.erase(rests_.begin() + choice.index);
    }
    if (empty()) barrier_pending_ = false;
    if (!layout.barriers || !epoch) return;
    // Whatever was stored before that epoch must have left before.
    for (Rest& rest : rests_)
      rest.oldest_epoch = std::min(std::max(rest.oldest_epoch, *epoch), rest.newest_epoch);
    renumber_epochs();
  }

  // A 1 before each entry and each rest, a 0 after the last.
  void pack(BitWriter& writer, const BufferLayout& layout) const {
    pack_head(writer, layout);
    for (const Rest& rest : rests_) {
      pack_rest_frame(rest, writer, layout);
      D::pack(rest.values, writer, layout.values[rest.cell], layout);
    }
    writer.put(0, 1);
    if (layout.barriers) writer.put(barrier_pending_ ? 1 : 0, 1);
  }

  void unpack(BitReader& reader, const BufferLayout& layout) {
    head_.clear();
    rests_.clear();
    while (reader.get(1)) {
      Entry entry;
      entry.cell = layout.cells[reader.get(layout.cell_bits)];
      if (layout.barriers) entry.epoch = reader.get(kEpochBits) & 0x7fffffffU;
      if (layout.marks) entry.marked = reader.get(1) & 1U;
      D::unpack(entry.value, reader, layout.values[entry.cell], layout);
      head_.push_back(entry);
    }
    while (reader.get(1)) {
      Rest& rest = rests_.emplace_back();
      rest.cell = layout.cells[reader.get(layout.cell_bits)];
      if (layout.barriers) {
        rest.oldest_epoch = static_cast<uint32_t>(reader.get(kEpochBits));
        rest.newest_epoch = static_cast<uint32_t>(reader.get(kEpochBits));
      }
      if (layout.marks) rest.newest_marked = reader.get(1);
      if (layout.abstraction.kind != Abstraction::Kind::kSet)
        D::unpack(rest.newest, reader, layout.values[rest.cell], layout);
      D::unpack(rest.values, reader, layout.values[rest.cell], layout);
    }
    barrier_pending_ = layout.barriers && reader.get(1);
  }

  // What two buffers must have in common if one is to cover the other: which cells wait, and the newest
  // values. Where rests are exact, all values of a cell, in the head and in the rest together: covering moves
  // them from one to the other, but loses none. With barriers or marks also the head and all epochs.
  void pack_family(BitWriter& writer, const BufferLayout& layout) const {
    if (layout.barriers || layout.marks) {
      pack_head(writer, layout);
      for (const Rest& rest : rests_) pack_rest_frame(rest, writer, layout);
      writer.put(barrier_pending_ ? 2 : 0, 2);
      return;
    }
    if (layout.heads_differ) pack_head(writer, layout);
    for (const uint32_t cell : layout.cells) {
      const Rest* rest = find_rest(cell);
      const Entry* entry = newest_entry(cell);
      const bool waits = rest != nullptr || entry != nullptr;
      writer.put(waits ? 1 : 0, 1);
      if (waits && is_exact(layout)) {
        Set all = rest != nullptr ? rest->values : D::none();
        for (const Entry& each : head_)
          if (each.cell == cell) D::add(all, each.value, layout.values[cell]);
        D::pack(all, writer, layout.values[cell], layout);
      }
      if (layout.abstraction.kind == Abstraction::Kind::kSet) continue;
      if (rest != nullptr)
        D::pack(rest->newest, writer, layout.values[cell], layout);
      else if (entry != nullptr)
        D::pack(entry->value, writer, layout.values[cell], layout);
    }
  }

  // Does this stand for everything that `narrow` stands for? Precondition: they are of one family.
  bool covers(const PartialBuffer& narrow, const BufferLayout& layout) const {
    // Of every queue our head must be a prefix; what the other has more in order must be in our rests.
    std::vector<Rest> rests = narrow.rests_;
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
      D::add(rest_for(rests, entry.cell).values, entry.value, layout.values[entry.cell]);
    }
    if (ours != head_.size()) return false;
    if (rests.size() != rests_.size()) return false;
    for (size_t i = 0; i < rests.size(); ++i) {
      if (rests[i].cell != rests_[i].cell || !D::subset(rests[i].values, rests_[i].values)) return false;
      if (is_exact(layout) && !D::subset(rests_[i].values, rests[i].values)) return false;
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
    for (const Rest& rest : rests_) {
      all.tail.push_back(
          {rest.cell, {}, {}, is_exact(layout), rest.oldest_epoch, rest.newest_epoch, rest.newest_marked});
      for_each_reading(rest.cell, layout, [&](Value value) { all.tail.back().newest.push_back(value); });
      for_each_value_of(rest, layout, [&](Value value) { all.tail.back().values.push_back(value); });
    }
    all.barrier_pending = barrier_pending_;
    return all;
  }

 private:
  static constexpr unsigned kEpochBits = 16;

  static bool is_exact(const BufferLayout& layout) {
    return D::kExact && layout.abstraction.kind != Abstraction::Kind::kPartiallyDisjunctive;
  }

  // The rest of the cell, an empty one put in its place if there is none.
  static Rest& rest_for(std::vector<Rest>& rests, uint32_t cell) {
    auto rest = std::lower_bound(rests.begin(), rests.end(), cell,
                                 [](const Rest& r, uint32_t c) { return r.cell < c; });
    if (rest == rests.end() || rest->cell != cell) {
      rest = rests.insert(rest, Rest());
      rest->cell = cell;
    }
    return *rest;
  }
  const Rest* find_rest(uint32_t cell) const {
    for (const Rest& rest : rests_)
      if (rest.cell == cell) return &rest;
    return nullptr;
  }
  const Entry* newest_entry(uint32_t cell) const {
    for (auto entry = head_.rbegin(); entry != head_.rend(); ++entry)
      if (entry->cell == cell) return &*entry;
    return nullptr;
  }

  bool has_room(uint32_t cell, const BufferLayout& layout) const {
    if (!layout.per_cell) return rests_.empty() && head_.size() < layout.abstraction.order;
    if (find_rest(cell) != nullptr) return false;
    const auto waiting =
        std::count_if(head_.begin(), head_.end(), [cell](const Entry& e) { return e.cell == cell; });
    return static_cast<unsigned>(waiting) < layout.abstraction.order;
  }

  template <class F>
  static void for_each_value_of(const Rest& rest, const BufferLayout& layout, const F& f) {
    const FieldLayout& field = layout.values[rest.cell];
    D::for_each_element(rest.values, field,
                        [&](uint32_t, const Element& element) { D::for_each_value(element, field, f); });
  }
  template <class F>
  void for_each_reading(uint32_t cell, const BufferLayout& layout, const F& f) const {
    if (const Rest* rest = find_rest(cell)) {
      if (layout.abstraction.kind == Abstraction::Kind::kSet)
        for_each_value_of(*rest, layout, f);
      else
        D::for_each_value(rest->newest, layout.values[cell], f);
    } else if (const Entry* entry = newest_entry(cell)) {
      D::for_each_value(entry->value, layout.values[cell], f);
    }
  }

  template <class F>
  void flush_from_rest(uint32_t index, const BufferLayout& layout, const F& f) const {
    using Way = FlushChoice::Way;
    const Rest& rest = rests_[index];
    const FieldLayout& field = layout.values[rest.cell];
    const bool set_only = layout.abstraction.kind == Abstraction::Kind::kSet;
    const bool may_end = !layout.barriers || !earlier_than(rest.newest_epoch);
    D::for_each_element(rest.values, field, [&](uint32_t number, const Element& element) {
      D::for_each_value(element, field, [&](Value value) {
        f(FlushChoice{rest.cell, value, index, Way::kStays, number});
        if (!is_exact(layout)) return;
        if (D::is_only(rest.values, element, field)) {
          if (may_end) f(FlushChoice{rest.cell, value, index, Way::kEnds, number});
        } else if (set_only || !(element == rest.newest)) {
          f(FlushChoice{rest.cell, value, index, Way::kLoses, number});
        }
      });
    });
    if (is_exact(layout) || !may_end) return;
    for_each_reading(rest.cell, layout, [&](Value value) {
      f(FlushChoice{rest.cell, value, index, Way::kEnds, 0});
    });
  }

  // The greatest epoch; 0 if empty.
  uint32_t last_epoch() const {
    uint32_t last = 0;
    for (const Entry& entry : head_) last = std::max<uint32_t>(last, entry.epoch);
    for (const Rest& rest : rests_) last = std::max(last, rest.newest_epoch);
    return last;
  }
  // Is a store left, for certain, that belongs to an epoch before this one?
  bool earlier_than(uint32_t epoch) const {
    return std::any_of(head_.begin(), head_.end(), [epoch](const Entry& e) { return e.epoch < epoch; }) ||
           std::any_of(rests_.begin(), rests_.end(),
                       [epoch](const Rest& r) { return r.newest_epoch < epoch; });
  }
  void renumber_epochs() {
    std::vector<uint32_t> used;
    for (const Entry& entry : head_) used.push_back(entry.epoch);
    for (const Rest& rest : rests_) used.insert(used.end(), {rest.oldest_epoch, rest.newest_epoch});
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    require(used.size() < size_t{1} << kEpochBits, "too many epochs in an abstract buffer");
    const auto rank = [&used](uint32_t epoch) {
      return static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), epoch) - used.begin());
    };
    for (Entry& entry : head_) entry.epoch = rank(entry.epoch) & 0x7fffffffU;
    for (Rest& rest : rests_) {
      rest.oldest_epoch = rank(rest.oldest_epoch);
      rest.newest_epoch = rank(rest.newest_epoch);
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
  // All of a rest but its values.
  static void pack_rest_frame(const Rest& rest, BitWriter& writer, const BufferLayout& layout) {
    writer.put(1, 1);
    writer.put(layout.cell_index[rest.cell], layout.cell_bits);
    if (layout.barriers) {
      writer.put(rest.oldest_epoch, kEpochBits);
      writer.put(rest.newest_epoch, kEpochBits);
    }
    if (layout.marks) writer.put(rest.newest_marked ? 1 : 0, 1);
    if (layout.abstraction.kind != Abstraction::Kind::kSet)
      D::pack(rest.newest, writer, layout.values[rest.cell], layout);
  }

  std::vector<Entry> head_;  // by age; per cell: by cell, then age
  std::vector<Rest> rests_;  // by cell; never empty ones
  bool barrier_pending_ = false;
};

}  // namespace fenceline
