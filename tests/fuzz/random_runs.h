// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the fuzzers that compare engines on the text of random programs have in common: the command line, the
// loop over programs, what happens when a program makes a difference, and the report at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "command_line.h"
#include "engine/engine.h"

namespace fenceline::fuzz {

struct RandomRuns {
  uint64_t count = 1000;
  uint64_t first = 0;  // the number of the first program
  uint64_t seed = 1;
  bool every = false;  // run all comparisons on every program
  std::vector<std::string> models = {};
};

// main() of such a fuzzer. `runs` has the defaults; --model and --every are options where it has models, and
// `more` declares others. Returns what `run` does, or kWrongUsage.
int fuzz_main(int argc, char** argv, RandomRuns runs, const std::function<int(const RandomRuns&)>& run,
              const std::function<void(CommandLine&)>& more = {});

// How engines disagree about a program. `still`: do they disagree alike about another program?
struct Disagreement {
  std::string what;
  std::function<bool(const std::string&)> still;
};

// Makes programs and compares the answers for each; an empty text is passed over. Returns false at the first disagreement,
// with the shrunken program printed.
bool all_agree(const RandomRuns& runs, const std::function<std::string(Rng&)>& program,
               const std::function<std::optional<Disagreement>(const std::string&, Rng&)>& compare);

// How often what happened.
using Tally = std::map<std::string, uint64_t>;
void print(const Tally& tally);

// Empty, or how engines disagree about the program. Counts what happened if there is a tally: shrinking has none.
using EngineComparison = std::function<std::string(const std::string& text, Tally* tally)>;

// The same, where shrinking repeats the comparison that was made for the whole program.
bool all_agree(const RandomRuns& runs, const std::function<std::string(Rng&)>& program,
               const std::function<EngineComparison(Rng&)>& choose, Tally& tally);

// What the engine says; "unknown" if it does not support the task, and the message of any other exception.
std::string verdict_of(std::string_view engine, const Task& task, const Options& options, Limits limits);

// Agreement about programs that are all alike shows nothing. After at least `programs` of them, on every
// model, each verdict must have come out for one in `one_of`; `number` returns how often. Returns the exit
// status.
int check_variety(
    const RandomRuns& runs, uint64_t programs, uint64_t one_of,
    const std::function<uint64_t(const std::string& model, const std::string& verdict)>& number);

}  // namespace fenceline::fuzz
