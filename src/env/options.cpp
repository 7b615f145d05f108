// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/options.h"

#include <array>

namespace fenceline {
namespace {

const std::array kTable = {
    OptionSpec{"--model", "M,...", &Options::models, 0, 0,
               "memory models to check under: sc tso pso (see `fenceline models`)"},
    OptionSpec{"--engine", "E", &Options::engine, 0, 0,
               "auto, or one of `fenceline engines`; auto takes the first that can decide the problem"},
    OptionSpec{"--property", "NAME,...", &Options::properties, 0, 0,
               "check only these properties (run-time errors are always checked)"},
    OptionSpec{"--deadlock", "", &Options::deadlock, 0, 0, "also check that no run gets stuck"},
    OptionSpec{
        "--buffer-limit", "N", &Options::buffer_limit, 0, 1e6,
        "at most N waiting stores per thread where a loop can fill store buffers without end; 0: no limit"},
    OptionSpec{"--no-reduction", "", &Options::reduction, 0, 0, "explore every interleaving", true},
    OptionSpec{"--no-fusing", "", &Options::fusing, 0, 0, "make every local computation a step of its own",
               true},
    OptionSpec{"--no-liveness", "", &Options::liveness, 0, 0,
               "tell states apart by registers that nobody will read", true},
    OptionSpec{"--check-reduction", "", &Options::check_reduction, 0, 0,
               "explore with and without partial-order reduction and compare"},
    OptionSpec{
        "--abstraction", "A", &Options::abstraction, 0, 0,
        "coherence engine: set, fdK or pdK (K: how many stores are kept in order); auto: fd0, fd1, ... "
        "until one decides"},
    OptionSpec{"--buffer-values", "V", &Options::buffer_values, 0, 0,
               "coherence engine: exact, intervals or parity; what is kept of waiting values"},
    OptionSpec{"--max-order", "K", &Options::max_order, 0, 8, "coherence engine: where auto stops raising K"},
    OptionSpec{"--certify", "WHEN", &Options::certify, 0, 0,
               "check proofs again with independent code: always, auto (while it is cheap), never"},
    OptionSpec{"--timeout", "S", &Options::timeout, 0, 1e9, "stop after S seconds with `unknown`; 0: never"},
    OptionSpec{"--memory", "MB", &Options::memory_mb, 0, 1e9,
               "stop at MB megabytes with `unknown`; 0: four fifths of what is available"},
    OptionSpec{"--jobs", "N", &Options::jobs, 1, 64, "threads to use"},
    OptionSpec{"--seed", "N", &Options::seed, 0, 1e18, "seed for whatever is random"},
    OptionSpec{"--json", "FILE", &Options::json, 0, 0,
               "write the result as JSON to FILE, `-`: standard output"},
    OptionSpec{"--quiet", "", &Options::quiet, 0, 0, "print verdicts only"},
    OptionSpec{"--verbose", "", &Options::verbose, 0, 0, "print statistics too"},
};

}  // namespace

std::span<const OptionSpec> option_table() { return kTable; }

}  // namespace fenceline
