// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exploration of execution graphs against other readings of the axioms, for one program and model:
//
//   - how many executions lead to each final state, compared with the enumeration of check/, which shares neither the
//     consistency check nor the search with it; on models with load buffering, of those without a cycle of program order
//     and rf; that no other executions exist where an analysis says so (programs without loops);
//   - the final states, executions and flags that `litmus` would print, by each of its engines; with loops, the states;
//   - verdicts about errors and about a property, compared with `sat`, `enumeration` and, where there is a machine,
//     `explicit`.
//
// Answers that are not complete are compared with nothing.
#pragma once

#include <string>

#include "ir/program.h"
#include "random_runs.h"

namespace fenceline::fuzz {

struct ComparisonSettings {
  bool outcomes = true;
  bool verdicts = true;
  double seconds = 0.2;  // for each engine
  // Breaks something on purpose, to test the test: fr-is-missing gives the exploration a model without a rule,
  // lost-execution drops the last execution of many, lost-cycle makes the analysis exclude every cycle, lost-state drops a
  // final state of `litmus`, lost-errors turns a violation into a proof.
  std::string plant = "";
};

// What was found out about a program on sc, if that came first: all other models allow the executions that sc allows, so
// what does not end in time there is not tried on them.
struct KnownLimits {
  bool explorable = true;
  bool enumerable = true;
};

// Empty if nothing contradicts; else what, beginning with the name of the model and a colon. Counts what happened if
// there is a tally.
std::string compare_executions(const Program& program, const std::string& model,
                               const ComparisonSettings& settings, KnownLimits& known, Tally* tally);

}  // namespace fenceline::fuzz
