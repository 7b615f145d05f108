// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fixpoint: for each partition (program counters, explicit values, cells of pending stores) a few
// abstract elements, the disjuncts, that together subsume all reachable states.
//
//   put the initial states into the map
//   while some disjunct has not been expanded:
//     for each of its successors: add the abstract element to the disjuncts of its partition
//
// Adding: nothing if a disjunct subsumes the element already; a new disjunct while there are few; else a join
// with the disjunct that is most alike. At loop heads, once a partition has been visited a few times,
// disjuncts are widened. Narrowing afterwards makes each disjunct as small as what really flows into it.
//
// The number of disjuncts that a partition ever opens is bounded, and each is widened from some time on,
// first with thresholds (what is stable is kept, bounds stop at thresholds), then with the standard widening:
// the loop terminates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/numeric/abstract_machine.h"
#include "env/limits.h"

namespace fenceline::numeric {

struct FixpointOptions {
  unsigned disjuncts = 3;
  unsigned delay = 3;                 // visits of a partition before it is widened
  unsigned threshold_widenings = 12;  // of a disjunct, before the standard widening
  bool use_thresholds = true;
  // Stop after so much work, in millions of what PplSession counts; 0: never. A hundred take about a
  // second, or less.
  uint64_t most_work = 0;
};

class Invariant {
 public:
  struct Disjunct {
    AbstractElement element;
    bool done = false;  // its successors are in the map
    bool exact = true;  // as of an AbstractState
    unsigned widened = 0;
  };
  struct Node {
    AbstractState state;  // its abstract element means nothing
    std::vector<Disjunct> disjuncts;
    unsigned visits = 0;  // how often its disjuncts were expanded
    unsigned opened = 0;  // disjuncts
    bool loop_head = false;
    bool queued = false;  // in the work list
  };

  Invariant(const Plan& plan, const AbstractMachine& machine, const FixpointOptions& options, Limits& limits)
      : plan_(plan), machine_(machine), options_(options), limits_(limits) {}

  // Is the state bad (or a step from it)? Called for exact states as they are found; true ends the search:
  // no refinement removes a violation that is exact.
  std::function<bool(const AbstractState&)> is_bad;

  bool errors_matter = false;  // a step that fails is as bad

  // kStuck: a step fails outside a cut point, and the property does not look at errors: stuck_at() has to be
  // a cut point.
  enum class Outcome { kFixpoint, kBadState, kStuck, kGaveUp, kLimit };
  Outcome compute();
  // One iteration. Precondition: compute() returned kFixpoint.
  Outcome narrow();

  // The first step that fails, if any does (of the sets as they are now, after narrow() too).
  bool some_step_fails() const { return some_step_fails_; }
  std::optional<std::pair<ThreadId, Point>> stuck_at() const { return stuck_at_; }
  LimitReached limit() const { return limit_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  uint64_t sets() const;  // disjuncts of all partitions
  uint64_t steps() const { return steps_; }
  uint64_t work() const;  // as FixpointOptions::most_work

 private:
  void add(PartitionedState&& found);
  void add_to(Node& node, AbstractElement&& element, bool exact);
  Disjunct& most_alike(Node& node, const AbstractElement& element);
  AbstractMachine::Sink sink(std::function<void(PartitionedState&&)> reached);
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
  uint64_t work_before_ = PplSession::work();
};

}  // namespace fenceline::numeric
