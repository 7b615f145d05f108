// SPDX-License-Identifier: GPL-3.0-or-later
//
// Breadth-first search over symbolic states, keeping only the maximal elements (antichain.h).
//
//   expand the oldest state that is not subsumed
//   for each successor that is not subsumed:
//     does an ancestor have the same program counters, memory and registers? then that is a cycle:
//     add it to the library, and accelerate every state of its class with all cycles of the class
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/automata/symbolic_search.h"
#include "engine/search/antichain.h"

namespace fenceline::automata {

class BreadthFirst final : public SymbolicSearch {
 public:
  BreadthFirst(const Task& task, const SymbolicSearchOptions& options, Env& env);

  void run() override;
  SymbolicPath path() override;
  uint64_t states() const override { return antichain_.size(); }
  size_t maximal_elements() const override { return antichain_.maximal_elements(); }
  void for_each_maximal(const std::function<void(machine::PackedState)>& f) const override;

 private:
  using Id = engine::Antichain::Id;
  class Sink;

  // How a state was reached from its parent.
  struct Edge {
    size_t first_step = 0;  // in steps_
    uint32_t steps = 0;
    uint32_t acceleration = kNoAcceleration;  // in accelerations_
  };
  static constexpr uint32_t kNoAcceleration = ~uint32_t{0};
  struct Acceleration {
    std::vector<const Cycle*> cycles;
    const Cycle* last = nullptr;
  };
  // A cycle of the library. One that was never or hardly ever repeatable is no longer tried.
  struct Known {
    Cycle cycle;
    uint64_t accepted = 0;
    uint64_t rejected = 0;
    bool promising() const { return rejected < 32 + 8 * accepted; }
  };

  void add(machine::PackedState packed, Id parent, const std::vector<TraceStep>& steps,
           uint32_t acceleration);
  void expand(Id id, Sink& sink);
  void found(const std::vector<TraceStep>& failing, bool if_empty) override;
  void look_for_cycles(Id id);
  void remember(Id from, Id to, ThreadId thread);
  void accelerate(Id id);
  void accelerate(Id id, const std::vector<Known*>& together);
  bool may_grow(Id from, Id to, ThreadId thread) const;
  std::vector<Cycle::Stretch> stretches_between(Id from, Id to, ThreadId thread) const;
  uint64_t bytes_in_use() const;

  engine::Antichain antichain_;
  std::vector<Edge> edges_;  // by id
  std::vector<TraceStep> steps_;
  std::vector<Acceleration> accelerations_;
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<Known>>>
      library_;  // by subsumption class; only added to

  std::vector<Id> queue_;
  size_t next_ = 0;        // in queue_
  std::vector<Id> fresh_;  // added, but not yet looked at for cycles

  Id expanded_ = engine::Antichain::kNone;  // none before the first state
  Id bad_ = engine::Antichain::kNone;
  std::vector<TraceStep> failing_;
  bool bad_if_empty_ = false;
};

}  // namespace fenceline::automata
