// SPDX-License-Identifier: GPL-3.0-or-later
//
// Executes one thread from event to event: what it does in between depends on its registers alone. A state is a value;
// the exploration keeps one per event, so that going back to an earlier event, or cutting a thread at a read that is
// revisited, needs no replay.
//
// An iteration of a loop is idle if it leads back to the head of the loop and leaves nothing behind: no register that
// counts has changed, and no write of it counts. ir/analysis/wait_loops.h has the argument why executions with idle
// iterations need not be explored. The thread is blocked then: it waits. A write of another thread that revisits one of
// its reads lets it go on. On models with dependencies, an iteration may also begin with a load inside of the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/sat/same_values.h"
#include "ir/analysis/wait_loops.h"
#include "ir/edit/overlay.h"
#include "ir/eval.h"

namespace fenceline::executions {

// What a thread does next.
enum class NextStep : uint8_t {
  kRead,
  kWrite,
  kFence,
  kChoice,
  kEnded,
  kBlocked,   // at an assumption that does not hold, or behind an idle iteration
  kFailed,    // the instruction at the location is an error
  kTooLarge,  // a value leaves the 64-bit integers
  kBeyond,    // too many steps without an event
};

constexpr bool is_event(NextStep step) {
  return step == NextStep::kRead || step == NextStep::kWrite || step == NextStep::kFence ||
         step == NextStep::kChoice;
}

// Where a read reads from: an event of its own thread?
struct ReadSource {
  bool own = false;
  bool of_rmw = false;
  uint32_t index = 0;  // own: among the events of the thread
};

template <size_t kWords>
struct ThreadState {
  using Set = Bits<kWords>;

  Point location;
  uint32_t position = 0;  // instructions executed
  uint32_t events = 0;    // so far
  uint32_t fences = 0;    // of these
  std::vector<Value> registers;
  std::vector<Set> depends_on;  // by register: reads, as indices among the events of the thread
  Set ctrl;                     // what the branches so far depend on

  uint32_t sections = 0;  // atomic sections so far
  bool in_section = false;
  Point section_begin;          // in_section
  uint32_t section_events = 0;  // of the thread before the section
  CellId section_cell;          // what the section has accessed
  bool section_wrote = false;

  // The point where an iteration may begin, when it was reached.
  struct LoopVisit {
    Point at;
    uint32_t events = 0;  // before
    uint32_t fences = 0;  // likewise
    std::vector<Value> registers;
    std::vector<Set> depends_on;
    uint32_t number = 1;  // of the visits that are remembered
    std::shared_ptr<const LoopVisit> earlier = nullptr;
  };
  std::vector<std::shared_ptr<const LoopVisit>>
      visits;  // the last one of each point, if what follows may still turn out to be idle
  std::optional<uint32_t> kept_from;  // an idle iteration was kept, which began behind so many events
  // Read-modify-writes that stored what they had read, and read it from this event of their thread.
  std::vector<uint32_t> own_sources;
  // Those whose write counts if the thread itself reads it later.
  struct SameValueStored {
    uint32_t write = 0;  // index
    Value value = 0;
  };
  std::vector<SameValueStored> read_by_others;
  bool rehearsal = false;  // the thread only tries what it would do: is_repeated_alike()
  ReadSource source;       // of the read of an rmw whose write is next

  // The next event, or why there is none.
  NextStep next = NextStep::kEnded;
  bool of_rmw = false;       // kRead, kWrite
  bool same_value = false;   // kWrite of an rmw: it stores what it has read
  bool idle = false;         // kBlocked: behind an idle iteration,
  uint32_t idle_from = 0;    // which began behind so many events
  bool read_failed = false;  // kFailed: the read of the failing instruction has been added
  CellId cell;               // kRead, kWrite
  Value value = 0;           // kWrite
  Range choices;             // kChoice
  // kRead at a kChoose whose alternatives all read the cell first: the thread before each of these reads. What is read
  // decides between them, as far as they are guesses (ThreadRunner::is_wrong_guess).
  std::shared_ptr<const std::vector<ThreadState>> alternatives;
  Set addr, data;  // what the event depends on, besides ctrl
};

// Which idle iterations need not be explored. Without wait_loops, none: all are.
struct IdleIterations {
  const WaitLoops* wait_loops = nullptr;
  // One idle iteration of each thread is explored all the same, and idle ones around it: a flag of the model that an
  // access in it raises may need what the thread does afterwards (engine/sat/threads.h).
  bool keep_one = false;
  bool omit_dead_writes = false;
  // Of a read-modify-write that stores what it read.
  std::function<sat::SameValue(const Instruction&, sat::Readers)> same_value =
      [](const Instruction&, sat::Readers) { return sat::SameValue::kCounts; };
};

// How a program is executed; one for all threads.
class ThreadCode {
 public:
  // Keeps references.
  ThreadCode(const Overlay& overlay, bool dependencies, IdleIterations idle);

