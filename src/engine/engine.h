// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface of engines: a function from a Task to a Result. The portfolio (engine/portfolio) chooses by
// supports() and priority().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/facts.h"
#include "env/env.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline::engine {

// How promising an engine is for a task.
struct Priority {
  enum class Rank : uint8_t {
    kGood,      // it decides such tasks
    kDoubtful,  // it often ends without an answer
  };
  // If it decides such a task at all, how soon? Where engines share the time, this says who gets how much.
  enum class Speed : uint8_t {
    kRare,    // another engine nearly always is faster
    kSlow,    // another engine is usually faster
    kSecond,  // another engine is usually faster, and this one where that takes long
    kFast,    // as a rule no other engine is faster
    kEarly,   // the same, and what it does not decide early it rarely decides at all
  };
  Rank rank = Rank::kGood;  // the good ones are tried first
  std::string why = {};     // kDoubtful: what about the task makes it so
  Speed speed = Speed::kSlow;
};

constexpr bool is_fast(Priority::Speed speed) {
  return speed == Priority::Speed::kFast || speed == Priority::Speed::kEarly;
}

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  // one line for `fenceline engines`

  // Why this engine cannot decide such tasks; empty if it can.
  virtual std::string unsupported_reason(const Task& task) const = 0;
  bool supports(const Task& task) const { return unsupported_reason(task).empty(); }

  // Precondition: supports(task), and the facts are about it. For most engines, tests of data types and
  // unbounded integers are doubtful: many threads, many values.
  virtual Priority priority(const Task& task, const Facts& facts) const;
  // Of an engine that is not fast. Where integers and store buffers are bounded, engines that could do without that
  // rarely are the first to decide.
  static Priority::Speed slow_speed(const Task& task, const Facts& facts);

  // Does it terminate on every task whose integers are bounded, since its state space is finite however long
  // store buffers get?
  virtual bool always_ends() const { return false; }

  // May the portfolio choose it? If not, only `check --engine` does.
  virtual bool in_portfolio() const { return true; }

  // Do its proofs come with certificates?
  virtual bool certifies() const { return false; }

  // The result of run() if that takes a small, fixed amount of work, whatever priority() says; none otherwise.
  // Precondition: supports(task).
  virtual std::optional<Result> first_look(const Task& task, Env& env) const;

  // Precondition: supports(task). Never throws for what the program under test does.
  virtual Result run(const Task& task, Env& env) const = 0;
};

// Wraps run() of every engine: measures the time, and answers `unknown` when memory runs out.
Result measured(const std::function<Result()>& decide);

// Empty, or why an engine that does not look for threads that wait for ever cannot decide the task.
std::string liveness_unsupported(const Engine& engine, const Task& task);

// Empty, or why an engine without transactions cannot decide the task.
std::string transactions_unsupported(const Engine& engine, const Task& task);

// The same for an engine whose store buffers have one cell per entry. (Without buffers there is no difference.)
std::string wide_stores_unsupported(const Engine& engine, const Task& task);

// The same for an engine that goes through the executions that axioms allow: what none of these supports.
std::string unsupported_by_executions(const Engine& engine, const Task& task);

}  // namespace fenceline::engine
