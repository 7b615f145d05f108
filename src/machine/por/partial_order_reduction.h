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
// thread can still do, only that step is explored. What a thread can still do is the set of cells reachable
// in its control-flow graph from its location, and the contents of its buffer. A thread's own load and its
// own flush of the same cell commute: the load sees the same value from the buffer before, from memory after.
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
    kNeither,
  };
  // Cells as bits; programs with more than 64 share bits, which only makes more things conflict.
  using CellMask = uint64_t;
  static CellMask bit(uint32_t cell) { return CellMask{1} << (cell % 64); }
  static CellMask cells_of(const Operation& op);

  struct Future {
    CellMask reads = 0;
    CellMask writes = 0;
  };

  Role role(const Code& code, const Visibility& visibility, size_t thread, uint32_t point) const;
  void cut_cycles(const Code& code, size_t thread);
  void compute_future(const Code& code, size_t thread);
  void compute_contended();

  bool choose_;
  std::vector<bool> visible_cells_;
  std::vector<std::vector<Role>> roles_;
  std::vector<std::vector<Future>> future_;  // by thread and point
  std::vector<Future> contended_;            // by thread: what some other thread can do at any location
};

template <buffer::StoreBuffer Buffer>
std::optional<Reduction::Choice> Reduction::choose(const Machine<Buffer>& machine,
                                                   const MachineState<Buffer>& state) const {
  if (!choose_) return std::nullopt;
  const size_t threads = state.locations.size();
  const auto others = [&](size_t self) {
    Future all;
    for (size_t u = 0; u < threads; ++u) {
      if (u == self) continue;
      all.reads |= future_[u][state.locations[u]].reads;
      all.writes |= future_[u][state.locations[u]].writes;
      machine.for_each_buffered(state, u, [&](uint32_t cell) { all.writes |= bit(cell); });
    }
    return all;
  };
  const auto conflict = [](const Future& future, CellMask cells, bool only_reading) {
    return (cells & (only_reading ? future.writes : future.writes | future.reads)) != 0;
  };
  const auto visible = [this](uint32_t cell) { return !visible_cells_.empty() && visible_cells_[cell]; };
  for (size_t t = 0; t < threads; ++t) {
    const Role role = roles_[t][state.locations[t]];
    if (role == Role::kLocalChoice) return Choice{t, Choice::kInstruction, 0};
    if (!machine.order_is_exact(state, t)) continue;
    if (role == Role::kAccess) {
      const Operation& op = machine.code().at(t, state.locations[t]);
      const bool load = op.kind == InstrKind::kLoad;
      const CellMask cells = cells_of(op);
      if (!conflict(contended_[t], cells, load) && !conflict(others(t), cells, load) &&
          machine.possible(state, t))
        return Choice{t, Choice::kInstruction, 0};
    }
    const bool per_cell = machine.code().buffering() == Buffering::kPerCell;
    std::optional<Choice> found;
    bool all_harmless = true;
    machine.for_each_flush(state, t, [&](const buffer::FlushChoice& flush) {
      if (per_cell ? found.has_value() : !all_harmless) return;
      const bool harmless = !conflict(contended_[t], bit(flush.cell), false) && !visible(flush.cell) &&
                            !conflict(others(t), bit(flush.cell), false);
      all_harmless = all_harmless && harmless;
      if (harmless) found = Choice{t, per_cell ? Choice::kFlushesOfCell : Choice::kFlushes, flush.cell};
    });
    if (found && (per_cell || all_harmless)) return found;
  }
  return std::nullopt;
}

}  // namespace fenceline::machine
