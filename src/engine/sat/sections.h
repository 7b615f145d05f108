// SPDX-License-Identifier: GPL-3.0-or-later
//
// Can a thread before an atomic section pass it? A section is one step: it is executed from its beginning to
// its end on a memory that no other thread accesses.
#pragma once

#include <vector>

#include "engine/sat/expressions.h"
#include "engine/sat/unfolding.h"

namespace fenceline::sat {

// A literal that holds if some path leads through the section that begins at `begin` (or fails on it, which
// is a step too), with these registers and this memory, by cell. Throws Unsupported for a section that makes
// choices: every one of them would need a query of its own.
Lit passable(const Overlay& overlay, const Unfolding& unfolding, uint32_t begin,
             const std::vector<NumberPtr>& registers, const std::vector<Number>& memory,
             Arithmetic& arithmetic);

}  // namespace fenceline::sat
