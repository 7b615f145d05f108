// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fence inference against all sets of candidate positions, on random locks
// (tests/unit/reference/method_comparison.h).
//
// For every model and abstraction: the lazy method and trying all sets must find the same smallest sets, or
// both none. Whatever the whole-graph method finds must be verified; how often it takes more positions than
// needed is counted. A program that takes too long with one method is left open there.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <string>

#include "env/errors.h"
#include "random_property.h"
#include "random_runs.h"
#include "unit/reference/method_comparison.h"

namespace fenceline::fuzz {
namespace {

using testing::MethodComparison;
using testing::Smallest;
using Outcome = Smallest::Outcome;

constexpr size_t kMostPositions = 6;
constexpr uint64_t kMemory = uint64_t{3} << 20;

struct Settings {
  double seconds = 0.25;     // for one method
  bool show_larger = false;  // print where the whole-graph method needs more positions
};

std::string how_it_ends(const Smallest& smallest) {
  switch (smallest.outcome) {
    case Outcome::kFound:
      return fmt::format("{} fences", smallest.count());
    case Outcome::kNothing:
      return "nothing helps";
    case Outcome::kOpen:
      return "open";
    case Outcome::kWrong:
      break;
  }
  return "wrong";
}

// How the whole-graph method compares with the smallest sets there are.
std::string compared(const Smallest& graph, const Smallest& all) {
  if (graph.outcome == Outcome::kOpen || all.outcome == Outcome::kOpen) return "open";
  if (graph.outcome == Outcome::kWrong) return "wrong";
  if (graph.outcome == Outcome::kNothing) return all.outcome == Outcome::kNothing ? "same" : "finds nothing";
  if (all.outcome == Outcome::kNothing || graph.count() < all.count()) return "wrong";
  if (graph.count() > all.count()) return "more positions";
  return graph.sets == all.sets ? "same" : "fewer choices";
}

// Empty if nothing contradicts anything.
std::string disagreement(const std::string& text, const Settings& settings, Tally* tally) {
  for (const char* model : {"tso", "pso"})
    for (const char* abstraction : {"fd1", "fd2", "pd1"}) {
      const std::string name = fmt::format("{} {}", model, abstraction);
      std::string problem;
      try {
        const auto positions = [&] {  // fences behind loads and labels too, where that is not too much
          if (MethodComparison({"random.fl", text}, model, abstraction, synth::Positions::kAll)
                  .candidates()
                  .size() <= kMostPositions)
            return synth::Positions::kAll;
          return synth::Positions::kStores;
        }();
        MethodComparison methods({"random.fl", text}, model, abstraction, positions, kMemory,
                                 settings.seconds);
        if (methods.candidates().size() > kMostPositions) return "";
        const Smallest lazy = methods.lazily(), all = methods.by_trying_all(), graph = methods.by_avoiding();
        const std::string whole = compared(graph, all);
        if (tally != nullptr) {
          ++(*tally)[name + ": " + how_it_ends(all)];
          ++(*tally)[name + " whole graph: " + whole];
          if (all.outcome == Outcome::kFound) ++(*tally)[name + (lazy.exact ? " exact" : " not exact")];
          if (settings.show_larger &&
              (whole == "more positions" || whole == "finds nothing" || whole == "fewer choices"))
            std::cout << "-- " << name << ": " << whole << ": " << to_string(graph) << ", smallest "
                      << to_string(all) << "\n"
                      << text << "\n";
        }
        problem = difference(lazy, all);
        if (whole == "wrong")
          problem += fmt::format(" whole graph {}, by trying all {}", to_string(graph), to_string(all));
      } catch (const InputError&) {
        throw;
      } catch (const std::exception& task) {
        problem = task.what();
      }
      if (!problem.empty()) return name + ": " + problem;
    }
  return "";
}

int run(const RandomRuns& runs, const Settings& settings) {
  Tally tally;
  const bool agree = all_agree(
      runs, [](Rng& rng) { return rng.chance(85) ? random_lock_task(rng) : random_looping_task(rng); },
      [&](Rng&) -> EngineComparison {
        return [&](const std::string& text, Tally* counted) -> std::string {
          if (text.find("property") == std::string::npos) return "";  // shrinking took it away
          return disagreement(text, settings, counted);
        };
      },
      tally);
  if (!agree) return 1;
  print(tally);
  uint64_t repaired = 0, ended = 0;
  for (const auto& [what, number] : tally) {
    if (what.starts_with("pso fd1: ") && what.ends_with(" fences") && what != "pso fd1: 0 fences")
      repaired += number;
    if (what.starts_with("pso fd1: ") && what != "pso fd1: open") ended += number;
  }
  std::cout << runs.count << " programs: lazy inference finds what trying all sets finds\n";
  // A search that ran out of time does not count; on a slow machine that may be most of them.
  if (ended >= 20 && repaired * 20 < ended) {
    std::cout << "but hardly any program needs fences: this shows nothing\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  Settings settings;
  return fuzz_main(
      argc, argv, {.count = 100}, [&](const RandomRuns& runs) { return run(runs, settings); },
      [&](CommandLine& line) {
        line.seconds("--seconds", settings.seconds);
        line.flag("--show-larger", settings.show_larger);
      });
}
