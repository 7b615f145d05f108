// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two small hash tables with open addressing. Both are filled and emptied again for every automaton that is
// built, which the standard containers do with an allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"

namespace fenceline {

// From pairs of numbers to numbers.
class PairTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t find(uint32_t a, uint32_t b) const { return slots_[place_of(key_of(a, b))].value; }

  // Precondition: the value is not kNone. Returns the value that the pair has afterwards, which is the old
  // one if there was one.
  uint32_t insert(uint32_t a, uint32_t b, uint32_t value) {
    const uint64_t key = key_of(a, b);
    Slot& slot = slots_[place_of(key)];
    if (slot.value != kNone) return slot.value;
    slot = {key, value};
    if (++used_ * 2 > slots_.size()) grow();
    return value;
  }

  size_t size() const { return used_; }
  void clear() {
    slots_.assign(kSmallest, Slot{});
    used_ = 0;
  }
  size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr size_t kSmallest = 64;
  struct Slot {
    uint64_t key = 0;
    uint32_t value = kNone;
  };

  static uint64_t key_of(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }
  size_t place_of(uint64_t key) const {
    size_t place = hash_combine(0, key) & (slots_.size() - 1);
    while (slots_[place].value != kNone && slots_[place].key != key)
      place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != kNone) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kSmallest);
  size_t used_ = 0;
};

// A set of sequences of numbers, numbered as they come.
class SequenceSet {
 public:
  // The number of the sequence. Precondition: it does not point into this set.
  uint32_t add(std::span<const uint32_t> sequence);
  // Valid until the next addition.
  std::span<const uint32_t> operator[](uint32_t number) const {
    return std::span(elements_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }
  uint32_t size() const { return static_cast<uint32_t>(begins_.size() - 1); }
  void clear();

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr size_t kSmallest = 64;

  void grow();

  std::vector<uint32_t> elements_;
  std::vector<size_t> begins_ = {0};
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kSmallest, kNone);
};

}  // namespace fenceline
