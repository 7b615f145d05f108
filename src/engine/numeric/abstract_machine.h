// SPDX-License-Identifier: GPL-3.0-or-later
//
// The store-buffer machine on abstract states. The rules are those of docs/semantics.md; what differs is when
// steps are taken, and what is abstracted away.
//
// Steps are long. A step of a thread is what it does at a cut point (plan.h) and all its local steps up to
// the next one. Local steps commute with everything that other threads do, so no behaviour is missed.
//
// Flushes are lazy. A pending store is flushed only directly before a step that can observe it: a load or rmw
// of its cell by any thread, a fence of its own thread, or the flush of another store to the same cell; the
// stores that have to be flushed before it go first. Every execution has an equivalent one of this form,
// since a flush commutes with all other steps. This gains precision as well as speed: states that differ only
// in early flushes are never joined.
//
// Long buffers are summarised. The first `slots` stores (per thread on TSO, per thread and cell on PSO) are
// kept one by one. Of those beyond, the summarised tail keeps the newest value per cell, bounds, and whether
// the tail is monotone: whether all but the newest ascend. Indices and tickets do, and then no flush of the
// tail brings back a smaller value than memory had.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/numeric/abstract_state.h"
#include "engine/numeric/expressions.h"
#include "engine/numeric/plan.h"
#include "machine/code.h"

namespace fenceline::numeric {

// A state in its normal form. States of the same partition have the same terms; only their abstract elements
// differ.
struct PartitionedState {
  std::string partition;
  AbstractState state;
};

class AbstractMachine {
 public:
  // Keeps a reference to the plan.
  AbstractMachine(const Plan& plan, unsigned slots, NumericDomain domain)
      : plan_(plan), slots_(slots), domain_(domain) {}

  struct Sink {
    std::function<void(PartitionedState&&)> reached;
    // The step is an error of the program (unless the state that it was taken in is not real).
    std::function<void(const AbstractState& state, ThreadId thread)> failed;
  };
  void initial(const Sink& sink) const;
  void successors(const AbstractState& state, const Sink& sink) const;

  // The state first, then all that result from flushing stores to such cells, after the stores that have to
  // be flushed before them. By cell.
  std::vector<AbstractState> with_flushes(const AbstractState& state, const std::vector<bool>& cells) const;

  // The element, cut to the ranges that the variables of a state in normal form are known to have.
  AbstractElement within_ranges(AbstractState state, AbstractElement element) const;

 private:
  using States = std::vector<AbstractState>;

  // abstract_machine.cpp: steps
  void step(const AbstractState& state, ThreadId thread, States& out, const Sink& sink) const;
  void run_to_cut_points(States&& states, ThreadId thread, const Sink& sink, States& out) const;
  void execute(const AbstractState& state, ThreadId thread, bool in_section, States& out,
               const Sink& sink) const;
  void fence(const AbstractState& state, ThreadId thread, const Instruction& i, States& out) const;
  void section(const AbstractState& begin, ThreadId thread, States& out, const Sink& sink) const;
  void load(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell, States& out,
            const Sink& sink) const;
  void store(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell, bool in_section,
             States& out, const Sink& sink) const;
  void rmw(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell, States& out,
           const Sink& sink) const;
  void assign(AbstractState state, ThreadId thread, const Dest& dest, const Linear& value, States& out,
              const Sink& sink) const;
  AbstractState advanced(const AbstractState& state, ThreadId thread, size_t slot = 0) const;
  template <class F>
  void at_each_cell(const AbstractState& state, ThreadId thread, const Address& address, const Sink& sink,
                    const F& f) const;
  Linear read(AbstractState& state, ThreadId thread, CellId cell) const;
  std::vector<bool> no_cells() const {
    std::vector<bool> none(plan_.program().cell_count, false);
    return none;
  }

  // buffers.cpp: pending stores
  struct Flushed {
    AbstractState state;
    CellId cell;
  };
  // Any one store of the summarised tail, by thread and cell.
  using SomeOfTail = std::map<std::pair<ThreadId, CellId>, NumericTerm>;
  std::vector<Flushed> flushes(const AbstractState& state, ThreadId thread, const SomeOfTail& some) const;
  std::vector<bool> moved_with(const AbstractState& state, std::vector<bool> cells) const;
  void append(const AbstractState& state, ThreadId thread, CellId cell, const NumericTerm& value,
              States& out) const;
  bool may_write(const NumericBuffer& buffer, CellId cell) const;
  void tidy(NumericBuffer& buffer) const;

  // normal_form.cpp
  void normalized(AbstractState state, const Sink& sink) const;
  void split_explicit(AbstractState state, States& out) const;
  std::string partition_of(const AbstractState& state) const;
  void order_dimensions(AbstractState& state) const;
  template <class F>
  void for_each_term(AbstractState& state, const F& f) const;

  const Plan& plan_;
  unsigned slots_;
  NumericDomain domain_;
};

}  // namespace fenceline::numeric
