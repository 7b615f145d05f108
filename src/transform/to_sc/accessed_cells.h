// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which cells a memory access can have, by the ranges of what its offset is computed from.
#pragma once

#include <vector>

#include "ir/analysis/ranges.h"
#include "ir/program.h"

namespace fenceline::transform {

class AccessedCells {
 public:
  // The program must outlive it.
  explicit AccessedCells(const Program& program) : program_(program), ranges_(analyze_ranges(program)) {}

  struct Access {
    std::vector<CellId> cells;
    bool sure = false;      // it is one of them; else it may be an error
    bool constant = false;  // its offset is written there
  };
  // Precondition: a memory access of this thread.
  Access of(ThreadId thread, const Instruction& instruction) const;

  // Can the stored value be outside the declared range of its object?
  bool may_exceed_range(ThreadId thread, const Instruction& store) const;

 private:
  const Program& program_;
  Ranges ranges_;
};

}  // namespace fenceline::transform
