// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fixpoint: for each key (places, explicit values, shapes of buffers) a few sets of numbers such that all
// reachable states are covered.
//
//   put the initial states into the map
//   while some set has not been looked at:
//     for each successor of it: add its numbers to the sets of its key
//
// Adding: nothing if a set covers them already; a new set while there are few; else they are joined with the
// set that they are most like. At loop heads, once a key has been looked at a few times, sets are widened.
// Narrowing afterwards makes each set as small as what really flows into it.
//
// The number of sets that a key ever opens is bounded, and each is widened from some time on, first gently
// (what is stable is kept, bounds stop at thresholds), then plainly: the loop ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/numeric/abstract_machine.h"
#include "env/limits.h"

namespace fenceline {

struct FixpointOptions {
  unsigned disjuncts = 3;
  unsigned delay = 3;           // a key is looked at so often before it is widened
  unsigned gentle_rounds = 12;  // a set is widened gently so often, then plainly
  bool widen_gently = true;
  // Give up after so much work, in millions of what NumbersOwner counts; 0: never. A hundred take about a
  // second, or less.
  uint64_t most_work = 0;
};

class Invariant {
 public:
  struct Disjunct {
    Numbers numbers;
    bool done = false;  // its successors are in the map
    bool exact = true;  // as of an AbstractState
    unsigned widened = 0;
  };
  struct Node {
    AbstractState state;  // its numbers mean nothing
    std::vector<Disjunct> disjuncts;
    unsigned rounds = 0;  // how often its sets were looked at
    unsigned opened = 0;  // disjuncts
    bool loop_head = false;
    bool waiting = false;  // in the work list
  };

  Invariant(const Plan& plan, const AbstractMachine& machine, const FixpointOptions& options, Limits& limits)
      : plan_(plan), machine_(machine), options_(options), limits_(limits) {}

  // Is the state bad (or a step from it)? Asked for exact states as they are found; true stops the search,
  // since it will not become better.
  std::function<bool(const AbstractState&)> is_bad;

  bool errors_matter = false;  // a step that fails is as bad

  // kStuck: a step fails where its thread does not stop, and that does not matter: stuck_at() should be a
  // stop.
  enum class Outcome { kFixpoint, kBadState, kStuck, kGaveUp, kLimit };
  Outcome compute();
  // One round. Precondition: compute() said kFixpoint.
  Outcome narrow();

  // The first step that fails, if any does (of the sets as they are now, after narrow() too).
  bool some_step_fails() const { return some_step_fails_; }
  std::optional<std::pair<ThreadId, Point>> stuck_at() const { return stuck_at_; }
  LimitReached limit() const { return limit_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  uint64_t sets() const;  // of numbers
  uint64_t steps() const { return steps_; }
  uint64_t work() const;  // as FixpointOptions::most_work

 private:
  void add(KeyedState&& found);
  void add_to(Node& node, Numbers&& numbers, bool exact);
  Disjunct& most_alike(Node& node, const Numbers& numbers);
  AbstractMachine::Sink sink(std::function<void(KeyedState&&)> reached);
  bool out_of_limits();

  const Plan& plan_;
  const AbstractMachine& machine_;
  FixpointOptions options_;
  Limits& limits_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, size_t> index_;
  std::vector<size_t> work_;  // first in, first out
  size_t next_ = 0;
  bool bad_ = false, some_step_fails_ = false;
  std::optional<std::pair<ThreadId, Point>> stuck_at_;
  LimitReached limit_ = LimitReached::kNone;
  uint64_t steps_ = 0;
  uint64_t work_before_ = NumbersOwner::work();
};

}  // namespace fenceline
