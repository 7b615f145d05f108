// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/scene.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "model/cat/cat.h"

namespace fenceline::sat {
namespace {

bool has(Pairs a, size_t x, size_t y) { return (a & bit(x, y)) != 0; }

// Pairs of known events for which `holds`.
template <class Holds>
Pairs pairs_where(size_t known, const Holds& holds) {
  Pairs result = 0;
  for (size_t x = 0; x < known; ++x)
    for (size_t y = 0; y < known; ++y)
      if (holds(x, y)) result |= bit(x, y);
  return result;
}

// Operators on relations that are known exactly, by their definitions. Nothing that is certain leads through others.
TEST(Scene, OperatorsAreThoseOfRelations) {
  const CatModel model = load_cat({"test.cat",
                                   "empty rf; co as sequence\n"
                                   "empty rf+ as transitive\n"
                                   "empty rf^-1 as inverse\n"
                                   "empty [domain(rf)] as domain\n"
                                   "empty [range(rf)] as range\n"
                                   "empty W * R as product\n"});
  Rng random(1);
  for (size_t round = 0; round < 2'000; ++round) {
    const size_t known = 3 + random.below(3);
    const auto some = [&] { return random.below(uint64_t{1} << 36) & all_pairs(known, false); };
    const Pairs rf = some() & some(), co = some(), writes = some() & kDiagonal, reads = some() & kDiagonal;
    const Scene scene(known, [&](const Term& term) {
      const Pairs pairs = term.name == "rf" ? rf : term.name == "co" ? co : term.name == "W" ? writes : reads;
      return Bounds{pairs, pairs};
    });
    const std::vector<Bounds> bounds = scene.evaluate(model);
    const auto sure = [&](size_t constraint) {
      return bounds[model.constraints[constraint].term.index()].lower;
    };
    const auto related = [&](Pairs a, Pairs b, size_t x, size_t y) {
      for (size_t k = 0; k < known; ++k)
        if (has(a, x, k) && has(b, k, y)) return true;
      return false;
    };
    EXPECT_EQ(sure(0), pairs_where(known, [&](size_t x, size_t y) { return related(rf, co, x, y); }));
    Pairs paths = rf;
    for (size_t length = 1; length < known; ++length)
      paths |= pairs_where(known, [&](size_t x, size_t y) { return related(paths, rf, x, y); });
    EXPECT_EQ(sure(1), paths);
    EXPECT_EQ(sure(2), pairs_where(known, [&](size_t x, size_t y) { return has(rf, y, x); }));
    const auto successors = [&](size_t x) {
      return pairs_where(known, [&](size_t a, size_t b) { return a == x && has(rf, a, b); });
    };
    const auto predecessors = [&](size_t x) {
      return pairs_where(known, [&](size_t a, size_t b) { return b == x && has(rf, a, b); });
    };
    EXPECT_EQ(sure(3), pairs_where(known, [&](size_t x, size_t y) { return x == y && successors(x) != 0; }));
    EXPECT_EQ(sure(4),
              pairs_where(known, [&](size_t x, size_t y) { return x == y && predecessors(x) != 0; }));
    EXPECT_EQ(sure(5),
              pairs_where(known, [&](size_t x, size_t y) { return has(writes, x, x) && has(reads, y, y); }));
  }
}

}  // namespace
}  // namespace fenceline::sat
