// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the methods share: weaker fences once the positions are chosen, and counterexamples that no fence
// prevents.
#include "synth/inference.h"

#include <utility>

#include "check/replay/queue_replay.h"
#include "synth/violated_orderings.h"

namespace fenceline::synth {

FenceSet fence_set(const std::vector<CandidatePosition>& candidates, const Placement& placement) {
  FenceSet fences;
  for (const PlacedFence& fence : placement) add_fence(fences, candidates[fence.position], fence.kinds);
  return fences;
}

std::vector<Result> weaken(const SynthesisTask& task, Placement& placement, const VerifyProperty& verify) {
  std::vector<Result> proofs;
  for (PlacedFence& fence : placement)
    for (const FenceKinds kinds : task.weaker) {
      const FenceKinds before = std::exchange(fence.kinds, kinds);
      std::vector<Result> results;
      const FenceSet fences = fence_set(task.candidates, placement);
      for (size_t property = 0; property < task.properties.size(); ++property) {
        results.push_back(verify(fences, property));
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

std::optional<Result> without_fences(const Task& query, Result result) {
  if (const TraceCounterexample* found = result.trace_counterexample()) {
    const FenceSet none;
    const Task bare{query.program, none, query.model, query.property};
    const bool queues = found->replay.queues;
    TraceCounterexample shown;
    shown.trace =
        without_added_fences(query, queues ? found->trace : with_early_flushes(query, found->trace));
    shown.replay = queues ? check::replay_queues(bare, shown.trace) : check::replay(bare, shown.trace);
    if (!shown.replay.ok) return std::nullopt;
    result.conclusion = std::move(shown);
  }
  return result;
}

}  // namespace fenceline::synth
