// SPDX-License-Identifier: GPL-3.0-or-later
//
// Breadth-first search over abstract states, keeping only the maximal elements (antichain.h). A subsumed
// state need not be expanded: every violation that it leads to, the state that subsumes it leads to in as
// many steps. So the first violation found is one with the fewest steps, as in an exact search.
//
// Where the task has monitored positions, "few" is counted differently: a step that passes a monitored
// position with pending stores costs 1, all others cost nothing, and the first violation found is one that
// passes the fewest positions (0-1 breadth-first search). Synthesis wants such counterexamples: the fewer
// orderings they violate, the smaller the learned clause.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/cegar/abstract_search.h"
#include "engine/search/antichain.h"
#include "env/env.h"
#include "machine/path.h"
#include "machine/store_buffer/system.h"
#include "property/properties.h"
#include "task/coherence_certificate.h"

namespace fenceline::coherence {

struct ExplorationOptions {
  buffer::Abstraction abstraction;
  bool fuse = true;
  bool reduce = true;
  bool liveness = true;
  uint64_t state_budget = 0;  // give up after so many; 0: no limit
};

class AbstractExploration final : public engine::AbstractSearch {
 public:
  AbstractExploration(const Task& task, const ExplorationOptions& options, Env& env);

  void run() override;
  bool violated() const override { return found_.has_value(); }
  const engine::SearchEnd& end() const override { return end_; }
  uint64_t states() const override { return antichain_.size(); }
  uint64_t transitions() const override { return transitions_; }
  std::optional<engine::Concretised> concretise(std::string& why_not) override;
  Certificate checked_certificate() override;

  bool order_was_lost() const { return worker_->order_was_lost(); }

  // Precondition: violated().
  machine::Path path();

  const engine::Antichain& antichain() const { return antichain_; }

 private:
  class Sink;
  struct Deferred {  // a state that costs more than those being expanded
    machine::KeptState state;
    engine::Antichain::Id parent;
  };

  void enqueue(machine::PackedState packed, engine::Antichain::Id parent);
  void expand(engine::Antichain::Id id, Sink& sink);
  bool out_of_resources();
  CoherenceState spelled_out(engine::Antichain::Id id);

  const Task& task_;
  Env& env_;
  ExplorationOptions options_;
  machine::System system_;
  std::unique_ptr<machine::AbstractSystem> worker_;
  engine::Antichain antichain_;
  property::Monitor monitor_;

  std::vector<engine::Antichain::Id> queue_;
  size_t next_ = 0;       // in queue_
  size_t level_end_ = 0;  // in queue_: where the states begin that are one step further away
  std::vector<Deferred> deferred_;

  std::optional<engine::Antichain::Id> found_;  // kNone: before the first state
  bool found_failing_step_ = false;
  engine::SearchEnd end_;
  uint64_t transitions_ = 0;
  uint64_t polled_ = 0;
};

}  // namespace fenceline::coherence
