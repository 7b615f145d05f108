// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bench/infer_cell.h"

#include <fmt/format.h>

#include <chrono>

#include "app/interrupt.h"
#include "app/run_engine.h"
#include "model/memory_model.h"
#include "synth/lazy.h"
#include "synth/places.h"

namespace fenceline {

std::string InferredCell::fences_word() const {
  switch (inference.outcome) {
    case Inference::Outcome::kFound:
      return fmt::format("{}", fences);
    case Inference::Outcome::kImpossible:
      return "none";
    case Inference::Outcome::kUnknown:
      break;
  }
  return too_coarse() ? "none" : "unknown";
}

bool InferredCell::too_coarse() const {
  return inference.outcome == Inference::Outcome::kUnknown && !inference.results.empty() &&
         inference.results.front().spurious;
}

std::string InferredCell::minimum_word() const {
  if (inference.outcome != Inference::Outcome::kFound) return "";
  return inference.exact ? "proved" : "with these buffers";
}

InferredCell infer_cell(const BenchContext& context, const Engine& engine, const Subject& subject,
                        std::string_view model, std::string_view abstraction) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Options options = context.options;
  options.abstraction = abstraction;
  options.certify = "never";
  context.progress.set_task(fmt::format("{}: {}: {}: ", subject.program.source.name, model, abstraction));
  const auto ask = [&](const Problem& problem) {
    Result result;
    const double left = context.options.timeout - elapsed();
    if (left <= 0 || interrupted()) {
      result.reason = interrupted() ? "interrupted" : "the time for this cell is over";
      return result;
    }
    if (result.reason = engine.cannot(problem); !result.reason.empty()) return result;
    options.timeout = left;
    return run_engine(engine, problem, options, context.progress);
  };
  const std::vector<Place> places = candidate_places(subject.program, Positions::kStores);
  const std::vector<Property> properties = {subject.property};
  InferredCell cell;
  cell.inference = infer_lazily({subject.program, memory_model(model), properties, places, ask});
  if (!cell.inference.placements.empty()) cell.fences = cell.inference.placements.front().size();
  cell.seconds = elapsed();
  return cell;
}

}  // namespace fenceline
