// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gates against truth tables, with operands that are constants, equal, opposite or gates themselves: what is
// simplified at sight must mean the same.
#include "sat/circuit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/rng.h"
#include "unit/sat/testing.h"

namespace fenceline::sat {
namespace {

class CircuitTest : public ::testing::Test, public SatTesting {};

// A literal and what it means, as a function of the inputs.
struct Meant {
  Lit literal;
  std::function<bool(uint64_t)> meaning;
};

Meant opposite(const Meant& a) {
  return {!a.literal, [a](uint64_t inputs) { return !a.meaning(inputs); }};
}

TEST_F(CircuitTest, random_circuits_match_their_definition) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const std::vector<Lit> inputs = fresh(4);
    std::vector<Meant> pool = {{kTrue, [](uint64_t) { return true; }},
                               {kFalse, [](uint64_t) { return false; }}};
    for (size_t i = 0; i < inputs.size(); ++i)
      pool.push_back({inputs[i], [i](uint64_t bits) { return ((bits >> i) & 1) != 0; }});
    const auto pick = [&] {
      const Meant chosen = pool[rng.below(pool.size())];
      return rng.chance(50) ? chosen : opposite(chosen);
    };
    for (int gates = 0; gates < 12; ++gates) {
      const Meant a = pick(), b = pick(), c = pick();
      switch (rng.below(6)) {
        case 0:
          pool.push_back({circuit.both(a.literal, b.literal),
                          [a, b](uint64_t bits) { return a.meaning(bits) && b.meaning(bits); }});
          break;
        case 1:
          pool.push_back({circuit.either(a.literal, b.literal),
                          [a, b](uint64_t bits) { return a.meaning(bits) || b.meaning(bits); }});
          break;
        case 2:
          pool.push_back({circuit.differ(a.literal, b.literal),
                          [a, b](uint64_t bits) { return a.meaning(bits) != b.meaning(bits); }});
          break;
        case 3:
          pool.push_back({circuit.choose(a.literal, b.literal, c.literal), [a, b, c](uint64_t bits) {
                            return a.meaning(bits) ? b.meaning(bits) : c.meaning(bits);
                          }});
          break;
        case 4:
          pool.push_back({circuit.all({a.literal, b.literal, c.literal}), [a, b, c](uint64_t bits) {
                            return a.meaning(bits) && b.meaning(bits) && c.meaning(bits);
                          }});
          break;
        default:
          pool.push_back({circuit.any({a.literal, b.literal, c.literal}), [a, b, c](uint64_t bits) {
                            return a.meaning(bits) || b.meaning(bits) || c.meaning(bits);
                          }});
      }
    }
    for (uint64_t bits = 0; bits < 16; ++bits) {
      ASSERT_TRUE(possible(assigned(inputs, bits))) << "seed " << seed;
      for (const Meant& gate : pool)
        ASSERT_EQ(solver.value(gate.literal), gate.meaning(bits)) << "seed " << seed << ", inputs " << bits;
    }
  }
}

TEST_F(CircuitTest, what_is_known_is_not_built) {
  const Lit a = circuit.fresh(), b = circuit.fresh();
  EXPECT_EQ(circuit.both(a, kTrue), a);
  EXPECT_EQ(circuit.both(a, kFalse), kFalse);
  EXPECT_EQ(circuit.both(a, a), a);
  EXPECT_EQ(circuit.both(a, !a), kFalse);
  const Lit gate = circuit.both(a, b);
  EXPECT_EQ(circuit.both(b, a), gate);
  EXPECT_EQ(circuit.both(gate, a), gate);
  EXPECT_EQ(circuit.both(gate, !b), kFalse);
  EXPECT_EQ(circuit.differ(a, !b), !circuit.differ(a, b));
  EXPECT_EQ(circuit.all({}), kTrue);
  EXPECT_EQ(circuit.any({}), kFalse);
  EXPECT_EQ(circuit.all({a, kTrue, a}), a);
  EXPECT_EQ(circuit.any({a, b, !a}), kTrue);
}

TEST_F(CircuitTest, at_most_one) {
  const std::vector<Lit> some = fresh(4);
  circuit.at_most_one(some);
  for (uint64_t bits = 0; bits < 16; ++bits)
    EXPECT_EQ(possible(assigned(some, bits)), (bits & (bits - 1)) == 0);
}

TEST_F(CircuitTest, required_clauses) {
  const std::vector<Lit> some = fresh(3);
  circuit.require({some[0], kFalse, !some[1]});
  circuit.require({some[2], kTrue});
  circuit.implies(some[0], some[1], some[2]);
  for (uint64_t bits = 0; bits < 8; ++bits) {
    const bool a = (bits & 1) != 0, b = (bits & 2) != 0, c = (bits & 4) != 0;
    EXPECT_EQ(possible(assigned(some, bits)), (a || !b) && (!a || !b || c));
  }
}

// Assumptions hold for one query, whatever its answer is.
TEST_F(CircuitTest, assumptions_are_dropped) {
  const Lit a = circuit.fresh(), b = circuit.fresh();
  circuit.require({a, b});
  EXPECT_FALSE(possible({!a, !b}));
  EXPECT_TRUE(possible({}));
  EXPECT_FALSE(possible({!a, kFalse}));
  EXPECT_TRUE(possible({!b}));
}

TEST_F(CircuitTest, a_variable_in_no_clause_has_one_value) {
  const Lit a = circuit.fresh();
  ASSERT_TRUE(possible({}));
  EXPECT_NE(solver.value(a), solver.value(!a));
}

}  // namespace
}  // namespace fenceline::sat
