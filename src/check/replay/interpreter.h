// SPDX-License-Identifier: GPL-3.0-or-later
//
// The machine of docs/semantics.md, written to be read beside it: one list of pending stores per thread in
// program order, and a rule per instruction. SC, TSO and PSO differ in three points only: whether a store
// is buffered, which pending store may be flushed, and what must be flushed before an rmw or a fence. It is not
// fast: its purpose is to be correct and independent of machine/.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/replay/evaluator.h"
#include "check/replay/replay.h"
#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "task/effect.h"

namespace fenceline::check {

// The step cannot happen in this state; the text says why.
struct Impossible {
  std::string why;
};

// An atomic section whose nondeterminism is too large to try whether it can be executed.
struct TooManyAlternatives {};

class Interpreter {
 public:
  // Keeps a pointer: the overlay must outlive the machine. Throws Bug for a model without store buffers.
  Interpreter(const Overlay& overlay, Buffering buffering);
  // Without buffers, in the middle of an execution: memory by cell, locations and registers by thread.
  Interpreter(const Overlay& overlay, const std::vector<Value>& memory, const std::vector<Point>& locations,
              const std::vector<std::vector<Value>>& registers);

  // The thread executes its current instruction; `step` is the number to remember for reads-from. `chosen`
  // says what havoc and choose do. Throws Impossible or ValueTooLarge, and has then not moved.
  Effect execute(ThreadId thread, std::optional<Value> chosen, size_t step);

  // The oldest store of `thread` to `cell` reaches memory; an invalid cell will do where there is no choice.
  // Throws Impossible.
  Effect flush(ThreadId thread, CellId cell);

  Point location(ThreadId thread) const { return threads_[thread.index()].at; }
  bool inside_atomic() const { return atomic_.has_value(); }
  bool ended(ThreadId thread) const;
  bool final() const;  // all ended, all buffers empty
  // A step that fails is possible, too. Throws ValueTooLarge or TooManyAlternatives.
  bool any_step_possible() const;
  std::optional<ThreadId> stopped_by_assume() const;  // a thread at an assume that does not hold
  std::optional<ThreadId> ended_program() const;      // a thread that has ended, and the program with it
  Value formula(ExprId id) const;                     // throws ProgramError or ValueTooLarge

  std::vector<BufferedStore> buffer(ThreadId thread) const;  // oldest first
  std::vector<Value> memory() const;
  // What the thread may choose from now; one value if there is nothing to choose.
  Range choices(ThreadId thread) const;
  const std::vector<Value>& registers(ThreadId thread) const { return threads_[thread.index()].registers; }

 private:
  struct PendingStore {
    CellId cell;
    Value value;
    size_t step;
    size_t epoch;         // how many store-store barriers the thread had passed
    bool marked = false;  // a store-load fence came after it: loads wait until it is flushed
  };
  struct ThreadState {
    Point at;
    std::vector<Value> registers;
    std::list<PendingStore> pending;  // in program order, oldest first
    size_t epoch = 0;
  };
  struct MemoryCell {
    Value value = 0;
    std::optional<size_t> writer;  // the step whose store it is; none: the initial value
  };

  const Program& program() const { return overlay_->program(); }
  const Instruction& instruction(ThreadId thread) const;
  Value value_of(ThreadId thread, ExprId expr) const;
  CellId cell_at(ThreadId thread, const Address& address) const;
  void need_turn(ThreadId thread) const;
  void need_unmarked(ThreadId thread) const;
  void need_all_drained() const;
  void need_drained_for_write(ThreadId thread, std::optional<CellId> cell) const;
  void need_in_range(CellId cell, Value value) const;
  bool may_be_flushed(ThreadId thread, std::list<PendingStore>::const_iterator store) const;
  bool can_execute(ThreadId thread) const;
  static bool can_finish_section(Interpreter machine, ThreadId thread, size_t& budget);

  void run(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step, Effect& effect);
  void load(ThreadId thread, const Instruction& i, Effect& effect);
  void store(ThreadId thread, const Instruction& i, size_t step, Effect& effect);
  void rmw(ThreadId thread, const Instruction& i, size_t step, Effect& effect);
  void fence(ThreadId thread, FenceKinds kinds);
  void assign(ThreadId thread, const Dest& dest, Value value, Effect& effect);
  void go(ThreadId thread, size_t slot = 0);

  const Overlay* overlay_;
  Buffering buffering_;
  std::map<CellId, MemoryCell> memory_;
  std::vector<ThreadState> threads_;
  std::optional<ThreadId> atomic_;  // the thread inside an atomic section
};

}  // namespace fenceline::check
