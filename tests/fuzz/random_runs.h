// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the fuzzers that compare engines on the text of random programs have in common: the command line, the
// loop over programs, and what happens when a program makes a difference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"

namespace fenceline::fuzz {

struct RandomRuns {
  uint64_t count = 1000;
  uint64_t first = 0;  // the number of the first program
  uint64_t seed = 1;
  bool every = false;  // ask everything about every program, not some of it
  std::vector<std::string> models;
};

// The command line; none if it is wrong (then that was said). `runs` has the defaults.
std::optional<RandomRuns> random_runs(int argc, char** argv, RandomRuns runs);

// How engines disagree about a program. `still` tells whether they disagree in the same way about another.
struct Disagreement {
  std::string what;
  std::function<bool(const std::string&)> still;
};

// Makes programs and asks about each; an empty text is passed over. Returns false at the first disagreement,
// with the shrunken program printed.
bool all_agree(const RandomRuns& runs, const std::function<std::string(Rng&)>& program,
               const std::function<std::optional<Disagreement>(const std::string&, Rng&)>& ask);

}  // namespace fenceline::fuzz
