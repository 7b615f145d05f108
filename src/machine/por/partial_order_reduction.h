// SPDX-License-Identifier: GPL-3.0-or-later
//
// Partial-order reduction by ample sets (Peled; Clarke, Grumberg and Peled, "Model Checking", ch. 10),
// specialised to store-buffer machines, in two tiers.
//
// Tier 1, fused steps. Some instructions touch nothing but their own thread: assignments, branches, marks
// that the property does not name, assertions, fences that can pass, and, on a machine with buffers, stores:
// appending to one's own buffer commutes with every step of other threads and with every flush, one's own
// included (a flush takes the oldest entry, a store adds the newest). The exception is sync, which waits for
// the stores of other threads. Such a step is an ample set by itself;
// it is executed at once, as part of the step before it, and the states in between are never stored.
//
// Tier 2, chosen at expansion. If the step of one thread (or one flush) conflicts with nothing that any other
// thread can do before it, only that step is explored. What a thread can do is the set of cells (shared_cells.h) that are
// accessed in its control-flow graph from its location on, and the contents of its buffer. A thread that waits for the
// step can do nothing before it, and cells that are read by those who wait for it only are not read before it (awaits.h).
// A thread's own load and its own flush of the same cell commute: the load sees the same value from the buffer before,
// from memory after.
//
// Visibility (C2). A step that changes what the property sees is never in an ample set, with one refinement:
// if being at a label can only make the bad state true (never false), arriving there early loses nothing.
//
// No step is postponed for ever (C3). Every cycle of a thread's graph contains a *cut*: a point at which the
// thread's instruction is never chosen. A cycle of states moves some thread around a cycle of its graph, and
// it leaves the cut only from a state that is fully expanded. (Flushes alone cannot form a cycle.)
//
// Abstract buffers. The machine on abstract buffers simulates the exact one, and so does the reduced machine
// the reduced exact one, if every choice made here is right for every exact state that the abstract one
// represents. Which cells have pending stores is exact; where more is needed (barriers and marks), a thread
// whose buffer is not determined is not chosen. Where an abstract buffer has several alternatives for flushing
// an entry, all are taken. The same holds for sets of buffers: what only some contents can do represents nothing.
//
// Tried and dropped: choosing the thread with the fewest successors at every state; it needs a cycle check
// during the search, which does not go well with several workers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/por/awaits.h"
#include "machine/por/shared_cells.h"
#include "machine/store_buffer/machine.h"

namespace fenceline::machine {

// What a property can see. Empty tables mean: nothing.
struct Visibility {
  std::vector<bool> cells;                  // by cell
  std::vector<bool> registers;              // flat, by first_register + reg
  std::vector<std::vector<bool>> arriving;  // by thread and point: can arriving there make a bad state good?
  std::vector<std::vector<bool>> leaving;   // does leaving it?
};

class Reduction {
 public:
  // What is fused in tier 1: nothing; what touches neither memory nor buffers; stores and fences as well.
  enum class Fusing : uint8_t { kNothing, kLocal, kAll };

  // `choose`: tier 2.
  Reduction(const Code& code, const Visibility& visibility, Fusing fusing, bool choose);

  // Tier 1: execute this at once, if it is possible.
  bool eager(size_t thread, uint32_t point) const { return roles_[thread][point] == Role::kEager; }

  struct Choice {
    size_t thread = 0;
    enum Kind : uint8_t {
      kInstruction,    // the current one of the thread
      kFlushes,        // any flush of the thread
      kFlushesOfCell,  // any flush of `cell`
    } kind = kInstruction;
    uint32_t cell = 0;
  };

  // Tier 2: the step that may represent all of them here, if there is one.
  template <buffer::StoreBuffer Buffer>
  std::optional<Choice> choose(const Machine<Buffer>& machine, const MachineState<Buffer>& state) const;

 private:
  enum class Role : uint8_t {
    kEager,        // tier 1
    kLocalChoice,  // tier 2 always: choose, havoc
    kAccess,       // tier 2 if no other thread conflicts: load, rmw, a store without buffers
    kAwait,        // the same, for an await
    kNeither,
  };
  struct Future {
    CellMask reads = 0;
    CellMask writes = 0;
  };

  template <buffer::StoreBuffer Buffer>
  class StateConflicts;

  Role role(const Code& code, const Visibility& visibility, size_t thread, uint32_t point) const;
  void cut_cycles(const Code& code, size_t thread);
  void compute_future(const Code& code, size_t thread);
  void compute_contended();
  void find_awaits(const Code& code, const Visibility& visibility, size_t thread);

  bool choose_;
  SharedCells cells_;
  Awaits awaits_;
  std::vector<bool> visible_cells_;
  std::vector<std::vector<Role>> roles_;
  std::vector<std::vector<Future>> future_;  // by thread and point
  std::vector<Future> contended_;            // by thread: what some other thread can do at any location
};

// Does a step conflict with what other threads can still do in a state, before the step?
template <buffer::StoreBuffer Buffer>
class Reduction::StateConflicts {
 public:
  StateConflicts(const Reduction& reduction, const Machine<Buffer>& machine,
                 const MachineState<Buffer>& state)
      : reduction_(reduction), machine_(machine), state_(state) {}

