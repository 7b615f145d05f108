// SPDX-License-Identifier: GPL-3.0-or-later
//
// Liveness on the state graph of a machine (docs/semantics.md, "Liveness").
//
// A thread *waits* in a state if, executed alone from there, with every choice that it has, it never ends, never fails,
// and never changes memory that another thread accesses. That is decided by exploring what it does alone: from one head
// of a loop to the next, until every path has come back to a head where it was before, with the same registers and
// private memory as far as they are used later. A blocking operation that is not enabled is also an end of a path. Paths
// that an assumption ends do not count; if all are such, neither does the state.
//
// Let C be the set of states in which each thread has ended or waits, at least one waits, none has ended the program,
// and each pending store is one that changes nothing when it is flushed: it stores what memory has, or goes to memory
// that is private to its thread. A state of C violates liveness: flush what is pending, and nothing will ever change.
//
// C is closed: every step from a state of C leads to a state of C. A waiting thread changes nothing that another one can
// see, so the others wait as before; and what it does is what it does alone. Hence a search that visits only some of the
// states may look for C state by state, if it keeps the following.
//
//   Ample sets. Let s be a state from which a path p leads into C, and a an ample set of s. If p has a step of a, then
//   that step can be moved to the front: the rest is a shorter path into C. If it has none, then every step of a is
//   independent of p and still possible at its end; by closedness it leads to a state of C, so that after the step p still
//   leads into C. The second case cannot happen for ever: no cycle of states is without a fully expanded one (C3 in
//   machine/por/partial_order_reduction.h). No step need be visible.
//
//   Fused steps are ample sets by themselves. The state that is stored comes later than those left out, and C is never
//   left.
//
//   Registers that are dead are dropped. What a thread does does not depend on them. Where a blocking operation is
//   evaluated again (ir/analysis/retried_waits.h), it would: then they are kept (keeps_registers()).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ir/analysis/liveness.h"
#include "ir/analysis/private_cells.h"
#include "ir/analysis/retried_waits.h"
#include "ir/edit/overlay.h"
#include "ir/sequential_interpreter.h"
#include "machine/transition_system.h"

namespace fenceline::property {

// What is known of a program, for all threads of a search. Keeps a reference to the overlay.
class WaitAnalysis {
 public:
  explicit WaitAnalysis(const Overlay& overlay);

  // Must the machine keep registers that are dead?
  static bool keeps_registers(const Program& program);

 private:
  friend class SoloWaits;

  const Overlay& overlay_;
  Liveness used_;
  PrivateCells private_;
  RetriedWaits retried_;
  SequentialInterpreter interpreter_;
  std::vector<std::vector<bool>> heads_;  // by thread and point of the program: does a loop begin here?
};

// Looks at states; every worker has one of its own.
class SoloWaits {
 public:
  explicit SoloWaits(const WaitAnalysis& analysis);

  enum class Finding : uint8_t { kFine, kViolated, kUndecided };
  // `pending` gives the pending stores of a thread, those to a cell oldest first.
  Finding look(const machine::StateView& view,
               const std::function<void(size_t, std::vector<machine::PendingStore>&)>& pending);

  enum class Waits : uint8_t {
    kForEver,
    kGoesOn,
    kDoesNotCount,  // an assumption stops it
    kUndecided,     // it takes too many steps
  };
  // Of one thread that has not ended.
  Waits waits(ThreadId thread, Point at, std::span<const Value> registers, std::span<const Value> memory);

 private:
  // The thread when it is alone.
  struct Alone {
    SequentialState state;
    std::vector<Value> memory;
  };
  // At the head of a loop, or at the beginning.
  struct Node {
    std::vector<uint32_t> next;
    bool blocked = false;
  };

  bool settle(const machine::StateView& view,
              const std::function<void(size_t, std::vector<machine::PendingStore>&)>& pending);
  Waits waits(ThreadId thread, Point at, std::span<const Value> registers);
  Alone begin(Point at, std::span<const Value> registers) const;
  // False: the answer is known, in answer_.
  bool follow(uint32_t node, Alone alone);
  bool enter_section(uint32_t node, Alone alone);
  bool follow_section(Alone alone, std::vector<Alone>& passed);
  enum class Stepped : uint8_t { kOn, kBlocked, kStop };
  Stepped step(Alone& alone, uint64_t alternative);
  bool arrive(uint32_t from, const Alone& alone);
  bool changes_memory(const Alone& alone) const;
  bool comes_back();
  bool stop(Waits answer) {
    answer_ = answer;
    return false;
  }
  const Instruction& next(const Alone& alone) const;

  const WaitAnalysis& analysis_;
  const Program& program_;
  std::vector<Value> memory_;  // of the state, with everything flushed
  std::vector<machine::PendingStore> pending_;
  size_t first_ = 0;  // the thread that did not wait last time
  // Of one thread:
  ThreadId thread_;
  std::vector<std::pair<std::vector<Value>, uint32_t>> known_;  // what distinguishes nodes
  std::vector<Node> nodes_;
  std::vector<std::pair<uint32_t, Alone>> todo_;
  uint64_t steps_ = 0;
  Waits answer_ = Waits::kForEver;
};

}  // namespace fenceline::property
