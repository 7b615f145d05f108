// SPDX-License-Identifier: GPL-3.0-or-later
//
// The store-buffer machine on abstract states. The rules are those of docs/semantics.md; what is different is
// when things happen, and what is forgotten.
//
// Steps are long. A step of a thread is what it does at a stop (plan.h) and all its local steps up to the
// next one. Local steps commute with everything that others do, so nothing is missed.
//
// Flushes are lazy. A waiting store is let out only right before a step that can notice: a load or rmw of its
// cell by anybody, a fence of its own thread, or the flush of another store to the same cell; and whatever
// has to leave before it. Every run can be brought into this form, since a flush commutes with all other
// steps. This gains precision as well as speed: states that differ only in what has left a buffer early are
// never joined.
//
// Long buffers are summarised. Beyond `slots` stores one by one (per thread on TSO, per thread and cell on
// PSO) only the newest value per cell, bounds, and whether all but the newest ascend are kept: indices and
// tickets do, and then none of these brings back a smaller value than memory had.
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

namespace fenceline {

// A state in its normal form: same key, same terms; only numbers differ.
struct KeyedState {
  std::string key;
  AbstractState state;
};

class AbstractMachine {
 public:
  // Keeps a reference to the plan.
  AbstractMachine(const Plan& plan, unsigned slots, NumericDomain domain)
      : plan_(plan), slots_(slots), domain_(domain) {}

  struct Sink {
    std::function<void(KeyedState&&)> reached;
    // The step is an error of the program (unless the state that it was taken in is not real).
    std::function<void(const AbstractState& state, ThreadId thread)> failed;
  };
  void initial(const Sink& sink) const;
  void successors(const AbstractState& state, const Sink& sink) const;

  // The state first, and all that come from it if stores to such cells reach memory, after what has to leave
  // before them. By cell.
  std::vector<AbstractState> with_flushes(const AbstractState& state, const std::vector<bool>& cells) const;

  // What is known from the start of the variables of a state in normal form.
  Numbers within_ranges(AbstractState state, Numbers numbers) const;

 private:
  using States = std::vector<AbstractState>;

  // abstract_machine.cpp: steps
  void step(const AbstractState& state, ThreadId thread, States& out, const Sink& sink) const;
  void run_on(States&& states, ThreadId thread, const Sink& sink, States& out) const;
  void execute(const AbstractState& state, ThreadId thread, bool in_section, States& out,
               const Sink& sink) const;
  void section(const AbstractState& begin, ThreadId thread, States& out, const Sink& sink) const;
  void load(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell, States& out,
            const Sink& sink) const;
  void store(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell, bool in_section,
             States& out, const Sink& sink) const;
  void rmw(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell, States& out,
           const Sink& sink) const;
  void assign(AbstractState state, ThreadId thread, const Dest& dest, const Linear& value, States& out,
              const Sink& sink) const;
  AbstractState gone_on(const AbstractState& state, ThreadId thread, size_t slot = 0) const;
  template <class F>
  void at_each_cell(const AbstractState& state, ThreadId thread, const Address& address, const Sink& sink,
                    const F& f) const;
  Linear read(AbstractState& state, ThreadId thread, CellId cell) const;
  std::vector<bool> no_cells() const {
    std::vector<bool> none(plan_.program().cell_count, false);
    return none;
  }

  // buffers.cpp: what waits
  struct Flushed {
    AbstractState state;
    CellId cell;
  };
  // Some store of the rest to this cell, by thread and cell.
  using SomeOfRest = std::map<std::pair<ThreadId, CellId>, NumericTerm>;
  std::vector<Flushed> flushes(const AbstractState& state, ThreadId thread, const SomeOfRest& some) const;
  std::vector<bool> moved_with(const AbstractState& state, std::vector<bool> cells) const;
  void append(const AbstractState& state, ThreadId thread, CellId cell, const NumericTerm& value,
              States& out) const;
  bool may_write(const NumericBuffer& buffer, CellId cell) const;
  void tidy(NumericBuffer& buffer) const;

  // normal_form.cpp
  void normalized(AbstractState state, const Sink& sink) const;
  void split_explicit(AbstractState state, States& out) const;
  std::string key_of(const AbstractState& state) const;
  void order_dimensions(AbstractState& state) const;
  template <class F>
  void for_each_term(AbstractState& state, const F& f) const;

  const Plan& plan_;
  unsigned slots_;
  NumericDomain domain_;
};

}  // namespace fenceline
