// SPDX-License-Identifier: GPL-3.0-or-later
//
// Executes one thread alone. Given the values that its loads return, and what havoc and choose pick, all that a
// thread does is determined: its events with their cells and values, and which of its loads these depend on.
// They are computed here by interpretation with evaluator.h, sharing no code with the engines.
//
// Dependencies are syntactic: an expression depends on every register that occurs in it, also in r ^ r, and
// on both sides of a ?:. An assignment replaces what its register depends on. A local array is taken as one:
// an element depends on what has gone into any element of it, and on the index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bit_set.h"
#include "check/replay/interpreter.h"
#include "ir/edit/overlay.h"
#include "task/execution.h"

namespace fenceline::check {

// An event of a thread, with what models can look at.
struct ThreadEvent {
  EventKind kind = EventKind::kRead;
  Point point;
  uint32_t position = 0;  // see execution.h
  CellId cell;
  Value value = 0;
  const Instruction* instruction = nullptr;
  uint32_t section = 0;  // the number of its atomic section or access, from 1; 0: it is in none
  // Of an access of several cells, which is no section; and whether that is a read-modify-write.
  bool of_wide_access = false, of_wide_rmw = false;
  // The reads that its address, its value, that it happens depend on, by their index among the events.
  BitSet addr, data, ctrl;

  bool of_rmw() const { return of_wide_rmw || instruction->kind == InstrKind::kRmw; }
  const std::vector<std::string>& tags() const {
    return instruction->kind == InstrKind::kRmw && kind == EventKind::kWrite ? instruction->write_tags
                                                                             : instruction->tags;
  }
  // Are they the same but for the value?
  bool same_shape(const ThreadEvent& other) const;
};

class ThreadExecution {
 public:
  // Keeps a pointer: the overlay must outlive this.
  ThreadExecution(const Overlay& overlay, ThreadId thread);

  const Instruction& next() const { return overlay_->at(thread_, location_); }
  bool ended() const { return next().kind == InstrKind::kHalt; }
  // The cell that the next instruction, a memory access, goes to. Throws ProgramError or ValueTooLarge.
  CellId cell() const;

  enum class Outcome : uint8_t {
    kMoved,      // it was executed
    kFailed,     // it is an error: effect.error is which; the thread stays
    kStopped,    // the thread has ended, or an assumption does not hold: it stays
    kNeedsInput  // whether it fails depends on what it reads or chooses; it stays
  };
  // Runs the next instruction. `input` is what a load or rmw reads, or what a havoc or choose picks
  // (precondition: one of the possible ones). A step that fails has no write and, if it got that far and the
  // input is there, has its read. Throws ValueTooLarge.
  Outcome step(std::optional<Value> input, Effect& effect);

  ThreadId thread() const { return thread_; }
  Point location() const { return location_; }
  uint32_t position() const { return position_; }
  bool inside_section() const { return inside_section_; }
  const std::vector<Value>& registers() const { return registers_; }
  const std::vector<ThreadEvent>& events() const { return events_; }

 private:
  Outcome run(const Instruction& i, std::optional<Value> input, Effect& effect);
  Outcome rmw(const Instruction& i, std::optional<Value> input, Effect& effect);
  // The cell that it reads; the event exists only if the value is known.
  CellId read(const Instruction& i, std::optional<Value> input, Effect& effect);
  Outcome go(size_t slot = 0);
  Value value_of(ExprId expr) const;
  CellId cell_at(const Address& address) const;
  size_t target(const Dest& dest) const;
  void assign(const Dest& dest, size_t reg, Value value, BitSet depends_on, Effect& effect);
  void collect(ExprId expr, BitSet& into) const;
  BitSet dependencies(ExprId expr) const;
  ThreadEvent& push(EventKind kind, const Instruction& i, CellId cell, Value value);

  const Overlay* overlay_;
  ThreadId thread_;
  Point location_;
  uint32_t position_ = 0;
  bool inside_section_ = false;
  bool inside_wide_access_ = false, inside_wide_rmw_ = false;
  uint32_t sections_ = 0;
  std::vector<Value> registers_;
  std::vector<BitSet> depends_on_;  // by register
  BitSet ctrl_;                     // what the branches so far depend on
  std::vector<ThreadEvent> events_;
};

// Does the value fit into the declared range of the cell? Throws ProgramError if not.
void check_declared_range(const Program& program, CellId cell, Value value);

}  // namespace fenceline::check
