// SPDX-License-Identifier: GPL-3.0-or-later
//
// Engines side by side, each in a process of its own. At most `jobs` of them run at a time; with more engines
// than that, they take turns: those that do not run are stopped (SIGSTOP) and keep what they have. First each
// has a short turn, by rank; with more than one job the first engine runs on meanwhile. Then the fast engines
// share most of the time, and the others have a sixteenth as much each, so that an engine that needs a second
// never has to wait for one that needs an hour. An engine that decides early or rarely at all
// (Priority::Speed::kEarly) is a fast one for its first 0.05 s, and has a quarter as much after that where the
// fast ones need all jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/portfolio/portfolio.h"

namespace fenceline::engine {

struct Racer {
  const Engine* engine = nullptr;
  bool started = false;
  double seconds = 0;  // that it ran
  // None: it was stopped since another engine had the answer, or a limit was reached.
  std::optional<Result> result;
};

// Throws Bug, with what is needed to reproduce it, if two conclusive answers differ.
void require_agreement(const std::vector<Racer>& racers, const Task& task);

// Runs until one of the engines has a conclusive answer, all have ended, or a limit is reached. Throws Bug if
// two of them contradict each other, or one crashes. Preconditions: the fast engines come before the others;
// no other thread runs in this process.
std::vector<Racer> race(const std::vector<Candidate>& engines, const Task& task, Env& env);

}  // namespace fenceline::engine
