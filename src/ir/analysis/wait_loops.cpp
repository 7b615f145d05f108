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
    ThreadLoops& mine = threads_.emplace_back(ThreadLoops{Loops(overlay, thread), {}, {}, {}});
    find_reloads(thread);
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

// Not at loads that read what was guessed: these are alternatives of one instruction. An access of several cells begins
// with its section.
void WaitLoops::find_reloads(ThreadId thread) {
  const Loops& loops = threads_[thread.index()].loops;
  std::vector<bool> passes_on(loops.size());
  for (uint32_t loop = 0; loop < loops.size(); ++loop)
    for (size_t p = 0; p < overlay_.points(thread); ++p) {
      const Dest& dest = overlay_.at(thread, Point(p)).dest;
      if (dest.valid() && loops.contains(loop, Point(p)) &&
          is_passed_on(thread, header(thread, loop), dest.reg))
        passes_on[loop] = true;
    }
  std::vector<bool>& reloads = threads_[thread.index()].reloads;
  reloads.resize(overlay_.points(thread));
  for (size_t p = 0; p < reloads.size(); ++p) {
    const Instruction& i = overlay_.at(thread, Point(p));
    if (i.kind != InstrKind::kLoad && !(i.kind == InstrKind::kAtomicBegin && i.one_access)) continue;
    const Instruction& next = overlay_.at(thread, overlay_.next(thread, Point(p), 0));
    if (next.kind == InstrKind::kAssume && !next.branches) continue;
    for (uint32_t loop = loops.innermost(Point(p)); loop != Loops::kNone; loop = loops.outer(loop))
      if (passes_on[loop]) reloads[p] = true;
  }
}

std::optional<uint32_t> WaitLoops::most_visits(ThreadId thread, uint32_t loop) const {
  const ThreadLoops& mine = threads_[thread.index()];
  if (!mine.visits)
    mine.visits = fenceline::most_visits(overlay_, thread, mine.loops, analyze_ranges(overlay_.program()));
  return (*mine.visits)[loop];
}

Point WaitLoops::behind_fences(ThreadId thread, Point point) const {
  while (overlay_.inserted(thread, point)) point = overlay_.next(thread, point, 0);
  return point;
}

}  // namespace fenceline
