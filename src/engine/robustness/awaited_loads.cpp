// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/awaited_loads.h"

#include <utility>
#include <vector>

#include "ir/analysis/constructs.h"
#include "ir/edit/overlay.h"

namespace fenceline::robustness {
namespace {

// By point: how many instructions lead there, and is it inside of an atomic section? The entry counts as one more.
struct Surroundings {
  std::vector<size_t> ways;
  std::vector<bool> in_section;
};

Surroundings surroundings(const Overlay& overlay, ThreadId id) {
  const Thread& thread = overlay.program().thread(id);
  Surroundings result{std::vector<size_t>(thread.code.size()), std::vector<bool>(overlay.points(id))};
  ++result.ways[thread.entry.index()];
  for (const Instruction& instruction : thread.code)
    for (const Point next : instruction.next) ++result.ways[next.index()];
  for (const std::vector<Point>& section : atomic_sections(overlay, id))
    for (const Point point : section) result.in_section[point.index()] = true;
  return result;
}

void put_into_section(Thread& thread, Point load, Point assumption) {
  const Point begin(thread.code.size()), end(thread.code.size() + 1);
  for (Instruction& instruction : thread.code)
    for (Point& next : instruction.next)
      if (next == load) next = begin;
  if (thread.entry == load) thread.entry = begin;
  Instruction opening;
  opening.kind = InstrKind::kAtomicBegin;
  opening.pos = thread.at(load).pos;
  opening.next = {load};
  Instruction closing;
  closing.kind = InstrKind::kAtomicEnd;
  closing.pos = thread.at(assumption).pos;
  closing.next = thread.at(assumption).next;
  thread.code[assumption.index()].next = {end};
  thread.code.push_back(std::move(opening));
  thread.code.push_back(std::move(closing));
}

}  // namespace

Program with_awaits(const Program& original, const FenceSet& fences) {
  const Overlay overlay(original, fences);
  Program program = original;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Thread& thread = program.threads[t];
    const Surroundings around = surroundings(overlay, ThreadId(t));
    const size_t points = thread.code.size();
    for (size_t p = 0; p < points; ++p) {
      const Point load(p);
      if (thread.at(load).kind != InstrKind::kLoad || around.in_section[p]) continue;
      const Point behind = thread.at(load).next.front();
      if (thread.at(behind).kind != InstrKind::kAssume || around.ways[behind.index()] != 1) continue;
      const ThreadId id(t);
      if (!fences.after(id, load).none() || !fences.after(id, behind).none()) continue;
      put_into_section(thread, load, behind);
    }
  }
  return program;
}

}  // namespace fenceline::robustness
