// SPDX-License-Identifier: GPL-3.0-or-later
#include "transform/to_sc/empty_buffers.h"

#include <algorithm>
#include <set>

#include "machine/code.h"

namespace fenceline::transform {
namespace {

using Cells = std::set<CellId>;

class ThreadAnalysis {
 public:
  ThreadAnalysis(const Overlay& overlay, const AccessedCells& accessed, Buffering buffering, ThreadId thread)
      : overlay_(overlay),
        accessed_(accessed),
        buffering_(buffering),
        thread_(thread),
        inside_(inside_atomic(overlay, thread)) {}

  // Sets only grow, so it ends.
  std::vector<Cells> run() {
    std::vector<Cells> before(overlay_.points(thread_));
    if (buffering_ == Buffering::kUnbuffered) return before;
    std::vector<bool> reached(before.size(), false);
    std::vector<Point> todo{overlay_.program().thread(thread_).entry};
    reached[todo.back().index()] = true;
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      const Cells after = step(point, before[point.index()]);
      for (size_t slot = 0; slot < overlay_.at(thread_, point).next.size(); ++slot) {
        const Point next = overlay_.next(thread_, point, slot);
        const size_t size = before[next.index()].size();
        before[next.index()].insert(after.begin(), after.end());
        if (reached[next.index()] && before[next.index()].size() == size) continue;
        reached[next.index()] = true;
        todo.push_back(next);
      }
    }
    return before;
  }

 private:
  Cells step(Point point, Cells cells) const {
    const Instruction& instruction = overlay_.at(thread_, point);
    if (instruction.kind == InstrKind::kFence) {
      const machine::FenceEffect effect = machine::fence_effect(instruction.fence, buffering_);
      if (effect == machine::FenceEffect::kDrain || effect == machine::FenceEffect::kDrainAll) cells.clear();
    } else if (instruction.kind == InstrKind::kStore && !inside_[point.index()]) {
      const AccessedCells::Access access = accessed_.of(thread_, instruction);
      cells.insert(access.cells.begin(), access.cells.end());
    } else if (instruction.writes_memory()) {
      const AccessedCells::Access access = accessed_.of(thread_, instruction);
      if (buffering_ == Buffering::kPerThread)
        cells.clear();
      else if (access.cells.size() == 1)
        cells.erase(access.cells.front());
    }
    return cells;
  }

  const Overlay& overlay_;
  const AccessedCells& accessed_;
  const Buffering buffering_;
  const ThreadId thread_;
  const std::vector<bool> inside_;
};

}  // namespace

std::vector<bool> inside_atomic(const Overlay& overlay, ThreadId thread) {
  std::vector<bool> inside(overlay.points(thread), false);
  std::vector<Point> todo;
  const auto enter = [&](Point from) {
    for (size_t slot = 0; slot < overlay.at(thread, from).next.size(); ++slot) {
      const Point next = overlay.next(thread, from, slot);
      if (inside[next.index()]) continue;
      inside[next.index()] = true;
      todo.push_back(next);
    }
  };
  for (size_t p = 0; p < overlay.points(thread); ++p)
    if (overlay.at(thread, Point(p)).kind == InstrKind::kAtomicBegin) enter(Point(p));
  while (!todo.empty()) {
    const Point point = todo.back();
    todo.pop_back();
    if (overlay.at(thread, point).kind != InstrKind::kAtomicEnd) enter(point);
  }
  return inside;
}

EmptyBuffers::EmptyBuffers(const Overlay& overlay, const AccessedCells& accessed, Buffering buffering) {
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    pending_.emplace_back();
    for (const Cells& cells : ThreadAnalysis(overlay, accessed, buffering, ThreadId(t)).run())
      pending_.back().emplace_back(cells.begin(), cells.end());
  }
}

bool EmptyBuffers::may_be_pending(ThreadId thread, Point point, CellId cell) const {
  const std::vector<CellId>& cells = pending(thread, point);
  return std::binary_search(cells.begin(), cells.end(), cell);
}

}  // namespace fenceline::transform
