// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of a model, evaluated on a scene of up to five known events among any others, with bounds: what can
// be in a set or relation, and what certainly is. Orders that certainly hold there hold in all executions that
// contain such events.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/cat/relational.h"

namespace fenceline::sat {

// Bit x * kAll + y; of a set, the pairs of an event and itself. Known events have the numbers from 0; the last
// number represents all other events.
using Pairs = uint64_t;
constexpr size_t kMostKnown = 5, kOther = kMostKnown, kAll = kMostKnown + 1;

constexpr Pairs bit(size_t x, size_t y) { return Pairs{1} << (x * kAll + y); }

// Of the first `known` events, and of the other one where it is told.
constexpr Pairs all_pairs(size_t known, bool others) {
  Pairs pairs = 0;
  for (size_t x = 0; x < kAll; ++x)
    for (size_t y = 0; y < kAll; ++y)
      if ((x < known || (others && x == kOther)) && (y < known || (others && y == kOther)))
        pairs |= bit(x, y);
  return pairs;
}
constexpr Pairs kDiagonal = bit(0, 0) | bit(1, 1) | bit(2, 2) | bit(3, 3) | bit(4, 4) | bit(5, 5);

// A row has the successors of an event, a column its predecessors, as the first row and the first column would. Their
// product as numbers is the pairs of one of the column and one of the row: no two of its bits meet.
constexpr Pairs kFirstRow = (Pairs{1} << kAll) - 1;
constexpr Pairs kFirstColumn = bit(0, 0) | bit(1, 0) | bit(2, 0) | bit(3, 0) | bit(4, 0) | bit(5, 0);
constexpr Pairs row(Pairs a, size_t x) { return (a >> (x * kAll)) & kFirstRow; }
constexpr Pairs column(Pairs a, size_t y) { return (a >> y) & kFirstColumn; }

constexpr Pairs inverse(Pairs a) {
  Pairs result = 0;
  for (size_t x = 0; x < kAll; ++x)
    for (Pairs rest = row(a, x); rest != 0; rest &= rest - 1)
      result |= bit(static_cast<size_t>(std::countr_zero(rest)), x);
  return result;
}
constexpr Pairs symmetric(Pairs a) { return a | inverse(a); }

// What can be in a set or relation, and what certainly is.
struct Bounds {
  Pairs upper = 0, lower = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

class Scene {
 public:
  // `base` gives the base sets and relations among the known events; of others nothing is known.
  Scene(size_t known, std::function<Bounds(const Term&)> base) : known_(known), base_(std::move(base)) {}

  std::vector<Bounds> evaluate(const CatModel& model) const;  // by term

  // Does some axiom certainly forbid it?
  bool forbidden(const CatModel& model) const;

  // The acyclic constraint certainly has a path from one known event to another.
  bool has_path(const Constraint& constraint, const std::vector<Bounds>& bounds, size_t from,
                size_t to) const;

 private:
  Pairs sequence(Pairs a, Pairs b, bool through_others) const;
  Pairs transitive(Pairs a, bool through_others) const;
  Bounds of(const CatModel& model, const Term& term, const std::vector<Bounds>& bounds) const;

  size_t known_;
  std::function<Bounds(const Term&)> base_;
};

}  // namespace fenceline::sat
