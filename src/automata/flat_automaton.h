// SPDX-License-Identifier: GPL-3.0-or-later
//
// Automata as the store works on them: two arrays, and numbers instead of letters. While one is being built
// it may be nondeterministic; minimal.h makes the canonical one of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fenceline::automata {

using Symbol = uint32_t;  // the number of a letter in an Alphabet

struct FlatAutomaton {
  static constexpr uint32_t kNowhere = ~uint32_t{0};

  struct Edge {
    Symbol symbol = 0;
    uint32_t to = 0;
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  struct State {
    uint32_t begin = 0;  // its edges: from here
    uint32_t end = 0;    // to before here
    uint32_t accepting = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  std::vector<State> states;  // the first is the initial one; none: no word is accepted
  std::vector<Edge> edges;

  void clear() {
    states.clear();
    edges.clear();
  }
  // States are built one after the other; an edge belongs to the last of them.
  void add_state(bool accepting) {
    const auto here = static_cast<uint32_t>(edges.size());
    states.push_back({here, here, accepting ? 1U : 0U});
  }
  void add_edge(Symbol symbol, uint32_t to) {
    edges.push_back({symbol, to});
    ++states.back().end;
  }

  uint32_t size() const { return static_cast<uint32_t>(states.size()); }
  bool accepting(uint32_t state) const { return states[state].accepting != 0; }
  std::span<const Edge> edges_of(uint32_t state) const {
    return std::span(edges).subspan(states[state].begin, states[state].end - states[state].begin);
  }
  // Precondition: deterministic.
  uint32_t next(uint32_t state, Symbol symbol) const {
    for (const Edge& edge : edges_of(state))
      if (edge.symbol == symbol) return edge.to;
    return kNowhere;
  }

  friend bool operator==(const FlatAutomaton&, const FlatAutomaton&) = default;
};

}  // namespace fenceline::automata
