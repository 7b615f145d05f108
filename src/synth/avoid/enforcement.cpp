// SPDX-License-Identifier: GPL-3.0-or-later
#include "synth/avoid/enforcement.h"

#include <algorithm>

namespace fenceline {

size_t Enforcement::number(const OrderConstraint& constraint) {
  const Thread& thread = program_.thread(constraint.thread);
  const auto key = std::pair(thread.at(constraint.store).pos, thread.at(constraint.access).pos);
  const auto [known, fresh] = numbers_.emplace(key, instances_.size());
  if (fresh) instances_.emplace_back();
  std::vector<OrderConstraint>& instances = instances_[known->second];
  if (std::find(instances.begin(), instances.end(), constraint) == instances.end())
    instances.push_back(constraint);
  return known->second;
}

std::vector<bool> Enforcement::enforced_by(const std::vector<size_t>& fenced) const {
  std::vector<std::vector<bool>> fence_after;  // by thread and point
  for (const Thread& thread : program_.threads) fence_after.emplace_back(thread.code.size(), false);
  for (const size_t place : fenced)
    for (const auto& [thread, point] : places_[place].points)
      fence_after[thread.index()][point.index()] = true;
  std::vector<bool> enforced;
  for (const std::vector<OrderConstraint>& instances : instances_)
    enforced.push_back(
        std::none_of(instances.begin(), instances.end(),
                     [&](const OrderConstraint& constraint) { return passable(constraint, fence_after); }));
  return enforced;
}

// Is there a path from behind the store to the access without a fence?
bool Enforcement::passable(const OrderConstraint& constraint,
                           const std::vector<std::vector<bool>>& fence_after) const {
  const Thread& thread = program_.thread(constraint.thread);
  const std::vector<bool>& fenced = fence_after[constraint.thread.index()];
  std::vector<bool> seen(thread.code.size(), false);
  std::vector<Point> todo = {constraint.store};
  while (!todo.empty()) {
    const Point at = todo.back();
    todo.pop_back();
    if (fenced[at.index()] || thread.at(at).kind == InstrKind::kHalt) continue;
    for (const Point next : thread.at(at).next) {
      if (next == constraint.access) return true;
      const Instruction& instruction = thread.at(next);
      const bool fence = instruction.kind == InstrKind::kFence && instruction.fence.has_store_load() &&
                         instruction.fence.has_store_store();
      if (fence || seen[next.index()]) continue;
      seen[next.index()] = true;
      todo.push_back(next);
    }
  }
  return false;
}

}  // namespace fenceline
