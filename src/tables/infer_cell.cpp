// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/infer_cell.h"

#include <fmt/format.h>

#include <chrono>

#include "app/interrupt.h"
#include "app/verification.h"
#include "domain/buffer/abstraction.h"
#include "engine/coherence/graph_builder.h"
#include "engine/coherence/options.h"
#include "env/env.h"
#include "model/memory_model.h"
#include "reference/avoid/avoid.h"
#include "synth/candidate_positions.h"
#include "synth/lazy.h"

namespace fenceline::tables {

std::string InferredCell::fences_word() const {
  switch (inference.outcome) {
    case Synthesis::Outcome::kFound:
      return fmt::format("{}", fences);
    case Synthesis::Outcome::kImpossible:
      return "none";
    case Synthesis::Outcome::kUnknown:
      break;
  }
  return too_coarse() ? "none" : "unknown";
}

bool InferredCell::too_coarse() const {
  if (inference.outcome != Synthesis::Outcome::kUnknown || inference.results.empty()) return false;
  // The avoid method tries fences at all positions first, and runs no engine if they are not enough.
  return inference.results.front().spurious() ||
         (inference.statistics.iterations == 1 && inference.statistics.queries == 0);
}

std::string InferredCell::minimum_word() const {
  if (inference.outcome != Synthesis::Outcome::kFound) return "";
  return inference.minimal() ? "proved" : "with these buffers";
}

InferredCell infer_cell(const BenchContext& context, const engine::Engine& engine, const Subject& subject,
                        std::string_view model, std::string_view abstraction, InferenceMethod method) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Options options = context.options;
  options.of<coherence::CoherenceOptions>().abstraction = coherence::parse_chosen_abstraction(abstraction);
  options.certify = Certify::kNever;
  context.progress.set_task(fmt::format("{}: {}: {}: ", subject.program.source.name, model, abstraction));
  const auto verify = [&](const Task& query) {
    const double left = context.options.timeout - elapsed();
    if (left <= 0 || app::interrupted())
      return unknown_result(UnknownReason::kLimit,
                            app::interrupted() ? "interrupted" : "the time for this cell is over");
    options.timeout = left;
    return app::verify_isolated(engine, query, options, context.progress);
  };
  const std::vector<CandidatePosition> candidates =
      synth::candidate_positions(subject.program, synth::Positions::kStores);
  const std::vector<Property> properties = {subject.property};
  InferredCell cell;
  const synth::SynthesisTask task{subject.program, memory_model(model), properties, candidates, verify};
  if (method == InferenceMethod::kLazy) {
    cell.inference = synth::infer_lazily(task);
  } else {
    Limits limits(options.timeout, options.memory_mb << 20);
    const auto graph_of = [&](const Task& query) {
      const app::Interruptible interruptible(limits);
      Env env{options, limits, context.progress};
      return coherence::build_labelled_graph(query, buffer::parse_abstraction(abstraction), env);
    };
    cell.inference = reference::infer_by_avoiding(task, graph_of, limits);
  }
  if (!cell.inference.placements.empty()) cell.fences = cell.inference.placements.front().size();
  cell.seconds = elapsed();
  return cell;
}

}  // namespace fenceline::tables
