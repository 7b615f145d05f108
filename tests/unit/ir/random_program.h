// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random programs for property tests: structured code over a few small objects, local arrays, declared
// ranges, every kind of instruction and operator, and properties that look at all of it. Always well formed;
// run-time errors and overflows are likely.
#pragma once

#include "base/rng.h"
#include "ir/program.h"

namespace fenceline {

Program random_program(Rng& rng);

}  // namespace fenceline
