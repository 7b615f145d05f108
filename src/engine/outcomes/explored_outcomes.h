// SPDX-License-Identifier: GPL-3.0-or-later
//
// All final states of a program by the exploration of its execution graphs (engine/executions/): each execution is met
// once, so the states, the number of executions that lead to each, and the flags are counted as they come.
#pragma once

#include <cstdint>
#include <span>

#include "env/env.h"
#include "ir/program.h"
#include "model/memory_model.h"
#include "task/outcomes.h"

namespace fenceline::engine {

struct ExploredOutcomes {
  enum class End : uint8_t {
    kDone,           // all executions were met, or a limit has ended it: `outcomes` says which
    kLoadBuffering,  // program order and rf may have a cycle, and such executions are not explored; nothing was done
    kNotPossible,  // the model or the program does not suit, or a loop has no end: `outcomes.reason`
  };

  End end = End::kDone;
  LitmusOutcomes outcomes;
};

ExploredOutcomes explored_outcomes(const Program& program, const MemoryModel& model,
                                   std::span<const ExprId> observed, Env& env);

}  // namespace fenceline::engine
