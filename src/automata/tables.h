// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two small hash tables. Both are filled and emptied again for every automaton that is built, which the
// standard containers do with an allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/probe_table.h"

namespace fenceline::automata {

// From pairs of numbers to numbers.
class PairTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t find(uint32_t a, uint32_t b) const {
    const uint64_t key = key_of(a, b);
    return slots_.find(hash_of(key), [key](const Slot& slot) { return slot.key == key; }).value;
  }

  // Precondition: the value is not kNone. Returns the value that the pair has afterwards, which is the old
  // one if there was one.
  uint32_t insert(uint32_t a, uint32_t b, uint32_t value) {
    const uint64_t key = key_of(a, b);
    Slot& slot = slots_.find(hash_of(key), [key](const Slot& known) { return known.key == key; });
    return slot.free() ? slots_.fill(slot, {key, value}).value : slot.value;
  }

  size_t size() const { return slots_.used(); }
  void clear() { slots_.clear(); }
  size_t bytes() const { return slots_.bytes(); }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t value = kNone;

    bool free() const { return value == kNone; }
    uint64_t hash() const { return hash_of(key); }
  };

  static uint64_t key_of(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }
  static uint64_t hash_of(uint64_t key) { return hash_combine(0, key); }

  ProbeTable<Slot> slots_;
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
  std::vector<uint32_t> elements_;
  std::vector<size_t> begins_ = {0};
  ProbeTable<NumberSlot> slots_;
};

}  // namespace fenceline::automata
