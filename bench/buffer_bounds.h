// SPDX-License-Identifier: GPL-3.0-or-later
//
// How many stores can be pending in the buffers of a thread at a program counter? Promela has arrays of fixed
// size only, and a load at a point where no store can be pending need not read the buffer at all.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code.h"

namespace fenceline::bench {

class BufferBounds {
 public:
  // No count goes beyond `limit`. Without a cycle that stores and drains nothing
  // (machine/store_buffer/growth.h) a large enough limit is never reached.
  BufferBounds(const machine::Code& code, uint32_t limit);

  // At most so many entries, in all or of one cell, while `thread` is before `point`.
  uint32_t total(size_t thread, size_t point) const { return here_[thread][point].total; }
  uint32_t of_cell(size_t thread, size_t point, uint32_t cell) const {
    return here_[thread][point].by_cell[cell];
  }
  // The same, at all points of the thread.
  uint32_t total(size_t thread) const;
  uint32_t of_cell(size_t thread, uint32_t cell) const;

  bool in_atomic(size_t thread, size_t point) const { return here_[thread][point].in_atomic; }

 private:
  struct Counts {
    bool reached = false;
    bool in_atomic = false;  // between kAtomicBegin and its kAtomicEnd, which is included
    uint32_t total = 0;
    std::vector<uint32_t> by_cell;
  };
  Counts after(const machine::Code& code, const machine::Operation& op, const Counts& before,
               uint32_t limit) const;
  static bool join(Counts& into, const Counts& from);

  std::vector<std::vector<Counts>> here_;  // by thread and point
};

}  // namespace fenceline::bench
