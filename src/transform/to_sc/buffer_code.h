// SPDX-License-Identifier: GPL-3.0-or-later
//
// Code that does to buffers made of variables what the machine does to its own (docs/semantics.md).
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "transform/to_sc/buffer_variables.h"

namespace fenceline::transform {

// Emits code at the current position of a thread, which must be inside an atomic section.
class BufferCode {
 public:
  using Queues = std::vector<const QueueVariables*>;

  // `source` is the program that is being reduced.
  BufferCode(const Program& source, ProgramBuilder& builder, ThreadBuilder& thread,
             const BufferVariables& own)
      : source_(source), b_(builder), t_(thread), own_(own) {}

  void at(SourcePos pos) { pos_ = pos; }

  // Wait until the buffer is empty; until no entry is marked; until no entry is behind a barrier.
  void wait_until_empty(const QueueVariables& queue);
  void wait_until_empty(const Queues& queues) {
    for (const QueueVariables* queue : queues) wait_until_empty(*queue);
  }
  void wait_for_marked(const Queues& queues);
  void wait_for_barriers();

  // Flushes the oldest entry; possible only if there is one and no barrier holds it back. `pending`: the
  // cells that may have pending stores in any buffer of the thread.
  void flush(const QueueVariables& queue, const std::vector<CellId>& pending);
  // Appends an entry; goes to `full` if there is no room. `number` is for TSO.
  void append(const QueueVariables& queue, ExprId number, ExprId value, bool known_empty,
              ThreadBuilder::Label full);
  // If the cell has a pending store, the newest one goes to `dest`, and control to `done`.
  void forward(const QueueVariables& queue, ExprId number, const Dest& dest, ThreadBuilder::Label done);

  void barrier(const Queues& queues);
  void mark(const Queues& queues);

  void store(ObjectId variable, ExprId value) { t_.store({variable, b_.constant(0)}, value, pos_); }
  void load(RegId dest, ObjectId variable) { t_.load({dest}, {variable, b_.constant(0)}, pos_); }
  ExprId compare(ExprOp op, RegId reg, Value value) { return b_.binary(op, b_.reg(reg), b_.constant(value)); }
  // Temporary registers, declared when they are used first.
  RegId count() { return temporary(count_, "%count"); }
  RegId value() { return temporary(value_, "%value"); }
  RegId other() { return temporary(other_, "%other"); }
  // Their names, in the order in which they were declared.
  const std::vector<std::string>& temporaries() const { return temporaries_; }

 private:
  RegId temporary(RegId& reg, const char* name);
  void write_to_memory(const QueueVariables& queue, const std::vector<CellId>& pending);
  void shift(const std::vector<ObjectId>& slots);
  void decrement(ObjectId variable);  // unless it is 0
  void renumber_epochs(const std::vector<CellId>& pending);
  Address address_of(CellId cell);

  const Program& source_;
  ProgramBuilder& b_;
  ThreadBuilder& t_;
  const BufferVariables& own_;
  RegId count_, value_, other_;
  std::vector<std::string> temporaries_;
  SourcePos pos_;
};

}  // namespace fenceline::transform
