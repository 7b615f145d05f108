// SPDX-License-Identifier: GPL-3.0-or-later
//
// The enumeration engine, which goes through executions one by one, against the SAT engine on every model, and
// against the explicit engine on those with store buffers: errors and final states of random programs. No two
// of them may contradict each other. Programs whose loops spin are decided by the others only.
//
// --plant: fr-is-missing gives the enumeration a model without a rule, lost-errors makes it report no errors;
// this must be noticed.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beyond_fl.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "engine/sat/options.h"
#include "env/env.h"
#include "random_property.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 1;

std::string plant;

// A verdict, or what went wrong.
std::string verdict_of(std::string_view engine, const Task& task) {
  Options options;
  options.of<engine::StateSpaceOptions>().buffer_limit = 3;
  options.of<sat::SatOptions>().bound = 4;
  Limits limits(kSeconds, kMemory);
  try {
    const Result result = engine::verify_by(engine, task, options, limits);
    const ExecutionCounterexample* found = result.execution_counterexample();
    if (result.verdict() == Verdict::kViolated && !(found != nullptr ? found->check.ok : result.replay()->ok))
      return "a violation that was not checked";
    if (plant == "lost-errors" && engine == "enumeration" && found != nullptr && found->check.failing.valid())
      return "verified";
    return std::string(to_string(result.verdict()));
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

bool conclusive(const std::string& verdict) { return verdict == "verified" || verdict == "violated"; }

// Empty if the engines do not contradict each other.
std::string contradiction(const Program& program, const std::string& model, const Property& property,
                          const char* what, Tally* tally) {
  const TestedModel tested(model, "");
  const TestedModel planted(model, plant);
  const FenceSet no_fences;
  const std::string mine = verdict_of("enumeration", {program, no_fences, planted.model, property});
  if (tally != nullptr) ++(*tally)[fmt::format("{} {} {}", model, what, mine)];
  if (!conclusive(mine) && mine != "unknown") return fmt::format("{}: {}: enumeration {}", model, what, mine);
  std::vector<std::string_view> others = {"sat"};
  if (tested.model.buffering != Buffering::kNoMachine) others.emplace_back("explicit");
  for (const std::string_view engine : others) {
    const std::string other = verdict_of(engine, {program, no_fences, tested.model, property});
    const bool known = conclusive(other) || other == "unknown";
    if (known && (mine == other || mine == "unknown" || other == "unknown")) continue;
    return fmt::format("{}: {}: enumeration {}, {} {}", model, what, mine, engine, other);
  }
  return "";
}

std::string contradiction(const std::string& text, const std::vector<std::string>& models, Tally* tally) {
  const Program program = read_program(text);
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  for (const std::string& model : models) {
    std::string found = contradiction(program, model, errors, "errors", tally);
    if (found.empty() && !program.properties.empty())
      found = contradiction(program, model, program.properties.front(), "finally", tally);
    if (!found.empty()) return found;
  }
  return "";
}

std::string random_text(Rng& rng) {
  const uint64_t kind = rng.below(100);
  const Family family = kind < 50 ? Family::kLoopFree : kind < 90 ? Family::kAtomic : Family::kLoops;
  std::string text = random_task(family, rng);
  for (const char* when : {"property p: never", "property p: always"})
    if (const size_t at = text.find(when); at != std::string::npos)
      text.replace(at, std::strlen(when), "property p: finally");
  return text;
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        std::vector<std::string> models = runs.models;
        if (!runs.every) models = {models[rng.below(models.size())], models[rng.below(models.size())]};
        const std::string what = contradiction(text, models, &tally);
        if (what.empty()) return std::nullopt;
        return Disagreement{
            what, [=](const std::string& less) { return contradiction(less, models, nullptr) == what; }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: the enumeration of executions contradicts no engine\n";
  uint64_t verified = 0, violated = 0;
  for (const auto& [what, number] : tally) {
    if (what.ends_with("verified")) verified += number;
    if (what.ends_with("violated")) violated += number;
  }
  // What ran out of time does not count; on a slow machine that may be most.
  if (const uint64_t decided = verified + violated;
      decided >= 100 && std::min(verified, violated) * 10 < decided) {
    std::cout << "but nearly all verdicts are the same: this shows nothing\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv,
                   {.models = {"sc", "tso", "pso", "rmo", "relaxed", "serial", "x86tso", "armv8", "riscv",
                               "power", "rc11"}},
                   run, [](CommandLine& line) {
                     line.option("--plant", "", [](const std::string& name) {
                       plant = name;
                       return true;
                     });
                   });
}
