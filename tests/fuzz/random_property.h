// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random programs with a random property of their intermediate states: labels, registers, memory.
#pragma once

#include <functional>
#include <string>

#include "base/rng.h"
#include "generator.h"

namespace fenceline::fuzz {

// A random program of the family, labels on some of its statements, and a `never` or `always` property `p`
// over labels, registers and cells. Empty if the program has nothing to speak of.
std::string random_task(Family family, Rng& rng);

// Threads that loop for ever, as locks are used: stores, loads, partial fences and rmw in random order,
// and a label `c` that a thread reaches only with certain values in its registers. The property `p` says that
// no two threads are there at once (now and then, that a register or a cell has some value meanwhile, too).
// Most of these fill their buffers without end; about half are safe on SC, and some of those fail on TSO or
// PSO.
std::string random_looping_task(Rng& rng);

// One of random_task(), of any family, so often in a hundred; else one of random_looping_task().
std::string random_mixed_task(unsigned percent_without_loops, Rng& rng);

// Two threads that use a lock for ever, or something that resembles one: few stores, often one family for
// both threads, so that a fence in the text is one in both. Many of these hold on SC only, and fences repair
// them.
std::string random_lock_task(Rng& rng);

// Takes lines away as long as it still differs, whatever that is.
std::string shrink_lines(std::string text, const std::function<bool(const std::string&)>& still_differs);

}  // namespace fenceline::fuzz
