// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/reference/method_comparison.h"
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

MethodComparison::MethodComparison(const SourceFile& file, const std::string& model,
                                   const std::string& abstraction, synth::Positions positions,
                                   uint64_t most_bytes, double most_seconds)
    : program_(frontend::parse_fl(file)),
      model_(memory_model(model)),
      properties_(property::properties_to_check(program_, options_)),
      candidates_(synth::candidate_positions(program_, positions)),
      most_bytes_(most_bytes),
      most_seconds_(most_seconds),
      clock_(std::make_unique<Limits>(most_seconds)) {
  options_.of<coherence::CoherenceOptions>().abstraction = buffer::parse_abstraction(abstraction);
  options_.certify = Certify::kNever;
}

void MethodComparison::only_property(const std::string& name) {
  std::erase_if(properties_, [&name](const Property& property) { return property.name != name; });
  require(properties_.size() == 1, "there is no such property");
}

Result MethodComparison::verify(const Task& query) {
  if (clock_->poll() != LimitReached::kNone) {
    Result late;
    late.reason = clock_->describe(clock_->poll());
    return late;
  }
  Limits limits(most_seconds_, most_bytes_);
  return engine::verify_by("coherence", query, options_, limits);
}

synth::SynthesisTask MethodComparison::task() {
  clock_ = std::make_unique<Limits>(most_seconds_);
  synth::SynthesisTask task{program_, model_, properties_, candidates_,
                            [this](const Task& query) { return verify(query); }};
  task.all = true;
  return task;
}

Smallest MethodComparison::summary_of(const Synthesis& inference) {
  Smallest found;
  found.reason = inference.reason;
  found.exact = inference.minimal();
  if (inference.outcome == Synthesis::Outcome::kFound) {
    found.outcome = Smallest::Outcome::kFound;
    for (const Placement& placement : inference.placements) found.sets.insert(candidates_of(placement));
  }
  if (inference.outcome == Synthesis::Outcome::kImpossible) found.outcome = Smallest::Outcome::kNothing;
  return found;
}

Smallest MethodComparison::lazily() {
  const Synthesis inference = synth::infer_lazily(task());
  Smallest found = summary_of(inference);
  if (found.outcome == Smallest::Outcome::kFound && !inference.all_listed)
    found.outcome = Smallest::Outcome::kOpen;
  const bool unknown = inference.outcome == Synthesis::Outcome::kUnknown;
  if (unknown && inference.results.at(0).spurious()) found.outcome = Smallest::Outcome::kNothing;
  return found;
}

Smallest MethodComparison::by_avoiding() {
  Limits limits(most_seconds_, most_bytes_ * kGraphFactor);
  SilentEnv env(options_, limits);
  const auto graph_of = [&](const Task& query) {
    return coherence::build_labelled_graph(query, *options_.of<coherence::CoherenceOptions>().abstraction,
                                           env);
  };
  const Synthesis inference = reference::infer_by_avoiding(task(), graph_of, limits);
  Smallest found = summary_of(inference);
  if (inference.outcome == Synthesis::Outcome::kUnknown) {
    if (inference.statistics.iterations == 1 && inference.statistics.queries == 0)
      found.outcome = Smallest::Outcome::kNothing;
    if (inference.results.at(0).spurious()) found.outcome = Smallest::Outcome::kWrong;
    return found;
  }
  for (const PositionSet& positions : found.sets) {
    const Result result = with_fences(positions);
    if (result.verdict() == Verdict::kVerified) continue;
    const bool late = result.verdict() == Verdict::kUnknown && !result.spurious();
    found.outcome = late ? Smallest::Outcome::kOpen : Smallest::Outcome::kWrong;
    found.reason = result.reason;
    break;
  }
  return found;
}

Smallest MethodComparison::by_trying_all() {
  clock_ = std::make_unique<Limits>(most_seconds_);
  require(candidates_.size() < 20, "too many positions to try all sets of them");
  Smallest found;
  for (size_t size = 0; size <= candidates_.size() && found.sets.empty(); ++size)
    for (uint32_t bits = 0; bits < 1U << candidates_.size(); ++bits) {
      if (static_cast<size_t>(std::popcount(bits)) != size) continue;
      PositionSet positions;
      for (size_t position = 0; position < candidates_.size(); ++position)
        if ((bits >> position & 1U) != 0) positions.push_back(position);
      const Result result = with_fences(positions);
      if (result.verdict() == Verdict::kVerified) found.sets.insert(positions);
      if (result.verdict() != Verdict::kUnknown || result.spurious()) continue;
      found.reason = result.reason;
      return found;
    }
  found.outcome = found.sets.empty() ? Smallest::Outcome::kNothing : Smallest::Outcome::kFound;
  return found;
}

Result MethodComparison::with_fences(const PositionSet& positions) {
  Placement placement;
  for (const size_t position : positions) placement.push_back({position});
  const FenceSet fences = synth::fence_set(candidates_, placement);
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
