// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which values can a cell hold in a run of the unfolded program? Intervals, by passing values along: from
// stores to their cells, from cells to loads, through registers to stores again. A value that was stored n
// times on its way needs n rounds, and since no store happens twice without a loop, as many rounds as there
// are stores are enough. This holds for runs in which no value causes itself (CheckFence, section 3.4);
// models that let loads see stores that depend on them could have others, and these are left out.
#pragma once

#include <vector>

#include "base/numbers.h"
#include "engine/sat/unfolding.h"

namespace fenceline {

// By cell. Throws Unsupported if a value may leave 64 bits.
std::vector<Range> cell_ranges(const Overlay& overlay, const Unfolding& unfolding);

}  // namespace fenceline
