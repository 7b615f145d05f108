// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the solver's proof of "unsatisfiable": a list of clauses, each of
// which follows from the formula and the clauses before it by unit propagation alone (RUP, Goldberg and
// Novikov 2003), ending with the empty one. The format is DRAT (Wetzler, Heule and Hunt 2014), as text or in
// binary; what that format allows beyond RUP is rejected.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/limits.h"

namespace fenceline::check {

struct RupCheck {
  bool ok = false;         // every step is accepted, and the empty clause is derived
  std::string why_not;     // if !ok
  bool exhausted = false;  // !ok because a limit was reached: nothing is known about the proof
  uint64_t steps = 0;      // lines of the proof that were checked
  uint64_t propagations = 0;
};

// Literals are as in DIMACS, without the 0 at the end of a clause. Never throws on a bad proof.
RupCheck check_rup(std::span<const std::vector<int>> formula, std::string_view proof,
                   Limits* limits = nullptr);

// Reads the proof from a file. Throws NoSuchFile.
RupCheck check_rup_file(std::span<const std::vector<int>> formula, const std::string& path,
                        Limits* limits = nullptr);

}  // namespace fenceline::check
