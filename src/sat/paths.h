// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which vertices reach which others, where some edges are there anyway, as a static order S, and others, the
// steps D, if a literal holds. Program order and synchronisation, say: the closure `(po | sw)+`.
//
// reach(x, y) stands for a path that begins at x or at a vertex behind it in S, ends at y or at one before it
// in S, and has a step at each end:
//
//   D(x, y)  →  reach(x, y)
//   reach(x', y)  →  reach(x, y)  and  reach(x, y')  →  reach(x, y)   for x' that covers x, y' that y covers
//   reach(x, k), D(k, y)  →  reach(x, y)    or    D(x, k), reach(k, y)  →  reach(x, y)
//
// Of the last two one is enough for each pair (by induction on the number of steps), so it is the one with
// fewer clauses. A vertex at which no step begins has the literals of the only one behind it, and likewise at
// the other end: with m vertices that have steps, and d steps, there are about m² literals and at most m * d
// clauses; for two vertices of which one is before the other in S nothing is needed. With a literal for each
// pair of n vertices, closed under each edge, there would be n² and n³.
//
// If there must be no cycle, a path that comes back to x, or to a vertex before it, is not followed: its last
// step leads from some k to a vertex before x, so that k reaches x, and x reaches k. That is forbidden for
// each two vertices. Between two threads nothing else is needed: a few clauses for each pair of their events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sat/bit_matrix.h"
#include "sat/circuit.h"
#include "sat/static_order.h"

namespace fenceline::sat {

class Paths {
 public:
  enum class Cycles : uint8_t { kAllowed, kForbidden };
  using Step = std::function<Lit(size_t from, size_t to)>;

  // Steps are the pairs that can be one; what is in the order is left out of them. `step` is not called
  // before literals are asked for.
  Paths(Circuit& circuit, StaticOrder order, const BitMatrix& steps, Cycles cycles, Step step);

  // A literal that holds if there is a path with a step. Some solution has no more than these. Precondition:
  // x is not before y in the order. If cycles are forbidden, the first call adds clauses that say so.
  Lit reaches(size_t x, size_t y);

  // Precondition: cycles are forbidden.
  void require_acyclic() { build(std::nullopt); }

  // About as many as require_acyclic() adds.
  uint64_t clauses() const;

 private:
  Lit& literal(size_t from, size_t to) { return reach_[from * n_ + to]; }
  bool comes_back(size_t from, size_t to) const { return from == to || order_.before(to, from); }
  // Whether reach(from, to) is that of a neighbour in the order.
  bool as_later(size_t from) const { return !starts_[from] && order_.successors(from).size() == 1; }
  bool as_earlier(size_t to) const { return !ends_[to] && order_.predecessors(to).size() == 1; }
  struct Alternatives {
    std::vector<uint32_t> before_last, after_first;
  };
  Alternatives compositions(size_t from, size_t to) const;
  void build(std::optional<size_t> x);
  void compose(size_t from, size_t to, bool all_rows);
  void forbid_cycles();

  Circuit& circuit_;
  StaticOrder order_;
  Cycles cycles_;
  Step step_;
  size_t n_;
  BitMatrix steps_, open_;           // open: what can be in reach
  std::vector<bool> starts_, ends_;  // of steps
  std::vector<bool> built_;          // whether the literals of this row have been made
  std::vector<Lit> reach_;           // n * n
};

}  // namespace fenceline::sat
