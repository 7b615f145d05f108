// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program prepared for exploration under a model: the plan of the model, the code of the threads, and which idle
// iterations of their loops need not be explored.
#pragma once

#include "engine/executions/exploration.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/symmetric_threads.h"
#include "engine/executions/thread_runner.h"
#include "env/env.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/wait_loops.h"
#include "ir/edit/overlay.h"
#include "ir/eval.h"
#include "ir/property.h"
#include "model/cat/relational.h"

namespace fenceline::executions {

class ExplorableProgram {
 public:
  // Keeps references. `property` is what the executions are explored for; null: for their final states.
  // Precondition: unsuitable_constraint(axioms) is empty, and the program has no `sync`.
  ExplorableProgram(const Overlay& overlay, const CatModel& axioms, const Property* property);

  const ModelPlan& plan() const { return plan_; }
  const ThreadCode& code() const { return code_; }
  const WaitLoops& wait_loops() const { return wait_loops_; }
  // Threads that the property does not distinguish; none if there is no property.
  const SymmetricThreads& symmetric() const { return symmetric_; }

  // Executions in which one idle iteration of each thread is kept: flags of the model that are raised by accesses of
  // iterations in which a thread waits. Needed if `may_miss_flags` of the other exploration.
  ExplorationResult explore_for_flags(bool stop_at_errors, Env& env, const LeafVisitor& visit,
                                      const LeafVisitor& follow_up = {}) const;

  // Explores again with the threads in the reverse order, where that is cheap or --certify demands it: a read that no
  // write revisited, or one that was revisited once too often, would hardly be so in both orders. Returns how often all
  // executions were met: 1 or 2. A difference is a Bug. Precondition: `first` has finished, with the same
  // option and symmetric().
  uint64_t traversals(const ExplorationResult& first, bool stop_at_errors, Env& env) const;
  // The same for liveness, without symmetric(): in no leaf may all threads wait, which `visit` must not accept.
  uint64_t traversals_for_waits(const ExplorationResult& first, Env& env, const LeafVisitor& visit) const;

 private:
  IdleIterations idle_iterations() const;
  uint64_t explore_again(const ExplorationResult& first, ExplorationOptions options, Env& env,
                         const LeafVisitor& visit) const;

  const Overlay& overlay_;
  const CatModel& axioms_;
  const ModelPlan plan_;
  const Liveness used_;
  const WaitLoops wait_loops_;
  const ThreadCode code_;
  const SymmetricThreads symmetric_;
};

// A property expression at the end of an execution.
Evaluated value_at(const Leaf& leaf, const Program& program, ExprId expression);

}  // namespace fenceline::executions
