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

namespace {

// The points between the beginning of an atomic section and its ends.
std::vector<Point> inside_of(const Overlay& overlay, ThreadId thread, Point begin) {
  std::vector<bool> seen(overlay.points(thread));
  std::vector<Point> todo{begin}, inside;
  while (!todo.empty()) {
    const Point point = todo.back();
    todo.pop_back();
    if (seen[point.index()]) continue;
    seen[point.index()] = true;
    const Instruction& instruction = overlay.at(thread, point);
    if (instruction.kind == InstrKind::kAtomicEnd) continue;
    if (point != begin) inside.push_back(point);
    for (size_t slot = 0; slot < instruction.next.size(); ++slot)
      todo.push_back(overlay.next(thread, point, slot));
  }
  return inside;
}

}  // namespace

std::vector<std::vector<Point>> atomic_sections(const Overlay& overlay, ThreadId thread) {
  std::vector<std::vector<Point>> result;
  for (size_t begin = 0; begin < overlay.points(thread); ++begin)
    if (overlay.at(thread, Point(begin)).kind == InstrKind::kAtomicBegin)
      result.push_back(inside_of(overlay, thread, Point(begin)));
  return result;
}

AccessParts parts_of_access(const Overlay& overlay, ThreadId thread, Point begin) {
  AccessParts parts;
  for (const Point point : inside_of(overlay, thread, begin)) {
    parts.loads |= overlay.at(thread, point).reads_memory();
    parts.stores |= overlay.at(thread, point).writes_memory();
  }
  return parts;
}

bool has_wide_stores(const Overlay& overlay) {
  for (size_t t = 0; t < overlay.program().threads.size(); ++t)
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p) {
      if (!overlay.at(ThreadId(t), Point(p)).one_access) continue;
      const AccessParts parts = parts_of_access(overlay, ThreadId(t), Point(p));
      if (parts.stores && !parts.loads) return true;
    }
  return false;
}

}  // namespace fenceline
