// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random differential testing of the machines: generate a program, run every reading of the semantics
// (compare.h), and stop at the first disagreement with a program small enough to think about. See
// comparison_runs.h for the command line.
#include "comparison_runs.h"

int main(int argc, char** argv) { return fenceline::fuzz::run_comparisons(argc, argv, {}); }
