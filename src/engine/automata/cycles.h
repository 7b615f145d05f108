// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cycles and their acceleration. A cycle is a sequence of steps from a state back to the same program
// counters, memory and registers in which one thread stores and none of its stores is flushed. Iterated n
// times it appends its word w n times, so with X in the buffer at the start all of X·w* is reachable: that is
// added at once, as one symbolic state. (Where every cell has a queue of its own, some queues of the thread
// may be flushed while others grow.)
//
// The paper decides by three conditions on the two ends of the cycle whether it is repeatable. They ignore
// what happens in between (a fence that has to drain the buffer, a load that returns a store of the last
// iteration). Here the cycle is executed once more, on the accelerated state itself: if no step of it drops
// any content of the growing buffer, and all other buffers come back to at least what they were, then every
// content of X·w* can take the cycle once more, and all of them are reachable.
//
// Several cycles through the same program counters are accelerated together: X·(w1|w2|...)*. Some algorithms
// need that (a thread that may store one of several values in each iteration); accelerating one after the
// other does not terminate. And where another cycle can iterate any number of times inside a cycle, the outer
// one appends not a word but a language: w1·v*·w2.
//
// Where every cell has a queue of its own, a word is a tuple of words, and X·w* is the product of what it is
// in each queue. That has contents in which the queues have seen different numbers of iterations. No
// precision is lost as long as the newest stores are of the same iteration: a queue that has seen more
// iterations can do whatever one with fewer can, since no thread reads memory between two consecutive flushes
// of one queue. So the last iteration is kept whole: X·(w1|w2|...)*·wi.
//
// Acceleration only adds states, so a proof remains a proof. Every counterexample is replayed on the exact
// machine before it is reported.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/code.h"
#include "machine/store_buffer/symbolic_system.h"

namespace fenceline::automata {

struct Cycle {
  // Some steps, and then any number of iterations of other cycles of the same thread.
  struct Stretch {
    std::vector<TraceStep> steps;
    std::vector<const Cycle*> inner;
  };
  ThreadId thread;           // whose buffer grows
  machine::Queues appended;  // by queue: the words that an iteration can append; {ε} if it does not grow
  std::vector<Stretch> stretches;

  bool grows(size_t queue) const { return appended[queue] != Languages::empty_word(); }
  bool several_queues() const;
};

class Cycles {
 public:
  // Keeps references.
  Cycles(machine::SymbolicSystem& system, const machine::Code& code) : system_(system), code_(code) {}

  // These stretches as a cycle in which a queue of `thread` grows, because no store of it is flushed. None if
  // there is none. The inner cycles must outlive the result.
  std::optional<Cycle> along(std::vector<Cycle::Stretch> stretches, ThreadId thread);

  struct Accelerated {
    machine::KeptState state;
    std::vector<size_t> cycles;  // which ones iterate
    std::optional<size_t> last;  // where every cell has a queue: the one of the last iteration
  };
  // All cycles are of the same thread. Those that are not repeatable on the accelerated state are left out;
  // the result is empty if none is left, or if they reach nothing new.
  std::vector<Accelerated> accelerate(machine::PackedState state, std::span<const Cycle* const> cycles);

  uint64_t replayed() const { return replayed_; }  // how often a cycle was executed once more
  uint64_t rejected() const { return rejected_; }  // and how often that failed

 private:
  std::vector<Accelerated> iterations_of(machine::PackedState state, std::span<const Cycle* const> cycles,
                                         const std::vector<size_t>& repeatable, bool whole_iterations);
  bool is_repeatable(machine::PackedState state, const Cycle& cycle);
  std::optional<machine::KeptState> iterated_once(machine::PackedState state, const Cycle& cycle);
  machine::Queues repeated(const machine::Queues& queues, std::span<const Cycle* const> cycles,
                           std::optional<size_t> last);
  bool includes(const machine::Queues& whole, const machine::Queues& part);

  machine::SymbolicSystem& system_;
  const machine::Code& code_;
  uint64_t replayed_ = 0;
  uint64_t rejected_ = 0;
};

}  // namespace fenceline::automata