  const Overlay& overlay() const { return overlay_; }
  bool dependencies() const { return dependencies_; }
  const IdleIterations& idle() const { return idle_; }
  // May an iteration begin here?
  bool begins_iteration(ThreadId thread, Point point) const {
    return begins_iteration_[thread.index()][point.index()];
  }
  // The next event of a thread is here, and it may have to wait: it is better scheduled after the others.
  bool may_wait(ThreadId thread, Point point) const { return may_wait_[thread.index()][point.index()]; }
  // A kChoose is here, and each of its alternatives reads memory before anything else.
  bool chooses_read(ThreadId thread, Point point) const {
    return chooses_read_[thread.index()][point.index()];
  }

 private:
  void find_waits(ThreadId thread);
  void find_chosen_reads(ThreadId thread);
  void find_iterations(ThreadId thread);

  const Overlay& overlay_;
  bool dependencies_;
  IdleIterations idle_;
  std::vector<std::vector<bool>> begins_iteration_, may_wait_, chooses_read_;  // by thread and point
};

template <size_t kWords>
class ThreadRunner {
 public:
  using State = ThreadState<kWords>;
  using Set = Bits<kWords>;

  ThreadRunner(const ThreadCode& code, ThreadId thread)
      : code_(code), program_(code.overlay().program()), thread_(thread) {}

  // The thread before its first event.
  State begin() const;
  // An atomic section is one step of a graph only if it is like a read-modify-write. Throws Unsupported if it is not, with
  // the next event. Precondition: that is a read or a write.
  void check_section(const State& state) const;
  // The next event happens: a read reads `input`, a choice is `input`. Precondition: is_event(state.next), and no
  // alternatives: one of them is executed instead.
  void step(State& state, Value input, ReadSource source = {}) const;
  // A guess what would be read has turned out to be wrong (Instruction::branches): what is read is read by another
  // alternative.
  bool is_wrong_guess(const State& state) const;
  // A blocked thread goes on at this point, as if it came to the loops around it for the first time.
  void resume_at(State& state, Point point) const;

 private:
  void advance(State& state) const;
  bool run_local(State& state, const Instruction& i) const;
  void prepare_access(State& state, const Instruction& i) const;
  bool prepare_alternatives(State& state, const Instruction& i) const;
  void finish_read(State& state, const Instruction& i, Value input) const;
  void finish_rmw_read(State& state, const Instruction& i, Value input) const;
  void go(State& state, size_t slot = 0) const;
  bool begin_iteration(State& state) const;
  bool leaves_nothing(const State& state, const typename State::LoopVisit& visit) const;
  bool is_repeated_alike(const State& state, const typename State::LoopVisit& visit) const;
  void note_write(State& state, const Instruction& i) const;

  bool fail(State& state, EvalStatus status) const;
  bool value_of(State& state, ExprId expr, Value& value) const;
  bool cell_of(State& state, const Address& address, CellId& cell) const;
  bool target(State& state, const Dest& dest, size_t& reg) const;
  bool in_range(State& state, size_t reg, Value value) const;
  void assign(State& state, const Dest& dest, size_t reg, Value value, Set depends_on) const;
  void collect(const State& state, ExprId expr, Set& into) const;
  Set dependencies(const State& state, ExprId expr) const;

  const ThreadCode& code_;
  const Program& program_;
  ThreadId thread_;
};

extern template class ThreadRunner<1>;
extern template class ThreadRunner<2>;
extern template class ThreadRunner<4>;
extern template class ThreadRunner<8>;
extern template class ThreadRunner<16>;

}  // namespace fenceline::executions
