// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "process.h"
#include "property/properties.h"

namespace fenceline::bench {
namespace {

constexpr uint64_t kMemoryMb = 4096;  // as much as SPIN gets

double statistic(const Result& result, std::string_view name) {
  for (const auto& [known, value] : result.statistics.figures)
    if (known == name) return value;
  return 0;
}

Verdict verdict_of(const std::string& word) {
  for (const Verdict verdict : {Verdict::kVerified, Verdict::kViolated})
    if (word == to_string(verdict)) return verdict;
  return Verdict::kUnknown;
}

}  // namespace

OurResult run_ours(const Task& task, const OurOptions& chosen) {
  const auto work = [&] {
    Options options;
    options.of<engine::StateSpaceOptions>().reduction = chosen.reduction;
    options.jobs = chosen.jobs;
    options.of<engine::StateSpaceOptions>().buffer_limit = chosen.buffer_limit;
    Limits limits(chosen.seconds, kMemoryMb << 20);
    const Result result = engine::verify_by("explicit", task, options, limits);
    return fmt::format("{} {} {} {} {} {}", to_string(result.verdict()),
                       result.is_unknown(UnknownReason::kBound) ? 1 : 0, result.statistics.states,
                       result.statistics.transitions, statistic(result, "bytes_per_state"), result.reason);
  };
  const ProcessResult run = run_here(work, 0);
  OurResult result;
  result.wall_seconds = run.wall_seconds;
  result.cpu_seconds = run.cpu_seconds;
  result.peak_mb = run.peak_mb;
  if (run.status != 0) throw Bug("our engine failed: " + run.output);
  std::istringstream words(run.output);
  std::string verdict;
  words >> verdict >> result.bounded >> result.states >> result.transitions >> result.bytes_per_state;
  std::getline(words >> std::ws, result.reason);
  result.verdict = verdict_of(verdict);
  return result;
}

Program load_program(const std::string& path) { return frontend::parse_fl(read_source_file(path)); }

std::vector<Property> properties_named(const Program& program, const std::string& name) {
  Options options;
  if (name.empty()) return property::properties_to_check(program, options);
  options.properties = {name};
  std::vector<Property> found;
  for (Property& property : property::properties_to_check(program, options))
    if (property.name == name) found.push_back(std::move(property));
  return found;
}

}  // namespace fenceline::bench
