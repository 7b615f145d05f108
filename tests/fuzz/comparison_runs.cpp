// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loop over programs, the table that it prints, and the command line.
#include "comparison_runs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "command_line.h"
#include "compare.h"
#include "engine_adapter.h"
#include "generator.h"
#include "shrink.h"

namespace fenceline::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
  Sizes sizes;
  uint64_t count = 1000;
  uint64_t first = 0;
  uint64_t seed = 1;
  unsigned models = 7;
  std::vector<Family> families = {Family::kLoopFree, Family::kAtomic, Family::kLoops};
  unsigned jobs = 1;
  double seconds = 0;  // 0: no limit
  bool print = false;
  CompareOptions options;
};

struct Tally {
  uint64_t compared = 0, skipped = 0, by_three = 0, by_four = 0, finals = 0, states = 0, errors = 0,
           deadlocks = 0;
  double sat_seconds = 0;

  void add(const Tally& other) {
    compared += other.compared;
    skipped += other.skipped;
    by_three += other.by_three;
    by_four += other.by_four;
    finals += other.finals;
    states += other.states;
    errors += other.errors;
    deadlocks += other.deadlocks;
    sat_seconds += other.sat_seconds;
  }
};

struct Summary {
  Tally tally[kFamilies][kModels];
  std::map<std::string, uint64_t> skipped;
  uint64_t programs = 0;

  void count(Family family, const Comparison& comparison, unsigned models) {
    ++programs;
    for (unsigned model = 0; model < kModels; ++model) {
      if (!(models >> model & 1)) continue;
      const Comparison::PerModel& report = comparison.of_model[model];
      Tally& tally_here = tally[static_cast<int>(family)][model];
      if (report.answers < 2) {
        ++tally_here.skipped;
        ++skipped[report.skipped];
        continue;
      }
      if (!report.oracle_skipped.empty()) ++skipped[report.oracle_skipped + " (compared without it)"];
      if (!report.sat_skipped.empty()) ++skipped[report.sat_skipped + " (compared as far as it goes)"];
      ++tally_here.compared;
      tally_here.by_three += report.answers == 3;
      tally_here.by_four += report.answers == 4;
      tally_here.finals += report.finals;
      tally_here.states += report.states;
      tally_here.errors += report.error;
      tally_here.deadlocks += report.deadlock;
      tally_here.sat_seconds += report.sat_seconds;
    }
  }

  void add(const Summary& other) {
    programs += other.programs;
    for (int f = 0; f < kFamilies; ++f)
      for (int m = 0; m < kModels; ++m) tally[f][m].add(other.tally[f][m]);
    for (const auto& [reason, number] : other.skipped) skipped[reason] += number;
  }

  void print(double seconds) const {
    std::printf("%-9s %-5s %10s %9s %9s %9s %12s %12s %8s %9s %7s\n", "family", "model", "compared",
                "by three", "by four", "skipped", "final states", "states", "errors", "deadlocks", "sat ms");
    for (int f = 0; f < kFamilies; ++f)
      for (int m = 0; m < kModels; ++m) {
        const Tally& t = tally[f][m];
        if (t.compared + t.skipped == 0) continue;
        std::printf("%-9s %-5s %10llu %9llu %9llu %9llu %12llu %12llu %8llu %9llu %7.2f\n", kFamilyNames[f],
                    kModelNames[m], as_printed(t.compared), as_printed(t.by_three), as_printed(t.by_four),
                    as_printed(t.skipped), as_printed(t.finals), as_printed(t.states), as_printed(t.errors),
                    as_printed(t.deadlocks), 1000 * t.sat_seconds / static_cast<double>(t.compared));
      }
    for (const auto& [reason, number] : skipped)
      std::printf("skipped %8llu: %s\n", as_printed(number), reason.c_str());
    std::printf("%llu programs in %.1f s\n", as_printed(programs), seconds);
  }

  static unsigned long long as_printed(uint64_t number) { return number; }
};

MiniProgram program_number(const Settings& settings, uint64_t number, Family& family) {
  Rng mix(settings.seed + number * 0xd1342543de82ef95ULL);
  family = settings.families[number % settings.families.size()];
  Rng rng(mix.next() + static_cast<uint64_t>(family));
  return generate(family, rng, settings.sizes);
}

void report_difference(const Settings& settings, uint64_t number, const MiniProgram& program,
                       const Difference& found) {
  const unsigned model_bit = 1u << found.model;
  const auto fails = [&](const MiniProgram& candidate) {
    const Comparison again = compare_all(candidate, model_bit, settings.options);
    return again.difference && again.difference->between == found.between;
  };
  const MiniProgram small = shrink(program, fails);
  const Difference difference = *compare_all(small, model_bit, settings.options).difference;
  std::printf("program %llu of seed %llu: %s disagree under %s\n%s\nshrunken from size %zu to %zu:\n\n%s\n",
              Summary::as_printed(number), Summary::as_printed(settings.seed), difference.between.c_str(),
              kModelNames[difference.model], difference.text.c_str(), size_of(program), size_of(small),
              print_fl(small).c_str());
}

