// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs that check a C file under a memory model, started as their users start them: Fenceline, and those of
// others that are on the search path. Each run is one cell of a table; processor time and memory are those of the
// process and of all that it has started, the compiler included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/options.h"

namespace fenceline::tables {

struct CheckedFile {
  std::string path;
  std::string parameter;  // a definition for the compiler: "N=3"
  bool frees = false;     // use of freed memory is part of the property
};

struct CheckerCell {
  std::string verdict = "-";           // verified, violated, or - with the reason: "- (limit)"
  std::optional<uint64_t> executions;  // that were examined, if it counts them
  std::string engine;                  // of Fenceline: the one that decided
  std::string note;                    // of Fenceline: what the verdict does not cover, or why there is none
  std::optional<double> seconds, megabytes;  // if it was not ended from outside
};

// `fenceline check` with the engine and the limits of the options.
CheckerCell check_by_fenceline(const CheckedFile& file, std::string_view model, const Options& options);

// A program of others.
struct Checker {
  std::string_view name;     // a column
  std::string_view program;  // on the search path
  // The command; none: it has no such model.
  std::optional<std::vector<std::string>> (*command)(const CheckedFile& file, std::string_view model);
  // What it prints if the program is correct, if it is not, and before the number of executions; empty: never.
  std::string_view correct, incorrect, executions;
};

// Those that are installed.
std::vector<Checker> installed_checkers();

CheckerCell check_by(const Checker& checker, const CheckedFile& file, std::string_view model, double seconds);

}  // namespace fenceline::tables
