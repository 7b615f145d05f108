// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which accesses of different threads can conflict: cells as bits of a mask, so that partial-order reduction compares sets
// of them in one step.
//
// A cell that one thread alone accesses, or that no thread writes, is in no conflict and has no bit. Cells that the same
// instructions access have one bit together. If there are more than 64 such sets of cells, some share a bit, which only
// makes more things conflict. What an access with a computed address can be is known from the values that addresses can
// have (ir/analysis/accessed_cells.h); without that, the memory of a C program, which is one array, would be one cell.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bit_set.h"
#include "machine/code.h"

namespace fenceline::machine {

using CellMask = uint64_t;

class SharedCells {
 public:
  explicit SharedCells(const Code& code);

  CellMask bit(uint32_t cell) const { return bits_[cell]; }
  // What the access can have.
  CellMask accessed(size_t thread, uint32_t point) const { return accessed_[thread][point]; }
  // The same, by cell. Empty: it is no access, or it always fails.
  const BitSet& cells(size_t thread, uint32_t point) const { return cells_[thread][point]; }
  // Of the threads, the only one that can write the cell; kNone, kSeveral.
  static constexpr uint32_t kNone = ~uint32_t{0}, kSeveral = kNone - 1;
  uint32_t writer(uint32_t cell) const { return writer_[cell]; }

 private:
  void find_accessed(const Code& code);
  void number_cells(const Code& code);

  std::vector<std::vector<BitSet>> cells_;       // by thread and point
  std::vector<std::vector<CellMask>> accessed_;  // by thread and point
  std::vector<CellMask> bits_;                   // by cell
  std::vector<uint32_t> writer_;                 // by cell
};

}  // namespace fenceline::machine
