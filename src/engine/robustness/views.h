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
// Clocks (SharedCells::Clock) are about accesses instead of writes, for data races. All that is ever asked of them is
// whether the last access is known, so known, message, acquired and released have one bit for each.
//
// Only the order of numbers matters. So they are packed as ranks: there are finitely many.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "engine/robustness/access_strength.h"
#include "engine/robustness/relevance.h"
#include "engine/robustness/shared_cells.h"

namespace fenceline::robustness {

// What a write does to the one before it.
enum class Replaces : uint8_t {
  kAny,         // another write may be placed between the two
  kAtomically,  // the thread has just read that write, and nothing comes between
  kInSequence,  // the same, and the release sequence goes on: the write is of a read-modify-write
};

class Views {
 public:
  explicit Views(const SharedCells& cells);  // borrowed

  // ---- States. A step changes few columns: only these are restored, compressed and packed anew.

  void reset();  // nothing was written
  // The bytes must remain until the next call of this or reset().
  void unpack(const uint8_t* bytes);
  void restore();  // to what was unpacked or reset last
  // Throws Unsupported if more writes have to be distinguished than there is room for.
  void pack(BitWriter& writer);

  // ---- What is possible

  // Can a read differ from SC? `sequential`: is the access seq_cst?
  bool may_read_older(size_t thread, size_t cell, bool sequential) const;
  // Can a write, or a read-modify-write that certainly writes?
  bool may_write_earlier(size_t thread, size_t cell, bool sequential) const;
  // Is there an earlier access of another thread that nothing orders before this one?
  bool races(size_t thread, size_t cell, AccessKind kind) const;

  // ---- What happens

  void read(size_t thread, size_t cell, bool atomic, const ReadStrength& strength);
  void write(size_t thread, size_t cell, bool atomic, const WriteStrength& strength, Replaces replaces);
  void fence(size_t thread, const FenceStrength& strength);
  void tick(size_t thread, size_t cell, AccessKind kind);  // the clock of the access, if there is one

  // ---- What need not be distinguished

  // What matters of each view.
  class Masks {
   public:
    Masks(const Views& views, const Relevance& relevance);

   private:
    friend class Views;
    struct OfColumn {
      std::vector<uint8_t> rows;      // 255: it matters there
      std::vector<size_t> accessing;  // threads that will access the cell
    };
    std::vector<OfColumn> columns_;
    std::vector<std::vector<uint64_t>> clocks_;  // bits by row, as in Clock::knows
  };
  // Forgets what does not matter. `all`: also of columns that have not changed since they were unpacked.
  void keep_only(const Masks& masks, bool all);

 private:
  using Number = uint8_t;
  using Row = uint32_t;
  static constexpr Number kMost = 63;
  static constexpr Row kNoRow = ~0U;

  // The rows of one kind of view lie one after the other, by thread or by column. None: the program needs none.
  struct Rows {
    Row first = 0;
    size_t count = 0;
    bool any() const { return count != 0; }
    Row operator[](size_t i) const { return first + static_cast<Row>(i); }
  };
  Rows add_rows(size_t count, bool wanted);

  struct Column {
    std::vector<Number> numbers;  // by row
    Number last = 0;              // the last write
    // Bit n is set if a write with a number above n - 1, up to n, is one that others can be placed before. Numbers are ranks, so
    // there may be several such writes.
    uint64_t plain_writes = 0;
    bool last_is_sequential = false;
  };
  struct Clock {
    // Is there an access to be known at all? If not, every view knows all there is.
    bool running = false;
    std::vector<uint64_t> knows;  // by row: does it know the last access? All 0 while the clock does not run.
  };

  void join(Row view, Row other);          // of numbers and clocks
  void join_numbers(Row view, Row other);  // of numbers only
  void assign(Row view, Row other);
  void assign_numbers(Row view, Row other);
  void clear(Row view);
  void set(size_t column, Row view, Number number);
  bool knows(size_t clock, Row view) const {
    return !clocks_[clock].running || has_bit(clocks_[clock].knows.data(), view);
  }
  void set_knows(size_t clock, Row view, bool known);  // precondition: the clock runs

  Number known_at(size_t thread, size_t column, bool sequential) const;
  void read_column(size_t thread, size_t column, const ReadStrength& strength);
  void write_column(size_t thread, size_t column, const WriteStrength& strength, bool atomically);
  void sequential_read(size_t thread, size_t column);
  void sequential_write(size_t thread, size_t column);
  void stop_clock(size_t clock);
  void keep_only(const Masks::OfColumn& mask, size_t column);
  void compress(size_t column);
  void pack_column(size_t column, BitWriter& writer) const;
  void unpack_column(size_t column, BitReader& reader);
  unsigned bits_in_word(size_t word) const;  // of a clock

  const SharedCells& cells_;
  // In this order: first those with clocks, then the others of knowledge, then those of what has passed.
  Row rows_ = 0, rows_with_clocks_ = 0, rows_of_knowledge_ = 0;
  Rows known_, messages_, acquired_, released_;
  Rows sequential_, sequential_written_, sequential_accessed_;
  Rows fenced_, fenced_written_, fenced_accessed_, pending_;
  Rows passed_, written_after_, accessed_after_;
  std::vector<Row> message_;  // by shared cell; kNoRow: reading it synchronises with no write

  std::vector<Column> columns_;
  std::vector<Clock> clocks_;
  // Of what was unpacked last: the columns and clocks, and where they lie.
  std::vector<Column> unpacked_columns_;
  std::vector<Clock> unpacked_clocks_;
  const uint8_t* bytes_ = nullptr;  // null: nothing was
  std::vector<size_t> positions_;   // in bits: of columns, of clocks, and the end
  std::vector<uint8_t> dirty_;      // by column and clock: may it differ from that?
};

}  // namespace fenceline::robustness
