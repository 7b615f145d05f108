// SPDX-License-Identifier: GPL-3.0-or-later
//
// The machine with queues of docs/semantics.md, written to be read beside it and sharing nothing with
// semantics/queue/: a list of what each thread has issued, in program order, and values that are known or
// will be. It is slow and does not care.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/edit/overlay.h"
#include "model/reorder_table.h"
#include "witness/calculator.h"
#include "witness/plain_machine.h"

namespace fenceline {

class QueueMachine {
 public:
  // Keeps references: both must outlive the machine.
  QueueMachine(const Overlay& overlay, const ReorderTable& table);

  // The thread runs or issues the instruction where it stands. `step` is the number of the step. `chosen`
  // says what havoc and choose do and, where a condition is not known yet, what is guessed. Throws
  // Impossible, ProgramError, ValueTooLarge.
  Effect execute(ThreadId thread, std::optional<Value> chosen, size_t step);

  // Who issued an access that takes effect, and the steps that issued accesses before it which still wait.
  // Filled in also if the access turns out to be an error.
  struct Passing {
    std::optional<size_t> issued_by;
    std::vector<size_t> overtaken;
  };

  // Of the accesses issued at `point` that wait, the one before which `older` others wait takes effect.
  Effect perform(ThreadId thread, Point point, size_t older, size_t step, Passing& passing);

  // Some guess turned out wrong: such a run does not exist.
  bool wrong_guess() const;
  bool guesses_open(ThreadId thread) const;

  Point where(ThreadId thread) const { return threads_[thread.index()].at; }
  bool final() const;  // all have ended, nothing waits
  Value formula(ExprId id) const;
  std::vector<Value> memory() const;
  std::vector<Value> registers(ThreadId thread) const;  // 0 for what is not known

 private:
  // A value that is known, or will be: that of `expr` over other such values.
  struct Future;
  using FuturePtr = std::shared_ptr<Future>;
  struct Future {
    std::optional<Value> value;
    ExprId expr;                      // if valid: where the value comes from
    std::vector<FuturePtr> operands;  // by register, as they were
  };
  struct NotYet {};

  struct Item {
    enum Kind : uint8_t { kAccess, kFence, kGuess, kAssert } kind = kAccess;
    size_t step = 0;
    Point point;
    CellId cell;
    FuturePtr a, b;    // operands, conditions
    FuturePtr result;  // accesses: what the register waits for
    RegId dest;
    bool expected = false;
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
  Value value_of(const FuturePtr& future, ThreadId thread) const;                // throws NotYet
  void need_operands(const Future& future, ExprId expr, ThreadId thread) const;  // likewise
  std::optional<Value> try_value(const FuturePtr& future, ThreadId thread) const;
  RegId register_of(ThreadId thread, const Dest& dest) const;
  void check_register(ThreadId thread, RegId reg, Value value) const;
  void check_cell(CellId cell, Value value) const;
  void need_none(ThreadId thread, AccessKind kind, const char* who) const;
  void need_end(ThreadId thread) const;
  AccessKind kind_of(const Item& item, ThreadId thread) const;
  void go(ThreadId thread, size_t slot = 0);
  void issue(ThreadId thread, const Instruction& i, size_t step, Effect& effect);
  void guess(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step);
  void check_assertions(ThreadId thread) const;

  const Overlay& overlay_;
  const ReorderTable& table_;
  std::vector<MemoryCell> memory_;
  std::vector<ThreadState> threads_;
};

}  // namespace fenceline
