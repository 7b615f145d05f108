// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one place where a transition system is assembled: program, fences and model become code; code and what
// the property observes become a layout; the machine runs it; the reduction thins it out.
#pragma once

#include <memory>
#include <string>

#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "semantics/code.h"
#include "semantics/layout.h"
#include "semantics/transition_system.h"
#include "semantics/wrap/reduction.h"

namespace fenceline {

// Everything that workers share. Immutable; program, fences and model must outlive it.
class System {
 public:
  // Precondition: the model has store buffers or none (not Buffering::kNotBuffered).
  System(const Program& program, const FenceSet& fences, const MemoryModel& model, const Observed& observed,
         const Visibility& visibility, bool reduce);

  // A transition system for one worker; the System must outlive it.
  std::unique_ptr<TransitionSystem> worker() const;

  const Code& code() const { return code_; }

 private:
  Overlay overlay_;
  Code code_;
  StateLayout layout_;
  Reduction reduction_;
};

}  // namespace fenceline
