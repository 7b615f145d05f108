// SPDX-License-Identifier: GPL-3.0-or-later
//
// The formula for one program, with its loops unrolled as far as the bounds say: the executions that the
// model allows, and how they can violate the property. One formula serves many queries, each by assuming a
// literal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/sat/events.h"
#include "engine/sat/threads.h"
#include "engine/sat/unfolding.h"
#include "sat/relation_encoder.h"

namespace fenceline::sat {

struct FormulaOptions {
  bool record_proof = false;
  bool omit_idle_iterations = true;
  LoopSet keep_one;  // as in ThreadOptions
  bool require_kept = false;
  AcyclicEncoding acyclic = require_acyclic;
};

class Formula {
 public:
  // `property` may be null: then the queries are about final states only. All arguments must outlive the
  // formula. Throws Unsupported for what cannot be encoded.
  Formula(const Overlay& overlay, const CatModel& model, const Property* property, const LoopBounds& bounds,
          const FormulaOptions& options);

  Solver& solver() { return solver_; }
  Circuit& circuit() { return circuit_; }
  Arithmetic& arithmetic() { return arithmetic_; }
  const Overlay& overlay() const { return overlay_; }
  const CatModel& model() const { return model_; }
  const Unfolding& unfolding() const { return unfolding_; }
  const EncodedThreads& threads() const { return threads_; }
  EventRelations& events() { return events_; }
  RelationEncoder& relations() { return relations_; }

  Lit complete() const { return complete_; }  // all threads have ended
  Lit violated() const { return violated_; }
  Lit undefined() const { return undefined_; }  // the property's formula has no value where it is evaluated
  Lit failed() const { return failed_; }        // some thread stops at an error
  // Which loops would iterate more often than they are unrolled.
  const std::vector<std::pair<LoopInstance, Lit>>& beyond() const { return beyond_; }

  // Loops with an access that can raise a flag of the model. Idle iterations of these must be kept before one
  // can say that no flag is raised; empty if there are none, or if no iteration is left out anyway.
  //
  // It is enough to look at one formula whose bounds suffice without idle iterations: a kept one begins at
  // the head of its loop with the registers with which another iteration begins there, so its accesses are
  // among those that this other one has in the formula.
  LoopSet loops_with_flags() const;

  // What is known of its loops.
  const WaitLoops& wait_loops() const { return wait_loops_; }
  // Why the last iteration before the bound of this loop leaves something behind, in the solution that the
  // solver has: "it stores to 'n' each time". Precondition: the loop exceeds its bound in the solution.
  std::string why_not_idle(const LoopInstance& loop);

  // Liveness only: what is in memory at the end, by cell.
  const std::vector<Number>& final_memory() const { return final_memory_; }

  // A property expression at the end of complete executions. Throws Unsupported if it can fail there.
  Number final_value(ExprId id);

 private:
  class EndState;

  std::vector<CellId> looks_of(const Property* property) const;
  ThreadOptions thread_options(const Property* property, const FormulaOptions& options) const;
  void encode_property(const Property& property);
  void require_what_is_read_inside();
  Lit deadlocked();
  Lit all_may_wait();

  const Overlay& overlay_;
  const CatModel& model_;
  const bool omits_idle_iterations_;
  Liveness used_;
  WaitLoops wait_loops_;
  Unfolding unfolding_;
  std::vector<ValueSet> ranges_;
  Solver solver_;
  Circuit circuit_;
  Arithmetic arithmetic_;
  EncodedThreads threads_;
  EventRelations events_;
  RelationEncoder relations_;
  Lit complete_ = kTrue, violated_ = kFalse, undefined_ = kFalse, failed_ = kFalse;
  std::vector<std::pair<LoopInstance, Lit>> beyond_;
  std::vector<Number> final_memory_;
};

// Is there an atomic section with more than one access or fence, or with a read-modify-write?
bool has_sections_of_several_events(const Overlay& overlay);

// By cell: does the property look at it, at the end or in between? Null: final states, so all cells.
std::vector<bool> observed_cells(const Program& program, const Property* property);

// Which registers are still read, given what the property reads; null: final states.
Liveness liveness_for(const Program& program, const Property* property, Reads reads = Reads::kAll);

// Is this about states that need not be final, so that memory must be observed there?
bool looks_at_states(const Property& property);

}  // namespace fenceline::sat
