// SPDX-License-Identifier: GPL-3.0-or-later
//
// A hash table with open addressing and linear probing, at most half full (Knuth, TAOCP vol. 3, section 6.4,
// algorithm L), without removal. Unlike the standard containers it has no allocation per entry, and what a
// slot holds is up to its user: keys with their values, or numbers of things that lie elsewhere.
//
// A slot that was value-initialised is free. Equal entries have equal hashes; of these only so many low bits
// are looked at as the table needs. (The table of engine/state_store.h is shared between threads and is
// another.)
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fenceline {

template <class Slot>
concept ProbeSlot = std::copyable<Slot> && requires(const Slot slot) {
  { slot.free() } -> std::same_as<bool>;
  { slot.hash() } -> std::convertible_to<uint64_t>;  // if it is not free
};

template <ProbeSlot Slot>
class ProbeTable {
 public:
  // Precondition: a power of two.
  explicit ProbeTable(size_t slots = 64) : smallest_(slots), slots_(slots) {}

  // The slot for which matches(slot) holds, or else the free one where such an entry goes. Valid until the
  // next fill().
  template <class Matches>
  Slot& find(uint64_t hash, const Matches& matches) {
    return slots_[index_of(hash, matches)];
  }
  template <class Matches>
  const Slot& find(uint64_t hash, const Matches& matches) const {
    return slots_[index_of(hash, matches)];
  }

  // Precondition: find() has returned the slot for this entry, and it is free. Returns where the entry is.
  Slot& fill(Slot& slot, const Slot& entry) {
    if (++used_ * 2 <= slots_.size()) return slot = entry;
    grow();
    return free_slot(entry.hash()) = entry;
  }

  size_t used() const { return used_; }
  size_t bytes() const { return slots_.capacity() * sizeof(Slot); }
  // As it was at first, but keeps its memory.
  void clear() {
    slots_.assign(smallest_, Slot{});
    used_ = 0;
  }

 private:
  template <class Matches>
  size_t index_of(uint64_t hash, const Matches& matches) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (!slots_[at].free() && !matches(slots_[at])) at = (at + 1) & mask;
    return at;
  }
  Slot& free_slot(uint64_t hash) {
    return find(hash, [](const Slot&) { return false; });
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (!slot.free()) free_slot(slot.hash()) = slot;
  }

  size_t smallest_;
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

// A slot for things that are numbered and lie elsewhere. What is kept of their hashes spares most
// comparisons, and reading the things when the table grows.
struct NumberSlot {
  static constexpr uint32_t kNone = ~uint32_t{0};

  NumberSlot() = default;
  NumberSlot(uint64_t hash, uint32_t thing) : low_hash(static_cast<uint32_t>(hash)), number(thing) {}

  bool free() const { return number == kNone; }
  uint64_t hash() const { return low_hash; }
  bool may_match(uint64_t other) const { return low_hash == static_cast<uint32_t>(other); }

  uint32_t low_hash = 0;
  uint32_t number = kNone;
};

}  // namespace fenceline
