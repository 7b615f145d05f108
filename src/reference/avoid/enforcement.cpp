// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference/avoid/enforcement.h"

#include <deque>

namespace fenceline::reference {

Enforcement::Enforcement(const Program& program, const std::vector<CandidatePosition>& positions)
    : program_(program) {
  for (const Thread& thread : program.threads) fence_after_.emplace_back(thread.code.size(), bddfalse);
  for (size_t position = 0; position < positions.size(); ++position)
    for (const auto& [thread, point] : positions[position].points)
      fence_after_[thread.index()][point.index()] = bdd_ithvar(static_cast<int>(position));
}

bdd Enforcement::enforced(const OrderConstraint& constraint) {
  auto [known, fresh] = known_.try_emplace({constraint.thread, constraint.store});
  if (fresh) known->second = reachable_unfenced(constraint.thread, constraint.store);
  return !known->second[constraint.access.index()];
}

std::vector<bdd> Enforcement::reachable_unfenced(ThreadId id, Point store) const {
  const Thread& thread = program_.thread(id);
  const std::vector<bdd>& fence_after = fence_after_[id.index()];
  std::vector<bdd> reachable(thread.code.size(), bddfalse);
  std::deque<Point> todo;
  const auto go_on = [&](Point from, const bdd& when) {
    for (const Point next : thread.at(from).next) {
      const bdd more = reachable[next.index()] | (when & !fence_after[from.index()]);
      if (more == reachable[next.index()]) continue;
      reachable[next.index()] = more;
      todo.push_back(next);
    }
  };
  go_on(store, bddtrue);
  while (!todo.empty()) {
    const Point at = todo.front();
    todo.pop_front();
    const Instruction& instruction = thread.at(at);
    const bool fence = instruction.kind == InstrKind::kFence && instruction.fence.has_store_load() &&
                       instruction.fence.has_store_store();
    if (!fence) go_on(at, reachable[at.index()]);
  }
  return reachable;
}

}  // namespace fenceline::reference
