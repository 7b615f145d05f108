// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queries of a search for fences. There is one limit for all of them: the limits are those of the search, not of
// one query.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "env/env.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline::app {

class Queries {
 public:
  // `options.engine` is a known one. `spent`: seconds of the limit that have passed.
  Queries(Options options, Progress& progress, double spent = 0);
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;

  Result verify(const Task& query);

  // As many at once as there are jobs, each in a process of its own and with one thread. A single task is
  // verified in this process.
  std::vector<Result> verify(const std::vector<Task>& queries);

  Limits& limits() { return limits_; }
  std::string engines() const;  // that were run

 private:
  void verify_together(const std::vector<Task>& queries, std::vector<Result>& results);
  std::string verify_as_a_child(const Task& query);
  Result with_limit_as_reason(Result result);

  Options options_;
  Progress& progress_;
  Limits limits_;
  std::set<std::string> engines_;  // that were run
  uint64_t queries_ = 0;
};

}  // namespace fenceline::app
