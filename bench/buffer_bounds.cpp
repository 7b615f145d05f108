// SPDX-License-Identifier: GPL-3.0-or-later
#include "buffer_bounds.h"

#include <algorithm>

namespace fenceline::bench {

BufferBounds::BufferBounds(const machine::Code& code, uint32_t limit) {
  for (size_t t = 0; t < code.threads(); ++t) {
    here_.emplace_back(code.points(t));
    std::vector<Counts>& points = here_.back();
    for (Counts& counts : points) counts.by_cell.assign(code.program().cell_count, 0);
    points[code.program().threads[t].entry.index()].reached = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t p = 0; p < points.size(); ++p) {
        if (!points[p].reached) continue;
        const machine::Operation& op = code.at(t, p);
        const Counts counts = after(code, op, points[p], limit);
        for (const Point next : op.next) changed = join(points[next.index()], counts) || changed;
      }
    }
  }
}

BufferBounds::Counts BufferBounds::after(const machine::Code& code, const machine::Operation& op,
                                         const Counts& before, uint32_t limit) const {
  Counts counts = before;
  const bool constant = op.offset.kind == machine::Operand::Kind::kConstant;
  const auto for_each_cell = [&](const auto& f) {
    for (uint32_t i = 0; i < op.cells; ++i)
      if (!constant || op.offset.constant == i) f(counts.by_cell[op.first_cell + i]);
  };
  const auto drain = [&] {
    counts.total = 0;
    std::fill(counts.by_cell.begin(), counts.by_cell.end(), 0);
  };
  const bool store = op.kind == InstrKind::kStore;
  if (op.kind == InstrKind::kAtomicBegin) counts.in_atomic = true;
  if (op.kind == InstrKind::kAtomicEnd) counts.in_atomic = false;
  if (code.buffering() == Buffering::kUnbuffered) return counts;
  if (op.kind == InstrKind::kFence && op.fence == machine::FenceEffect::kDrain) drain();
  if (op.kind == InstrKind::kRmw || (store && before.in_atomic)) {
    if (code.buffering() == Buffering::kPerThread)
      drain();
    else if (constant)
      for_each_cell([](uint32_t& entries) { entries = 0; });
  } else if (store) {
    counts.total = std::min(limit, counts.total + 1);
    for_each_cell([&](uint32_t& entries) { entries = std::min(limit, entries + 1); });
  }
  return counts;
}

bool BufferBounds::join(Counts& into, const Counts& from) {
  bool changed = !into.reached;
  into.reached = true;
  into.in_atomic = from.in_atomic;
  const auto grow = [&](uint32_t& count, uint32_t other) {
    if (other <= count) return;
    count = other;
    changed = true;
  };
  grow(into.total, from.total);
  for (size_t cell = 0; cell < into.by_cell.size(); ++cell) grow(into.by_cell[cell], from.by_cell[cell]);
  return changed;
}

uint32_t BufferBounds::total(size_t thread) const {
  uint32_t most = 0;
  for (const Counts& counts : here_[thread]) most = std::max(most, counts.total);
  return most;
}

uint32_t BufferBounds::of_cell(size_t thread, uint32_t cell) const {
  uint32_t most = 0;
  for (const Counts& counts : here_[thread]) most = std::max(most, counts.by_cell[cell]);
  return most;
}

}  // namespace fenceline::bench
