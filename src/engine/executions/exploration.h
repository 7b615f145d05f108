// SPDX-License-Identifier: GPL-3.0-or-later
//
// All executions of a program that a model allows and in which po | rf has no cycle, each of them once: the algorithm of
// Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal Dynamic Partial Order Reduction (POPL 2022).
//
// A graph is extended event by event. A read is tried with every write of its cell that is there, a write with every
// place in coherence order. A write may also *revisit* a read that was added before: the read then reads it, and what
// was added after the read and is not needed by the write is deleted. So that no execution is met twice, the deleted
// events must be the ones that are met without any choice: each was added *maximally*, a write as the last one in
// coherence order, a read from the last write. Nothing is stored but the graph at hand and those that wait for a
// revisit to return.
//
// It is complete if every allowed graph stays allowed when its last event is removed, and when an event is added
// maximally: requirements.h decides that from the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/executions/model_plan.h"
#include "engine/executions/solo_run.h"
#include "engine/executions/symmetric_threads.h"
#include "engine/executions/thread_runner.h"
#include "env/limits.h"
#include "task/execution.h"

namespace fenceline::executions {

// Where the exploration of one graph ends.
enum class LeafKind : uint8_t {
  kComplete,  // all threads have ended
  kBlocked,   // no thread can go on, and some have not ended
  kFailed,    // the next step of some thread is an error
};

struct Leaf {
  LeafKind kind = LeafKind::kComplete;
  std::vector<size_t> flags;  // that the model raises, as numbers of its constraints
  std::function<Execution()> execution;
  // What is in memory and in registers at the end.
  std::function<Value(CellId)> cell;
  std::function<Value(ThreadId, RegId)> reg;
  std::function<Point(ThreadId)> location;
  // Of a thread that has not ended: does it wait for ever (solo_run.h)? `alone` is how it is executed alone.
  std::function<Waits(const ThreadCode& alone, const RetriedWaits& retried, ThreadId)> waits;
  std::function<bool(ThreadId)> ended;
};

// False: the exploration ends here. With several jobs, leaves come one at a time, but in any order.
using LeafVisitor = std::function<bool(const Leaf&)>;

// What a search for a smaller counterexample may do. The visitor activates them when there is one, and lowers them: an
// exploration within bounds proves nothing.
struct ExplorationBounds {
  bool active = false;
  uint64_t work = 0;       // events of the graphs that are visited, together; then it ends
  size_t most_events = 0;  // larger graphs are not visited; initial writes are not counted
};

struct ExplorationOptions {
  bool stop_at_errors = true;  // visit graphs in which a thread fails; else such threads just do not go on
  bool reversed = false;       // schedule the last thread first instead of the first one
  // Drop graphs in which a thread can only wait for ever because it read an old value.
  bool prune_waits = true;
  // Blocked graphs are looked at for their own sake (solo_run.h says which of them may still be dropped).
  bool looks_for_waits = false;
  const SymmetricThreads* symmetric = nullptr;  // explored in one order only
  Limits* limits = nullptr;
  ExplorationBounds* bounds = nullptr;
  std::function<void()> restart = {};  // all leaves so far will be visited again
  // If the visitor ends the exploration: called, instead of the visitor, for the first leaf at which it does, and for those
  // that follow, in the order of one job, until it says false. Does not depend on the number of jobs.
  LeafVisitor follow_up = {};
  size_t jobs = 1;       // threads; one that has nothing to do gets a part of the tree from another one,
  uint64_t grain = 512;  // which looks after so many graphs whether that is so
};

struct ExplorationResult {
  bool finished = false;  // the visitor accepted all leaves, and no limit has ended it
  LimitReached limit = LimitReached::kNone;
  uint64_t executions = 0, blocked = 0;  // complete ones; other leaves
  uint64_t fingerprint = 0;              // of the set of complete ones, whatever their order
  uint64_t graphs = 0;                   // all that were visited
  uint64_t revisits = 0;
  size_t largest = 0;      // events of the largest one
  bool too_large = false;  // a value left the 64-bit integers
  bool too_long = false;   // a thread makes too many steps, or there are too many events
  Point too_long_at = {};  // too_long: where
  ThreadId too_long_thread = {};
  Point longest_at =
      {};  // too_long because of too many events: the thread that has most of them, and where it is
  ThreadId longest_thread = {};
  // A flag might be missed, since a read was pruned that could be part of it, or an iteration in which the thread waits:
  // repeat without prune_waits, and with IdleIterations::keep_one.
  bool may_miss_flags = false;

  void note_too_long(ThreadId thread, Point at);  // of several threads and points, the least counts
  // What another job has explored, apart from `finished` and `may_miss_flags`.
  void add(const ExplorationResult& other);
};

// Throws Unsupported.
ExplorationResult explore(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
                          const LeafVisitor& visit);

}  // namespace fenceline::executions
