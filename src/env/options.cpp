// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/options.h"

#include <array>

namespace fenceline {
namespace {

const std::array kTable = {
    OptionSpec{"--model", "M,...", &Options::models, 0, 0,
               "memory models to check under: names (see `fenceline models`) or .cat files"},
    OptionSpec{"--model", "M", &Options::models, 0, 0, "the memory model: tso or pso", kOfInfer},
    OptionSpec{"--model", "M", &Options::litmus_model, 0, 0,
               "the memory model; without it, each test is run under the model of its architecture",
               kOfLitmus},
    OptionSpec{"-I", "DIR", &Options::cat_folders, 0, 0,
               "where else to look for what C and .cat files include"},
    OptionSpec{"-I", "DIR", &Options::cat_folders, 0, 0, "where else to look for what .cat files include",
               kOfLitmus},
    OptionSpec{"--engine", "E", &Options::engine, 0, 0,
               "auto, or one of `fenceline engines`; auto takes the first that can decide the problem"},
    OptionSpec{
        "--engine", "E", &Options::engine, 0, 0,
        "who is asked: coherence or explicit; auto takes the first of them that can decide the problem",
        kOfInfer},
    OptionSpec{"--property", "NAME,...", &Options::properties, 0, 0,
               "check only these properties (run-time errors are always checked)", kOfBoth},
    OptionSpec{"--test", "NAME,...", &Options::tests, 0, 0,
               "of a .tests file only these tests (all: every one)"},
    OptionSpec{"-D", "NAME[=VALUE]", &Options::defines, 0, 0, "define a macro for C and C++ files"},
    OptionSpec{"--frees", "", &Options::frees, 0, 0,
               "in C, using freed memory and freeing it twice are errors"},
    OptionSpec{"--leaks", "", &Options::leaks, 0, 0,
               "the same, and what was allocated must be freed in the end"},
    OptionSpec{"--deadlock", "", &Options::deadlock, 0, 0, "also check that no run gets stuck", kOfBoth},
    OptionSpec{"--method", "M", &Options::method, 0, 0,
               "lazy: learn from one wrong run after the other; avoid: from all of them at once", kOfInfer},
    OptionSpec{"--positions", "P", &Options::positions, 0, 0,
               "where fences may be put: after stores, or after all statements that make a step", kOfInfer},
    OptionSpec{"--fences", "KINDS", &Options::fences, 0, 0,
               "full: full fences only; any: then weaken each one as far as everything stays verified",
               kOfInfer},
    OptionSpec{"--all", "", &Options::all_placements, 0, 0, "find all minimum placements, not just one",
               kOfInfer},
    OptionSpec{"--patch", "OUT", &Options::patch, 0, 0,
               "write the program with its fences to OUT, `-`: standard output, and nothing else there",
               kOfInfer},
    OptionSpec{"--in-place", "", &Options::in_place, 0, 0, "write the fences into FILE itself", kOfInfer},
    OptionSpec{
        "--buffer-limit", "N", &Options::buffer_limit, 0, 1e6,
        "at most N waiting stores per thread where a loop can fill store buffers without end; 0: no limit",
        kOfBoth},
    OptionSpec{"--no-reduction", "", &Options::reduction, 0, 0, "explore every interleaving", kOfCheck, true},
    OptionSpec{"--no-fusing", "", &Options::fusing, 0, 0, "make every local computation a step of its own",
               kOfCheck, true},
    OptionSpec{"--no-liveness", "", &Options::liveness, 0, 0,
               "tell states apart by registers that nobody will read", kOfCheck, true},
    OptionSpec{"--check-reduction", "", &Options::check_reduction, 0, 0,
               "explore with and without partial-order reduction and compare"},
    OptionSpec{
        "--abstraction", "A", &Options::abstraction, 0, 0,
        "coherence engine: set, fdK or pdK (K: how many stores are kept in order); auto: fd0, fd1, ... "
        "until one decides",
        kOfBoth},
    OptionSpec{"--buffer-values", "V", &Options::buffer_values, 0, 0,
               "coherence engine: exact, intervals or parity; what is kept of waiting values", kOfBoth},
    OptionSpec{"--max-order", "K", &Options::max_order, 0, 8, "coherence engine: where auto stops raising K",
               kOfBoth},
    OptionSpec{"--search", "S", &Options::search, 0, 0,
               "automata engine: bfs, breadth-first; dfs, depth-first as in the paper"},
    OptionSpec{"--no-acceleration", "", &Options::acceleration, 0, 0,
               "automata engine: take every round of a cycle step by step", kOfCheck, true},
    OptionSpec{"--no-library", "", &Options::library, 0, 0,
               "automata engine: accelerate the cycles through a place one by one, not together", kOfCheck,
               true},
    OptionSpec{"--no-sleep-sets", "", &Options::sleep_sets, 0, 0,
               "automata engine, dfs: take independent steps in every order", kOfCheck, true},
    OptionSpec{"--widen-above", "N", &Options::widen_above, 0, 1e6,
               "automata engine: give up exactness where an automaton has more than N states; 0: never"},
    OptionSpec{"--bound", "N", &Options::bound, 1, 1e6,
               "sat engine: unroll a loop at most N times (it stops earlier where no loop goes on)"},
    OptionSpec{
        "--proof", "FILE", &Options::proof, 0, 0,
        "sat engine: write the solver's proof to FILE (DRAT) and the formula to FILE.cnf; of several the "
        "last one stays"},
    OptionSpec{"--bound", "N", &Options::bound, 1, 1e6, "follow a loop for at most N rounds", kOfLitmus},
    OptionSpec{"--certify", "WHEN", &Options::certify, 0, 0,
               "check proofs again with independent code: always, auto (while it is cheap), never", kOfBoth},
    OptionSpec{"--timeout", "S", &Options::timeout, 0, 1e9, "stop after S seconds with `unknown`; 0: never",
               kOfBoth},
    OptionSpec{"--timeout", "S", &Options::timeout, 0, 1e9, "stop each test after S seconds; 0: never",
               kOfLitmus},
    OptionSpec{"--memory", "MB", &Options::memory_mb, 0, 1e9,
               "stop at MB megabytes with `unknown`; 0: four fifths of what is available", kOfBoth},
    OptionSpec{"--memory", "MB", &Options::memory_mb, 0, 1e9,
               "stop each test at MB megabytes; 0: four fifths of what is available", kOfLitmus},
    OptionSpec{"--jobs", "N", &Options::jobs, 1, 64, "threads to use", kOfBoth},
    OptionSpec{"--jobs", "N", &Options::tests_at_once, 0, 64,
               "tests to run at the same time; 0: as many as there are cores", kOfLitmus},
    OptionSpec{"--seed", "N", &Options::seed, 0, 1e18, "seed for whatever is random"},
    OptionSpec{"--json", "FILE", &Options::json, 0, 0,
               "write the result as JSON to FILE, `-`: standard output", kOfAll},
    OptionSpec{"--quiet", "", &Options::quiet, 0, 0, "print verdicts only", kOfBoth},
    OptionSpec{"--verbose", "", &Options::verbose, 0, 0, "print statistics too", kOfBoth},
};

}  // namespace

std::span<const OptionSpec> option_table() { return kTable; }

}  // namespace fenceline
