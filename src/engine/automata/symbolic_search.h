// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the two searches of the automata engine have in common: breadth-first (breadth_first.h) and
// depth-first as in the paper (reference/depth_first.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/automata/cycles.h"
#include "engine/cegar/abstract_search.h"
#include "env/env.h"
#include "machine/store_buffer/system.h"
#include "property/properties.h"
#include "task/automata_certificate.h"

namespace fenceline::automata {

struct SymbolicSearchOptions {
  bool fuse = true;
  bool fuse_local = false;  // without reduce: local steps are fused with the one before them
  bool reduce = true;
  bool liveness = true;
  bool accelerate = true;
  bool library = true;      // breadth-first: cycles are kept and accelerated together
  bool sleep_sets = true;   // depth-first
  bool explore_on = false;  // continue after the first violation, to explore all states
  size_t widen_above = 0;   // languages are widened whose automata have more states; 0: never
  uint64_t state_budget = 0;
};

// A trace of the symbolic machine, in pieces.
struct SymbolicPath {
  struct Piece {
    std::vector<TraceStep> steps;  // these are taken once; or
    std::vector<Cycle> cycles;     // these iterate any number of times, in any order,
    std::optional<Cycle> last;     // and then this one once
    machine::Queues before;        // the buffer of the thread that they make grow, before them
  };
  std::vector<Piece> pieces;
  machine::KeptState end;            // the last state
  std::vector<TraceStep> failing;    // steps from there on of which the last one fails; or none
  bool needs_empty_buffers = false;  // the last state is bad only where no store is pending
};

// A set of buffer contents that was found.
struct BufferSeen {
  ThreadId thread;
  Point point;           // the program counter of the thread
  std::string language;  // "((x,1)(x,0))*"
};

// One search of the symbolic state space of a task.
class SymbolicSearch : public engine::AbstractSearch {
 public:
  bool violated() const override { return found_; }
  const engine::SearchEnd& end() const override { return end_; }
  uint64_t transitions() const override { return transitions_; }
  std::optional<engine::Concretised> concretise(std::string& why_not) override;
  Certificate checked_certificate() override;

  uint64_t widened() const { return widened_; }  // how many states were

  // Precondition: violated().
  virtual SymbolicPath path() = 0;

  // The states that are not subsumed; states() are all that were ever found.
  virtual size_t maximal_elements() const = 0;
  // Calls f with every maximal element.
  virtual void for_each_maximal(const std::function<void(machine::PackedState)>& f) const = 0;

  uint64_t accelerated() const { return accelerated_; }
  const Cycles& cycles() const { return cycles_; }
  machine::SymbolicSystem& system() { return *worker_; }
  const machine::Code& code() const { return system_.code(); }

  // The infinite languages that most of the maximal elements have in their buffers; at most `count` of each
  // thread.
  std::vector<BufferSeen> endless_buffers(size_t count);
  // The subsumption class with the most maximal elements: the buffers of its latest state.
  std::vector<BufferSeen> growing_buffers();

 protected:
  // Checks the states that are expanded. What becomes of successors depends on the search.
  class Observer : public machine::StateSink {
   public:
    explicit Observer(SymbolicSearch& search) : search_(search) {}
    void expanding(const machine::StateView& view) override;
    void buffer_full() override;
    void error() override;
    void overflow() override { search_.end_.overflow = true; }

   private:
    SymbolicSearch& search_;
  };

  SymbolicSearch(const Task& task, const SymbolicSearchOptions& options, Env& env);

  // The state being expanded is bad: by the steps from it of which the last one fails, or (none) by itself;
  // `if_empty`: only where no store is pending.
  virtual void found(const std::vector<TraceStep>& failing, bool if_empty) = 0;

  // Does the state represent a deadlock?
  bool is_deadlock(machine::PackedState state);
  bool out_of_resources(uint64_t bytes);
  std::string show(Language language);
  SymbolicState spelled_out(machine::PackedState packed, AutomataCertificate& certificate,
                            std::map<Language, uint32_t>& numbers);

  const Task& task_;
  Env& env_;
  SymbolicSearchOptions options_;
  machine::System system_;
  std::unique_ptr<machine::SymbolicSystem> worker_;
  Cycles cycles_;
  property::Monitor monitor_;

  bool found_ = false;
  engine::SearchEnd end_;
  uint64_t widened_ = 0;
  uint64_t transitions_ = 0;
  uint64_t accelerated_ = 0;
  uint64_t polled_ = 0;
};

}  // namespace fenceline::automata
