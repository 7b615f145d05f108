// SPDX-License-Identifier: GPL-3.0-or-later
//
// A violating run as a list of things worth telling: what each thread does to memory and reads from it, where
// it arrives, and what waits in its buffer. Steps that concern nobody but their thread are left out, and a
// loop that spins without changing anything is told once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/display.h"
#include "report/report.h"

namespace fenceline {

struct StoryLine {
  std::optional<size_t> step;  // from 1; none: the line belongs to the one above
  std::string line;            // of the source, see Program::line_name; empty: none
  ThreadId thread;
  std::string text;
  std::string note;  // told more quietly, after the text
  Tone tone = Tone::kPlain;
};

struct Story {
  std::vector<StoryLine> lines;
  size_t hidden = 0;              // steps that were left out
  std::vector<ThreadId> threads;  // that take part, in the order of the program
};

// Precondition: the answer is a violation with a replay.
Story tell_story(const Answer& answer, bool verbose);

}  // namespace fenceline
