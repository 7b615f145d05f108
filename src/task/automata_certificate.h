// SPDX-License-Identifier: GPL-3.0-or-later
//
// The proof that comes with `verified` from the automata engine: a set of symbolic states that contains the
// initial state, is closed under every step of the machine, and has no bad state. A symbolic state represents
// all states with its locations, memory and registers, and with any combination of words of its automata, one
// word per queue, in the buffers. The checker has its own code for steps and for inclusion of languages; it
// shares none with machine/, domain/ or automata/ (but for the plain data of automaton.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/automaton.h"
#include "ir/ids.h"
#include "task/certificate.h"

namespace fenceline {

struct SymbolicState {
  static constexpr uint32_t kNoQueue = ~uint32_t{0};

  std::vector<Point> locations;  // by thread; may be virtual points of the overlay of task.fences
  std::vector<Value> memory;     // by cell
  // By thread and register. None: the value is arbitrary.
  std::vector<std::vector<std::optional<Value>>> registers;
  // By thread: its queues, as numbers of automata. One queue per thread where the model has one buffer per
  // thread; where it has one per cell, one queue per cell of the program, whose words have letters of that
  // cell and barriers only. Empty where there are no buffers. A cell to which the thread never stores may be
  // without a queue (kNoQueue); if the thread does store there, nothing is proved.
  //
  // Barriers (one buffer per cell): passing a store-store fence appends a barrier to every queue of the
  // thread, unless no store is behind the last barrier in any of them. When every queue begins with a
  // barrier, all these barriers vanish at once. A store is flushed only if it is the first letter of
  // it.
  std::vector<std::vector<uint32_t>> queues;

  friend bool operator==(const SymbolicState&, const SymbolicState&) = default;
};

struct AutomataCertificate {
  std::vector<Automaton> automata;
  std::vector<SymbolicState> states;
};

}  // namespace fenceline
