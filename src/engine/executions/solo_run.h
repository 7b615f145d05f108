// SPDX-License-Identifier: GPL-3.0-or-later
//
// Liveness (docs/semantics.md): does a thread that is blocked at the end of a graph wait for ever, if no other thread
// does anything any more and all stores are visible?
//
// It is executed alone, on the memory that the last writes of the graph leave, with all its choices. It waits if every
// path comes back to the head of a loop with nothing left behind (an idle iteration, ir/analysis/wait_loops.h) or to a
// blocking operation that is not enabled, and if memory that other threads access stays as it is. Paths that an assumption
// ends do not count; if there are no others the execution does not.
//
// Why a leaf of the exploration shows each violation. Let an execution violate liveness: from some point on every thread
// has ended or is in idle iterations, whose reads read the last writes. Drop all its idle iterations; what is left is
// consistent if the model allows dropping them (IdleIterations; if it does not, loops run into the bound on events, and
// nothing is proved). Now add to each waiting thread one idle iteration, thread by thread, each read reading the last
// write, each write coming last: that is consistent by the requirement `extensible`. Each thread of this graph has ended
// or is blocked, so it is a leaf, and exploration visits every leaf that is not pruned.
//
// Pruning (vain_waits.h) drops graphs in which a blocked thread reads, in its last event, which is of an idle iteration
// or of a blocking operation, a write s that was not the last one when the read was added: some w comes after s. No graph below is the one above. The read is not
// maximal, so it is neither deleted nor revisited; and since it is the last event of its thread, no event has it in its
// prefix. So a revisit keeps it only if it was added before the revisited read, and then it keeps w, too. Where a write
// of the iteration comes behind the read (a test-and-set), another thread may read that write, and the argument fails:
// such graphs are kept.
//
// What is not recognised as an idle iteration does not end as a leaf: it runs into the bound on events or on local steps
// instead.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/executions/thread_runner.h"
#include "ir/analysis/retried_waits.h"

namespace fenceline::executions {

enum class Waits : uint8_t {
  kForEver,
  kGoesOn,        // it ends, fails, or changes memory that others access
  kDoesNotCount,  // an assumption does not hold
  kUndecided,     // too many steps, or a construct that is not followed
};

// How threads are executed alone: on a memory that does not change, what the model can tell apart does not matter.
IdleIterations idle_when_alone(const WaitLoops& wait_loops);

template <size_t kWords>
class SoloRun {
 public:
  using State = ThreadState<kWords>;

  // `code` has idle_when_alone(), and no dependencies.
  SoloRun(const ThreadCode& code, const RetriedWaits& retried, ThreadId thread)
      : code_(code), retried_(retried), thread_(thread), runner_(code, thread) {}

  // `state` is that of a thread that has no next event, or before the first event of an atomic section. Precondition:
  // it has not ended.
  Waits waits(const State& state, std::vector<Value> memory);

 private:
  struct Path {
    State state;
    std::vector<Value> memory;
    bool changed = false;  // shared memory, in an atomic section whose end may not be reached
  };

  // False: it is known that the thread does not wait, or that this cannot be decided.
  bool follow(Path path);
  bool add_choices(const Path& path);
  bool add_alternatives(const Path& path);
  bool end(const State& state);
  bool stop(Waits result) {
    result_ = result;
    return false;
  }

  const ThreadCode& code_;
  const RetriedWaits& retried_;
  ThreadId thread_;
  ThreadRunner<kWords> runner_;
  std::vector<Value> shared_;  // memory at the beginning
  std::vector<Path> todo_;     // to be followed
  size_t steps_ = 0;
  bool comes_back_ = false;  // some path does
  Waits result_ = Waits::kForEver;
};

extern template class SoloRun<1>;
extern template class SoloRun<2>;
extern template class SoloRun<4>;
extern template class SoloRun<8>;
extern template class SoloRun<16>;

}  // namespace fenceline::executions
