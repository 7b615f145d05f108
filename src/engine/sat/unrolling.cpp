// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/unrolling.h"

#include <algorithm>
#include <utility>

namespace fenceline {

Unrolling::Answer Unrolling::raise(Formula& formula, Limits& limits) {
  const std::optional<std::vector<LoopInstance>> loops = exceeding(formula, limits);
  if (!loops) return Answer::kLimit;
  if (loops->empty()) return Answer::kEnough;
  const auto bound_of = [&](const LoopInstance& loop) {
    const auto found = bounds_.find(loop);
    return found == bounds_.end() ? 1 : found->second;
  };
  if (std::any_of(loops->begin(), loops->end(),
                  [&](const LoopInstance& loop) { return bound_of(loop) >= largest_; }))
    return Answer::kAtLargest;
  for (const LoopInstance& loop : *loops) deepest_ = std::max(deepest_, bounds_[loop] = bound_of(loop) + 1);
  return Answer::kRaised;
}

std::optional<std::vector<LoopInstance>> Unrolling::exceeding(Formula& formula, Limits& limits) {
  std::vector<LoopInstance> found;
  std::vector<std::pair<LoopInstance, Lit>> open = formula.beyond();
  while (!open.empty()) {
    std::vector<Lit> any;
    for (const auto& [loop, beyond] : open) any.push_back(beyond);
    const Lit query = formula.circuit().any(std::move(any));
    const SatAnswer answer = formula.solver().solve({query}, limits);
    if (answer == SatAnswer::kLimit) return std::nullopt;
    if (answer == SatAnswer::kUnsatisfiable) break;
    std::vector<std::pair<LoopInstance, Lit>> remaining;
    for (auto& candidate : open)
      if (formula.solver().value(candidate.second))
        found.push_back(std::move(candidate.first));
      else
        remaining.push_back(std::move(candidate));
    open = std::move(remaining);
  }
  return found;
}

}  // namespace fenceline
