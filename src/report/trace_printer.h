// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trace rendering: a counterexample as a list of lines that say what each thread stores and reads, which
// labels it reaches, and which stores are pending in its buffer. Steps that no other thread can observe are
// left out, and a loop that spins without changing anything is printed once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/display.h"
#include "report/report.h"

namespace fenceline::report {

struct TraceLine {
  std::optional<size_t> step;  // from 1; none: the line belongs to the one above
  std::string line;            // of the source, see Program::line_name; empty: none
  ThreadId thread;
  std::string text;
  std::string note;  // printed dimly, after the text
  Tone tone = Tone::kPlain;
};

struct PrintedTrace {
  std::vector<TraceLine> lines;
  size_t hidden = 0;              // steps that were left out
  size_t internal = 0;            // those of them that are not of the program (StepRole)
  std::vector<ThreadId> threads;  // that take part, in the order of the program
};

// Precondition: the answer is a violation with a replay.
PrintedTrace print_trace(const Answer& answer, bool verbose);

}  // namespace fenceline::report
