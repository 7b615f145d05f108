// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which values can a cell hold in an execution of the unfolded program? Sets of values are propagated: from
// stores to their cells, from cells to loads, through registers to stores again. A value that is stored n times
// on its path needs n iterations, and since no store happens twice without a loop, as many iterations as there
// are stores are enough. This holds for executions without out-of-thin-air values (CheckFence, section 3.4);
// models that let loads return stores that depend on them could have others, and these are left out.
//
// The analysis is flow-sensitive in registers: behind a branch on `r == 0`, an assertion, or an access that
// must be inside of its object, a register has only the values that it can have there. Memory has one set per
// cell for the whole execution, since models order accesses differently.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/value_set.h"
#include "engine/sat/unfolding.h"
#include "ir/analysis/value_sets.h"

namespace fenceline::sat {

// By cell. Throws Unsupported if a value may leave 64 bits.
std::vector<ValueSet> cell_ranges(const Overlay& overlay, const Unfolding& unfolding);

// The outcomes of an offset that are inside of the object.
Outcome inside_of(const Object& object, uint8_t bytes);

}  // namespace fenceline::sat
