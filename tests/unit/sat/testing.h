// SPDX-License-Identifier: GPL-3.0-or-later
//
// A solver with a circuit in front of it, and helpers for queries.
#pragma once

#include <vector>

#include "env/limits.h"
#include "sat/bits.h"
#include "sat/circuit.h"
#include "sat/solver.h"

namespace fenceline::sat {

class SatTesting {
 public:
  bool possible(const std::vector<Lit>& assumptions) {
    return solver.solve(assumptions, limits) == SatAnswer::kSatisfiable;
  }
  // Under the assumptions, does the literal hold always, never, or sometimes? If they are impossible: never.
  bool always(std::vector<Lit> assumptions, Lit literal) {
    assumptions.push_back(!literal);
    return !possible(assumptions);
  }

  std::vector<Lit> fresh(size_t count) {
    std::vector<Lit> literals;
    for (size_t i = 0; i < count; ++i) literals.push_back(circuit.fresh());
    return literals;
  }
  // Bit i of the number says whether literal i holds.
  static std::vector<Lit> assigned(const std::vector<Lit>& literals, uint64_t number) {
    std::vector<Lit> result;
    for (size_t i = 0; i < literals.size(); ++i)
      result.push_back((number >> i) & 1 ? literals[i] : !literals[i]);
    return result;
  }

  Limits limits{0, 0};
  Solver solver;
  Circuit circuit{solver};
  Arithmetic arithmetic{circuit};
};

}  // namespace fenceline::sat
