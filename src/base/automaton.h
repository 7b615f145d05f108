// SPDX-License-Identifier: GPL-3.0-or-later
//
// A finite automaton whose words are contents of a store buffer, oldest store first. Plain data: the form in
// which automata go into certificates, so that the checker of one need not share code with its maker.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/numbers.h"

namespace fenceline {

// What a word is made of: a pending store, or a store-store barrier.
struct Letter {
  static constexpr uint32_t kBarrier = ~uint32_t{0};  // as the variable; value and mark have no meaning then

  uint32_t variable = 0;  // a cell
  Value value = 0;
  bool marked = false;  // it was there when a store-load fence was passed

  static constexpr Letter barrier() { return {kBarrier, 0, false}; }
  friend constexpr auto operator<=>(const Letter&, const Letter&) = default;
};

using Word = std::vector<Letter>;

// Deterministic; a missing edge means that the word is not accepted.
struct Automaton {
  struct Edge {
    Letter letter;
    uint32_t to = 0;
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  struct State {
    bool accepting = false;
    std::vector<Edge> edges;  // sorted by letter, each letter once
    friend bool operator==(const State&, const State&) = default;
  };
  std::vector<State> states;  // the first is the initial one; none: no word is accepted
  friend bool operator==(const Automaton&, const Automaton&) = default;
};

}  // namespace fenceline
