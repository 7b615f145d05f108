// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one thread of the deferral-queue machine can do. Here an access is deferred, overtakes others,
// or is forwarded from a pending store. The rules are those of
// docs/semantics.md, "The deferral-queue machine".
//
// Issuing an access is local: a thread continues, filling its queue, until it needs a value that is pending.
// Only then is there a choice between threads, and a step that other threads can observe: an access that
// nothing blocks takes effect, or a transaction advances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/liveness.h"
#include "ir/edit/overlay.h"
#include "ir/eval.h"
#include "ir/step.h"
#include "machine/deferral_queue/local_state.h"
#include "model/reorder_table.h"

namespace fenceline::machine::queue {

struct RuleOptions {
  bool liveness = true;      // registers that are not live are dropped
  bool run_ahead = false;    // also where nothing can overtake what is pending: more states, same executions
  bool one_by_one = false;   // every instruction is a step of its own, between which others may come
  uint64_t queue_limit = 0;  // a thread in a loop waits while it has so many accesses in its queue; 0: never

  friend bool operator==(const RuleOptions&, const RuleOptions&) = default;
};

// Receives the local states in which a thread waits again.
class LocalSink {
 public:
  virtual ~LocalSink() = default;
  virtual void state(const LocalState& state, const std::vector<TraceStep>& path) = 0;
  virtual void error(const std::vector<TraceStep>& path) = 0;
  virtual void overflow() = 0;
  virtual void queue_full() = 0;
};

// A step that others may observe, or one instruction (RuleOptions::one_by_one).
struct Choice {
  enum Kind : uint8_t { kAccess, kHistory, kInstruction } kind = kAccess;
  uint32_t entry = 0;  // kAccess: the one that takes effect
  EntryKind access = EntryKind::kLoad;
  uint32_t cell = 0;
  bool forwarded = false;  // kAccess: a load that is answered by the entry `from`
  uint32_t from = 0;
  std::optional<HistoryOp> history;  // what it is in the history, if it is
};

// What an access does to memory.
struct MemoryEffect {
  std::optional<Value> written;
  Value result = 0;  // what the thread gets: of loads and rmws
  EvalStatus status = EvalStatus::kOk;
};

class ThreadRules {
 public:
  // Everything must outlive the rules. `far` is that of the timestamps, 0 if there are none.
  ThreadRules(const Overlay& overlay, ThreadId thread, const ReorderTable& table, const Liveness& liveness,
              Value far, const RuleOptions& options);

  LocalState initial() const;

  // Where the thread first waits.
  void start(LocalSink& sink, bool record) const;

  std::vector<Choice> choices(const LocalState& state) const;

  // Precondition: an access that is not forwarded. `memory` is what its cell holds.
  MemoryEffect effect(const LocalState& state, const Choice& choice, Value memory) const;

  // Takes the choice and continues. `effect` is that of the access.
  void take(const LocalState& state, const Choice& choice, const MemoryEffect& effect, LocalSink& sink,
            bool record) const;

  bool ended(const LocalState& state) const;
  // Does its having got so far depend on undecided guesses or assertions?
  static bool has_guess(const LocalState& state) { return has_guess_before(state, state.entries.size()); }

  bool is_stamp(uint32_t reg) const { return overlay_.program().thread(thread_).registers[reg].stamp; }
  // Is the first operand of the access, which is known, a timestamp?
  bool holds_stamp(const Entry& entry) const;
  bool holds_second_stamp(const Entry& entry) const;

 private:
  class Execution;
  friend class Execution;
  enum class Settled : uint8_t { kFine, kWrongGuess, kOverflow };

  bool increments_stamp(const Entry& entry) const;
  void take(const LocalState& state, const Choice& choice, const MemoryEffect& effect,
            Execution& execution) const;
  const Instruction& at(uint32_t point) const { return overlay_.at(thread_, Point(point)); }
  std::vector<Captured> capture(const LocalState& state, ExprId expr) const;
  void capture(const LocalState& state, ExprId expr, std::vector<Captured>& inputs) const;
  // An overflow also if a timestamp would be increased beyond what is known about those above it.
  Evaluated value(const std::vector<Captured>& inputs, ExprId expr) const;
  Value added(const std::vector<Captured>& inputs, ExprId expr) const;
  std::optional<Evaluated> value_now(const LocalState& state, ExprId expr) const;  // none: it has to wait
  bool in_range_of_dest(uint32_t point, Value value) const;

  Settled resolve(LocalState& state, uint32_t entry, Value value, Added added = {}) const;
  Settled settle(LocalState& state) const;
  Settled settle_one(LocalState& state, uint32_t index, bool& changed) const;
  static void remove(LocalState& state, uint32_t entry);
  void drop_dead_values(LocalState& state) const;
  bool may_fail(const Entry& entry) const;
  bool partial(ExprId expr) const;
  static bool wanted(const LocalState& state, uint32_t index);
  std::optional<uint32_t> useless_load(const LocalState& state) const;
  TraceStep performed(const LocalState& state, uint32_t index) const;

  std::optional<Choice> history_step(const LocalState& state) const;
  bool held_back(const LocalState& state, uint32_t entry, std::optional<uint32_t>& forwarded_from) const;
  bool has_access(const LocalState& state, AccessKind kind) const;
  static bool failed(const LocalState& state);  // a step that the thread has really come to was an error
  static bool has_guess_before(const LocalState& state, size_t index);  // one whose truth is open
  bool need_not_go_on(const LocalState& state) const;
  bool can_move(const LocalState& state) const;
  std::optional<HistoryOp> history_of(const Entry& entry) const;

  const Overlay& overlay_;
  ThreadId thread_;
  const ReorderTable& table_;
  const Liveness& liveness_;
  Value far_;
  RuleOptions options_;
  std::vector<Value> added_by_;  // by expression of this thread, if there are timestamps
  bool overtakable_[3] = {};     // by AccessKind: can something later go first?
  bool endless_ = false;         // does a loop issue accesses?
  std::vector<bool> loop_head_;  // by point: every loop passes one of these
  std::vector<Point> live_at_;   // by point: where liveness is looked up
};

}  // namespace fenceline::machine::queue
