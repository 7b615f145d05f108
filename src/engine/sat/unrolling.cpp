// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/unrolling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/sat/options.h"
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
  const auto count_of = [&](const LoopInstance& loop) {
    return formula.wait_loops().most_visits(ThreadId(loop[0]), loop[1]);
  };
  const bool counts = largest_ >= SatOptions().bound;
  const auto at_largest = std::find_if(loops->begin(), loops->end(), [&](const LoopInstance& loop) {
    return bound_of(loop) >= largest_ && !(counts && count_of(loop));
  });
  if (at_largest != loops->end()) {
    what_exceeds_ = count_of(*at_largest) ? name_of(*at_largest, formula) + " can iterate more often"
                                          : describe(*at_largest, formula, limits);
    return Answer::kAtLargest;
  }
  for (const LoopInstance& loop : *loops) {
    uint32_t bound = bound_of(loop) + 1;
    // A loop that counts is unrolled as often as it counts, if that costs little; else step by step, since
    // it may be left earlier.
    if (const std::optional<uint32_t> count = count_of(loop)) {
      const auto [thread, number] = std::pair(ThreadId(loop[0]), loop[1]);
      const bool cheap = !formula.wait_loops().accesses_memory(thread, number);
      require(bound <= *count, "a loop iterates more often than it counts");
      const uint64_t further = cheap ? *count : std::min(*count, bound + bound / 2);
      bound =
          static_cast<uint32_t>(counts ? further : std::min(further, std::max<uint64_t>(bound, largest_)));
    }
    deepest_ = std::max(deepest_, bounds_[loop] = bound);
  }
  return Answer::kRaised;
}

std::string Unrolling::describe(const LoopInstance& loop, Formula& formula, Limits& limits) {
  std::string text = "unbounded: " + name_of(loop, formula);
  for (const auto& [other, beyond] : formula.beyond())
    if (other == loop && formula.solver().solve({beyond}, limits) == SatAnswer::kSatisfiable)
      if (const std::string why = formula.why_not_idle(loop); !why.empty()) return text + " (" + why + ")";
  return text;
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
