// SPDX-License-Identifier: GPL-3.0-or-later
//
// The deferral-queue machine of docs/semantics.md, written to be read beside it and sharing nothing with
// machine/deferral_queue/: a list of what each thread has issued, in program order, and values that are known
// or will be. It is not fast.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/replay/evaluator.h"
#include "check/replay/interpreter.h"
#include "ir/edit/overlay.h"
#include "model/reorder_table.h"

namespace fenceline::check {

class QueueInterpreter {
 public:
  // Keeps references: both must outlive the machine.
  QueueInterpreter(const Overlay& overlay, const ReorderTable& table);

  // The thread executes or issues its current instruction. `step` is the number of the step. `chosen`
  // says what havoc and choose do and, where a condition is not known yet, what is guessed. Effect::error is
  // the error that counts now, if there is one. Throws Impossible, ValueTooLarge.
  Effect execute(ThreadId thread, std::optional<Value> chosen, size_t step);

  // The step that issued an access which takes effect, and the steps that issued earlier accesses which are
  // still pending. Filled in also if the access turns out to be an error.
  struct Passing {
    std::optional<size_t> issued_by;
    std::vector<size_t> overtaken;
  };

  // Of the pending accesses issued at `point`, the one before which `older` others are pending takes effect.
  Effect perform(ThreadId thread, Point point, size_t older, size_t step, Passing& passing);

  // Some guess turned out incorrect: there is no such execution.
  bool failed_guess() const;
  // Is it open whether the thread gets so far, because of a guess, an assertion or an error?
  bool open(ThreadId thread) const;

  Point location(ThreadId thread) const { return threads_[thread.index()].at; }
  bool final() const;  // all have ended, nothing is pending
  Value formula(ExprId id) const;
  std::vector<Value> memory() const;
  std::vector<Value> registers(ThreadId thread) const;  // 0 for what is not known

 private:
  // A value that is known, or will be: that of `expr` over other such values. Or there is none, because of an
  // error; what depends on it never takes effect.
  struct Future;
  using FuturePtr = std::shared_ptr<Future>;
  struct Future {
    std::optional<Value> value;
    ExprId expr;                      // if valid: where the value comes from
    std::vector<FuturePtr> operands;  // by register, as they were
    ProgramError error;
  };
  struct NotYet {};

  struct Item {
    enum Kind : uint8_t { kAccess, kFence, kGuess, kAssert, kAssign, kStep } kind = kAccess;
    size_t step = 0;
    Point point;
    CellId cell;
    FuturePtr a, b;    // operands, conditions
    FuturePtr result;  // accesses and kAssign: what the register waits for
    RegId dest;
    bool expected = false;
    ProgramError error;  // why it fails, if it does; kStep: it always does
  };
  struct ThreadState {
    Point at;
    std::vector<FuturePtr> registers;
    std::list<Item> items;  // in program order
  };
  struct MemoryCell {
    Value value = 0;
    std::optional<size_t> writer;
  };

  const Program& program() const { return overlay_.program(); }
  const Instruction& instruction(const Item& item, ThreadId thread) const {
    return overlay_.at(thread, item.point);
  }
  static FuturePtr known(Value value);
  FuturePtr later(ThreadId thread, ExprId expr) const;
  void evaluate(Future& future, ThreadId thread) const;            // gets a value or an error, if it is time
  Value value_of(const FuturePtr& future, ThreadId thread) const;  // throws NotYet
  void need_operands(const Future& future, ExprId expr, ThreadId thread) const;  // likewise
  std::optional<Value> try_value(const FuturePtr& future, ThreadId thread) const;
  // As evaluate(); throws Impossible if it is too early.
  FuturePtr now(ThreadId thread, ExprId expr, const char* too_early) const;
  static Value need_value(const FuturePtr& future);  // throws ProgramError. Precondition: from now()
  RegId register_of(const Dest& dest, const FuturePtr& index, ThreadId thread) const;  // throws ProgramError
  void check_register(ThreadId thread, RegId reg, Value value) const;                  // likewise
  void check_cell(CellId cell, Value value) const;                                     // likewise
  void fail(ThreadId thread, const ProgramError& error);  // the current step of the thread
  void settle(ThreadId thread);
  void settle(ThreadId thread, Item& item) const;  // throws ProgramError if it fails
  bool undecided(ThreadId thread, const Item& item) const;
  ProgramError error_of(ThreadId thread) const;
  void need_none(ThreadId thread, AccessKind kind, const char* who) const;
  void need_end(ThreadId thread) const;
  AccessKind kind_of(const Item& item, ThreadId thread) const;
  void go(ThreadId thread, size_t slot = 0);
  void fence(ThreadId thread, FenceKinds kinds);
  void branch_or_assume(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step);
  void run(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step, Effect& effect);
  void need_one_load(ThreadId thread) const;  // in the section that begins here
  void issue(ThreadId thread, const Instruction& i, size_t step, Effect& effect);
  void guess(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step);
  void take_effect(ThreadId thread, Item& item, const Item* source, size_t step, Effect& effect);

  const Overlay& overlay_;
  const ReorderTable& table_;
  std::vector<MemoryCell> memory_;
  std::vector<ThreadState> threads_;
};

}  // namespace fenceline::check
