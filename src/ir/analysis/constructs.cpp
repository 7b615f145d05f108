// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/constructs.h"

#include <algorithm>

namespace fenceline {

bool is_sync(const Instruction& instruction) {
  return instruction.kind == InstrKind::kFence && instruction.fence.has_process_wide();
}

bool has_sync(const Program& program) {
  return std::ranges::any_of(program.threads,
                             [](const Thread& thread) { return std::ranges::any_of(thread.code, is_sync); });
}

bool has_sync(const Overlay& overlay) {
  for (size_t t = 0; t < overlay.program().threads.size(); ++t)
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p)
      if (is_sync(overlay.at(ThreadId(t), Point(p)))) return true;
  return false;
}

bool has_loops(const Program& program) {
  for (const Thread& thread : program.threads)
    for (size_t i = 0; i < thread.code.size(); ++i)
      for (const Point next : thread.code[i].next)
        if (next.index() <= i) return true;
  return false;
}

std::vector<std::vector<Point>> atomic_sections(const Overlay& overlay, ThreadId thread) {
  std::vector<std::vector<Point>> result;
  for (size_t begin = 0; begin < overlay.points(thread); ++begin) {
    if (overlay.at(thread, Point(begin)).kind != InstrKind::kAtomicBegin) continue;
    std::vector<bool> seen(overlay.points(thread));
    std::vector<Point> todo{Point(begin)};
    std::vector<Point>& inside = result.emplace_back();
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      if (seen[point.index()]) continue;
      seen[point.index()] = true;
      const Instruction& instruction = overlay.at(thread, point);
      if (instruction.kind == InstrKind::kAtomicEnd) continue;
      if (point != Point(begin)) inside.push_back(point);
      for (size_t slot = 0; slot < instruction.next.size(); ++slot)
        todo.push_back(overlay.next(thread, point, slot));
    }
  }
  return result;
}

}  // namespace fenceline
