// SPDX-License-Identifier: GPL-3.0-or-later
//
// Liveness (docs/semantics.md), by refinement. The formula asks for an execution in which each thread has ended, or has
// stopped where it might wait: at the head of a loop, before an atomic section, before the access that a blocking
// operation tests. Whether it waits there is found out by executing it alone on the memory of the solution
// (property/solo_waits.h). If a thread goes on, that depends on where it has stopped, on its registers and on the memory
// that it accesses: a clause excludes these from what may violate the property, and the solver is asked again.
//
// That is complete as leaving out idle iterations is (threads.h): in an execution that violates liveness, leave out all
// idle iterations. Each thread that waits is then where it began the first of those that it repeats for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/sat/formula.h"
#include "ir/analysis/retried_waits.h"
#include "property/solo_waits.h"
#include "task/counterexample.h"
#include "task/execution.h"

namespace fenceline::sat {

class StuckThreads {
 public:
  explicit StuckThreads(const Overlay& overlay)
      : overlay_(overlay),
        analysis_(overlay),
        alone_(analysis_),
        used_(overlay.program(), Reads::kUsed, {}) {}

  enum class Answer : uint8_t {
    kStuck,      // each thread has ended or waits for ever
    kExcluded,   // one of them goes on: such solutions are excluded now
    kUndecided,  // it is not known of one of them
  };
  // About the execution that is the solver's solution; `check` has memory and registers at its end.
  Answer examine(Formula& formula, const Execution& execution, const ExecutionCheck& check);

 private:
  void exclude(Formula& formula, ThreadId thread, const ExecutionCheck& check);

  const Overlay& overlay_;
  property::WaitAnalysis analysis_;
  property::SoloWaits alone_;
  Liveness used_;
};

}  // namespace fenceline::sat
