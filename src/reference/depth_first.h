// SPDX-License-Identifier: GPL-3.0-or-later
//
// The search of the paper: depth-first, with sleep sets, and with cycles detected on the stack (its figures 2
// and 3). It serves as a baseline; the engine uses engine/automata/breadth_first.h.
//
//   visit(s, asleep):
//     executed = what some state that includes s has executed or will
//     if s repeats a state of the stack, but for one buffer that has grown by a word w:
//       s = that state with w* appended to the buffer
//     for each transition t of s that is neither asleep nor executed:
//       visit(successor of s by t, those of asleep and of the transitions taken before t at s that are
//                                  independent of t in s)
//
// Where this differs from the paper:
//   - The acceleration is accepted only if the cycle is repeatable on its result (cycles.h). The printed
//     conditions ignore fences and commits inside the cycle.
//   - Two commits to one location are dependent. The printed rule 3 calls them independent, and loses states.
//   - A transition that was executed goes to sleep for the later ones; in print nothing ever goes to sleep.
//   - What is stored is the accelerated state, not the one before it. Its sleepers are those that slept at
//     both ends of the cycle.
//   - A state that is included in another, but may sleep less, is stored as an entry of its own. In print it
//     wakes the sleepers of the larger state, which that one has never executed.
//
// Transitions are the instruction of a thread and its commits: two per thread.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/automata/symbolic_search.h"
#include "engine/search/antichain.h"

namespace fenceline::reference {

class DepthFirst final : public automata::SymbolicSearch {
 public:
  // There is no partial-order reduction besides sleep sets; local steps are fused with the one before them.
  DepthFirst(const Task& task, const automata::SymbolicSearchOptions& options, Env& env);

  void run() override;
  automata::SymbolicPath path() override { return path_; }
  uint64_t states() const override { return states_; }
  size_t maximal_elements() const override { return maximal().maximal_elements(); }
  void for_each_maximal(const std::function<void(machine::PackedState)>& f) const override;

 private:
  class Sink;

  // Bit 2t: the instruction of thread t; bit 2t+1: its commits.
  using Transitions = uint64_t;
  static Transitions instruction_of(size_t thread) { return Transitions{1} << (2 * thread); }
  static Transitions commits_of(size_t thread) { return Transitions{2} << (2 * thread); }

  struct Successor {
    machine::KeptState state;
    std::vector<TraceStep> steps;
    Transitions transition = 0;  // one of them
  };
  struct Frame {
    machine::KeptState state;
    std::vector<TraceStep> steps;  // from the frame below
    // If accelerated: the cycle that these steps closed, and the frame where it began; this state is that one
    // with the iterations of the cycle.
    std::optional<automata::Cycle> cycle;
    bool last_iteration_whole = false;  // Cycles::Accelerated::last
    size_t begin = 0;
    uint64_t class_hash = 0;  // a hash
    Transitions asleep = 0;
    Transitions taken = 0;    // so far
    Transitions skipped = 0;  // asleep or executed elsewhere
    std::vector<Successor> successors;
    size_t next = 0;
  };
  struct Entry {
    machine::KeptState state;
    Transitions not_executed = 0;  // neither from here nor from a state that includes this one
  };
  // What a transition does to memory.
  struct Footprint {
    std::vector<uint32_t> reads, writes;  // cells
    bool everything = false;              // it conflicts with all transitions of others
  };

  void visit(machine::KeptState state, std::vector<TraceStep> steps, Transitions asleep);
  bool accelerate(Frame& frame);
  std::optional<automata::Cycle> cycle_from(size_t begin, const Frame& frame,
                                            const machine::SymbolicSnapshot& now);
  Transitions executed_elsewhere(machine::PackedState state, uint64_t class_hash);
  Transitions independent_of(Transitions transition, Transitions others, machine::PackedState state);
  Footprint footprint(Transitions transition, const machine::SymbolicSnapshot& snapshot);
  bool always_forwarded(const machine::SymbolicSnapshot& snapshot, size_t thread, uint32_t cell);
  void found(const std::vector<TraceStep>& failing, bool if_empty) override;
  const engine::Antichain& maximal() const;
  uint64_t bytes_in_use() const;

  std::vector<Frame> stack_;
  std::unordered_map<uint64_t, std::vector<Entry>> entries_;  // by subsumption class
  size_t states_ = 0;
  uint64_t bytes_ = 0;
  automata::SymbolicPath path_;
  mutable std::unique_ptr<engine::Antichain> maximal_;
};

std::unique_ptr<automata::SymbolicSearch> make_depth_first(const Task& task,
                                                           const automata::SymbolicSearchOptions& options,
                                                           Env& env);

}  // namespace fenceline::reference
