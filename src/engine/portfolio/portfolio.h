// SPDX-License-Identifier: GPL-3.0-or-later
//
// Verifies a task with the engines that support it. Each has a priority for the task; the portfolio runs them
// until one has a conclusive answer:
//
//   rank the engines that support the task
//   a first look: small tasks are decided by a small amount of work
//   the first engine gets a head start, alone: most other tasks are decided then
//   the others join it, side by side in processes of their own, as many as there are jobs; with more engines
//   than jobs they take turns, and the fast ones get most of the time (race.h)
//   the first conclusive answer wins, and the others are stopped
//
// Two conclusive answers that differ are a Bug. A search for fences verifies many tasks, its jobs are busy
// with those, and what it finds must not depend on which engine was faster: there engines are run one after
// the other (Schedule::kInTurn).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "env/env.h"
#include "task/task.h"
#include "task/verification.h"

namespace fenceline::engine {

// All engines there are, in the order in which equally promising ones are tried.
const std::vector<std::unique_ptr<Engine>>& all_engines();

// Throws UsageError, naming the engines, unless `name` is one of them or "auto".
void require_known_engine(const std::string& name);
// Precondition: there is such an engine.
const Engine& engine_called(std::string_view name);

struct Candidate {
  const Engine* engine = nullptr;
  std::string why;  // one sentence: why it was chosen
  Priority::Speed speed = Priority::Speed::kSlow;
  std::atomic<RuntimePrediction>* prediction =
      nullptr;  // what it expects of itself while it runs; none: not known
};

// The engines for the task, the most promising first: all that support it, or the one called `name` unless
// that is "auto". If there is none, `why_none` says why.
std::vector<Candidate> candidates(const Task& task, const std::string& name, std::string& why_none);

enum class Schedule : uint8_t {
  kSideBySide,
  kAtOnce,  // the same without a first look and without a head start
  // First an engine that always ends, if there is one. If its counterexample is spurious, the next engine has a
  // few seconds to decide.
  kInTurn,
};

// env.options.engine says which engines, env.options.jobs how many processes at once. Whatever the program
// under test does, this returns within the limits.
Verification verify(const Task& task, Env& env, Schedule schedule = Schedule::kSideBySide);
// The same without progress being shown.
Verification verify(const Task& task, const Options& options, Limits& limits,
                    Schedule schedule = Schedule::kSideBySide);

// The result of one engine, whatever options.engine says; that of an unsupported task is unknown, with the
// reason. Precondition: there is such an engine.
Result verify_by(std::string_view engine, const Task& task, const Options& options, Limits& limits);

}  // namespace fenceline::engine
