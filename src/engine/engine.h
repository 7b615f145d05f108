// SPDX-License-Identifier: GPL-3.0-or-later
//
// What every engine is: a function from a Task to a Result.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "env/env.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline {

// What every engine's run() does around its own work: takes the time, and answers `unknown` when the machine
// runs out of memory.
Result measured(const std::function<Result()>& decide);

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  // one line for `fenceline engines`

  // Empty if this engine can decide such tasks, else why not.
  virtual std::string cannot(const Task& task) const = 0;

  // Why this engine may well end without an answer although it takes the task, so that others should be
  // asked first; empty if there is no such reason.
  // For most, tests of data types are such: many threads, many values, and loops that end.
  virtual std::string hesitates(const Task& task) const;

  // Precondition: cannot(task) is empty. Never throws for what the program under test does.
  virtual Result run(const Task& task, Env& env) const = 0;
};

// Is there a variable for whose values no bound is known? Not in programs whose integers wrap.
bool has_unbounded_integers(const Program& program);

// Empty, or why an engine that knows nothing of transactions cannot decide the task.
std::string knows_no_histories(const Engine& engine, const Task& task);

}  // namespace fenceline
