// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a state is packed into bytes: the location of each thread, every memory cell, the registers that are live
// there, and the buffers. Widths come from the range analysis; a value outside its range is a Bug, since two
// different states would then look alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/buffer/store_buffer.h"
#include "machine/code.h"

namespace fenceline::machine {

// What a property looks at. Registers in `always` keep their value in every state, those in `at_end` in
// states where their thread has ended; all others are dropped where they are not live.
struct Observed {
  std::vector<ThreadReg> always;
  std::vector<ThreadReg> at_end;
};

struct StateLayout {
  // Without `liveness` every register is kept everywhere.
  StateLayout(const Code& code, const Observed& observed, bool liveness,
              const std::optional<buffer::Abstraction>& abstraction = {}, bool heads_differ = false);

  std::vector<unsigned> point_bits;         // by thread
  std::vector<buffer::FieldLayout> memory;  // cells that can change
  std::vector<size_t> point_position;       // by thread: the bit where its point is packed
  std::vector<size_t> cell_position;        // by cell: the bit where it is packed (if it can change)
  std::vector<buffer::FieldLayout> cells;   // by cell, those that cannot change too
  size_t head_bits = 0;                     // points and memory together
  // By thread and point: the registers to keep there. Constant ones (0 bits) are included: unpacking sets
  // them.
  std::vector<std::vector<std::vector<buffer::FieldLayout>>> registers;
  std::vector<buffer::BufferLayout> buffers;  // by thread
};

}  // namespace fenceline::machine
