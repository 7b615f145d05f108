// SPDX-License-Identifier: GPL-3.0-or-later
//
// What threads know of the writes to shared cells, along an execution of the SC machine: the monitor of the robustness
// engine (robustness_engine.cpp has the argument).
//
// The writes to a cell are numbered in the order of the execution, which is their coherence order. A *view* has one number
// for each shared cell. Views only grow, by being joined with others, and the rules are those of RC11:
//
//   known[t]        writes that thread t cannot overlook, since they happened before, or what read them did: coherence.
//                   What t reads, or overwrites, is this write or a later one.
//   message[x]      what one gets to know by reading the last write to x and acquiring.
//   acquired[t]     what t gets to know at its next acquire fence.
//   released[t]     what t knew at its last release fence: relaxed writes release this.
//   passed[t]       what is before t in po | rf | co | fr. On SC t has to read it, or something later.
//   written_after[x], accessed_after[x]   what is before the writes to x, and before all accesses to it, in that order.
//
// An access of t to x can differ from SC only if passed[t][x] > known[t][x]. Then a read could return the write before
// passed[t][x], which SC forbids and what happens before does not. The same for writes, which could be placed before it in
// coherence order; but not between a read-modify-write and what that read.
//
// Sequentially consistent accesses are ordered by more than that (psc of RC11, as far as it is about accesses alone):
//
//   sequential[t]   seq_cst writes that are before the last seq_cst access of t in the order of such accesses.
//   sequential_written[x], sequential_accessed[x]   the same, of the last seq_cst write to x, and of the last access.
//
// And so is what lies behind sequentially consistent fences:
//
//   fenced[t]       what t knew at its last seq_cst fence.
//   fenced_written[x], fenced_accessed[x]   what was known at such a fence before a write to x, or before any access.
//   pending[t]      what t gets to know at its next seq_cst fence, since a fence of another thread comes before it.
//
// Clocks (SharedCells::Clock) are numbers of accesses instead of writes, for data races. known, message, acquired and
// released have them, too.
//
// Only the order of numbers matters. So they are packed as ranks: there are finitely many.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "engine/robustness/access_strength.h"
#include "engine/robustness/shared_cells.h"

namespace fenceline::robustness {

class Views {
 public:
  explicit Views(const SharedCells& cells);  // borrowed

  void reset();  // nothing was written
  void unpack(BitReader& reader);
  // Throws Unsupported if more writes have to be distinguished than there is room for.
  void pack(BitWriter& writer);

  // Can a read differ from SC? `sequential`: is the access seq_cst?
  bool may_read_older(size_t thread, size_t cell, bool sequential) const;
  // Can a write, or a read-modify-write that certainly writes?
  bool may_write_earlier(size_t thread, size_t cell, bool sequential) const;
  // Is there an earlier access of another thread that nothing orders before this one?
  bool races(size_t thread, size_t cell, AccessKind kind) const;

  void read(size_t thread, size_t cell, bool atomic, const ReadStrength& strength);
  // `of_rmw`: the thread has just read the cell, and nothing comes between.
  void write(size_t thread, size_t cell, bool atomic, const WriteStrength& strength, bool of_rmw);
  void fence(size_t thread, const FenceStrength& strength);
  void tick(size_t thread, size_t cell, AccessKind kind);  // the clock of the access, if there is one

  // Threads that have ended know nothing, and of cells that no thread will access nothing need be known.
  void forget_thread(size_t thread);
  void forget_cell(size_t cell);
  // Only these threads will access the cell: a write that all of them know need not be distinguished from earlier ones.
  void forget_writes(size_t cell, const std::vector<size_t>& threads);

 private:
  using Number = uint8_t;
  static constexpr Number kMost = 63;

  // The rows of one kind of view lie one after the other, by thread or by cell. Empty: the program needs none.
  struct Rows {
    size_t first = 0;
    size_t count = 0;
  };
  Rows add_rows(size_t count, bool wanted);

  Number* row(const Rows& rows, size_t i) { return &numbers_[(rows.first + i) * width_]; }
  const Number* row(const Rows& rows, size_t i) const { return &numbers_[(rows.first + i) * width_]; }
  bool has(const Rows& rows) const { return rows.count != 0; }
  void join(Number* view, const Number* other, size_t columns) const;
  void assign(Number* view, const Number* other, size_t columns) const;
  void clear(const Rows& rows, size_t i);
  Number known_at(size_t thread, size_t column, bool sequential) const;
  void read_column(size_t thread, size_t column, const ReadStrength& strength);
  void write_column(size_t thread, size_t column, const WriteStrength& strength, bool of_rmw);
  void sequential_read(size_t thread, size_t column);
  void sequential_write(size_t thread, size_t column);
  void forget_clock(size_t column);
  void compress(size_t column);
  void compress_clock(size_t column);
  bool plain_between_numbers(size_t column, Number low, Number high) const;  // above low, up to high

  const SharedCells& cells_;
  const size_t columns_;  // of SharedCells
  const size_t width_;    // and clocks
  // In this order: first those with clocks, then the others of knowledge, then those of what has passed.
  size_t rows_ = 0, rows_with_clocks_ = 0, rows_of_knowledge_ = 0;
  Rows known_, message_, acquired_, released_;
  Rows sequential_, sequential_written_, sequential_accessed_;
  Rows fenced_, fenced_written_, fenced_accessed_, pending_;
  Rows passed_, written_after_, accessed_after_;

  std::vector<Number> numbers_;  // by row, and by column and clock in it
  std::vector<Number> last_;     // by column and clock: the number of the last write or access
  // By column: bit n is set if a write with a number above n - 1, up to n, is not of a read-modify-write. Numbers are
  // ranks, so there may be several such writes.
  std::vector<uint64_t> plain_write_;
  std::vector<uint8_t> last_is_sequential_;  // by column: the last write
};

}  // namespace fenceline::robustness
