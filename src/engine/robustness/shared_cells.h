// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cells that threads communicate through: accessed by two threads at least, and written by one. What threads do to
// other cells makes no difference between memory models.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bit_set.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/edit/overlay.h"

namespace fenceline::robustness {

enum class AccessKind : uint8_t { kPlainRead, kPlainWrite, kAtomicRead, kAtomicWrite };
constexpr size_t kAccessKinds = 4;

constexpr bool is_plain(AccessKind kind) { return kind <= AccessKind::kPlainWrite; }
constexpr bool is_write(AccessKind kind) {
  return kind == AccessKind::kPlainWrite || kind == AccessKind::kAtomicWrite;
}
// Is it a race if nothing orders two such accesses of different threads to one cell?
constexpr bool conflict(AccessKind a, AccessKind b) {
  return (is_plain(a) || is_plain(b)) && (is_write(a) || is_write(b));
}

class SharedCells {
 public:
  explicit SharedCells(const Overlay& overlay);

  size_t threads() const { return future_.size(); }
  size_t size() const { return cells_.size(); }
  CellId cell(size_t number) const { return cells_[number]; }
  // None: the cell is not shared.
  std::optional<size_t> number(CellId cell) const { return optional(numbers_[cell.index()]); }

  // The shared cells that a thread may access from some point on.
  struct Future {
    BitSet reads, writes;
    friend auto operator<=>(const Future&, const Future&) = default;
  };
  // Numbered: many points have the same.
  size_t future_number(size_t thread, uint32_t point) const { return future_[thread][point]; }
  const Future& future(size_t number) const { return futures_[number]; }
  // Those that the instruction may access.
  const BitSet& accessed(size_t thread, uint32_t point) const { return accessed_[thread][point]; }
  // Is the access atomic in the sense of C?
  bool atomic(size_t thread, uint32_t point) const { return atomic_[thread][point]; }

  // Are all atomic accesses seq_cst, but for signals? Then the program is robust if no two accesses race that are not both
  // seq_cst: the DRF theorem of RC11. No views are needed.
  bool only_sequential() const { return only_sequential_; }

  // Views have a number for each of these cells. None for a cell
  // - whose accesses are all plain. If no two of them race, what passes between threads through the cell is ordered by
  //   something else, by which one gets to know the writes to it;
  // - of a program of which only_sequential() is true.
  size_t columns() const { return cells_of_columns_.size(); }
  std::optional<size_t> column(size_t cell) const { return optional(columns_[cell]); }
  size_t cell_of_column(size_t column) const { return cells_of_columns_[column]; }

  // Accesses with which others can race are counted by clocks.
  struct Clock {
    size_t cell = 0;
    std::optional<size_t> thread;  // whose accesses; none: those of all, which are ordered if none race
    AccessKind kind = AccessKind::kPlainRead;
  };
  const std::vector<Clock>& clocks() const { return clocks_; }
  const std::vector<size_t>& clocks_of(size_t cell) const { return clocks_of_[cell]; }
  bool only_plain(size_t cell) const { return only_plain_[cell]; }
  // One release writes it, once, and others only wait for that: how threads are started and joined.
  bool is_signal(size_t cell) const { return signals_.has(cell); }

  // Cells by which threads can synchronise: they have atomic writes and atomic reads. Numbered.
  size_t messages() const { return messages_; }
  std::optional<size_t> message(size_t cell) const { return optional(message_[cell]); }

  // Does the program have these at all?
  bool acquire_fences() const { return acquire_fences_; }
  bool release_fences() const { return release_fences_; }
  bool sequential_fences() const { return sequential_fences_; }
  bool sequential_accesses() const { return sequential_accesses_; }

 private:
  static constexpr uint32_t kNone = ~0U;
  static std::optional<size_t> optional(uint32_t number) {
    return number == kNone ? std::nullopt : std::optional<size_t>(number);
  }
  // Which kinds of accesses each thread has to a cell.
  using Kinds = std::array<bool, kAccessKinds>;

  void find_atomic(const Overlay& overlay);
  void number_cells(const Overlay& overlay, const AccessedCells& all);
  void find_future(const Overlay& overlay);
  void find_signals(const Overlay& overlay);
  void look_for_features(const Overlay& overlay);
  void number_columns();
  void make_clocks();
  void make_clock(size_t cell, std::optional<size_t> thread, AccessKind kind);

  std::vector<std::vector<bool>> atomic_;  // by thread and point
  std::vector<CellId> cells_;
  std::vector<uint32_t> numbers_;              // by cell
  std::vector<std::vector<BitSet>> accessed_;  // by thread and point
  std::vector<std::vector<size_t>> future_;    // by thread and point: its number
  std::vector<Future> futures_;
  BitSet signals_;                         // shared cells, see find_signals()
  std::vector<std::vector<Kinds>> kinds_;  // by shared cell and thread
  std::vector<bool> only_plain_;           // by shared cell
  std::vector<uint32_t> columns_;          // by shared cell
  std::vector<size_t> cells_of_columns_;
  size_t messages_ = 0;
  std::vector<uint32_t> message_;  // by shared cell
  std::vector<Clock> clocks_;
  std::vector<std::vector<size_t>> clocks_of_;  // by shared cell
  bool acquire_fences_ = false, release_fences_ = false, sequential_fences_ = false;
  bool sequential_accesses_ = false, only_sequential_ = true;
};

}  // namespace fenceline::robustness
