// SPDX-License-Identifier: GPL-3.0-or-later
//
// The store-buffer machine: SC, TSO and PSO in one, generic in the buffer type. This is where a
// store is buffered, forwarded and flushed. The rules are those of docs/semantics.md, one case each.
//
// The machine changes states in place; a caller that wants several successors of one state copies it first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/buffer/store_buffer.h"
#include "machine/code.h"
#include "machine/layout.h"
#include "machine/transition_system.h"

namespace fenceline::machine {

template <buffer::StoreBuffer Buffer>
struct MachineState {
  std::vector<uint32_t> locations;  // by thread
  std::vector<Value> memory;        // by cell
  std::vector<Value> registers;     // flat
  std::vector<Buffer> buffers;      // by thread

  // The last write to memory, so that it can be taken back.
  uint32_t written_cell = 0;
  Value overwritten = 0;

  void write(uint32_t cell, Value value) {
    written_cell = cell;
    overwritten = memory[cell];
    memory[cell] = value;
  }
};

// kBufferFull: impossible only because of the bound on pending stores.
enum class StepOutcome : uint8_t { kDone, kImpossible, kBufferFull, kError, kOverflow };

template <buffer::StoreBuffer Buffer>
class Machine {
 public:
  using State = MachineState<Buffer>;

  // A thread may have `buffer_limit` pending stores at a time; 0: any number.
  Machine(const Code& code, const StateLayout& layout, uint64_t buffer_limit)
      : code_(code), layout_(layout), buffer_limit_(buffer_limit) {}

  const Code& code() const { return code_; }
  const StateLayout& layout() const { return layout_; }

  State initial() const;

  // A packed state is a head, the locations of the threads and the memory, and then one segment per thread: its
  // live registers and its buffer. unpack() notes where the segments lie, so that the successor by a step of
  // one thread can copy those of all others. `state` must be initial() or have been unpacked into before:
  // what cannot change is not set again.
  struct Unpacked {
    const uint8_t* bytes = nullptr;
    std::vector<size_t> segments;  // by thread: the bit where its segment begins, and the end of the last
  };
  void unpack(PackedState packed, State& state, Unpacked& unpacked) const;
  PackedState pack(const State& state, BitWriter& writer) const;
  // The same, for a state that differs from the unpacked one only in what belongs to `mover` and in the
  // memory cell written last.
  PackedState pack_successor(const State& state, size_t mover, const Unpacked& from, BitWriter& writer) const;

  StateView view(const State& state) const;

  // How many alternatives does the current instruction of `thread` have? 1 for all but kChoose, kHavoc, and
  // loads and barriers of a buffer that represents several contents.
  uint64_t choices(const State& state, size_t thread) const;

  // Executes the current instruction of `thread`. After anything but kDone the state is as it was, except that
  // the thread's buffer may have been narrowed (if the buffers do that) to the contents that got so far.
  // `in_atomic`: stores go to memory directly and need what an rmw needs. `label`, if given, is filled in.
  StepOutcome execute(State& state, size_t thread, uint64_t choice, bool in_atomic, TraceStep* label) const;

  template <class F>
  void for_each_flush(const State& state, size_t thread, const F& f) const {
    state.buffers[thread].for_each_flush(layout_.buffers[thread], f);
  }
  template <class F>
  void for_each_buffered(const State& state, size_t thread, const F& f) const {
    state.buffers[thread].for_each_cell(f);
  }
  // Does the current fence, assignment, ... of `thread` do the same to every content of its buffer?
  bool uniform(const State& state, size_t thread) const;
  // May possible() and the flushes offered be relied on to hold for every exact buffer that the thread's
  // represents?
  bool order_is_exact(const State& state, size_t thread) const {
    return state.buffers[thread].order_is_exact(layout_.buffers[thread]);
  }
  // Would the current load, rmw or store of `thread` have to wait for its buffers? Errors count as
  // possible.
  bool possible(const State& state, size_t thread) const;
  void flush(State& state, size_t thread, const buffer::FlushChoice& choice, TraceStep* label) const {
    if (label != nullptr) {
      *label =
          TraceStep{ThreadId(thread), StepKind::kFlush, Point(), {}, CellId(choice.cell), choice.value, {}};
    }
    state.buffers[thread].flush(choice, layout_.buffers[thread]);
    state.write(choice.cell, choice.value);
  }

 private:
  void pack_segment(const State& state, size_t thread, BitWriter& writer) const;

  // Would a write of this thread that goes straight to memory have to wait, whatever cell it is to?
  bool writes_blocked(const State& state, size_t thread) const {
    const Buffer& buffer = state.buffers[thread];
    return code_.buffering() == Buffering::kPerThread ? !buffer.empty() : buffer.stores_blocked();
  }
  // Keeps the contents in which it would not. False if there are none.
  bool keep_writable(State& state, size_t thread) const {
    Buffer& buffer = state.buffers[thread];
    return code_.buffering() == Buffering::kPerThread ? buffer.keep_drained() : buffer.keep_unbarred();
  }
  bool fence(State& state, size_t thread, FenceEffect effect, uint64_t alternative) const;
  StepOutcome set_register(State& state, size_t thread, const Operation& op, Value value) const;
  StepOutcome load(State& state, size_t thread, const Operation& op, uint64_t reading,
                   TraceStep* label) const;
  StepOutcome store(State& state, size_t thread, const Operation& op, bool in_atomic, TraceStep* label) const;
  StepOutcome read_modify_write(State& state, size_t thread, const Operation& op, TraceStep* label) const;

  const Code& code_;
  const StateLayout& layout_;
  uint64_t buffer_limit_;
};

}  // namespace fenceline::machine
