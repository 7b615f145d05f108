// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is a proof vacuous? A program whose threads are all blocked for ever before the assertion has no
// counterexample, and no execution that reaches the assertion either. docs/semantics.md, "Vacuous proofs",
// has the definition; here are the goals that executions have to reach, and a search for such executions: a
// handful of interleavings, with threads and choices picked at random. What they reach is certain. What they
// do not reach may still be reachable, and an engine has to decide that.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/program.h"
#include "task/program_error.h"
#include "task/task.h"
#include "task/vacuity.h"

namespace fenceline::property {

// What has to happen in some execution.
struct VacuityGoals {
  bool end = false;
  std::set<SourcePos> assertions;

  bool none() const { return !end && assertions.empty(); }
};

VacuityGoals vacuity_goals(const Program& program, const Property& property);

// Removes from `open` what some interleaving of the threads reaches (on SC, without the fences). Returns the
// program counters of one that has not ended; empty: all have.
std::vector<Vacuity::Stuck> search_executions(const Program& program, VacuityGoals& open);

// The program with an error wherever an assertion of `open` is evaluated, and if the end is a goal, where the
// program ends. An engine that finds no error in it has shown that no goal is reachable. One that finds an
// error has reached a goal: the end, or the assertion that mark_reached() removes from `open`.
Program with_errors(const Program& program, const VacuityGoals& open);
void mark_reached(const ProgramError& error, VacuityGoals& open);

// Does the program end with a thread (Instruction::ends_program), and not with all of them?
bool ends_with_thread(const Program& program);

}  // namespace fenceline::property
