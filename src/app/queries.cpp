// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine that runs out of memory or lacks a feature answers like any other here: unknown, with the reason.
// So does a process that is killed.
#include "app/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/interrupt.h"
#include "app/verification.h"
#include "engine/portfolio/result_bytes.h"
#include "env/errors.h"
#include "env/processes.h"

namespace fenceline::app {

Queries::Queries(Options options, Progress& progress, double spent)
    : options_(std::move(options)), progress_(progress), limits_(limits_of(options_, spent)) {}

Result Queries::verify(const Task& query) {
  progress_.set_task(fmt::format("{}: {}: query {}: {}: ", query.program.source.name, query.model.name,
                                 ++queries_, query.property.name));
  Verification done = verify_task(query, options_, limits_, progress_, engine::Schedule::kInTurn);
  for (const EngineRun& run : done.runs)
    if (run.seconds > 0) engines_.insert(run.engine);
  return with_limit_as_reason(std::move(done.result));
}

std::string Queries::engines() const { return fmt::format("{}", fmt::join(engines_, ", ")); }

// The first line says which engines were run.
std::string Queries::verify_as_a_child(const Task& query) {
  progress_.be_silent();
  options_.jobs = 1;
  engines_.clear();
  const std::string bytes = engine::to_bytes(verify(query));
  return fmt::format("{}\n{}", fmt::join(engines_, " "), bytes);
}

std::vector<Result> Queries::verify(const std::vector<Task>& queries) {
  std::vector<Result> results;
  while (results.size() < queries.size()) {
    const size_t begin = results.size(), at_once = std::min(queries.size() - begin, size_t{options_.jobs});
    if (at_once == 1)
      results.push_back(verify(queries[begin]));
    else
      verify_together({queries.begin() + static_cast<std::ptrdiff_t>(begin),
                       queries.begin() + static_cast<std::ptrdiff_t>(begin + at_once)},
                      results);
  }
  return results;
}

void Queries::verify_together(const std::vector<Task>& queries, std::vector<Result>& results) {
  progress_.clear();
  const Interruptible interruptible(limits_);
  const auto answers = in_processes(
      queries.size(), [&](size_t i) { return verify_as_a_child(queries[i]); }, limits_);
  queries_ += queries.size();
  for (size_t i = 0; i < queries.size(); ++i) {
    Result& result = results.emplace_back();
    if (answers[i]) {
      const size_t end = answers[i]->find('\n');
      std::istringstream engines(answers[i]->substr(0, end));
      for (std::string name; engines >> name;) engines_.insert(name);
      result = engine::from_bytes(std::string_view(*answers[i]).substr(end + 1), queries[i]);
    } else {
      const LimitReached reached = limits_.poll();
      result = unknown_result(UnknownReason::kLimit, reached != LimitReached::kNone
                                                         ? limits_.describe(reached)
                                                         : "the process of the query was killed");
    }
  }
}

// A counterexample that could not be concretised within the limits is not known to be spurious; the reason is
// the limit.
Result Queries::with_limit_as_reason(Result result) {
  const LimitReached reached = limits_.poll();
  const bool has_reason = !result.spurious() && !result.reason.empty();
  if (reached == LimitReached::kNone || result.verdict() != Verdict::kUnknown || has_reason) return result;
  return limit_result(limits_, reached);
}

}  // namespace fenceline::app
