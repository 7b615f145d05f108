// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/layout.h"

#include <bit>

#include "env/errors.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/ranges.h"

namespace fenceline::machine {
namespace {

buffer::FieldLayout field(size_t index, const Range& range) {
  require(!range.is_empty(), "the range analysis found no value for something that exists");
  return {static_cast<uint32_t>(index), range.lo, range.bits(), range.hi};
}

// The cells that some store of the thread can write. An offset that is no constant can reach all cells of its
// object that the analysed range of the offset allows; taking all of the object is enough here.
std::vector<bool> stored_cells(const Code& code, size_t thread) {
  std::vector<bool> stored(code.program().cell_count, false);
  for (size_t p = 0; p < code.points(thread); ++p) {
    const Operation& op = code.at(thread, static_cast<uint32_t>(p));
    if (op.kind != InstrKind::kStore) continue;
    const bool constant = op.offset.kind == Operand::Kind::kConstant;
    for (uint32_t i = 0; i < op.cells; ++i)
      if ((!constant || op.offset.constant == i) && op.admits(i)) stored[op.first_cell + i] = true;
  }
  return stored;
}

bool has_fence(const Code& code, size_t thread, FenceEffect effect) {
  for (size_t p = 0; p < code.points(thread); ++p) {
    const Operation& op = code.at(thread, static_cast<uint32_t>(p));
    if (op.kind == InstrKind::kFence && op.fence == effect) return true;
  }
  return false;
}

buffer::BufferLayout buffer_layout(const Code& code, size_t thread, const Ranges& ranges) {
  buffer::BufferLayout layout;
  layout.per_cell = code.buffering() == Buffering::kPerCell;
  layout.barriers = has_fence(code, thread, FenceEffect::kBarrier);
  layout.marks = has_fence(code, thread, FenceEffect::kMark);
  for (size_t cell = 0; cell < ranges.cells.size(); ++cell)
    layout.values.push_back(field(cell, ranges.cells[cell]));
  layout.cell_index.assign(ranges.cells.size(), 0);
  const std::vector<bool> stored = stored_cells(code, thread);
  for (uint32_t cell = 0; cell < stored.size(); ++cell) {
    if (!stored[cell]) continue;
    layout.cell_index[cell] = static_cast<uint32_t>(layout.cells.size());
    layout.cells.push_back(cell);
  }
  if (!layout.cells.empty())
    layout.cell_bits = static_cast<unsigned>(std::bit_width(layout.cells.size() - 1));
  return layout;
}

}  // namespace

StateLayout::StateLayout(const Code& code, const Observed& observed, bool only_live,
                         const std::optional<buffer::Abstraction>& abstraction, bool heads_differ) {
  const Program& program = code.program();
  const Ranges ranges = analyze_ranges(program);
  const Liveness liveness(program, observed.always, observed.at_end);
  for (size_t t = 0; t < code.threads(); ++t) {
    point_bits.push_back(static_cast<unsigned>(std::bit_width(code.points(t) - 1)));
    point_position.push_back(head_bits);
    head_bits += point_bits.back();
  }
  for (size_t cell = 0; cell < program.cell_count; ++cell) {
    cells.push_back(field(cell, ranges.cells[cell]));
    cell_position.push_back(head_bits);
    head_bits += cells.back().bits;
    if (cells.back().bits > 0) memory.push_back(cells.back());
  }
  for (size_t t = 0; t < code.threads(); ++t) {
    const ThreadId thread(t);
    std::vector<std::vector<buffer::FieldLayout>> live_at(code.points(t));
    for (size_t p = 0; p < code.points(t); ++p) {
      // What is live at an inserted fence is what is live behind it.
      Point point(p);
      if (code.overlay().inserted(thread, point)) point = code.overlay().next(thread, point, 0);
      for (size_t r = 0; r < program.threads[t].registers.size(); ++r)
        if (!only_live || liveness.live(thread, point, RegId(r)))
          live_at[p].push_back(field(code.first_register(t) + r, ranges.registers[t][r]));
    }
    registers.push_back(std::move(live_at));
    buffers.push_back(buffer_layout(code, t, ranges));
    buffers.back().origin_bits = point_bits[t];
    if (abstraction) buffers.back().abstraction = *abstraction;
    buffers.back().heads_differ = heads_differ;
  }
}

}  // namespace fenceline::machine
