// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a job has explored so far, and whether a limit or a bound ends it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "engine/executions/exploration.h"
#include "engine/executions/graph.h"
#include "engine/executions/graph_execution.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/thread_runner.h"
#include "env/errors.h"

namespace fenceline::executions {

// Thrown where the exploration ends before everything was explored.
struct ExplorationStopped {};

class ExplorationProgress {
 public:
  // Keeps references.
  ExplorationProgress(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options)
      : code_(code), plan_(plan), options_(options) {}

  const ExplorationResult& result() const { return result_; }

  // These throw ExplorationStopped. False: the graph is larger than the bounds allow.
  template <size_t kWords>
  bool note_graph(const Graph<kWords>& graph) {
    ++result_.graphs;
    result_.largest = std::max(result_.largest, graph.size());
    if (options_.limits != nullptr && result_.graphs % 256 == 0) {
      result_.limit = options_.limits->poll();
      if (result_.limit != LimitReached::kNone) throw ExplorationStopped();
    }
    return options_.bounds == nullptr || within_bounds(*options_.bounds, graph);
  }

  void note_revisit() { ++result_.revisits; }

  template <size_t kWords>
  void note_leaf(const Graph<kWords>& graph, LeafKind kind) {
    if (kind == LeafKind::kComplete) {
      ++result_.executions;
      result_.fingerprint += fingerprint(graph);
    }
    if (kind == LeafKind::kBlocked) ++result_.blocked;
  }

  // The thread may not go on from this state. Throws Unsupported.
  template <size_t kWords>
  void note_state(ThreadId thread, const ThreadState<kWords>& state) {
    if (state.next == NextStep::kTooLarge) result_.too_large = true;
    if (state.next == NextStep::kBeyond) result_.note_too_long(thread, state.location);
    // Its write has not happened, but other threads would read it.
    if (state.next == NextStep::kBlocked && state.in_section && state.section_wrote &&
        (options_.stop_at_errors || !plan_.flags().empty()))
      throw Unsupported(fmt::format(
          "an atomic section with an assumption behind its store (line {})",
          code_.overlay().program().line_name(code_.overlay().at(thread, state.section_begin).pos)));
  }

 private:
  template <size_t kWords>
  static bool within_bounds(ExplorationBounds& bounds, const Graph<kWords>& graph) {
    if (!bounds.active) return true;
    if (bounds.work < graph.size()) throw ExplorationStopped();
    bounds.work -= graph.size();
    return graph.size() - graph.initial_writes().size() <= bounds.most_events;
  }

  const ThreadCode& code_;
  const ModelPlan& plan_;
  const ExplorationOptions& options_;
  ExplorationResult result_;
};

}  // namespace fenceline::executions
