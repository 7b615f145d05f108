// SPDX-License-Identifier: GPL-3.0-or-later
//
// Store buffers as shared variables, and code that does to them what the machine does to its buffers
// (docs/semantics.md). A buffer has k slots, the oldest entry first, and a counter; slots without an entry
// are 0, always, so that equal buffers are equal variables and shifting need not look at the counter.
//
// Partial fences of PSO:
//   marks     What is marked is what was there at some moment, so the marked entries of a cell are its oldest
//             ones: a number says which.
//   barriers  Each entry has an epoch, numbered from the oldest one that still has an entry. Epochs of a cell
//             never decrease from its oldest entry on, so that the oldest entries alone tell which epoch is
//             the oldest. There are at most as many as entries, which keeps the numbers finite.
#pragma once

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/edit/overlay.h"
#include "model/memory_model.h"
#include "semantics/reduce/empty_buffers.h"

namespace fenceline {

// One first-in-first-out buffer.
struct QueueVariables {
  std::vector<CellId> cells;      // what may be waiting in it; on PSO that is one
  ObjectId count;                 // 0..k
  std::vector<ObjectId> values;   // by slot
  std::vector<ObjectId> numbers;  // TSO, by slot: BufferVariables::number_of() the cell; 0: no entry
  std::vector<ObjectId> epochs;   // PSO with barriers, by slot
  ObjectId marked;                // PSO with marks: how many of the oldest entries are
};

// All buffers of one thread.
struct BufferVariables {
  std::vector<QueueVariables> queues;  // TSO: one, if the thread stores anything; PSO: one for each cell
  ObjectId epoch, barrier;             // of the newest entry; did a barrier come after it? Else invalid
  bool marks = false;

  static Value number_of(CellId cell) { return static_cast<Value>(cell.index()) + 1; }
  // Those in which something may be waiting.
  std::vector<const QueueVariables*> holding(const std::vector<CellId>& cells) const;
  // Null if no store of the cell ever waits.
  const QueueVariables* of(CellId cell) const;
};

// Declares the variables of a thread. Precondition: slots > 0.
BufferVariables declare_buffers(ProgramBuilder& builder, const Overlay& overlay, const EmptyBuffers& empty,
                                Buffering buffering, ThreadId thread, unsigned slots);

// Emits code at the current place of a thread, which must be inside an atomic section.
class BufferCode {
 public:
  using Queues = std::vector<const QueueVariables*>;

  // `source` is the program that is being reduced.
  BufferCode(const Program& source, ProgramBuilder& builder, ThreadBuilder& thread,
             const BufferVariables& own)
      : source_(source), b_(builder), t_(thread), own_(own) {}

  void at(SourcePos pos) { pos_ = pos; }

  // Possible only if the buffer is empty; if no entry is marked; if no entry stands behind a barrier.
  void wait_until_empty(const QueueVariables& queue);
  void wait_until_empty(const Queues& queues) {
    for (const QueueVariables* queue : queues) wait_until_empty(*queue);
  }
  void wait_for_marked(const Queues& queues);
  void wait_for_barriers();

  // The oldest entry reaches memory; possible only if there is one and no barrier holds it back. `waiting` is
  // what may be waiting in all buffers of the thread.
  void flush(const QueueVariables& queue, const std::vector<CellId>& waiting);
  // Appends an entry; goes to `full` if there is no room. `number` is for TSO.
  void append(const QueueVariables& queue, ExprId number, ExprId value, bool known_empty,
              ThreadBuilder::Label full);
  // If an entry of the cell is waiting, the newest one goes to `dest`, and control to `done`.
  void forward(const QueueVariables& queue, ExprId number, const Dest& dest, ThreadBuilder::Label done);

  void barrier(const Queues& queues);
  void mark(const Queues& queues);

  void store(ObjectId variable, ExprId value) { t_.store({variable, b_.constant(0)}, value, pos_); }
  void load(RegId dest, ObjectId variable) { t_.load({dest}, {variable, b_.constant(0)}, pos_); }
  ExprId compare(ExprOp op, RegId reg, Value value) { return b_.binary(op, b_.reg(reg), b_.constant(value)); }
  // Registers for the moment, made when they are used first.
  RegId count() { return temporary(count_, "%count"); }
  RegId value() { return temporary(value_, "%value"); }
  RegId other() { return temporary(other_, "%other"); }
  // What they are called, in the order in which they were made.
  const std::vector<std::string>& temporaries() const { return temporaries_; }

 private:
  RegId temporary(RegId& reg, const char* name);
  void write_to_memory(const QueueVariables& queue, const std::vector<CellId>& waiting);
  void shift(const std::vector<ObjectId>& slots);
  void decrement(ObjectId variable);  // unless it is 0
  void renumber_epochs(const std::vector<CellId>& waiting);
  Address address_of(CellId cell);

  const Program& source_;
  ProgramBuilder& b_;
  ThreadBuilder& t_;
  const BufferVariables& own_;
  RegId count_, value_, other_;
  std::vector<std::string> temporaries_;
  SourcePos pos_;
};

}  // namespace fenceline
