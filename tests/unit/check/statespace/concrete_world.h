// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of abstract buffers: all concrete buffers of a small world.
#pragma once

#include "unit/check/statespace/concrete_buffer.h"

namespace fenceline::testing {

inline constexpr uint32_t kCells = 2;
inline constexpr Value kValues = 3;

struct World {
  Buffering buffering;
  std::vector<ConcreteBuffer> buffers;
};

inline void extend(const ConcreteBuffer& buffer, size_t length, World& world) {
  world.buffers.push_back(buffer);
  const bool per_cell = world.buffering == Buffering::kPerCell;
  if (per_cell && !buffer.pending.empty()) {
    world.buffers.push_back(buffer);
    ++world.buffers.back().epoch;
  }
  if (buffer.pending.size() == length) return;
  for (uint32_t cell = 0; cell < kCells; ++cell)
    for (Value value = 0; value < kValues - (per_cell ? 1 : 0); ++value)
      for (uint32_t barrier = 0; barrier < (per_cell && !buffer.pending.empty() ? 2u : 1u); ++barrier) {
        ConcreteBuffer longer = buffer;
        longer.epoch += barrier;
        longer.store(cell, value);
        extend(longer, length, world);
      }
}

inline World world_of(Buffering buffering, size_t length) {
  World world{buffering, {}};
  extend({}, length, world);
  return world;
}

}  // namespace fenceline::testing
