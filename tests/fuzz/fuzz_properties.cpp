// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random properties of random programs. fuzz_machines compares final states; partial-order reduction must
// also keep what a property observes: labels, registers, memory. So: take a random program, put labels
// on some of its statements, make a random formula over labels, registers and cells, and run the engine with
// and without reduction, with one worker and with two. The verdicts must be equal, those of `observations`
// also to those of its two parts, and every violation must replay. (That the unreduced machine is right is
// what fuzz_machines shows.)
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <iostream>
#include <string>

#include "beyond_fl.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "model/memory_model.h"
#include "property/properties.h"
#include "random_property.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

// What the table of states takes at the start when workers share it.
constexpr uint64_t kSharedTable = uint64_t{8} << 20;
// Enough for some ten thousand states. Programs that need more have no answer here and are passed over.
constexpr uint64_t kMemory = uint64_t{1} << 20;

struct Variant {
  bool reduction;
  uint64_t jobs;
};

std::string verdict_of(const Program& program, const Property& property, const std::string& model,
                       const Variant& variant) {
  Options options;
  options.of<engine::StateSpaceOptions>().reduction = variant.reduction;
  options.jobs = variant.jobs;
  options.of<engine::StateSpaceOptions>().buffer_limit = 3;
  Limits limits(0, kMemory + (variant.jobs > 1 ? kSharedTable : 0));
  const FenceSet fences;
  try {
    const Result result =
        engine::verify_by("explicit", {program, fences, memory_model(model), property}, options, limits);
    return std::string(to_string(result.verdict()));
  } catch (const std::exception& task) {
    return task.what();
  }
}

// kObservations against the two that it is made of.
std::string expected_of_both(const Program& program, const Property& property, const std::string& model) {
  const Property end{property.name, PropertyKind::kFinally, property.formula, property.pos};
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const std::string first = verdict_of(program, end, model, {false, 1});
  const std::string second = verdict_of(program, errors, model, {false, 1});
  if (first == "violated" || second == "violated") return "violated";
  return first == "verified" ? second : first;
}

// Empty if all configurations agree on all models.
std::string disagreement(const std::string& text, bool two_workers, Tally* tally) {
  const Program program = read_program(text);
  if (program.properties.empty()) return "";  // shrinking took it away
  const Property& property = program.properties.front();
  for (const char* model : kModelNames) {
    const std::string full = verdict_of(program, property, model, {false, 1});
    const std::string reduced = verdict_of(program, property, model, {true, two_workers ? 2U : 1U});
    if (tally != nullptr) ++(*tally)[std::string(model) + " " + full];
    if (property.kind == PropertyKind::kObservations && full != "unknown")
      if (const std::string expected = expected_of_both(program, property, model);
          expected != "unknown" && expected != full)
        return std::string(model) + ": observations " + full + ", its parts " + expected;
    if (full == "unknown" || reduced == "unknown") continue;
    if (full != reduced) return std::string(model) + ": unreduced " + full + ", reduced " + reduced;
    if (full != "verified" && full != "violated" && full != "unknown")
      return std::string(model) + ": " + full;
  }
  return "";
}

int run(const RandomRuns& runs, bool two_workers) {
  Tally verdicts;
  uint64_t violated_kinds = 0;
  const bool agree = all_agree(
      runs, [](Rng& rng) { return random_task(static_cast<Family>(rng.below(kFamilies)), rng); },
      [two_workers](Rng&) -> EngineComparison {
        return [two_workers](const std::string& text, Tally* counted) {
          return disagreement(text, two_workers && counted != nullptr, counted);
        };
      },
      verdicts);
  if (!agree) return 1;
  for (const auto& [verdict, number] : verdicts) violated_kinds += verdict.ends_with("violated");
  std::cout << runs.count << " programs with a random property agree on " << kModels << " models\n";
  if (runs.count >= 500 && violated_kinds < kModels) {
    std::cout << "but no property was ever violated on some model: the generator is too tame\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  bool two_workers = false;
  return fuzz_main(
      argc, argv, {}, [&](const RandomRuns& runs) { return run(runs, two_workers); },
      [&](CommandLine& line) { line.flag("--two-workers", two_workers); });
}
