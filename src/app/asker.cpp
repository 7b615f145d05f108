// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine that fails for want of memory or of a feature gives an answer like any other here: unknown, and
// why. What is shared between questions is small and has a lock.
#include "app/asker.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <utility>

#include "app/interrupt.h"
#include "env/errors.h"
#include "model/memory_model.h"

namespace fenceline {
namespace {

constexpr double kPatience = 2;  // seconds

Options with_one_thread(Options options) {
  options.jobs = 1;
  return options;
}

}  // namespace

Asker::Asker(const Registry& registry, const Options& options, Progress& progress, std::string engine,
             unsigned at_once)
    : registry_(registry),
      together_(at_once > 1),
      options_(together_ ? with_one_thread(options) : options),
      progress_(progress),
      silence_(false),
      engine_(std::move(engine)),
      limits_(options.timeout, options.memory_mb << 20) {}

Result Asker::ask(const Problem& problem) {
  {
    const std::lock_guard lock(mutex_);
    ++questions_;
    if (!together_)
      progress_.set_task(fmt::format("{}: {}: question {}: {}: ", problem.program.source.name,
                                     problem.model.name, questions_, problem.property.name));
  }
  if (engine_ != "auto") return without_haste(ask(engine_, problem, limits_));
  if (registry_.choose("coherence", problem).engine == nullptr)
    return without_haste(ask("auto", problem, limits_));
  Result result = ask("coherence", problem, limits_);
  if (result.spurious && registry_.choose("explicit", problem).engine != nullptr) {
    Limits patience(kPatience + 10 * result.seconds, options_.memory_mb << 20);
    Result exact = ask("explicit", problem, patience);
    if (exact.verdict != Verdict::kUnknown) return exact;
  }
  return without_haste(std::move(result));
}

std::string Asker::engines() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("{}", fmt::join(engines_, ", "));
}

Result Asker::ask(const std::string& name, const Problem& problem, Limits& limits) {
  const Registry::Choice choice = registry_.choose(name, problem);
  Result result;
  result.reason = choice.why;
  if (choice.engine == nullptr) return result;
  {
    const std::lock_guard lock(mutex_);
    engines_.insert(std::string(choice.engine->name()));
  }
  std::optional<Interruptible> interruptible;
  if (!together_) interruptible.emplace(limits);
  Progress& progress = together_ ? silence_ : progress_;
  Env env{options_, limits, progress};
  try {
    result = choice.engine->run(problem, env);
  } catch (const std::bad_alloc&) {
    result = Result();
    result.reason = "memory ran out";
  } catch (const Unsupported& unsupported) {
    result = Result();
    result.reason = unsupported.what();
  }
  progress.clear();
  return result;
}

// An abstract run that nobody had the time to look at closely says nothing; and a limit is a reason.
Result Asker::without_haste(Result result) {
  const LimitReached reached = limits_.poll();
  const bool says_why = !result.spurious && !result.reason.empty();
  if (reached == LimitReached::kNone || result.verdict != Verdict::kUnknown || says_why) return result;
  Result limited;
  limited.reason = limits_.describe(reached);
  return limited;
}

}  // namespace fenceline
