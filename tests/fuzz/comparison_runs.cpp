// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loop over programs, the table that it prints, and the command line.
#include "comparison_runs.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

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

[[noreturn]] void usage(const std::string& task) {
  std::cerr << task
            << "\noptions: [--count N] [--first N] [--seed S] [--model sc,tso,pso]\n"
               "         [--family loopfree|atomic|loops|all] [--jobs N] [--seconds S] [--print]\n"
               "         [--no-reduction] [--engine-jobs N] [--no-enumeration]\n";
  std::exit(64);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) out.push_back(part);
  return out;
}

template <size_t N>
size_t index_in(const char* const (&names)[N], const std::string& name) {
  for (size_t i = 0; i < N; ++i)
    if (name == names[i]) return i;
  usage("unknown name '" + name + "'");
}

Settings parse(int argc, char** argv, const ComparisonDefaults& defaults) {
  // Not in the usage text: breaks the naive explorer (or the models of sat) on purpose, to test the test.
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
  Settings settings;
  settings.sizes = defaults.sizes;
  settings.options.sat = defaults.sat;
  bool counted = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--print") {
      settings.print = true;
      continue;
    }
    if (option == "--no-enumeration" && settings.options.sat) {
      settings.options.sat->enumerate = false;
      continue;
    }
    if (option == "--no-reduction") {
      settings.options.engine.reduction = false;
      continue;
    }
    if (i + 1 == argc) usage("option '" + option + "' needs a value");
    const std::string value = argv[++i];
    try {
      if (option == "--count") {
        settings.count = std::stoull(value);
        counted = true;
      } else if (option == "--first") {
        settings.first = std::stoull(value);
      } else if (option == "--seed") {
        settings.seed = std::stoull(value);
      } else if (option == "--jobs") {
        settings.jobs = static_cast<unsigned>(std::stoul(value));
      } else if (option == "--engine-jobs") {
        settings.options.engine.jobs = static_cast<unsigned>(std::stoul(value));
      } else if (option == "--seconds") {
        settings.seconds = std::stod(value);
      } else if (option == "--model") {
        settings.models = 0;
        for (const std::string& name : split(value)) settings.models |= 1u << index_in(kModelNames, name);
      } else if (option == "--family") {
        if (value == "all") continue;
        settings.families.clear();
        for (const std::string& name : split(value))
          settings.families.push_back(static_cast<Family>(index_in(kFamilyNames, name)));
      } else if (option == "--plant") {
        if (settings.options.sat) {
          settings.options.sat->plant = value;
          settings.options.sat->enumerate = false;
        } else {
          settings.options.naive.plant = static_cast<Plant>(index_in(kPlants, value));
        }
      } else {
        usage("unknown option '" + option + "'");
      }
    } catch (const std::logic_error&) {
      usage("'" + value + "' is not a number");
    }
  }
  if (settings.seconds > 0 && !counted) settings.count = UINT64_MAX;
  if (settings.models == 0 || settings.families.empty()) usage("nothing to do");
  return settings;
}

}  // namespace

int run_comparisons(int argc, char** argv, const ComparisonDefaults& defaults) {
  return run(parse(argc, argv, defaults));
}

}  // namespace fenceline::fuzz
