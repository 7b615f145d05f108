// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole verifications, timed, with SPIN next to us where it is installed. Every figure is measured in this
// run; docs/benchmarks.md explains them and has the tables of one run.
//
// The task of each row is verified three times: by our engine with one job, by our engine with two, and by
// SPIN, with the same program as a Promela model (promela.h). With reduction, our reduction is compared with
// SPIN's; without, both visit every interleaving, and the numbers of states must be equal. Ratios are made of
// processor time, which other work on the machine disturbs less than the clock on the wall; only the speed-up
// by a second job needs the clock.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "env/errors.h"
#include "promela.h"
#include "report/display.h"
#include "report/table.h"
#include "runs.h"
#include "spin.h"
#include "validate.h"

namespace fenceline::bench {
namespace {

constexpr double kSeconds = 120;       // for one run
constexpr double kShortSeconds = 1.5;  // runs below are repeated and their median counts
constexpr int kRepetitions = 3;

// Runs of one to ten million states, and of some hundred thousand where the reduction leaves no more.
struct Row {
  const char* file;
  const char* model;
  bool reduction;
};
// clang-format off
constexpr Row kRows[] = {
    {"bench/programs/szymanski.4.fl", "tso", true},
    {"bench/programs/dijkstra.4.fl", "tso", true},
    {"bench/programs/dijkstra.4.fl", "pso", true},
    {"bench/programs/fast.4.fl", "tso", true},
    {"bench/programs/fast.4.fl", "pso", true},
    {"corpus/mutex/szymanski.3.tso.fl", "tso", false},
    {"corpus/mutex/dijkstra.3.tso.fl", "pso", false},
    {"bench/programs/burns.4.fl", "tso", false},
    {"bench/programs/bakery.3.fl", "tso", false},
    {"bench/programs/bakery.3.fl", "pso", false},
};
// clang-format on
constexpr const char* kProperty = "mutex";

// Small programs on which the translation is checked, of every kind of property.
constexpr const char* kSmallPrograms[] = {
    "corpus/litmus/sb.fl",          "corpus/litmus/mp.fl",        "corpus/litmus/n6.fl",
    "corpus/mutex/peterson.tso.fl", "corpus/mutex/dekker.tso.fl", "corpus/mutex/szymanski.fl",
    "corpus/mutex/fast.tso.fl",     "corpus/mutex/tas.fl",        "corpus/mutex/peterson_data.tso.fl",
    "corpus/queue/spsc.fl",         "corpus/mutex/ticket_mod.fl",
};

struct BenchOptions {
  bool markdown = false;
  bool no_spin = false;
  bool all_variants = false;
  bool list_only = false;
  std::string root = ".";
  std::string only;
  std::vector<std::string> validated;
};

struct Measured {
  const Row* row = nullptr;
  OurResult ours;
  OurResult two_jobs;
  std::optional<SpinResult> spin;  // by the fastest variant
  std::string spin_variant;
  std::string spin_skipped;  // why there is no such result
};

void say(const std::string& text) {
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
}

// `run()` once, or if that is short several times; the one with the median processor time.
template <class F>
auto median_run(const F& run) {
  std::vector<decltype(run())> results{run()};
  while (results.size() < kRepetitions && results[0].wall_seconds < kShortSeconds) results.push_back(run());
  std::sort(results.begin(), results.end(),
            [](const auto& x, const auto& y) { return x.cpu_seconds < y.cpu_seconds; });
  return results[results.size() / 2];
}

// How long do buffers get? SPIN should not have to carry slots that stay empty.
void find_buffer_limit(const Task& task, const Row& row, PromelaOptions& promela) {
  constexpr uint32_t kMost = 8;
  if (!needs_buffer_limit(task)) return;
  OurOptions options;
  options.reduction = row.reduction;
  options.seconds = kSeconds;
  for (promela.buffer_limit = 1; promela.buffer_limit <= kMost; ++promela.buffer_limit) {
    options.buffer_limit = promela.buffer_limit;
    promela.limit_suffices = run_ours(task, options).verdict == Verdict::kVerified;
    if (promela.limit_suffices) return;
  }
  promela.buffer_limit = kMost;
}

// The fastest configuration of SPIN's verifier for this model, and its time.
void measure_spin(const Task& task, const std::vector<SpinVariant>& variants, Measured& measured) {
  PromelaOptions options;
  options.fuse = measured.row->reduction;
  find_buffer_limit(task, *measured.row, options);
  SpinModel model(to_promela(task, options));
  SpinLimits limits{kSeconds, measured.ours.states};
  model.compile(variants, measured.row->reduction);
  std::optional<SpinVariant> fastest;
  for (const SpinVariant& variant : variants) {
    const SpinResult result = model.run(variant, measured.row->reduction, false, limits);
    say(fmt::format(", SPIN {} {:.1f} s", variant.name, result.cpu_seconds));
    if (result.verdict == Verdict::kUnknown) {
      say(fmt::format(" ({})", result.reason));
      if (!fastest) measured.spin_skipped = result.reason;
      continue;
    }
    if (fastest && measured.spin->cpu_seconds <= result.cpu_seconds) continue;
    fastest = variant;
    measured.spin = result;
    // What is slower than the best so far need not be waited for.
    limits.seconds = std::min(limits.seconds, 1.2 * result.wall_seconds + 0.5);
  }
  if (!fastest) return;
  measured.spin_variant = fastest->name;
  if (measured.spin->wall_seconds < kShortSeconds)
    measured.spin = median_run([&] { return model.run(*fastest, measured.row->reduction, false, limits); });
}

Measured measure(const Row& row, const BenchOptions& bench, bool with_spin) {
  Measured measured;
  measured.row = &row;
  const Program program = load_program((std::filesystem::path(bench.root) / row.file).string());
  const Property property = properties_named(program, kProperty).at(0);
  const FenceSet no_fences;
  const Task task{program, no_fences, memory_model(row.model), property};
  say(fmt::format("{} {} {}:", row.file, row.model, row.reduction ? "reduced" : "full"));
  OurOptions options;
  options.reduction = row.reduction;
  options.seconds = kSeconds;
  measured.ours = median_run([&] { return run_ours(task, options); });
  say(fmt::format(" {} states, ours {:.1f} s", report::with_commas(measured.ours.states),
                  measured.ours.cpu_seconds));
  options.jobs = 2;
  measured.two_jobs = median_run([&] { return run_ours(task, options); });
  if (with_spin) {
    try {
      measure_spin(task, spin_variants(bench.all_variants), measured);
    } catch (const Unsupported& unsupported) {
      measured.spin_skipped = unsupported.what();
    }
  }
  say("\n");
  return measured;
}

std::string name_of(const Row& row) { return std::filesystem::path(row.file).stem().string(); }
std::string on_off(const Row& row) { return row.reduction ? "on" : "off"; }
std::string per_second(uint64_t states, double seconds) {
  return report::with_commas(static_cast<uint64_t>(static_cast<double>(states) / std::max(seconds, 1e-6)));
}

report::Table our_table(const std::vector<Measured>& all) {
  report::Table table({"program", "model", "reduction", "states", "transitions", "CPU s", "wall s",
                       "states/s", "2 jobs: wall s", "speed-up", "bytes/state"},
                      3);
  for (const Measured& measured : all) {
    const OurResult& ours = measured.ours;
    table.add({name_of(*measured.row), measured.row->model, on_off(*measured.row),
               report::with_commas(ours.states), report::with_commas(ours.transitions),
               report::short_number(ours.cpu_seconds), report::short_number(ours.wall_seconds),
               per_second(ours.states, ours.cpu_seconds),
               report::short_number(measured.two_jobs.wall_seconds),
               report::short_number(ours.wall_seconds / measured.two_jobs.wall_seconds),
               report::short_number(ours.bytes_per_state)});
  }
  return table;
}

report::Table spin_table(const std::vector<Measured>& all) {
  report::Table table({"program", "model", "reduction", "SPIN variant", "our states", "SPIN states",
                       "our CPU s", "SPIN CPU s", "our states/s", "SPIN states/s", "our MB", "SPIN MB",
                       "time SPIN/ours", "states/s ours/SPIN"},
                      4);
  for (const Measured& measured : all) {
    const OurResult& ours = measured.ours;
    std::vector<std::string> row = {name_of(*measured.row), measured.row->model, on_off(*measured.row)};
    if (!measured.spin) {
      row.push_back("skipped: " + measured.spin_skipped);
      row.resize(14);
      table.add(row);
      continue;
    }
    const SpinResult& spin = *measured.spin;
    const double our_rate = static_cast<double>(ours.states) / ours.cpu_seconds;
    const double spin_rate = static_cast<double>(spin.states) / spin.cpu_seconds;
    row.insert(row.end(),
               {measured.spin_variant, report::with_commas(ours.states), report::with_commas(spin.states),
                report::short_number(ours.cpu_seconds), report::short_number(spin.cpu_seconds),
                per_second(ours.states, ours.cpu_seconds), per_second(spin.states, spin.cpu_seconds),
                report::short_number(ours.peak_mb), report::short_number(spin.peak_mb),
                report::short_number(spin.cpu_seconds / ours.cpu_seconds),
                report::short_number(our_rate / spin_rate)});
    table.add(row);
  }
  return table;
}

// Two programs that should give the same answer do not: then the figures mean nothing.
std::vector<std::string> contradictions(const std::vector<Measured>& all) {
  std::vector<std::string> found;
  for (const Measured& measured : all) {
    const auto complain = [&](const std::string& what) {
      found.push_back(fmt::format("{} {}: {}", measured.row->file, measured.row->model, what));
    };
    if (!measured.ours.complete()) complain("our search did not finish: " + measured.ours.reason);
    if (measured.two_jobs.states != measured.ours.states) complain("two jobs find other states than one");
    if (!measured.spin) continue;
    if (measured.spin->verdict != Verdict::kVerified) complain("SPIN has another verdict");
    if (!measured.row->reduction && measured.spin->states != measured.ours.states)
      complain("SPIN has another number of states");
  }
  return found;
}

int compare(const BenchOptions& options) {
  const bool with_spin = !options.no_spin && spin_installed();
  std::vector<Measured> all;
  for (const Row& row : kRows) {
    const std::string label =
        fmt::format("{} {} {}", row.file, row.model, row.reduction ? "reduced" : "full");
    if (!options.only.empty() && label.find(options.only) == std::string::npos) continue;
    if (options.list_only)
      fmt::print("{}\n", label);
    else
      all.push_back(measure(row, options, with_spin));
  }
  if (options.list_only) return 0;
  fmt::print("{}\n", our_table(all).text(options.markdown));
  if (with_spin)
    fmt::print("{}", spin_table(all).text(options.markdown));
  else
    fmt::print("{}\n", options.no_spin ? "No comparison with SPIN: --no-spin."
                                       : "No comparison with SPIN: spin or cc is not installed.");
  const std::vector<std::string> wrong = contradictions(all);
  for (const std::string& complaint : wrong) fmt::print("WRONG: {}\n", complaint);
  return wrong.empty() ? 0 : 1;
}

int validate_translation(const BenchOptions& options) {
  if (!spin_installed()) {
    fmt::print("Nothing to validate: spin or cc is not installed.\n");
    return 0;
  }
  std::vector<std::string> files = options.validated;
  if (files.empty())
    for (const char* file : kSmallPrograms)
      files.push_back((std::filesystem::path(options.root) / file).lexically_normal().string());
  return validate(files) == 0 ? 0 : 1;
}

// The model that SPIN gets, to read or to try by hand: FILE MODEL full|reduced.
int print_promela(const std::vector<std::string>& what) {
  const Program program = load_program(what[0]);
  const Property property = properties_named(program, "").at(0);
  const FenceSet no_fences;
  PromelaOptions options;
  options.fuse = what[2] == "reduced";
  const Task task{program, no_fences, memory_model(what[1]), property};
  find_buffer_limit(task, {what[0].c_str(), what[1].c_str(), options.fuse}, options);
  fmt::print("{}", to_promela(task, options));
  return 0;
}

int run(int argc, char** argv) {
  BenchOptions options;
  bool validation = false;
  std::vector<std::string> promela;
  CLI::App app("Times whole verifications and compares them with SPIN.", "fenceline_bench");
  app.add_flag("--markdown", options.markdown, "print Markdown tables");
  app.add_flag("--no-spin", options.no_spin, "do not compare with SPIN");
  app.add_flag("--all-variants", options.all_variants, "try SPIN's slower, smaller state tables too");
  app.add_flag("--list", options.list_only, "print the rows and do nothing");
  app.add_option("--root", options.root, "the folder that has corpus/ and bench/ in it")
      ->capture_default_str();
  app.add_option("--only", options.only, "only rows whose file, model or mode contains this");
  app.add_flag("--validate", validation, "check that SPIN gives our verdicts on small programs");
  app.add_option("--promela", promela, "print the Promela model of FILE MODEL full|reduced")->expected(3);
  app.add_option("files", options.validated, "what to validate instead of the usual files");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (!promela.empty()) return print_promela(promela);
  return validation ? validate_translation(options) : compare(options);
}

}  // namespace
}  // namespace fenceline::bench

int main(int argc, char** argv) {
  try {
    return fenceline::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fenceline_bench: {}\n", error.what());
    return 1;
  }
}
