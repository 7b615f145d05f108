// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SAT solver, behind a small interface. It is incremental: clauses may be added between queries, and a
// query may assume literals that hold for it alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/limits.h"
#include "sat/literal.h"

namespace fenceline::sat {

enum class SatAnswer : uint8_t { kSatisfiable, kUnsatisfiable, kLimit };

class Solver {
 public:
  Solver();
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // From now on the clauses and the solver's steps are kept. Precondition: no clause was added yet.
  void record_proof();
  const std::vector<std::vector<int>>& recorded_clauses() const { return recorded_; }
  // Why the clauses have no solution: clauses that follow one after the other, as text in the DRAT format,
  // the last one empty. Deletions are left out: the solver may delete a clause and bring it back later as if
  // it were given, which that format cannot express. The solver cannot be used afterwards. Precondition: the
  // last query, which assumed nothing, was answered by "unsatisfiable".
  std::string finish_proof();

  Lit fresh();
  void add(std::span<const Lit> clause);
  void add(std::initializer_list<Lit> clause) { add(std::span(clause.begin(), clause.size())); }

  // Polls the limits while it works.
  SatAnswer solve(std::span<const Lit> assumptions, Limits& limits);
  SatAnswer solve(std::initializer_list<Lit> assumptions, Limits& limits) {
    return solve(std::span(assumptions.begin(), assumptions.size()), limits);
  }

  // Precondition: the last answer was kSatisfiable, and no clause was added since.
  bool value(Lit literal) const;

  int32_t variables() const { return variables_; }
  uint64_t clauses() const { return clauses_; }
  uint64_t queries() const { return queries_; }

 private:
  struct Backend;
  std::unique_ptr<Backend> backend_;
  int32_t variables_ = 1;
  uint64_t clauses_ = 0;
  uint64_t queries_ = 0;
  bool recording_ = false;
  std::vector<std::vector<int>> recorded_;
};

}  // namespace fenceline::sat
