// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exploration of execution graphs against other readings of the axioms (executions_comparison.h), on random programs
// of the IR (contended_programs.h). compare_sources.cpp does the same with programs in C and litmus tests.
//
// --counts yes: no verdicts, and not what `litmus` prints. --waits yes: only programs that wait. --buffering yes: only
// programs whose threads load and then store, so that a cycle of program order and rf is possible or nearly so. --plant:
// see ComparisonSettings; it must be noticed.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "contended_programs.h"
#include "executions_comparison.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

ComparisonSettings settings;
bool waits_only = false, buffering_only = false;

std::string random_text(Rng& rng) {
  return waits_only ? waiting_text(rng) : buffering_only ? load_buffering_text(rng) : contended_text(rng);
}

std::string difference(const std::string& text, const std::vector<std::string>& models, uint64_t seed,
                       Tally* tally) {
  KnownLimits known;
  for (const std::string& model : models) {
    Program program = read_program(text);
    tag_accesses(program, model, seed);
    const std::string found = compare_executions(program, model, settings, known, tally);
    if (!found.empty()) return found;
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        std::vector<std::string> models = runs.models;
        if (!runs.every) models = {models[rng.below(models.size())], models[rng.below(models.size())]};
        const uint64_t seed = rng.below(1000);
        const std::string what = difference(text, models, seed, &tally);
        if (what.empty()) return std::nullopt;
        const std::string kind = what.substr(0, what.find(' '));
        return Disagreement{what, [=](const std::string& less) {
                              const std::string again = difference(less, models, seed, nullptr);
                              return !again.empty() && again.substr(0, again.find(' ')) == kind;
                            }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: the exploration of execution graphs contradicts nothing\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv,
                   {.models = {"sc", "tso", "pso", "rmo", "rmo-ctrl", "relaxed", "x86tso", "armv8", "riscv",
                               "power", "rc11"}},
                   run, [](CommandLine& line) {
                     line.option("--counts", "yes", [](const std::string&) {
                       settings.outcomes = settings.verdicts = false;
                       return true;
                     });
                     line.option("--waits", "yes", [](const std::string&) {
                       waits_only = true;
                       return true;
                     });
                     line.option("--buffering", "yes", [](const std::string&) {
                       buffering_only = true;
                       return true;
                     });
                     line.option("--plant", "", [](const std::string& name) {
                       settings.plant = name;
                       return true;
                     });
                   });
}
