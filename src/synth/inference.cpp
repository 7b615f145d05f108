// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the methods share: costs, weaker fences once the places are settled, and how to show a run that no
// fence stops.
#include "synth/inference.h"

#include <utility>

#include "check/replay/queue_replay.h"
#include "synth/crossing.h"

namespace fenceline {

uint64_t fence_cost(FenceKinds kinds) {
  if (kinds.has_store_load() && kinds.has_store_store()) return 3;
  return kinds.has_store_load() ? 2 : 1;
}

uint64_t cost_of(const Placement& placement) {
  uint64_t sum = 0;
  for (const PlacedFence& fence : placement) sum += fence_cost(fence.kinds);
  return sum;
}

FenceSet fence_set(const std::vector<Place>& places, const Placement& placement) {
  FenceSet fences;
  for (const PlacedFence& fence : placement) add_fence(fences, places[fence.place], fence.kinds);
  return fences;
}

std::vector<Result> weaken(const InferenceTask& task, Placement& placement, const AskAbout& ask) {
  std::vector<Result> proofs;
  for (PlacedFence& fence : placement)
    for (const FenceKinds kinds : task.weaker) {
      const FenceKinds before = std::exchange(fence.kinds, kinds);
      std::vector<Result> results;
      const FenceSet fences = fence_set(task.places, placement);
      for (size_t property = 0; property < task.properties.size(); ++property) {
        results.push_back(ask(fences, property));
        if (results.back().verdict() != Verdict::kVerified) break;
      }
      if (results.back().verdict() == Verdict::kVerified) {
        proofs = std::move(results);
        break;
      }
      fence.kinds = before;
    }
  return proofs;
}

std::optional<Result> as_run_without_fences(const Task& query, Result result) {
  if (const TraceCounterexample* found = result.trace_counterexample()) {
    const FenceSet none;
    const Task bare{query.program, none, query.model, query.property};
    const bool queues = found->replay.queues;
    TraceCounterexample shown;
    shown.trace =
        without_added_fences(query, queues ? found->trace : with_early_flushes(query, found->trace));
    shown.replay = queues ? replay_queues(bare, shown.trace) : replay(bare, shown.trace);
    if (!shown.replay.ok) return std::nullopt;
    result.conclusion = std::move(shown);
  }
  return result;
}

}  // namespace fenceline
