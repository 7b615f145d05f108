// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/reference/three_ways.h"
#include "engine/coherence/options.h"

#include <fmt/format.h>

#include <bit>

#include "engine/coherence/coherence_engine.h"
#include "engine/coherence/graph_builder.h"
#include "env/errors.h"
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

PlaceSet places_of(const Placement& placement) {
  PlaceSet places;
  for (const PlacedFence& fence : placement) places.push_back(fence.place);
  return places;
}

}  // namespace

ThreeWays::ThreeWays(const SourceFile& file, const std::string& model, const std::string& abstraction,
                     Positions positions, uint64_t most_bytes, double most_seconds)
    : program_(parse_fl(file)),
      model_(memory_model(model)),
      properties_(properties_to_check(program_, options_)),
      places_(candidate_places(program_, positions)),
      engine_(make_coherence_engine()),
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

Result ThreeWays::ask(const Task& query) {
  if (clock_->poll() != LimitReached::kNone) {
    Result late;
    late.reason = clock_->describe(clock_->poll());
    return late;
  }
  Limits limits(most_seconds_, most_bytes_);
  Progress progress(false);
  Env env{options_, limits, progress};
  return engine_->run(query, env);
}

InferenceTask ThreeWays::task() {
  clock_ = std::make_unique<Limits>(most_seconds_);
  InferenceTask task{program_, model_, properties_, places_,
                     [this](const Task& query) { return ask(query); }};
  task.all = true;
  return task;
}

Smallest ThreeWays::told_by(const Inference& inference) {
  Smallest told;
  told.reason = inference.reason;
  told.exact = inference.exact;
  if (inference.outcome == Inference::Outcome::kFound) {
    told.outcome = Smallest::Outcome::kFound;
    for (const Placement& placement : inference.placements) told.sets.insert(places_of(placement));
  }
  if (inference.outcome == Inference::Outcome::kImpossible) told.outcome = Smallest::Outcome::kNothing;
  return told;
}

Smallest ThreeWays::lazily() {
  const Inference inference = infer_lazily(task());
  Smallest told = told_by(inference);
  if (told.outcome == Smallest::Outcome::kFound && !inference.all_listed)
    told.outcome = Smallest::Outcome::kOpen;
  const bool unknown = inference.outcome == Inference::Outcome::kUnknown;
  if (unknown && inference.results.at(0).spurious()) told.outcome = Smallest::Outcome::kNothing;
  return told;
}

Smallest ThreeWays::by_avoiding() {
  Limits limits(most_seconds_, most_bytes_ * kGraphFactor);
  Progress progress(false);
  Env env{options_, limits, progress};
  const auto graph_of = [&](const Task& query) {
    return build_labelled_graph(query, *options_.of<CoherenceOptions>().abstraction, env);
  };
  const Inference inference = infer_by_avoiding(task(), graph_of, limits);
  Smallest told = told_by(inference);
  if (inference.outcome == Inference::Outcome::kUnknown) {
    if (inference.reason.starts_with("no fences at these places")) told.outcome = Smallest::Outcome::kNothing;
    if (inference.results.at(0).spurious()) told.outcome = Smallest::Outcome::kWrong;
    return told;
  }
  for (const PlaceSet& places : told.sets) {
    const Result result = with_fences(places);
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
  require(places_.size() < 20, "too many places to try all sets of them");
  Smallest told;
  for (size_t size = 0; size <= places_.size() && told.sets.empty(); ++size)
    for (uint32_t bits = 0; bits < 1U << places_.size(); ++bits) {
      if (static_cast<size_t>(std::popcount(bits)) != size) continue;
      PlaceSet places;
      for (size_t place = 0; place < places_.size(); ++place)
        if ((bits >> place & 1U) != 0) places.push_back(place);
      const Result result = with_fences(places);
      if (result.verdict() == Verdict::kVerified) told.sets.insert(places);
      if (result.verdict() != Verdict::kUnknown || result.spurious()) continue;
      told.reason = result.reason;
      return told;
    }
  told.outcome = told.sets.empty() ? Smallest::Outcome::kNothing : Smallest::Outcome::kFound;
  return told;
}

Result ThreeWays::with_fences(const PlaceSet& places) {
  Placement placement;
  for (const size_t place : places) placement.push_back({place});
  const FenceSet fences = fence_set(places_, placement);
  Result result;
  for (const Property& property : properties_) {
    result = ask({program_, fences, model_, property});
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
  for (const PlaceSet& places : smallest.sets) text += fmt::format(" {{{}}}", fmt::join(places, " "));
  return text;
}

std::string difference(const Smallest& lazy, const Smallest& all) {
  using Outcome = Smallest::Outcome;
  if (lazy.outcome == Outcome::kOpen || all.outcome == Outcome::kOpen) return "";
  if (lazy.outcome == all.outcome && lazy.sets == all.sets) return "";
  return fmt::format("lazily {}, by trying all {}", to_string(lazy), to_string(all));
}

}  // namespace fenceline::testing
