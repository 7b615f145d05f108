// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks engines on behalf of a search for fences. There is one limit for all questions: the user asked for
// fences, not for questions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "app/registry.h"
#include "env/env.h"
#include "task/task.h"

namespace fenceline {

class Asker {
 public:
  // `engine` is a name that the registry knows, or "auto". `spent`: seconds of the limit that have passed.
  Asker(const Registry& registry, const Options& options, Progress& progress, std::string engine,
        double spent = 0);
  Asker(const Asker&) = delete;

  // With "auto": abstract buffers keep every question finite, so the coherence engine comes first. Where it
  // finds a run that no real run follows, the explicit engine gets its chance for as long as is reasonable:
  // if buffers are bounded after all, it knows the truth, and no fence is put where only an abstraction wants
  // one.
  Result ask(const Task& task);

  // As many at once as there are jobs, each in a process of its own and with one thread. What would be alone
  // is asked here.
  std::vector<Result> ask(const std::vector<Task>& tasks);

  Limits& limits() { return limits_; }
  std::string engines() const;  // that were asked

 private:
  Result ask(const std::string& name, const Task& task, Limits& limits);
  void ask_together(const std::vector<Task>& tasks, std::vector<Result>& results);
  std::string ask_as_a_child(const Task& task);
  Result without_haste(Result result);

  const Registry& registry_;
  Options options_;
  Progress& progress_;
  const std::string engine_;
  Limits limits_;
  std::set<std::string> engines_;  // that were asked
  uint64_t questions_ = 0;
};

}  // namespace fenceline
