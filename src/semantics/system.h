// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one place where a transition system is assembled: program, fences and model become code; code and what
// the property observes become a layout; the machine runs it; the reduction thins it out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "semantics/code.h"
#include "semantics/growth.h"
#include "semantics/layout.h"
#include "semantics/transition_system.h"
#include "semantics/wrap/reduction.h"

namespace fenceline {

// Everything that workers share. Immutable; program, fences and model must outlive it.
class System {
 public:
  // Precondition: the model has store buffers or none (not Buffering::kNotBuffered).
  // Where some loop can fill a buffer without end, no thread may have more than `buffer_limit` stores waiting
  // (0: any number); elsewhere buffers need no limit and have none.
  System(const Program& program, const FenceSet& fences, const MemoryModel& model, const Observed& observed,
         const Visibility& visibility, bool reduce, uint64_t buffer_limit = 0);

  // A transition system for one worker; the System must outlive it.
  std::unique_ptr<TransitionSystem> worker() const;

  const Code& code() const { return code_; }
  const std::optional<Growth>& growth() const { return growth_; }

 private:
  Overlay overlay_;
  Code code_;
  StateLayout layout_;
  Reduction reduction_;
  std::optional<Growth> growth_;
  uint64_t buffer_limit_;
};

}  // namespace fenceline
