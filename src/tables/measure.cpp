// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/interrupt.h"
#include "app/verification.h"
#include "engine/coherence/options.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"
#include "tables/programs.h"

namespace fenceline::tables {

Program bench_program(std::string_view program) {
  for (const EmbeddedText& candidate : bench_programs())
    if (candidate.name == program)
      return frontend::parse_fl({std::string(program) + ".fl", std::string(candidate.text)});
  throw Bug(fmt::format("no program {} was put into the executable", program));
}

Subject bench_subject(std::string_view program, std::string_view property) {
  Program parsed = bench_program(program);
  for (const Property& one : property::properties_to_check(parsed, Options()))
    if (one.name == property) return {std::move(parsed), one};
  throw Bug(fmt::format("the program {} has no property {}", program, property));
}

Result measure(const BenchContext& context, const engine::Engine& engine, const Subject& subject,
               std::string_view model, const Options& options) {
  const FenceSet no_fences;
  const Task task{subject.program, no_fences, memory_model(model), subject.property};
  if (app::interrupted()) return unknown_result(UnknownReason::kLimit, "interrupted");
  const std::optional<buffer::Abstraction>& abstraction =
      options.of<coherence::CoherenceOptions>().abstraction;
  context.progress.set_task(fmt::format("{}: {}: {}: ", subject.program.source.name, model,
                                        abstraction ? to_string(*abstraction) : "auto"));
  return app::verify_isolated(engine, task, options, context.progress);
}

std::string verdict_word(const Result& result) {
  return std::string(result.spurious() ? "spurious" : to_string(result.verdict()));
}

}  // namespace fenceline::tables
