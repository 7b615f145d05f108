// SPDX-License-Identifier: GPL-3.0-or-later
//
// Here a transition system is assembled: program, fences and model become code; code and what
// the property observes become a layout; the machine executes it; the reduction prunes its steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ir/edit/overlay.h"
#include "machine/code.h"
#include "machine/layout.h"
#include "machine/por/partial_order_reduction.h"
#include "machine/store_buffer/abstract_system.h"
#include "machine/store_buffer/growth.h"
#include "machine/store_buffer/symbolic_system.h"
#include "machine/transition_system.h"
#include "model/memory_model.h"

namespace fenceline::machine {

struct SystemOptions {
  bool fuse = true;  // with reduce: steps that no other thread notices are part of the step before them
  bool fuse_local = false;  // without reduce: those that touch neither memory nor buffers do
  bool reduce = true;       // partial-order reduction: a step may represent all of them
  bool liveness = true;     // registers that are not live are dropped
  // Where some loop can fill a buffer without end, no thread may have more than so many pending stores (0:
  // any number); elsewhere buffers need no limit and have none.
  uint64_t buffer_limit = 0;
  std::optional<buffer::Abstraction> abstraction = {};  // none: exact buffers
  // Abstract buffers that remember which instruction stored. What is kept in order is then never subsumed by
  // what is not: a state that is reached with fences must not be mixed up with one that is reached without.
  bool origins = false;
};

// Empty if the machine supports the program on the model, else why not, to be put behind a subject: "has no
// machine for the model rmo".
std::string store_buffer_unsupported_reason(const Program& program, const MemoryModel& model);

// Everything that workers share. Immutable; program, fences and model must outlive it.
class System final : public SystemSource {
 public:
  // Precondition: the model has store buffers or none (not Buffering::kNoMachine).
  System(const Program& program, const FenceSet& fences, const MemoryModel& model, const Observed& observed,
         const Visibility& visibility, const SystemOptions& options);

  // A transition system for one worker; the System must outlive it. One of the two, by options.abstraction.
  std::unique_ptr<TransitionSystem> worker() const override;
  std::unique_ptr<AbstractSystem> abstract_worker() const;
  // The exact machine on sets of buffers. Precondition: no abstraction.
  std::unique_ptr<SymbolicSystem> symbolic_worker() const;

  const Code& code() const { return code_; }
  const StateLayout& layout() const { return layout_; }
  const std::optional<Growth>& growth() const { return growth_; }

 private:
  Overlay overlay_;
  Code code_;
  StateLayout layout_;
  Reduction reduction_;
  std::optional<Growth> growth_;
  uint64_t buffer_limit_;
  SystemOptions options_;
};

}  // namespace fenceline::machine
