// SPDX-License-Identifier: GPL-3.0-or-later
//
// Engines side by side, each in a process of its own. At most `jobs` of them run at a time; with more engines
// than that, they take turns: those that do not run are stopped (SIGSTOP) and keep what they have. The turns are short
// at first, and grow with what the engine has had, so that an engine that needs a second never has to wait for one
// that needs an hour. The fast engines share most of the time, and the others have their first turn when these have had
// a few, and a sixteenth as much each after that. With more than one job the first engine runs on until all fast ones
// have had a turn.
//
// How much time a fast engine gets also depends on how long it predicts to take (RuntimePrediction): more for a while if
// that is short, an eighth if it is long. An engine that decides early or rarely at all (Priority::Speed::kEarly) is a
// fast one for its first 0.05 s, and has a quarter as much after that where the fast ones need all jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/portfolio/portfolio.h"
#include "env/child_process.h"

namespace fenceline::engine {

// Seconds that the most promising engine has before others join it.
inline constexpr double kHeadStart = 0.03;

struct Racer {
  const Engine* engine = nullptr;
  bool started = false;
  double seconds = 0;  // that it ran
  // None: it was stopped since another engine had the answer, or a limit was reached.
  std::optional<Result> result;
};

// An engine that runs already: a process that is stopped, and sends what answer_bytes() makes.
struct HeadStart {
  const Engine* engine = nullptr;
  double seconds = 0;  // that it has run
  double used = 0;     // of these, with a processor
  ForkedChild child;
};

// In a process that is a copy: what an engine answers there, or what it throws, for the process that it reports to.
std::string answer_bytes(const std::function<Result()>& run);

// Throws Bug, with what is needed to reproduce it, if two conclusive answers differ.
void require_agreement(const std::vector<Racer>& racers, const Task& task);

// Runs until one of the engines has a conclusive answer, all have ended, or a limit is reached. Throws Bug if
// two of them contradict each other, or one crashes. Preconditions: the fast engines come before the others;
// no other thread runs in this process.
std::vector<Racer> race(const std::vector<Candidate>& engines, const Task& task, Env& env,
                        std::optional<HeadStart> head_start = std::nullopt);

}  // namespace fenceline::engine