// The main loop. Returns the exit status.
int run(const Settings& settings) {
  const Clock::time_point start = Clock::now();
  const auto elapsed = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::atomic<uint64_t> next{settings.first};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  Summary total;
  uint64_t failed_number = UINT64_MAX;
  Difference failure;

  const auto work = [&] {
    Summary mine;
    while (!stop) {
      const uint64_t number = next++;
      if (number - settings.first >= settings.count) break;
      if (settings.seconds > 0 && elapsed() > settings.seconds) break;
      Family family;
      const MiniProgram program = program_number(settings, number, family);
      if (settings.print) std::cout << "// program " << number << "\n" << print_fl(program) << "\n";
      const Comparison comparison = compare_all(program, settings.models, settings.options);
      mine.count(family, comparison, settings.models);
      if (comparison.difference) {
        const std::lock_guard lock(mutex);
        stop = true;
        if (number < failed_number) {
          failed_number = number;
          failure = *comparison.difference;
        }
      }
    }
    const std::lock_guard lock(mutex);
    total.add(mine);
  };
  std::vector<std::thread> workers;
  for (unsigned job = 1; job < settings.jobs; ++job) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();

  if (failed_number != UINT64_MAX) {
    Family family;
    report_difference(settings, failed_number, program_number(settings, failed_number, family), failure);
  }
  total.print(elapsed());
  return failed_number != UINT64_MAX ? 1 : 0;
}

// ---- the command line ----

using Names = std::vector<std::string>;

// Their number if it is none of them.
size_t index_in(const Names& names, const std::string& name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Breaks the naive explorer (or the models of sat) on purpose, to test the test.
bool plant(const std::string& value, CompareOptions& options) {
  static constexpr const char* kPlants[] = {"none",
                                            "forward-oldest",
                                            "sfence-drains",
                                            "rmw-no-drain",
                                            "store-load-drains",
                                            "rmw-ignores-barriers",
                                            "rmw-ignores-marks",
                                            "failed-cas-is-free",
                                            "atomic-waits-for-marks",
                                            "sync-is-a-fence",
                                            "main-is-a-thread"};
  if (options.sat) {
    options.sat->plant = value;
    options.sat->enumerate = false;
    return true;
  }
  const auto* const found = std::find(std::begin(kPlants), std::end(kPlants), value);
  options.naive.plant = static_cast<Plant>(found - std::begin(kPlants));
  return found != std::end(kPlants);
}

// None: a usage error.
std::optional<Settings> parse(int argc, char** argv, const ComparisonDefaults& defaults) {
  constexpr uint64_t kNotGiven = UINT64_MAX;
  Settings settings;
  settings.sizes = defaults.sizes;
  settings.options.sat = defaults.sat;
  settings.count = kNotGiven;
  const Names all_models(std::begin(kModelNames), std::end(kModelNames));
  const Names all_families(std::begin(kFamilyNames), std::end(kFamilyNames));
  Names models = all_models, families = all_families, families_and_all = all_families;
  families_and_all.push_back("all");
  CommandLine line;
  line.number("--count", settings.count);
  line.number("--first", settings.first);
  line.number("--seed", settings.seed);
  line.names("--model", models, all_models);
  line.names("--family", families, families_and_all);
  line.number("--jobs", settings.jobs);
  line.seconds("--seconds", settings.seconds);
  line.flag("--print", settings.print);
  line.flag("--no-reduction", settings.options.engine.reduction, false);
  line.number("--engine-jobs", settings.options.engine.jobs);
  if (settings.options.sat) line.flag("--no-enumeration", settings.options.sat->enumerate, false);
  line.option("--plant", "", [&](const std::string& value) { return plant(value, settings.options); });
  if (!line.read(argc, argv)) return std::nullopt;
  if (settings.count == kNotGiven && settings.seconds == 0) settings.count = 1000;
  settings.models = 0;
  for (const std::string& name : models) settings.models |= 1u << index_in(all_models, name);
  if (index_in(families, "all") < families.size()) families = all_families;
  settings.families.clear();
  for (const std::string& name : families)
    settings.families.push_back(static_cast<Family>(index_in(all_families, name)));
  return settings;
}

}  // namespace

int run_comparisons(int argc, char** argv, const ComparisonDefaults& defaults) {
  const std::optional<Settings> settings = parse(argc, argv, defaults);
  return settings ? run(*settings) : kWrongUsage;
}

}  // namespace fenceline::fuzz
