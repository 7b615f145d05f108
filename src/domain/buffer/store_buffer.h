// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the machine (machine/store_buffer/machine.h) requires of a type that keeps the pending stores of one
// thread. fifo_buffer.h is the exact one; partial_buffer.h has the abstract ones; automaton_buffer.h has
// sets of exact ones. TSO and PSO are the same types with another layout: one queue per thread, or one per
// cell.
//
// An abstract buffer represents many exact ones. Its answers over-approximate: what it calls impossible is
// impossible in all of them. Which cells have pending stores is always known exactly.
//
// A set of buffers takes a step with those of its contents that can take it; the keep_...() functions drop
// the others. For buffers that do not narrow they only test.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "automata/languages.h"
#include "base/bits.h"
#include "base/numbers.h"
#include "domain/buffer/abstraction.h"
#include "env/errors.h"

namespace fenceline::buffer {

// A packed field: the value minus its least value, in so many bits.
struct FieldLayout {
  uint32_t index = 0;  // what is packed: a cell or a flat register
  Value lo = 0;
  unsigned bits = 0;
  Value hi = 0;  // the greatest value

  // A value outside its range is a Bug: two different states would look alike.
  uint64_t encode(Value value) const {
    const uint64_t offset = static_cast<uint64_t>(value) - static_cast<uint64_t>(lo);
    require(bits == 64 || offset >> bits == 0, "a value is outside its analysed range");
    return offset;
  }
  Value decode(uint64_t offset) const { return static_cast<Value>(static_cast<uint64_t>(lo) + offset); }
};

// How wide the parts of a packed entry are, and which of them the program needs at all.
struct BufferLayout {
  bool per_cell = false;
  bool barriers = false;             // does the thread have store-store barriers?
  bool marks = false;                // does it have store-load marks?
  std::vector<uint32_t> cells;       // the cells the thread can store to
  std::vector<uint32_t> cell_index;  // inverse of `cells`
  unsigned cell_bits = 0;
  std::vector<FieldLayout> values;           // by cell of the program
  Abstraction abstraction;                   // abstract buffers only
  bool heads_differ = false;                 // one buffer subsumes another only if the heads are equal
  unsigned origin_bits = 0;                  // buffers that record which instruction stored: bits of a point
  automata::Languages* languages = nullptr;  // sets of buffers only: where they are kept
};

// One alternative for a flush. The exact buffer has one per entry that may be flushed.
struct FlushChoice {
  enum class Kind : uint8_t {
    kEntry,  // the entry `index` is flushed
    kStays,  // tail `index`: a store of this value is flushed, another one of it stays
    kLoses,  // tail `index`: the last store of its element `element` is flushed, others stay
    kEnds,   // tail `index`: its only store is flushed
  };
  uint32_t cell = 0;
  Value value = 0;
  uint32_t index = 0;
  Kind kind = Kind::kEntry;
  uint32_t element = 0;
};

template <class B>
concept StoreBuffer = requires(B b, const B cb, const BufferLayout& layout, uint32_t cell, Value value,
                               const FlushChoice& choice, BitWriter& writer, BitReader& reader) {
  // Can an own load always return at most one value? If not, readings() says how many it may return.
  { B::kOneReading } -> std::convertible_to<bool>;
  // Does this represent several contents of which a step may keep only some?
  { B::kNarrows } -> std::convertible_to<bool>;
  { cb.empty() } -> std::same_as<bool>;         // is no store pending, for certain?
  { cb.may_be_empty() } -> std::same_as<bool>;  // may there be no pending store?
  { cb.size() } -> std::convertible_to<size_t>;
  { cb.holds(cell) } -> std::same_as<bool>;       // is there an entry for the cell?
  { cb.loads_blocked() } -> std::same_as<bool>;   // is a marked entry pending, for certain?
  { cb.stores_blocked() } -> std::same_as<bool>;  // would a new entry wait behind a barrier, for certain?
  // Are those five, and what for_each_flush() offers, exact for everything this represents?
  { cb.order_is_exact(layout) } -> std::same_as<bool>;
  // Keep the contents with no pending store; no marked entry; no barrier; no entry for the cell. False, and
  // nothing changes, if there are none.
  { b.keep_drained() } -> std::same_as<bool>;
  { b.keep_loadable() } -> std::same_as<bool>;
  { b.keep_unbarred() } -> std::same_as<bool>;
  { b.keep_without(cell, layout) } -> std::same_as<bool>;
  // The number of values that an own load can return, memory (the last argument but one) included; and the
  // value for the number of a reading, keeping the contents in which the load returns it.
  { cb.readings(cell, value, layout) } -> std::convertible_to<uint64_t>;
  { b.read(cell, uint64_t{}, value, layout) } -> std::same_as<Value>;
  {b.append(cell, value, uint32_t{}, layout)};                     // the number: the point of the store
  { cb.barrier_alternatives() } -> std::convertible_to<uint64_t>;  // sets may have to be split
  {b.barrier(uint64_t{})};
  {b.mark()};
  {cb.for_each_cell([](uint32_t) {})};  // the cells with entries; may repeat
  {cb.for_each_flush(layout, [](const FlushChoice&) {})};
  {b.flush(choice, layout)};
  {cb.pack(writer, layout)};
  {b.unpack(reader, layout)};
};

}  // namespace fenceline::buffer
