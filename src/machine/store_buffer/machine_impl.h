// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules of machine.h spelled out. Only machine_system.h includes this: there the machine is combined with
// the transition system, and the compiler should optimise both together.
#pragma once

#include "machine/store_buffer/machine.h"

#include "env/errors.h"

namespace fenceline::machine {

inline StepOutcome failed(EvalStatus status) {
  return status == EvalStatus::kOverflow ? StepOutcome::kOverflow : StepOutcome::kError;
}

// The cell that `op` accesses now.
inline StepOutcome address(const Code& code, size_t thread, const Operation& op, const Value* registers,
                           uint32_t& cell) {
  const Evaluated offset = code.value(thread, op.offset, registers);
  if (!offset.ok()) return failed(offset.status);
  if (offset.value < 0 || offset.value >= static_cast<Value>(op.cells)) return StepOutcome::kError;
  if (!op.admits(static_cast<uint32_t>(offset.value))) return StepOutcome::kError;
  cell = op.first_cell + static_cast<uint32_t>(offset.value);
  return StepOutcome::kDone;
}

template <buffer::StoreBuffer Buffer>
typename Machine<Buffer>::State Machine<Buffer>::initial() const {
  State state;
  state.memory = code_.program().initial_memory();
  for (const Thread& thread : code_.program().threads) {
    state.locations.push_back(thread.entry.value());
    for (const Register& reg : thread.registers) state.registers.push_back(reg.init);
  }
  state.buffers.resize(code_.threads());
  return state;
}

template <buffer::StoreBuffer Buffer>
void Machine<Buffer>::pack_segment(const State& state, size_t thread, BitWriter& writer) const {
  for (const buffer::FieldLayout& field : layout_.registers[thread][state.locations[thread]])
    writer.put(field.encode(state.registers[field.index]), field.bits);
  if (code_.buffering() != Buffering::kUnbuffered)
    state.buffers[thread].pack(writer, layout_.buffers[thread]);
}

template <buffer::StoreBuffer Buffer>
PackedState Machine<Buffer>::pack(const State& state, BitWriter& writer) const {
  writer.reset();
  for (size_t t = 0; t < code_.threads(); ++t) writer.put(state.locations[t], layout_.point_bits[t]);
  for (const buffer::FieldLayout& field : layout_.memory)
    writer.put(field.encode(state.memory[field.index]), field.bits);
  for (size_t t = 0; t < code_.threads(); ++t) pack_segment(state, t, writer);
  return writer.finish();
}

template <buffer::StoreBuffer Buffer>
PackedState Machine<Buffer>::pack_successor(const State& state, size_t mover, const Unpacked& from,
                                            BitWriter& writer) const {
  writer.reset();
  writer.copy(from.bytes, 0, from.segments[mover]);
  pack_segment(state, mover, writer);
  writer.copy(from.bytes, from.segments[mover + 1], from.segments[code_.threads()]);
  const PackedState packed = writer.finish();
  writer.overwrite(layout_.point_position[mover], state.locations[mover], layout_.point_bits[mover]);
  if (layout_.cells.empty()) return packed;
  const buffer::FieldLayout& field = layout_.cells[state.written_cell];
  const uint64_t value = field.encode(state.memory[state.written_cell]);
  writer.overwrite(layout_.cell_position[state.written_cell], value, field.bits);
  return packed;
}

template <buffer::StoreBuffer Buffer>
void Machine<Buffer>::unpack(PackedState packed, State& state, Unpacked& unpacked) const {
  BitReader reader(packed.data());
  const size_t threads = code_.threads();
  unpacked.bytes = packed.data();
  unpacked.segments.resize(threads + 1);
  for (size_t t = 0; t < threads; ++t)
    state.locations[t] = static_cast<uint32_t>(reader.get(layout_.point_bits[t]));
  for (const buffer::FieldLayout& field : layout_.memory)
    state.memory[field.index] = field.decode(reader.get(field.bits));
  for (size_t t = 0; t < threads; ++t) {
    unpacked.segments[t] = reader.position();
    for (const buffer::FieldLayout& field : layout_.registers[t][state.locations[t]])
      state.registers[field.index] = field.decode(reader.get(field.bits));
    if (code_.buffering() != Buffering::kUnbuffered) state.buffers[t].unpack(reader, layout_.buffers[t]);
  }
  unpacked.segments[threads] = reader.position();
}

template <buffer::StoreBuffer Buffer>
StateView Machine<Buffer>::view(const State& state) const {
  StateView view{state.locations.data(), state.memory.data(), state.registers.data(), code_.first_registers(),
                 true};
  for (size_t t = 0; t < code_.threads(); ++t) {
    if (!state.buffers[t].may_be_empty() || code_.at(t, state.locations[t]).kind != InstrKind::kHalt)
      view.final_state = false;
  }
  return view;
}

template <buffer::StoreBuffer Buffer>
uint64_t Machine<Buffer>::choices(const State& state, size_t thread) const {
  const Operation& op = code_.at(thread, state.locations[thread]);
  if (op.kind == InstrKind::kChoose) return op.next.size();
  if constexpr (!Buffer::kOneReading) {
    uint32_t cell = 0;
    if (op.kind == InstrKind::kLoad &&
        machine::address(code_, thread, op, state.registers.data(), cell) == StepOutcome::kDone)
      return state.buffers[thread].readings(cell, state.memory[cell], layout_.buffers[thread]);
  }
  if constexpr (Buffer::kNarrows) {
    if (op.fence == FenceEffect::kBarrier) return state.buffers[thread].barrier_alternatives();
  }
  if (op.kind != InstrKind::kHavoc) return 1;
  return static_cast<uint64_t>(op.havoc_range.hi) - static_cast<uint64_t>(op.havoc_range.lo) + 1;
}

template <buffer::StoreBuffer Buffer>
bool Machine<Buffer>::possible(const State& state, size_t thread) const {
  const Operation& op = code_.at(thread, state.locations[thread]);
  const bool loads = op.kind == InstrKind::kLoad || op.kind == InstrKind::kRmw;
  if (loads && state.buffers[thread].loads_blocked()) return false;
  if (op.kind != InstrKind::kRmw) return true;
  if (writes_blocked(state, thread)) return false;
  uint32_t cell = 0;
  if (machine::address(code_, thread, op, state.registers.data(), cell) != StepOutcome::kDone) return true;
  return !state.buffers[thread].holds(cell);
}

template <buffer::StoreBuffer Buffer>
StepOutcome Machine<Buffer>::execute(State& state, size_t thread, uint64_t choice, bool in_atomic,
                                     TraceStep* label) const {
  const uint32_t here = state.locations[thread];
  const Operation& op = code_.at(thread, here);
  if (label != nullptr) *label = TraceStep{ThreadId(thread), StepKind::kExecute, Point(here), {}, {}, {}, {}};
  size_t slot = 0;
  StepOutcome outcome = StepOutcome::kDone;
  switch (op.kind) {
    case InstrKind::kLoad:
      outcome = load(state, thread, op, choice, label);
      break;
    case InstrKind::kStore:
      outcome = store(state, thread, op, in_atomic, label);
      break;
    case InstrKind::kRmw:
      outcome = read_modify_write(state, thread, op, label);
      break;
    case InstrKind::kFence:
      if (!fence(state, thread, op.fence, choice)) return StepOutcome::kImpossible;
      break;
    case InstrKind::kAssign: {
      const Evaluated value = code_.value(thread, op.a, state.registers.data());
      outcome = value.ok() ? set_register(state, thread, op, value.value) : machine::failed(value.status);
      break;
    }
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert: {
      const Evaluated value = code_.value(thread, op.a, state.registers.data());
      if (!value.ok()) return machine::failed(value.status);
      if (op.kind == InstrKind::kAssume && value.value == 0) return StepOutcome::kImpossible;
      if (op.kind == InstrKind::kAssert && value.value == 0) return StepOutcome::kError;
      if (op.kind == InstrKind::kBranch) slot = value.value != 0 ? 0 : 1;
      break;
    }
    case InstrKind::kChoose:
      slot = choice;
      if (label != nullptr) label->chosen = static_cast<Value>(choice);
      break;
    case InstrKind::kHavoc: {
      const auto value = static_cast<Value>(static_cast<uint64_t>(op.havoc_range.lo) + choice);
      if (label != nullptr) label->chosen = value;
      outcome = set_register(state, thread, op, value);
      break;
    }
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      break;
    case InstrKind::kHalt:
      return StepOutcome::kImpossible;
  }
  if (outcome == StepOutcome::kDone) state.locations[thread] = op.next[slot].value();
  return outcome;
}

template <buffer::StoreBuffer Buffer>
bool Machine<Buffer>::uniform(const State& state, size_t thread) const {
  if constexpr (!Buffer::kNarrows) return true;
  const Buffer& buffer = state.buffers[thread];
  const FenceEffect fence = code_.at(thread, state.locations[thread]).fence;
  if (fence == FenceEffect::kDrain) return buffer.empty() || !buffer.may_be_empty();
  return fence != FenceEffect::kBarrier || buffer.barrier_alternatives() == 1;
}

// False if the fence has to wait.
template <buffer::StoreBuffer Buffer>
bool Machine<Buffer>::fence(State& state, size_t thread, FenceEffect effect, uint64_t alternative) const {
  Buffer& buffer = state.buffers[thread];
  switch (effect) {
    case FenceEffect::kDrain:
      return buffer.keep_drained();
    case FenceEffect::kDrainAll:
      for (const Buffer& each : state.buffers)
        if (!each.may_be_empty()) return false;
      for (Buffer& each : state.buffers) each.keep_drained();
      return true;
    case FenceEffect::kBarrier:
      buffer.barrier(alternative);
      return true;
    case FenceEffect::kMark:
      buffer.mark();
      return true;
    case FenceEffect::kNothing:
    case FenceEffect::kMonitor:
      return true;
  }
  throw Bug("a fence without a meaning");
}

template <buffer::StoreBuffer Buffer>
StepOutcome Machine<Buffer>::set_register(State& state, size_t thread, const Operation& op,
                                          Value value) const {
  if (!op.has_dest) return StepOutcome::kDone;
  const Evaluated index = code_.value(thread, op.dest_index, state.registers.data());
  if (!index.ok()) return machine::failed(index.status);
  if (index.value < 0 || index.value >= static_cast<Value>(op.dest_count)) return StepOutcome::kError;
  if (!op.dest_range.contains(value)) return StepOutcome::kError;
  state.registers[op.dest + static_cast<size_t>(index.value)] = value;
  return StepOutcome::kDone;
}

template <buffer::StoreBuffer Buffer>
StepOutcome Machine<Buffer>::load(State& state, size_t thread, const Operation& op, uint64_t reading,
                                  TraceStep* label) const {
  if (!state.buffers[thread].keep_loadable()) return StepOutcome::kImpossible;
  uint32_t cell = 0;
  const StepOutcome addressed = machine::address(code_, thread, op, state.registers.data(), cell);
  if (addressed != StepOutcome::kDone) return addressed;
  const Value value = state.buffers[thread].read(cell, reading, state.memory[cell], layout_.buffers[thread]);
  if (label != nullptr) label->cell = CellId(cell), label->value = value;
  return set_register(state, thread, op, value);
}

template <buffer::StoreBuffer Buffer>
StepOutcome Machine<Buffer>::store(State& state, size_t thread, const Operation& op, bool in_atomic,
                                   TraceStep* label) const {
  if (in_atomic && !keep_writable(state, thread)) return StepOutcome::kImpossible;
  uint32_t cell = 0;
  const StepOutcome addressed = machine::address(code_, thread, op, state.registers.data(), cell);
  if (addressed != StepOutcome::kDone) return addressed;
  if (in_atomic && !state.buffers[thread].keep_without(cell, layout_.buffers[thread]))
    return StepOutcome::kImpossible;
  const Evaluated value = code_.value(thread, op.a, state.registers.data());
  if (!value.ok()) return machine::failed(value.status);
  if (label != nullptr) label->cell = CellId(cell), label->value = value.value;
  if (!op.cell_range.contains(value.value)) return StepOutcome::kError;
  if (in_atomic || code_.buffering() == Buffering::kUnbuffered) {
    state.write(cell, value.value);
  } else {
    if (buffer_limit_ != 0 && state.buffers[thread].size() >= buffer_limit_) return StepOutcome::kBufferFull;
    state.buffers[thread].append(cell, value.value, state.locations[thread], layout_.buffers[thread]);
  }
  return StepOutcome::kDone;
}

template <buffer::StoreBuffer Buffer>
StepOutcome Machine<Buffer>::read_modify_write(State& state, size_t thread, const Operation& op,
                                               TraceStep* label) const {
  if (!state.buffers[thread].keep_loadable() || !keep_writable(state, thread))
    return StepOutcome::kImpossible;
  uint32_t cell = 0;
  const StepOutcome addressed = machine::address(code_, thread, op, state.registers.data(), cell);
  if (addressed != StepOutcome::kDone) return addressed;
  if (!state.buffers[thread].keep_without(cell, layout_.buffers[thread])) return StepOutcome::kImpossible;
  const Evaluated a = code_.value(thread, op.a, state.registers.data());
  if (!a.ok()) return machine::failed(a.status);
  const Evaluated b = code_.value(thread, op.b, state.registers.data());
  if (!b.ok()) return machine::failed(b.status);

  const Value old = state.memory[cell];
  Value result = old;
  std::optional<Value> written;
  switch (op.rmw) {
    case RmwOp::kCas:
    case RmwOp::kCasValue:
      if (op.rmw == RmwOp::kCas) result = old == a.value;
      if (old == a.value) written = b.value;
      break;
    case RmwOp::kXchg:
      written = a.value;
      break;
    case RmwOp::kFetchAdd:
    case RmwOp::kFetchAnd:
    case RmwOp::kFetchOr:
    case RmwOp::kFetchXor: {
      const Evaluated combined = fetch(op.rmw, old, a.value, op.wrap);
      if (!combined.ok()) return machine::failed(combined.status);
      written = combined.value;
      break;
    }
  }
  if (label != nullptr) label->cell = CellId(cell), label->value = old, label->written = written;
  if (written && !op.cell_range.contains(*written)) return StepOutcome::kError;
  const StepOutcome assigned = set_register(state, thread, op, result);
  if (assigned == StepOutcome::kDone && written) state.write(cell, *written);
  return assigned;
}

}  // namespace fenceline::machine