  bool instruction_is_harmless(size_t t) const {
    const uint32_t point = state_.locations[t];
    const Role role = reduction_.roles_[t][point];
    if (role == Role::kAwait) return await_is_harmless(t, *reduction_.awaits_.at(t, point));
    if (role != Role::kAccess || !machine_.possible(state_, t)) return false;
    const Operation& op = machine_.code().at(t, point);
    uint32_t cell = 0;
    // An address that fails: the step represents nothing, whatever is said here.
    if (address(machine_.code(), t, op, state_.registers.data(), cell) != StepOutcome::kDone) return false;
    const bool only_reads = op.kind == InstrKind::kLoad;
    return !conflicts(t, cell, only_reads, std::nullopt);
  }

  bool flush_is_harmless(size_t t, uint32_t cell) const {
    const std::vector<bool>& visible = reduction_.visible_cells_;
    return (visible.empty() || !visible[cell]) && !conflicts(t, cell, false, cell);
  }

 private:
  // Memory and buffers are known, and what a thread waits for is.
  static constexpr bool kExact = Buffer::kOneReading && !Buffer::kNarrows;

  bool await_is_harmless(size_t t, const Await& await) const {
    if constexpr (kExact) {
      const Buffer& buffer = state_.buffers[t];
      const Value loaded =
          buffer.read(await.cell, 0, state_.memory[await.cell], machine_.layout().buffers[t]);
      return !buffer.loads_blocked() && reduction_.awaits_.holds(machine_.code(), await, loaded) &&
             !conflicts(t, await.cell, true, std::nullopt);
    } else {
      return false;
    }
  }

  bool conflicts(size_t t, uint32_t cell, bool only_reads, std::optional<uint32_t> flushed) const {
    const CellMask bit = reduction_.cells_.bit(cell);
    if (bit == 0) return false;
    const Future& always = reduction_.contended_[t];
    if ((bit & (only_reads ? always.writes : always.writes | always.reads)) != 0) return true;
    if (kExact && !only_reads && reduction_.awaits_.closed(cell, state_.memory[cell])) return false;
    for (size_t u = 0; u < state_.locations.size(); ++u) {
      if (u == t) continue;
      bool buffered = false;
      machine_.for_each_buffered(state_, u, [&](uint32_t other) {
        buffered = buffered || (bit & reduction_.cells_.bit(other)) != 0;
      });
      if (buffered) return true;
      const Future& future = reduction_.future_[u][state_.locations[u]];
      if ((bit & (only_reads ? future.writes : future.writes | future.reads)) != 0 &&
          !waits_for(u, t, flushed))
        return true;
    }
    return false;
  }

  // Does thread u wait until t has taken the step: its instruction, or a flush of the cell?
  bool waits_for(size_t u, size_t t, std::optional<uint32_t> flushed) const {
    if constexpr (!kExact) return false;
    if (!reduction_.awaits_.waits_for(u, state_.locations[u], state_.memory, t)) return false;
    // What is flushed first is flushed before all that is pending, if there is one buffer for all cells.
    const uint32_t awaited = reduction_.awaits_.at(u, state_.locations[u])->cell;
    if (!flushed) return !state_.buffers[t].holds(awaited);
    return machine_.code().buffering() == Buffering::kPerThread || *flushed == awaited;
  }

  const Reduction& reduction_;
  const Machine<Buffer>& machine_;
  const MachineState<Buffer>& state_;
};

template <buffer::StoreBuffer Buffer>
std::optional<Reduction::Choice> Reduction::choose(const Machine<Buffer>& machine,
                                                   const MachineState<Buffer>& state) const {
  if (!choose_) return std::nullopt;
  const StateConflicts<Buffer> conflicts(*this, machine, state);
  for (size_t t = 0; t < state.locations.size(); ++t) {
    if (roles_[t][state.locations[t]] == Role::kLocalChoice) return Choice{t, Choice::kInstruction, 0};
    if (!machine.order_is_exact(state, t)) continue;
    if (conflicts.instruction_is_harmless(t)) return Choice{t, Choice::kInstruction, 0};
    const bool per_cell = machine.code().buffering() == Buffering::kPerCell;
    std::optional<Choice> found;
    bool all_harmless = true;
    machine.for_each_flush(state, t, [&](const buffer::FlushChoice& flush) {
      if (per_cell ? found.has_value() : !all_harmless) return;
      const bool harmless = conflicts.flush_is_harmless(t, flush.cell);
      all_harmless = all_harmless && harmless;
      if (harmless) found = Choice{t, per_cell ? Choice::kFlushesOfCell : Choice::kFlushes, flush.cell};
    });
    if (found && (per_cell || all_harmless)) return found;
  }
  return std::nullopt;
}

}  // namespace fenceline::machine
