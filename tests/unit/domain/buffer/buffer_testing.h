// SPDX-License-Identifier: GPL-3.0-or-later
//
// Layouts of small buffers, and buffers as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bits.h"
#include "domain/buffer/store_buffer.h"

namespace fenceline::testing {

// Two cells with values from 0 to 7, one queue per cell (PSO) or one per thread (TSO).
inline buffer::BufferLayout layout_for(bool per_cell, const std::string& abstraction,
                                       bool partial_fences = false, Value least = 0, Value greatest = 7) {
  buffer::BufferLayout layout;
  layout.per_cell = per_cell;
  layout.barriers = layout.marks = partial_fences;
  for (uint32_t cell = 0; cell < 2; ++cell) {
    layout.cells.push_back(cell);
    layout.cell_index.push_back(cell);
    layout.values.push_back({cell, least, Range{least, greatest}.bits(), greatest});
  }
  layout.cell_bits = 1;
  layout.abstraction = buffer::parse_abstraction(abstraction);
  layout.origin_bits = 3;
  return layout;
}

// A string, since it is a key in maps, and the compiler's warnings understand how strings are compared.
template <class Buffer>
std::string packed(const Buffer& buffer, const buffer::BufferLayout& layout) {
  BitWriter writer;
  buffer.pack(writer, layout);
  const auto bytes = writer.finish();
  return {bytes.begin(), bytes.end()};
}

}  // namespace fenceline::testing
