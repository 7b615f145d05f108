// SPDX-License-Identifier: GPL-3.0-or-later
//
// random programs with arithmetic: counters, small arrays with computed indices, division and modulo of
// numbers of either sign, loops that end after a few iterations, and what keeps stores pending or flushes
// them. Most are small enough that a search of all states decides them.
#pragma once

#include <string>

#include "base/rng.h"

namespace fenceline::fuzz {

// A program and, most of the time, one property `p` over labels, registers and cells; else there are
// assertions, or nothing but what can fail by itself.
std::string random_numeric_task(Rng& rng);

}  // namespace fenceline::fuzz
