// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which values can a cell or a register ever hold? One interval for each, over all states of all executions on
// every memory model: the analysis is flow-insensitive. Narrow cells make states small;
// instructions that cannot fail need no error check.
#pragma once

#include <vector>

#include "base/numbers.h"
#include "ir/program.h"

namespace fenceline {

// Each range contains the initial value and every value ever stored; a pending store counts as stored in its
// cell. A bound at the end of int64 means that no bound is known.
struct Ranges {
  std::vector<Range> cells;                   // by CellId
  std::vector<std::vector<Range>> registers;  // by ThreadId, RegId
};

// Precondition: the program passes ir/verify.
Ranges analyze_ranges(const Program& program);

// All values the expression can have in a state within `ranges`; empty if evaluating it always fails.
// `thread` executes it; it is ignored for property formulas.
Range range_of(const Program& program, const Ranges& ranges, ThreadId thread, ExprId id);

// Can evaluating the expression be an error of the program (index, division, shift)? Leaving 64 bits is none.
bool may_fail(const Program& program, const Ranges& ranges, ThreadId thread, ExprId id);

// Can this instruction of `thread` be an error of the program? False means that it never is.
bool may_fail(const Program& program, const Ranges& ranges, ThreadId thread, const Instruction& instruction);

}  // namespace fenceline
