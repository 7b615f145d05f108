// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/reference/three_ways.h"
#include "engine/coherence/options.h"

#include <fmt/format.h>

#include <bit>

#include "engine/coherence/graph_builder.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"
#include "reference/avoid/avoid.h"
#include "synth/lazy.h"

namespace fenceline::testing {
namespace {

// A graph has every step and bad states too, so it needs more room than a search; and decision diagrams
// start out with some megabytes.
constexpr uint64_t kGraphFactor = 2;

PositionSet candidates_of(const Placement& placement) {
  PositionSet positions;
  for (const PlacedFence& fence : placement) positions.push_back(fence.position);
  return positions;
}

}  // namespace

ThreeWays::ThreeWays(const SourceFile& file, const std::string& model, const std::string& abstraction,
                     Positions positions, uint64_t most_bytes, double most_seconds)
    : program_(parse_fl(file)),
      model_(memory_model(model)),
      properties_(properties_to_check(program_, options_)),
      candidates_(candidate_positions(program_, positions)),
      most_bytes_(most_bytes),
      most_seconds_(most_seconds),
      clock_(std::make_unique<Limits>(most_seconds)) {
  options_.of<CoherenceOptions>().abstraction = parse_abstraction(abstraction);
  options_.certify = Certify::kNever;
}

void ThreeWays::only_property(const std::string& name) {
  std::erase_if(properties_, [&name](const Property& property) { return property.name != name; });
  require(properties_.size() == 1, "there is no such property");
}

Result ThreeWays::verify(const Task& query) {
  if (clock_->poll() != LimitReached::kNone) {
    Result late;
    late.reason = clock_->describe(clock_->poll());
    return late;
  }
  Limits limits(most_seconds_, most_bytes_);
  return verify_by("coherence", query, options_, limits);
}

SynthesisTask ThreeWays::task() {
  clock_ = std::make_unique<Limits>(most_seconds_);
  SynthesisTask task{program_, model_, properties_, candidates_,
                     [this](const Task& query) { return verify(query); }};
  task.all = true;
  return task;
}

Smallest ThreeWays::told_by(const Synthesis& inference) {
  Smallest told;
  told.reason = inference.reason;
  told.exact = inference.minimal();
  if (inference.outcome == Synthesis::Outcome::kFound) {
    told.outcome = Smallest::Outcome::kFound;
    for (const Placement& placement : inference.placements) told.sets.insert(candidates_of(placement));
  }
  if (inference.outcome == Synthesis::Outcome::kImpossible) told.outcome = Smallest::Outcome::kNothing;
  return told;
}

Smallest ThreeWays::lazily() {
  const Synthesis inference = infer_lazily(task());
  Smallest told = told_by(inference);
  if (told.outcome == Smallest::Outcome::kFound && !inference.all_listed)
    told.outcome = Smallest::Outcome::kOpen;
  const bool unknown = inference.outcome == Synthesis::Outcome::kUnknown;
  if (unknown && inference.results.at(0).spurious()) told.outcome = Smallest::Outcome::kNothing;
  return told;
}

Smallest ThreeWays::by_avoiding() {
  Limits limits(most_seconds_, most_bytes_ * kGraphFactor);
  SilentEnv env(options_, limits);
  const auto graph_of = [&](const Task& query) {
    return build_labelled_graph(query, *options_.of<CoherenceOptions>().abstraction, env);
  };
  const Synthesis inference = infer_by_avoiding(task(), graph_of, limits);
  Smallest told = told_by(inference);
  if (inference.outcome == Synthesis::Outcome::kUnknown) {
    if (inference.statistics.iterations == 1 && inference.statistics.queries == 0)
      told.outcome = Smallest::Outcome::kNothing;
    if (inference.results.at(0).spurious()) told.outcome = Smallest::Outcome::kWrong;
    return told;
  }
  for (const PositionSet& positions : told.sets) {
    const Result result = with_fences(positions);
    if (result.verdict() == Verdict::kVerified) continue;
    const bool late = result.verdict() == Verdict::kUnknown && !result.spurious();
    told.outcome = late ? Smallest::Outcome::kOpen : Smallest::Outcome::kWrong;
    told.reason = result.reason;
    break;
  }
  return told;
}

Smallest ThreeWays::by_trying_all() {
  clock_ = std::make_unique<Limits>(most_seconds_);
  require(candidates_.size() < 20, "too many positions to try all sets of them");
  Smallest told;
  for (size_t size = 0; size <= candidates_.size() && told.sets.empty(); ++size)
    for (uint32_t bits = 0; bits < 1U << candidates_.size(); ++bits) {
      if (static_cast<size_t>(std::popcount(bits)) != size) continue;
      PositionSet positions;
      for (size_t position = 0; position < candidates_.size(); ++position)
        if ((bits >> position & 1U) != 0) positions.push_back(position);
      const Result result = with_fences(positions);
      if (result.verdict() == Verdict::kVerified) told.sets.insert(positions);
      if (result.verdict() != Verdict::kUnknown || result.spurious()) continue;
      told.reason = result.reason;
      return told;
    }
  told.outcome = told.sets.empty() ? Smallest::Outcome::kNothing : Smallest::Outcome::kFound;
  return told;
}

Result ThreeWays::with_fences(const PositionSet& positions) {
  Placement placement;
  for (const size_t position : positions) placement.push_back({position});
  const FenceSet fences = fence_set(candidates_, placement);
  Result result;
  for (const Property& property : properties_) {
    result = verify({program_, fences, model_, property});
    if (result.verdict() != Verdict::kVerified) break;
  }
  return result;
}

std::string to_string(const Smallest& smallest) {
  switch (smallest.outcome) {
    case Smallest::Outcome::kNothing:
      return "nothing";
    case Smallest::Outcome::kOpen:
      return "open: " + smallest.reason;
    case Smallest::Outcome::kWrong:
      return "wrong: " + smallest.reason;
    case Smallest::Outcome::kFound:
      break;
  }
  std::string text = fmt::format("{}:", smallest.count());
  for (const PositionSet& positions : smallest.sets)
    text += fmt::format(" {{{}}}", fmt::join(positions, " "));
  return text;
}

std::string difference(const Smallest& lazy, const Smallest& all) {
  using Outcome = Smallest::Outcome;
  if (lazy.outcome == Outcome::kOpen || all.outcome == Outcome::kOpen) return "";
  if (lazy.outcome == all.outcome && lazy.sets == all.sets) return "";
  return fmt::format("lazily {}, by trying all {}", to_string(lazy), to_string(all));
}

}  // namespace fenceline::testing
