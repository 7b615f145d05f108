// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that wait for one cell, and what that says about the order of steps: while a thread waits it does nothing. C
// programs have them at the beginning and at the end of each thread:
//
//   main:    argument = 1;  start = 1;         ...   await (end != 0);
//   thread:  await (start != 0);  ... argument ...   end = 1;
//
// An await is a section that loads one cell and requires something of the value, of nothing else. It fails while the
// cell has its initial value, and one thread alone, its *writer*, stores to the cell. (Everything here is about awaits
// that fail for the initial value, and cells that have it.)
//
// - The store to a cell that other threads read in awaits only: before it, none of them succeeds, so that no read of the
//   cell is executed. The store conflicts with nothing.
// - A thread at an await does nothing before its writer has stored. So for a step of the writer, which comes before that
//   store, it does not matter what that thread can still do.
//
// Neither takes a step of the writer for granted; both say that something is impossible until it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/por/shared_cells.h"

namespace fenceline::machine {

struct Await {
  uint32_t cell = 0;
  uint32_t writer = SharedCells::kNone;  // kSeveral
  ExprId condition;                      // its only register is the loaded value
  bool fails_at_first = false;           // with the initial value of the cell
};

class Awaits {
 public:
  Awaits(const Code& code, const SharedCells& cells);

  // The one that begins here; null if there is none.
  const Await* at(size_t thread, uint32_t point) const {
    const uint32_t number = number_[thread][point];
    return number == 0 ? nullptr : &all_[number - 1];
  }
  bool holds(const Code& code, const Await& await, Value loaded) const;

  // While the cell has its initial value, no thread but its only writer can read it.
  bool closed(uint32_t cell, Value value) const { return closed_[cell] && value == initial_[cell]; }
  // The thread is at an await for a store of `writer`.
  bool waits_for(size_t thread, uint32_t point, const std::vector<Value>& memory, size_t writer) const {
    const Await* await = at(thread, point);
    return await != nullptr && await->fails_at_first && await->writer == writer &&
           memory[await->cell] == initial_[await->cell];
  }

 private:
  std::optional<Await> find(const Code& code, const SharedCells& cells, size_t thread, uint32_t begin) const;
  void find_closed(const Code& code, const SharedCells& cells);

  std::vector<Value> initial_;  // by cell
  std::vector<Await> all_;
  std::vector<std::vector<uint32_t>> number_;  // by thread and point: in all_, from 1 on
  std::vector<bool> closed_;                   // by cell
};

}  // namespace fenceline::machine
