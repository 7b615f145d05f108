// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/options.h"

#include "env/option_group.h"

namespace fenceline {

// One table, with a row for each option.
// NOLINTNEXTLINE(readability-function-size)
OptionGroup common_options() {
  constexpr OptionLevel kCommon = OptionLevel::kCommon;
  constexpr uint64_t kMostMemory = 1'000'000'000;  // megabytes
  constexpr double kLongest = 1e9;                 // seconds
  return {
      "Common",
      {
          names({"--model", "M,...",
                 "memory models to check under: names (see `fenceline models`) or .cat files", kOfCheck,
                 kCommon},
                &Options::models),
          names({"--model", "M", "the memory model: tso or pso", kOfInfer, kCommon}, &Options::models),
          names({"--model", "M", "the memory model: tso or pso", kOfReduce, kCommon}, &Options::models),
          names({"-I", "DIR", "further directories for the includes of C and .cat files", kOfCheck, kCommon},
                &Options::include_folders),
          names({"-I", "DIR", "further directories for the includes of .cat files", kOfLitmus, kCommon},
                &Options::include_folders),
          word({"--engine", "E",
                "auto, or one of `fenceline engines`; auto: all engines that support the task", kOfCheck,
                kCommon},
               &Options::engine),
          word({"--engine", "E",
                "the engine that verifies, such as coherence, explicit or numeric; auto: the first that can "
                "decide the task",
                kOfInfer, kCommon},
               &Options::engine),
          names({"--property", "NAME,...", "check only these properties (run-time errors are always checked)",
                 kOfBoth, kCommon},
                &Options::properties),
          names({"--property", "NAME",
                 "the property to reduce with the program; default: the first that can be reduced", kOfReduce,
                 kCommon},
                &Options::properties),
          names(
              {"--test", "NAME,...", "only these tests of a .tests file (all: every one)", kOfCheck, kCommon},
              &Options::tests),
          texts({"-D", "NAME[=VALUE]", "define a macro for C and C++ files", kOfCheck, kCommon},
                &Options::defines),
          choice({"--races", "WHAT",
                  "data races, on models that report them: error, or ignore (plain accesses then "
                  "synchronise nothing)",
                  kOfCheck, kCommon},
                 &Options::races, {{"error", Races::kError}, {"ignore", Races::kIgnored}}),
          flag({"--frees", "", "in C, use after free and double free are errors", kOfCheck, kCommon},
               &Options::frees),
          flag({"--leaks", "", "as --frees, and memory that is never freed is an error", kOfCheck, kCommon},
               &Options::leaks),
          flag({"--deadlock", "", "also check that no execution ends in a deadlock", kOfBoth, kCommon},
               &Options::deadlock),
          flag({"--liveness", "",
                "also check that no thread waits for ever, in a loop or at a blocking operation, although "
                "each "
                "other one has ended or waits too",
                kOfBoth, kCommon},
               &Options::liveness),
          whole_number(
              {"--threads", "N", "number of threads that use a transactional memory; 0: as in its file",
               kOfBoth, kCommon},
              &Options::threads, 0, 4),
          whole_number({"--variables", "N", "number of its transactional variables; 0: as in its file",
                        kOfBoth, kCommon},
                       &Options::variables, 0, 4),
          choice({"--certify", "WHEN",
                  "check proofs again with independent code: always, auto (while it is cheap), never",
                  kOfBoth, kCommon},
                 &Options::certify,
                 {{"always", Certify::kAlways}, {"auto", Certify::kAuto}, {"never", Certify::kNever}}),
          real_number({"--timeout", "S", "stop after S seconds with `unknown`; 0: never", kOfBoth, kCommon},
                      &Options::timeout, 0, kLongest),
          real_number({"--timeout", "S", "stop each test after S seconds; 0: never", kOfLitmus, kCommon},
                      &Options::timeout, 0, kLongest),
          real_number({"--timeout", "S", "stop after S seconds; 0: never", kOfReduce, kCommon},
                      &Options::timeout, 0, kLongest),
          whole_number({"--memory", "MB",
                        "stop at MB megabytes of all processes together with `unknown` (below 56: of what "
                        "the engine holds); 0: four fifths of what is available",
                        kOfBoth, kCommon},
                       &Options::memory_mb, 0, kMostMemory),
          whole_number({"--memory", "MB", "stop at MB megabytes; 0: four fifths of what is available",
                        kOfReduce, kCommon},
                       &Options::memory_mb, 0, kMostMemory),
          whole_number(
              {"--memory", "MB", "stop each test at MB megabytes; 0: four fifths of what is available",
               kOfLitmus, kCommon},
              &Options::memory_mb, 0, kMostMemory),
          whole_number({"--jobs", "N", "threads to use", kOfBoth, kCommon}, &Options::jobs, 1, 64),
          word({"--json", "FILE", "write the result as JSON to FILE, `-`: standard output", kOfAll, kCommon},
               &Options::json),
          flag({"--quiet", "", "print verdicts only", kOfBoth, kCommon}, &Options::quiet),
          flag({"--verbose", "", "print statistics too", kOfBoth, kCommon}, &Options::verbose),
      }};
}

}  // namespace fenceline
