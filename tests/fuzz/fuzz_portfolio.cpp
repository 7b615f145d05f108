// SPDX-License-Identifier: GPL-3.0-or-later
//
// The portfolio against the engines it is made of, on random programs with random properties.
//
// Engines are run alone until one of them decides, and then the portfolio in one of its schedules, with one
// job or two. The portfolio's answer must not contradict that engine, and it has to decide what the engine
// decides. Whether engines agree with each other is the business of their own fuzzers, and of the portfolio: a
// contradiction that it notices is a Bug, which is a difference here.
//
// --plant long-traces: counterexamples of many steps are lost, and there are proofs instead; this must be noticed.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "random_property.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

// Engines that need longer have no answer here; the portfolio has ample time for what one of them decides.
constexpr double kSeconds = 0.5, kSecondsTogether = 60;
constexpr uint64_t kMemory = uint64_t{64} << 20;

bool lose_long_traces = false;  // --plant

struct Configuration {
  const char* name;
  engine::Schedule schedule;
  uint64_t jobs;
};

constexpr Configuration kConfigurations[] = {
    {"side by side, 1 job", engine::Schedule::kSideBySide, 1},
    {"side by side, 2 jobs", engine::Schedule::kSideBySide, 2},
    {"at once, 1 job", engine::Schedule::kAtOnce, 1},
    {"at once, 2 jobs", engine::Schedule::kAtOnce, 2},
    {"in turn", engine::Schedule::kInTurn, 1},
};

// A verdict, or the error.
std::string answer(const Task& task, const std::string& engine, const Configuration& configuration,
                   double seconds) {
  Options options;
  options.engine = engine;
  options.jobs = configuration.jobs;
  Limits limits(seconds, kMemory);
  try {
    const Verification done = engine::verify(task, options, limits, configuration.schedule);
    if (lose_long_traces && engine == "auto" && done.result.verdict() == Verdict::kViolated &&
        done.result.replay() != nullptr && done.result.replay()->steps.size() > 6)
      return "verified";
    return std::string(to_string(done.result.verdict()));
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

bool conclusive(const std::string& verdict) { return verdict == "verified" || verdict == "violated"; }

// Empty if the portfolio contradicts no engine.
std::string disagreement(const std::string& text, const std::vector<std::string>& models,
                         const Configuration& configuration, Tally* tally) {
  const Program program = read_program(text);
  if (program.properties.empty()) return "";  // shrinking took it away
  const FenceSet fences;
  for (const std::string& model : models) {
    const Task task{program, fences, memory_model(model), program.properties.front()};
    std::string decider, alone;
    for (const auto& engine : engine::all_engines()) {
      if (conclusive(alone)) break;
      if (!engine->in_portfolio()) continue;
      decider = engine->name();
      alone = answer(task, decider, {"alone", engine::Schedule::kSideBySide, 1}, kSeconds);
    }
    const bool decided = conclusive(alone);
    const std::string together = answer(task, "auto", configuration, decided ? kSecondsTogether : kSeconds);
    if (tally != nullptr) ++(*tally)[model + " " + together];
    if (!conclusive(together) && together != "unknown") return model + ": " + together;
    // In turn, the portfolio does not run all of them.
    if (!decided || (together == "unknown" && configuration.schedule == engine::Schedule::kInTurn)) continue;
    if (alone != together)
      return fmt::format("{}, {}: the portfolio: {}, {}: {}", model, configuration.name, together, decider,
                         alone);
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(
      runs, [](Rng& rng) { return random_mixed_task(50, rng); },
      [&](Rng& rng) -> EngineComparison {
        const Configuration& configuration = kConfigurations[rng.below(std::size(kConfigurations))];
        return [&](const std::string& text, Tally* counted) {
          return disagreement(text, runs.models, configuration, counted);
        };
      },
      tally);
  if (!agree) return 1;
  print(tally);
  std::cout << runs.count << " programs: the portfolio contradicts no engine, and decides what they decide\n";
  return check_variety(runs, 50, 20, [&](const std::string& model, const std::string& verdict) {
    return tally[model + " " + verdict];
  });
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv, {.count = 100, .models = {"sc", "tso", "pso"}}, run, [](CommandLine& line) {
    line.option("--plant", "",
                [](const std::string& plant) { return lose_long_traces = plant == "long-traces"; });
  });
}
