// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine that fails for want of memory or of a feature gives an answer like any other here: unknown, and
// why. So does a process that is killed.
#include "app/asker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/interrupt.h"
#include "app/run_engine.h"
#include "engine/portfolio/result_bytes.h"
#include "env/errors.h"
#include "env/processes.h"
#include "model/memory_model.h"

namespace fenceline {
namespace {

constexpr double kPatience = 2;  // seconds

}  // namespace

Asker::Asker(const Registry& registry, const Options& options, Progress& progress, std::string engine,
             double spent)
    : registry_(registry),
      options_(options),
      progress_(progress),
      engine_(std::move(engine)),
      limits_(limits_of(options, spent)) {}

Result Asker::ask(const Task& task) {
  progress_.set_task(fmt::format("{}: {}: question {}: {}: ", task.program.source.name, task.model.name,
                                 ++questions_, task.property.name));
  if (engine_ != "auto") return without_haste(ask(engine_, task, limits_));
  if (registry_.choose("coherence", task).engine == nullptr) return without_haste(ask("auto", task, limits_));
  Result result = ask("coherence", task, limits_);
  if (result.spurious() && registry_.choose("explicit", task).engine != nullptr) {
    Limits patience(std::min(kPatience + 10 * result.statistics.seconds, limits_.seconds_left()),
                    limits_.memory_bytes());
    Result exact = ask("explicit", task, patience);
    if (exact.verdict() != Verdict::kUnknown) return exact;
  }
  return without_haste(std::move(result));
}

std::string Asker::engines() const { return fmt::format("{}", fmt::join(engines_, ", ")); }

// The first line says which engines were asked.
std::string Asker::ask_as_a_child(const Task& task) {
  progress_.be_silent();
  options_.jobs = 1;
  engines_.clear();
  const std::string bytes = to_bytes(ask(task));
  return fmt::format("{}\n{}", fmt::join(engines_, " "), bytes);
}

std::vector<Result> Asker::ask(const std::vector<Task>& tasks) {
  std::vector<Result> results;
  while (results.size() < tasks.size()) {
    const size_t begin = results.size(), at_once = std::min(tasks.size() - begin, size_t{options_.jobs});
    if (at_once == 1)
      results.push_back(ask(tasks[begin]));
    else
      ask_together({tasks.begin() + static_cast<std::ptrdiff_t>(begin),
                    tasks.begin() + static_cast<std::ptrdiff_t>(begin + at_once)},
                   results);
  }
  return results;
}

void Asker::ask_together(const std::vector<Task>& tasks, std::vector<Result>& results) {
  progress_.clear();
  const Interruptible interruptible(limits_);
  const auto answers = in_processes(
      tasks.size(), [&](size_t i) { return ask_as_a_child(tasks[i]); }, limits_);
  questions_ += tasks.size();
  for (size_t i = 0; i < tasks.size(); ++i) {
    Result& result = results.emplace_back();
    if (answers[i]) {
      const size_t end = answers[i]->find('\n');
      std::istringstream engines(answers[i]->substr(0, end));
      for (std::string name; engines >> name;) engines_.insert(name);
      result = from_bytes(std::string_view(*answers[i]).substr(end + 1), tasks[i]);
    } else {
      const LimitReached reached = limits_.poll();
      result = unknown_result(UnknownReason::kLimit, reached != LimitReached::kNone
                                                         ? limits_.describe(reached)
                                                         : "the process that was to answer was killed");
    }
  }
}

Result Asker::ask(const std::string& name, const Task& task, Limits& limits) {
  const Registry::Choice choice = registry_.choose(name, task);
  Result result;
  result.reason = choice.why;
  if (choice.engine == nullptr) return result;
  engines_.insert(std::string(choice.engine->name()));
  return run_engine(*choice.engine, task, options_, limits, progress_);
}

// An abstract run that nobody had the time to look at closely says nothing; and a limit is a reason.
Result Asker::without_haste(Result result) {
  const LimitReached reached = limits_.poll();
  const bool says_why = !result.spurious() && !result.reason.empty();
  if (reached == LimitReached::kNone || result.verdict() != Verdict::kUnknown || says_why) return result;
  return limit_result(limits_, reached);
}

}  // namespace fenceline
