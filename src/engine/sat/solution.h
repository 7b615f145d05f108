// SPDX-License-Identifier: GPL-3.0-or-later
//
// From the solver's solution to an execution, which is checked against the axioms, or to a trace, which is
// replayed.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/sat/formula.h"
#include "engine/sat/schedule.h"
#include "model/memory_model.h"
#include "task/execution.h"
#include "task/trace.h"

namespace fenceline::sat {

class Solution {
 public:
  // Reads everything off the solver. Precondition: its last answer was "satisfiable".
  explicit Solution(Formula& formula);

  Execution execution() const;

  // A trace of the store-buffer machine for the execution (schedule.h). Precondition: the model is that of a machine.
  Trace trace(Buffering buffering, PropertyKind kind) const;

 private:
  friend class SolvedRelations;

  struct SolvedEvent {
    size_t number = 0;  // in EventRelations::all()
    CellId cell;
    Value value = 0;
  };
  struct Step {
    uint32_t node = 0;
    uint32_t slot = 0;            // which successor it took
    std::vector<size_t> events;   // of this step, in events_
    std::optional<Value> chosen;  // havoc, choose
  };
  struct Path {
    std::vector<Step> steps;
    uint32_t stop = 0;  // the node before which the thread stopped
    StopReason reason = StopReason::kEnded;
    // Of a step that failed: its events, what was chosen.
    std::vector<size_t> at_stop;
    std::optional<Value> chosen;
  };

  Schedulable schedulable() const;
  void read_events();
  void read_paths();
  bool reads_from(size_t write, size_t read) const;
  bool coherence(size_t first, size_t second) const;

  Formula& formula_;
  std::vector<SolvedEvent> events_;      // those that are executed
  std::vector<size_t> source_;           // by event: where a read reads from
  std::vector<std::vector<size_t>> co_;  // by cell: its writes in order
  std::vector<size_t> rank_;             // by event: the position of a write in that order
  std::set<std::pair<size_t, size_t>>
      waited_;               // writes and the syncs that waited for them, as in EventRelations
  std::vector<Path> paths_;  // by thread
};

}  // namespace fenceline::sat
