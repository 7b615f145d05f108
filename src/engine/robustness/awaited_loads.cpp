// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/awaited_loads.h"

#include <vector>

namespace fenceline::robustness {
namespace {

// By point: how many instructions lead there, and is it inside of an atomic section? The entry counts as one more.
struct Surroundings {
  std::vector<size_t> ways;
  std::vector<bool> in_section;
};

Surroundings surroundings(const Thread& thread) {
  Surroundings result{std::vector<size_t>(thread.code.size()), std::vector<bool>(thread.code.size())};
  ++result.ways[thread.entry.index()];
  for (const Instruction& instruction : thread.code)
    for (const Point next : instruction.next) ++result.ways[next.index()];
  std::vector<Point> open;
  for (const Instruction& instruction : thread.code)
    if (instruction.kind == InstrKind::kAtomicBegin) open.push_back(instruction.next.front());
  while (!open.empty()) {
    const Point point = open.back();
    open.pop_back();
    if (result.in_section[point.index()]) continue;
    result.in_section[point.index()] = true;
    if (thread.at(point).kind == InstrKind::kAtomicEnd) continue;
    for (const Point next : thread.at(point).next) open.push_back(next);
  }
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

Program with_awaits(Program program, const FenceSet& fences) {
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Thread& thread = program.threads[t];
    const Surroundings around = surroundings(thread);
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
