// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/unrolling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "env/errors.h"

namespace fenceline::sat {

Unrolling::Answer Unrolling::raise(Formula& formula, Limits& limits) {
  const std::optional<std::vector<LoopInstance>> loops = exceeding(formula, limits);
  if (!loops) return Answer::kLimit;
  if (loops->empty()) return Answer::kEnough;
  const auto bound_of = [&](const LoopInstance& loop) {
    const auto found = bounds_.find(loop);
    return found == bounds_.end() ? 1 : found->second;
  };
  const auto unbounded = std::find_if(loops->begin(), loops->end(),
                                      [&](const LoopInstance& loop) { return bound_of(loop) >= largest_; });
  if (unbounded != loops->end()) {
    unbounded_loop_ = name_of(*unbounded, formula);
    return Answer::kAtLargest;
  }
  for (const LoopInstance& loop : *loops) deepest_ = std::max(deepest_, bounds_[loop] = bound_of(loop) + 1);
  return Answer::kRaised;
}

// By the position of its header, the point of the node that lies beyond the bound.
std::string Unrolling::name_of(const LoopInstance& loop, const Formula& formula) {
  const std::vector<Unfolding::Node>& nodes = formula.unfolding().nodes();
  const auto header = std::find_if(nodes.begin(), nodes.end(), [&](const Unfolding::Node& node) {
    return node.beyond && node.loop == loop;
  });
  require(header != nodes.end(), "a loop that exceeds its bound has no header");
  const Program& program = formula.overlay().program();
  const SourcePos pos = formula.overlay().at(header->thread, header->point).pos;
  if (!pos.known()) return fmt::format("a loop of {}", program.thread(header->thread).name);
  return fmt::format("the loop at {}:{}", program.file_of(pos).name, pos.line);
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

}  // namespace fenceline::sat
