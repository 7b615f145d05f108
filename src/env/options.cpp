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
    OptionSpec{"--model", "M", &Options::models, 0, 0, "the memory model: tso or pso", kOfReduce},
    OptionSpec{"-I", "DIR", &Options::cat_folders, 0, 0,
               "further directories for the includes of C and .cat files"},
    OptionSpec{"-I", "DIR", &Options::cat_folders, 0, 0, "further directories for the includes of .cat files",
               kOfLitmus},
    OptionSpec{"--engine", "E", &Options::engine, 0, 0,
               "auto, or one of `fenceline engines`; auto: the first that can decide the task"},
    OptionSpec{
        "--engine", "E", &Options::engine, 0, 0,
        "the engine that verifies, such as coherence, explicit or numeric; auto: the first that can decide "
        "the task",
        kOfInfer},
    OptionSpec{"--property", "NAME,...", &Options::properties, 0, 0,
               "check only these properties (run-time errors are always checked)", kOfBoth},
    OptionSpec{"--property", "NAME", &Options::properties, 0, 0,
               "the property to reduce with the program; without it, the first that can be", kOfReduce},
    OptionSpec{"--test", "NAME,...", &Options::tests, 0, 0,
               "only these tests of a .tests file (all: every one)"},
    OptionSpec{"-D", "NAME[=VALUE]", &Options::defines, 0, 0, "define a macro for C and C++ files"},
    OptionSpec{"--frees", "", &Options::frees, 0, 0, "in C, use after free and double free are errors"},
    OptionSpec{"--leaks", "", &Options::leaks, 0, 0, "the same, and all memory must be freed in the end"},
    OptionSpec{"--deadlock", "", &Options::deadlock, 0, 0, "also check that no execution ends in a deadlock",
               kOfBoth},
    OptionSpec{"--threads", "N", &Options::threads, 0, 4,
               "number of threads that use a transactional memory; 0: as in its file", kOfBoth},
    OptionSpec{"--variables", "N", &Options::variables, 0, 4,
               "number of its transactional variables; 0: as in its file", kOfBoth},
    OptionSpec{
        "--method", "M", &Options::method, 0, 0,
        "auto: prop if the program has unbounded integers, else lazy. "
        "lazy: learn from one counterexample after the other; avoid: from the whole state graph; foil: one "
        "fence for the last reordering of each counterexample; prop, bfs, dfs: search among all sets of "
        "candidate positions, guided by known results, the largest or the smallest sets first; descent: "
        "remove one fence after the other",
        kOfInfer},
    OptionSpec{"--positions", "P", &Options::positions, 0, 0,
               "candidate positions: after stores, or after all statements that are steps", kOfInfer},
    OptionSpec{"--fences", "KINDS", &Options::fences, 0, 0,
               "full: full fences only; any: then weaken each fence while all properties stay verified",
               kOfInfer},
    OptionSpec{"--all", "", &Options::all_placements, 0, 0,
               "find all minimum placements, not just one; prop, bfs, dfs: all minimal ones", kOfInfer},
    OptionSpec{"--patch", "OUT", &Options::patch, 0, 0,
               "write the program with its fences to OUT, `-`: standard output, which then has nothing else",
               kOfInfer},
    OptionSpec{"--plot", "FILE", &Options::plot, 0, 0, "prop, bfs, dfs, descent: plot the search (SVG)",
               kOfInfer},
    OptionSpec{"--in-place", "", &Options::in_place, 0, 0, "write the fences into FILE itself", kOfInfer},
    OptionSpec{
        "--buffer-limit", "N", &Options::buffer_limit, 0, 1e6,
        "at most N pending stores per thread where a loop can fill store buffers without bound; 0: no limit",
        kOfBoth},
    OptionSpec{"--no-reduction", "", &Options::reduction, 0, 0, "explore every interleaving", kOfCheck, true},
    OptionSpec{"--no-fusing", "", &Options::fusing, 0, 0, "make every local computation a step of its own",
               kOfCheck, true},
    OptionSpec{"--no-liveness", "", &Options::liveness, 0, 0,
               "distinguish states by registers that are not read any more", kOfCheck, true},
    OptionSpec{"--no-symmetry", "", &Options::symmetry, 0, 0, "queue engine: no symmetry reduction", kOfCheck,
               true},
    OptionSpec{"--check-reduction", "", &Options::check_reduction, 0, 0,
               "explicit and queue engines: explore with and without reductions and compare"},
    OptionSpec{
        "--abstraction", "A", &Options::abstraction, 0, 0,
        "coherence engine: set, fdK or pdK (K: how many stores are kept in order); auto: fd0, fd1, ... "
        "until one decides",
        kOfBoth},
    OptionSpec{"--buffer-values", "V", &Options::buffer_values, 0, 0,
               "coherence engine: exact, intervals or parity; abstraction of pending values", kOfBoth},
    OptionSpec{"--max-order", "K", &Options::max_order, 0, 8, "coherence engine: where auto stops raising K",
               kOfBoth},
    OptionSpec{"--search", "S", &Options::search, 0, 0,
               "automata engine: bfs, breadth-first; dfs, depth-first as in the paper"},
    OptionSpec{"--no-acceleration", "", &Options::acceleration, 0, 0,
               "automata engine: no acceleration of cycles", kOfCheck, true},
    OptionSpec{"--no-library", "", &Options::library, 0, 0,
               "automata engine: accelerate the cycles through a location one by one, not together", kOfCheck,
               true},
    OptionSpec{"--no-sleep-sets", "", &Options::sleep_sets, 0, 0,
               "automata engine, dfs: take independent steps in every order", kOfCheck, true},
    OptionSpec{"--widen-above", "N", &Options::widen_above, 0, 1e6,
               "automata engine: widen automata with more than N states; 0: never"},
    OptionSpec{"--bound", "N", &Options::bound, 1, 1e6,
               "sat engine: unroll a loop at most N times (fewer where that suffices)"},
    OptionSpec{"--proof", "FILE", &Options::proof, 0, 0,
               "sat engine: write the solver's proof to FILE (DRAT) and the formula to FILE.cnf; the last of "
               "several is kept"},
    OptionSpec{"--domain", "D", &Options::domain, 0, 0,
               "numeric engine: polyhedra, octagons, differences or boxes; auto: polyhedra, then differences",
               kOfBoth},
    OptionSpec{"--disjuncts", "N", &Options::disjuncts, 1, 64,
               "numeric engine: keep at most N abstract elements per partition", kOfBoth},
    OptionSpec{
        "--slots", "K", &Options::slots, 0, 16,
        "numeric engine: track at most K pending stores explicitly, the others by bounds; 0: tries some",
        kOfBoth},
    OptionSpec{"--invariant", "FILE", &Options::invariant, 0, 0,
               "numeric engine: write the invariant to FILE; the last of several is kept"},
    OptionSpec{"--no-confirm", "", &Options::confirm, 0, 0,
               "numeric engine: do not search for a counterexample if no invariant is found", kOfCheck, true},
    OptionSpec{"--slots", "K", &Options::slots, 0, 16,
               "capacity of a store buffer of the reduced program; 0: 2", kOfReduce},
    OptionSpec{"--arrays", "A", &Options::arrays, 0, 0,
               "numeric engine: expand (a variable per element), smash (one for all) or auto", kOfBoth},
    OptionSpec{
        "--layout", "L", &Options::layout, 0, 0,
        "numeric engine: explicit (finite data is tracked explicitly) or paper (everything is numeric)",
        kOfBoth},
    OptionSpec{"--refine", "R", &Options::refine, 0, 0,
               "numeric engine, --layout paper: record at all flush positions what was done, or at none",
               kOfBoth},
    OptionSpec{"--refine", "R", &Options::refine, 0, 0,
               "all: a variable per flush position records whether a store was flushed there; none: no such "
               "variables",
               kOfReduce},
    OptionSpec{"--bound", "N", &Options::bound, 1, 1e6, "unroll a loop at most N times", kOfLitmus},
    OptionSpec{"--certify", "WHEN", &Options::certify, 0, 0,
               "check proofs again with independent code: always, auto (while it is cheap), never", kOfBoth},
    OptionSpec{"--timeout", "S", &Options::timeout, 0, 1e9, "stop after S seconds with `unknown`; 0: never",
               kOfBoth},
    OptionSpec{"--timeout", "S", &Options::timeout, 0, 1e9, "stop each test after S seconds; 0: never",
               kOfLitmus},
    OptionSpec{
        "--memory", "MB", &Options::memory_mb, 0, 1e9,
        "stop at MB megabytes of all processes together with `unknown` (below 56: of what the engine holds); "
        "0: four fifths of what is available",
        kOfBoth},
    OptionSpec{"--timeout", "S", &Options::timeout, 0, 1e9, "stop after S seconds; 0: never", kOfReduce},
    OptionSpec{"--memory", "MB", &Options::memory_mb, 0, 1e9,
               "stop at MB megabytes; 0: four fifths of what is available", kOfReduce},
    OptionSpec{"--memory", "MB", &Options::memory_mb, 0, 1e9,
               "stop each test at MB megabytes; 0: four fifths of what is available", kOfLitmus},
    OptionSpec{"--jobs", "N", &Options::jobs, 1, 64, "threads to use", kOfBoth},
    OptionSpec{"--jobs", "N", &Options::tests_at_once, 0, 64,
               "tests to run at the same time; 0: as many as there are cores", kOfLitmus},
    OptionSpec{"--seed", "N", &Options::seed, 0, 1e18, "seed of random choices"},
    OptionSpec{"--json", "FILE", &Options::json, 0, 0,
               "write the result as JSON to FILE, `-`: standard output", kOfAll},
    OptionSpec{"--quiet", "", &Options::quiet, 0, 0, "print verdicts only", kOfBoth},
    OptionSpec{"--verbose", "", &Options::verbose, 0, 0, "print statistics too", kOfBoth},
};

}  // namespace

std::span<const OptionSpec> option_table() { return kTable; }

}  // namespace fenceline
