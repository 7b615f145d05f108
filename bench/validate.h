// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace fenceline::bench {

// Compares our answers with SPIN's on small programs under sc, tso and pso, and prints them side by side.
// Returns the number of differences: verdicts, and, without reduction, numbers of states.
int validate(const std::vector<std::string>& files);

}  // namespace fenceline::bench
