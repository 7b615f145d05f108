// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_runs.h"

#include <iostream>

#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "random_property.h"

namespace fenceline::fuzz {

int fuzz_main(int argc, char** argv, RandomRuns runs, const std::function<int(const RandomRuns&)>& run,
              const std::function<void(CommandLine&)>& more) {
  CommandLine line;
  line.number("--count", runs.count);
  line.number("--first", runs.first);
  line.number("--seed", runs.seed);
  const bool has_models = !runs.models.empty();
  if (has_models) {
    line.names("--model", runs.models, runs.models);
    line.flag("--every", runs.every);
  }
  if (more) more(line);
  if (line.read(argc, argv)) return run(runs);
  if (has_models) std::cerr << "--every: run all comparisons on every program\n";
  return kWrongUsage;
}

bool all_agree(const RandomRuns& runs, const std::function<std::string(Rng&)>& program,
               const std::function<std::optional<Disagreement>(const std::string&, Rng&)>& compare) {
  for (uint64_t i = runs.first; i < runs.first + runs.count; ++i) {
    Rng rng(runs.seed * 1'000'003 + i);
    const std::string text = program(rng);
    if (text.empty()) continue;
    const std::optional<Disagreement> found = compare(text, rng);
    if (!found) continue;
    std::cout << "program " << i << " of seed " << runs.seed << ": " << found->what << "\n\n"
              << text << "\nin short:\n\n"
              << std::flush << shrink_lines(text, [&](const std::string& less) {
                   try {
                     return found->still(less);
                   } catch (const InputError&) {
                     return false;
                   }
                 });
    return false;
  }
  return true;
}

bool all_agree(const RandomRuns& runs, const std::function<std::string(Rng&)>& program,
               const std::function<EngineComparison(Rng&)>& choose, Tally& tally) {
  return all_agree(runs, program, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
    const EngineComparison compare = choose(rng);
    const std::string what = compare(text, &tally);
    if (what.empty()) return std::nullopt;
    return Disagreement{what, [compare](const std::string& less) { return !compare(less, nullptr).empty(); }};
  });
}

std::string verdict_of(std::string_view engine, const Task& task, const Options& options, Limits limits) {
  try {
    return std::string(to_string(engine::verify_by(engine, task, options, limits).verdict()));
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

void print(const Tally& tally) {
  for (const auto& [what, number] : tally) std::cout << what << ": " << number << "\n";
}

int check_variety(const RandomRuns& runs, uint64_t programs, uint64_t one_of,
                  const std::function<uint64_t(const std::string&, const std::string&)>& number) {
  if (runs.count < programs) return 0;
  for (const std::string& model : runs.models)
    for (const char* verdict : {"verified", "violated"})
      if (number(model, verdict) * one_of < runs.count) {
        std::cout << "but hardly anything was ever " << verdict << " on " << model
                  << ": this shows nothing\n";
        return 1;
      }
  return 0;
}

}  // namespace fenceline::fuzz
