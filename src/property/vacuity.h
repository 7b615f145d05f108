// SPDX-License-Identifier: GPL-3.0-or-later
//
// Is there anything that a proof is about? A program whose threads all wait for ever before the assertion has
// no wrong execution, and no right one either. docs/semantics.md, "Vacuous proofs", says what is asked; here
// are the questions, and a search for executions that answer them: a handful of interleavings, with threads
// and choices picked at random. What they show is certain. What they do not show may still exist, and an
// engine has to say.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/program.h"
#include "task/task.h"
#include "task/vacuity.h"

namespace fenceline {

// What has to happen in some execution.
struct VacuityQuestions {
  bool end = false;
  std::set<SourcePos> assertions;

  bool none() const { return !end && assertions.empty(); }
};

VacuityQuestions vacuity_questions(const Program& program, const Property& property);

// Takes away from `open` what some interleaving of the threads shows (on SC, without the fences). Returns
// where the threads of one are that has not ended; empty: all have.
std::vector<Vacuity::Stuck> search_executions(const Program& program, VacuityQuestions& open);

// The program with an error wherever an assertion of `open` is decided, and if an end is asked for, where the
// program ends. An engine that finds no error in it has shown that none of that happens. One that finds one
// has shown which: answered() by the text of the error.
Program with_errors(const Program& program, const VacuityQuestions& open);
void answered(const Program& program, const std::string& error, VacuityQuestions& open);

// Does the program end with a thread (Instruction::ends_program), and not with all of them?
bool ends_with_thread(const Program& program);

}  // namespace fenceline
