// SPDX-License-Identifier: GPL-3.0-or-later
//
// Can a thread that stands before an atomic section pass it? A section is one step: it is run from its
// beginning to its end on a memory that nobody else touches.
#pragma once

#include <vector>

#include "engine/sat/expressions.h"
#include "engine/sat/unfolding.h"

namespace fenceline {

// A literal that holds if some way leads through the section that begins at `begin` (or fails on it, which is
// a step too), with these registers and this memory, by cell. Throws Unsupported for a section that makes
// choices: for every one of them the question would have to be asked anew.
Lit passable(const Overlay& overlay, const Unfolding& unfolding, uint32_t begin,
             const std::vector<NumberPtr>& registers, const std::vector<Number>& memory,
             Arithmetic& arithmetic);

}  // namespace fenceline
