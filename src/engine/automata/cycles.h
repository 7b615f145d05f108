// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cycles and their acceleration. A cycle is a run from a state back to the same places, memory and registers
// in which one thread stores and none of its stores leaves. Run n times it appends its word w n times, so
// with X in the buffer at the start all of X·w* is reachable: that is added at once, as one symbolic state.
// (Where every cell has a queue of its own, stores may leave some queues of the thread while others grow.)
//
// The paper decides by three conditions on the two ends of the cycle whether it can be run again. They do not
// see what happens in between (a fence that has to empty the buffer, a load that sees a store of the last
// round). Here the cycle is run again, on the accelerated state itself: if no step of it drops any content of
// the growing buffer, and all other buffers come back to at least what they were, then every content of X·w*
// can go round once more, and all of them are reachable.
//
// Several cycles through the same place are accelerated together: X·(w1|w2|...)*. Some algorithms need that
// (a thread that may store one of several values each time round); one after the other never ends. And where
// a cycle passes a place at which another one can go round any number of times, what it appends is not a word
// but a language: w1·v*·w2.
//
// Where every cell has a queue of its own, a word is a tuple of words, and X·w* is the product of what it is
// in each queue. That has contents in which the queues have seen different numbers of rounds. They are no
// loss of precision as long as the newest stores are of the same round: a queue that has seen more rounds can
// do whatever one with fewer can, since nobody looks at memory between two flushes of one queue that follow
// each other at once. So the last round is kept whole: X·(w1|w2|...)*·wi.
//
// Acceleration only adds states; whatever it adds, a proof stays a proof. And every run that goes wrong is
// replayed on the exact machine before anybody sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/code.h"
#include "machine/store_buffer/symbolic_system.h"

namespace fenceline {

struct Cycle {
  // Some steps, and then any number of rounds of other cycles of the same thread.
  struct Stretch {
    std::vector<TraceStep> steps;
    std::vector<const Cycle*> rounds;
  };
  ThreadId thread;  // whose buffer grows
  Queues appended;  // by queue: the words that a round can append; {ε} if it does not grow
  std::vector<Stretch> stretches;

  bool grows(size_t queue) const { return appended[queue] != Languages::empty_word(); }
  bool several_queues() const;
};

class Cycles {
 public:
  // Keeps references.
  Cycles(SymbolicSystem& system, const Code& code) : system_(system), code_(code) {}

  // These stretches as a cycle in which a queue of `thread` grows, because no store leaves it. None if there
  // is none. The cycles of the rounds must outlive the result.
  std::optional<Cycle> along(std::vector<Cycle::Stretch> stretches, ThreadId thread);

  struct Accelerated {
    KeptState state;
    std::vector<size_t> cycles;  // which ones go round
    std::optional<size_t> last;  // where every cell has a queue: the one that is the last round
  };
  // All cycles are of the same thread. Those that cannot be run again on the accelerated state are left out;
  // the result is empty if none is left, or if nothing new is reached by them.
  std::vector<Accelerated> accelerate(PackedState state, std::span<const Cycle* const> cycles);

  uint64_t replayed() const { return replayed_; }  // how often a cycle was run again
  uint64_t refused() const { return refused_; }    // and how often that failed

 private:
  std::vector<Accelerated> rounds_of(PackedState state, std::span<const Cycle* const> cycles,
                                     const std::vector<size_t>& going, bool whole_rounds);
  bool runs_again(PackedState state, const Cycle& cycle);
  std::optional<KeptState> once_round(PackedState state, const Cycle& cycle);
  Queues repeated(const Queues& queues, std::span<const Cycle* const> cycles, std::optional<size_t> last);
  bool includes(const Queues& whole, const Queues& part);

  SymbolicSystem& system_;
  const Code& code_;
  uint64_t replayed_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace fenceline
