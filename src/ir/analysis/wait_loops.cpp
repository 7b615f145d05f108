// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/wait_loops.h"

#include <utility>

#include "ir/analysis/iteration_counts.h"
#include "ir/analysis/ranges.h"

namespace fenceline {

WaitLoops::WaitLoops(const Overlay& overlay, const Liveness& used, const std::vector<bool>& observed)
    : overlay_(overlay),
      used_(used),
      passed_on_(overlay.program(), Reads::kPassedOn, {}),
      private_(overlay.program(), observed) {
  for (size_t i = 0; i < overlay.program().threads.size(); ++i) {
    const ThreadId thread(i);
    ThreadLoops& mine = threads_.emplace_back(ThreadLoops{Loops(overlay, thread), {}, {}});
    if (mine.loops.size() == 0) continue;
    mine.accesses.resize(mine.loops.size());
    for (size_t point = 0; point < overlay.points(thread); ++point) {
      const Instruction& instruction = overlay.at(thread, Point(point));
      if (!instruction.is_memory_access() && instruction.kind != InstrKind::kFence) continue;
      for (uint32_t loop = mine.loops.innermost(Point(point)); loop != Loops::kNone;
           loop = mine.loops.outer(loop))
        mine.accesses[loop] = true;
    }
  }
}

std::optional<uint32_t> WaitLoops::most_visits(ThreadId thread, uint32_t loop) const {
  const ThreadLoops& mine = threads_[thread.index()];
  if (!mine.visits)
    mine.visits = fenceline::most_visits(overlay_, thread, mine.loops, analyze_ranges(overlay_.program()));
  return (*mine.visits)[loop];
}

// Inserted fences read nothing.
Point WaitLoops::header(ThreadId thread, uint32_t loop) const {
  Point point = loops(thread).header(loop);
  while (overlay_.inserted(thread, point)) point = overlay_.next(thread, point, 0);
  return point;
}

bool WaitLoops::counts(ThreadId thread, uint32_t loop, RegId reg) const {
  return used_.live(thread, header(thread, loop), reg);
}

bool WaitLoops::is_dead(ThreadId thread, uint32_t loop, CellId cell) const {
  return private_.is_private(thread, cell) && !private_.live(thread, header(thread, loop), cell);
}

bool WaitLoops::is_passed_on(ThreadId thread, uint32_t loop, RegId reg) const {
  return passed_on_.live(thread, header(thread, loop), reg);
}

}  // namespace fenceline
