// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SAT engine against all others.
//
// By default: final states and errors of random programs, as in fuzz_machines, with the SAT engine as a
// fourth reading of SC, TSO and PSO. Of programs without loops the executions are counted too, and compared
// with those that check/ enumerates, also on the models that have no machine. On programs whose loops go on
// for ever the engine may find only some of the final states, but never one that is none.
//
// With --properties as the first argument: verdicts about random properties, compared with the explicit
// engine. (That a violation replays is checked by the engine itself, which calls it a bug if it does not.)
#include <fmt/format.h>

#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "beyond_fl.h"
#include "comparison_runs.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "engine/sat/options.h"
#include "model/memory_model.h"
#include "random_property.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{4} << 20;
constexpr uint64_t kSatMemory = uint64_t{1} << 30;
constexpr double kSeconds = 5;

std::string verdict_of(std::string_view engine, const Task& task, double seconds, uint64_t memory) {
  Options options;
  options.of<engine::StateSpaceOptions>().buffer_limit = 3;
  options.of<sat::SatOptions>().bound = 4;
  Limits limits(seconds, memory);
  try {
    if (!engine::engine_called(engine).supports(task)) return "unknown";
    const Result result = engine::verify_by(engine, task, options, limits);
    if (result.is_unknown(UnknownReason::kUnsupported)) return result.reason;
    if (result.verdict() == Verdict::kViolated && !(result.replay() && result.replay()->ok))
      return "a violation without a trace";
    return std::string(to_string(result.verdict())) +
           (result.is_unknown(UnknownReason::kBound) ? " (bounded)" : "");
  } catch (const std::exception& problem_found) {
    return problem_found.what();
  }
}

// As inference puts them: not in the text.
FenceSet fences_behind_stores(const Program& program, FenceKinds kinds) {
  FenceSet fences;
  for (size_t thread = 0; thread < program.threads.size(); ++thread) {
    bool inside = false;
    for (size_t point = 0; point < program.threads[thread].code.size(); ++point) {
      const InstrKind kind = program.threads[thread].code[point].kind;
      inside = kind == InstrKind::kAtomicBegin || (inside && kind != InstrKind::kAtomicEnd);
      if (kind == InstrKind::kStore && !inside) fences.add(ThreadId(thread), Point(point), kinds);
    }
  }
  return fences;
}

std::optional<Disagreement> disagreement(const std::string& text, const std::vector<std::string>& models,
                                         FenceKinds added, Tally* tally) {
  const Program program = read_program(text);
  if (program.properties.empty()) return std::nullopt;  // shrinking took it away
  const FenceSet fences = added == FenceKinds() ? FenceSet() : fences_behind_stores(program, added);
  for (const std::string& model : models) {
    const Task task{program, fences, memory_model(model), program.properties.front()};
    const std::string machine = verdict_of("explicit", task, 0, kMemory);
    const std::string sat = verdict_of("sat", task, kSeconds, kSatMemory);
    if (tally != nullptr) ++(*tally)[fmt::format("{} explicit {}, sat {}", model, machine, sat)];
    const bool undecided = machine.starts_with("unknown") || sat.starts_with("unknown");
    const bool known = sat.starts_with("unknown") || sat == "verified" || sat == "violated";
    if (known && (undecided || machine == sat)) continue;
    const std::string what = fmt::format("{}: explicit {}, sat {}", model, machine, sat);
    return Disagreement{what, [model, what, added](const std::string& less) {
                          const auto again = disagreement(less, {model}, added, nullptr);
                          return again && again->what == what;
                        }};
  }
  return std::nullopt;
}

std::string random_text(Rng& rng) {
  const uint64_t kind = rng.below(100);
  std::string text = kind < 80   ? random_task(static_cast<Family>(rng.below(kFamilies)), rng)
                     : kind < 90 ? random_lock_task(rng)
                                 : random_looping_task(rng);
  for (const char* when : {"property p: never", "property p: always"})
    if (const size_t at = text.find(when); at != std::string::npos && rng.chance(25))
      text.replace(at, std::strlen(when), "property p: finally");
  return text;
}

int check_properties(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(runs, random_text, [&](const std::string& text, Rng& rng) {
    const FenceKinds added = rng.chance(80)   ? FenceKinds()
                             : rng.chance(50) ? FenceKinds::store_store()
                                              : FenceKinds::full();
    return disagreement(text, runs.models, added, &tally);
  });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs with a random property: the SAT engine contradicts no other\n";
  return check_variety(runs, 100, 10, [&](const std::string& model, const std::string& verdict) {
    return tally[fmt::format("{0} explicit {1}, sat {1}", model, verdict)];
  });
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  if (argc > 1 && std::strcmp(argv[1], "--properties") == 0)
    return fuzz_main(argc - 1, argv + 1, {.models = {"sc", "tso", "pso"}}, check_properties);
  return run_comparisons(argc, argv, {.sizes = {.four_threads = 10}, .sat = SatSettings()});
}
