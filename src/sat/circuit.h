// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gates over literals, as clauses (Tseitin 1968). Constants fold, equal gates are one gate, and what follows
// from the operands at sight is not built: most of what a program's formula says is decided here and never
// reaches the solver.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "sat/literal.h"
#include "sat/solver.h"

namespace fenceline::sat {

class Circuit {
 public:
  explicit Circuit(Solver& solver) : solver_(solver) {}

  Solver& solver() { return solver_; }
  Lit fresh() { return solver_.fresh(); }

  Lit both(Lit a, Lit b);
  Lit either(Lit a, Lit b) { return !both(!a, !b); }
  Lit differ(Lit a, Lit b);
  Lit same(Lit a, Lit b) { return !differ(a, b); }
  Lit choose(Lit condition, Lit then, Lit otherwise);

  Lit all(std::vector<Lit> operands);
  Lit any(std::vector<Lit> operands);

  // Clauses; those that hold anyway are dropped.
  void require(std::initializer_list<Lit> any_of) { require(std::span(any_of.begin(), any_of.size())); }
  void require(std::span<const Lit> any_of);
  void implies(Lit a, Lit b) { require({!a, b}); }
  void implies(Lit a, Lit b, Lit c) { require({!a, !b, c}); }

  // At most one of them holds.
  void at_most_one(const std::vector<Lit>& literals);

 private:
  static uint64_t key(Lit a, Lit b) {
    return static_cast<uint64_t>(static_cast<uint32_t>(a.code)) << 32 | static_cast<uint32_t>(b.code);
  }
  // Is `part` an operand of the AND gate behind `gate`?
  bool has_operand(Lit gate, Lit part) const;

  Solver& solver_;
  std::unordered_map<uint64_t, Lit> ands_, xors_;
  std::unordered_map<int32_t, std::pair<Lit, Lit>> operands_;  // of AND gates, by their variable
};

}  // namespace fenceline::sat
