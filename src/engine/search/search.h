// SPDX-License-Identifier: GPL-3.0-or-later
//
// Breadth-first search over packed states, level by level, with any number of workers.
//
// A level is a list of chunks of records of the state store. Workers take chunks, expand their states, and
// put new states into their own arenas, which makes up the next level. They meet when the level is done or
// when the table has to grow; the last one to arrive decides what comes next. A state found at level n cannot
// be reached in fewer steps, so the first violation found is a shortest one (of the system that is searched:
// with reduction on, steps are fused).
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/search/search_end.h"
#include "engine/search/state_store.h"
#include "env/limits.h"
#include "env/progress.h"
#include "env/runtime_prediction.h"
#include "machine/transition_system.h"
#include "property/properties.h"
#include "property/solo_waits.h"
#include "task/trace.h"

namespace fenceline::engine {

struct SearchLimits {
  unsigned jobs = 1;
  uint64_t states = 0;  // give up after so many; 0: no limit
};

// What a search explored. Unless `found` or a limit stopped it, it explored all states except those behind
// blocked, overflowing or failing steps.
struct Findings : SearchEnd {
  bool found = false;            // a violation; trace() has it
  bool buffer_full = false;      // a store was blocked by the system's bound on pending stores
  bool error_reachable = false;  // some step was an error of the program
  bool deadlock_reachable = false;
  bool undecided_wait = false;  // liveness: it is not known whether a thread waits for ever in some state
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t levels = 0;
  uint64_t bytes = 0;
  // The states without successors, as a set: their number and the sum of their hashes.
  uint64_t terminal_states = 0;
  uint64_t terminal_digest = 0;

  bool complete() const { return SearchEnd::complete() && !buffer_full && !undecided_wait; }
};

class Search {
 public:
  // Everything must outlive the search. Without a property nothing stops it but limits.
  Search(const machine::SystemSource& system, const Program& program, const Property* property,
         const SearchLimits& limits, Limits& resources, Progress& progress);
  ~Search();

  // Called with every final state, once; calls do not overlap. Set before run().
  std::function<void(const machine::StateView&)> on_final;

  // Where it is said how long the search will take, if anything reads it. Set before run().
  std::atomic<RuntimePrediction>* prediction = nullptr;

  // For liveness: set before run().
  const property::WaitAnalysis* wait_analysis = nullptr;

  Findings run();

  // Precondition: run() found a violation. The steps that lead to it.
  Trace trace() const;

 private:
  class Worker;
  struct Chunk {
    StateStore::Ref ref = StateStore::kNone;
    uint32_t count = 0;
  };
  enum class Phase { kExpand, kGrow, kDone };

  // What is done while all workers wait, when the last of them has arrived.
  struct MeetingEnd {
    Search& search;
    void operator()() noexcept { search.end_meeting(); }
  };

  void end_meeting() noexcept;
  void decide_next_phase();
  void predict_runtime();
  bool looks_for_errors() const { return property_ != nullptr && looks_at_errors(property_->kind); }
  bool looks_at_histories() const { return property_ != nullptr && looks_at_history(property_->kind); }
  bool looks_for_deadlocks() const {
    return property_ != nullptr && property_->kind == PropertyKind::kNoDeadlock;
  }
  void report_found(StateStore::Ref at, bool failing_step);
  void fail(std::exception_ptr error);
  Findings collect() const;

  const machine::SystemSource& system_;
  const Program& program_;
  const Property* property_;
  SearchLimits limits_;
  Limits& resources_;
  Progress& progress_;
  StateStore store_;
  std::vector<std::unique_ptr<Worker>> workers_;

  // The level being expanded.
  std::vector<Chunk> frontier_;
  std::atomic<size_t> next_chunk_{0};
  uint64_t level_ = 0;
  uint64_t widest_level_ = 0;  // of those before
  Phase phase_ = Phase::kExpand;
  std::atomic<bool> stop_{false};
  std::atomic<bool> growth_wanted_{false};
  std::atomic<bool> out_of_states_{false};
  std::atomic<LimitReached> limit_{LimitReached::kNone};

  std::barrier<MeetingEnd> meeting_;

  std::mutex report_mutex_;  // guards the members below, and calls of on_final
  std::exception_ptr error_;
  std::optional<StateStore::Ref> found_;
  bool found_failing_step_ = false;
};

}  // namespace fenceline::engine
