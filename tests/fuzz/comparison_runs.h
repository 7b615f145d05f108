// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compares all readings of the semantics on one random program after the other, until one makes a difference,
// which is shrunk and shown. Program number i of a seed is the same whatever the number of jobs, so a failure
// can be run again with --first i --count 1.
#pragma once

#include <optional>

#include "generator.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {

struct ComparisonDefaults {
  Sizes sizes;
  std::optional<SatSettings> sat;  // then the SAT engine runs too
};

// Returns the exit status: 0 all agree, 1 a disagreement was found, 64 usage error.
int run_comparisons(int argc, char** argv, const ComparisonDefaults& defaults);

}  // namespace fenceline::fuzz
