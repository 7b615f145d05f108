// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one figure of Linden and Wolper, "An Automata-Based Symbolic Approach for Verifying Programs on Relaxed
// Memory Models": Peterson's algorithm on TSO, with repeated entry, takes their prototype up to 90 seconds,
// for the error as well as for the proof once there are fences. It does not give the positions of the fences,
// nor their kind: its language has only `sync`.
//
// Ours is measured as a user runs it: up to the counterexample, shortened and replayed, or up to the proof
// with its certificate checked. And, as in the paper, for all states, also behind the error.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/portfolio/portfolio.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/search_cell.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

constexpr double kPaperSeconds = 90;
constexpr size_t kRuns = 5;  // these are short; the one in the middle counts

struct Row {
  std::string_view program, folder, fences;
};
constexpr std::array kRows = {
    Row{"pet0", "blender", "none"},
    Row{"pet2", "blender", "two fences"},
    Row{"peterson.sync", "automata", "one sync"},
};

template <class F>
double middle_of_runs(const F& seconds) {
  std::array<double, kRuns> all{};
  for (double& one : all) one = seconds();
  std::sort(all.begin(), all.end());
  return all[kRuns / 2];
}

std::string in_milliseconds(double seconds) { return fmt::format("{:.2f}", seconds * 1000); }
std::string times_faster(double seconds) {
  return report::with_commas(static_cast<uint64_t>(kPaperSeconds / std::max(seconds, 1e-6)));
}

std::string make(const BenchContext& context) {
  const engine::Engine& engine = engine::engine_called("automata");
  report::Table table(
      {"program", "fences", "answer", "what", "states", "paper s", "ours CPU ms", "paper/ours"}, 4);
  for (const Row& row : kRows) {
    if (!context.wants(row.program)) continue;
    const Subject subject = bench_subject(fmt::format("{}/{}", row.folder, row.program), "mutex");
    Result result;
    const double verified = middle_of_runs([&] {
      const double start = cpu_seconds();
      result = measure(context, engine, subject, "tso", context.options);
      return cpu_seconds() - start;
    });
    const bool proved = result.verdict() == Verdict::kVerified;
    const bool checked = result.certificate() && result.certificate()->checked;
    table.add({std::string(row.program), std::string(row.fences), verdict_word(result),
               !proved   ? "a trace, shortened and replayed"
               : checked ? "a proof, its certificate checked"
                         : "a proof, no certificate",
               report::with_commas(result.statistics.states), report::short_number(kPaperSeconds),
               in_milliseconds(verified), times_faster(verified)});
    SearchCell all;
    const double searched = middle_of_runs([&] {
      all = search_cell(context, subject, "tso", SearchOrder::kBreadthFirst, {.explore_on = true});
      return all.seconds;
    });
    table.add({std::string(row.program), std::string(row.fences), all.violated ? "violated" : "verified",
               all.ended ? "all states" : "no end", report::with_commas(all.states),
               report::short_number(kPaperSeconds), in_milliseconds(searched), times_faster(searched)});
  }
  return table.text(context.markdown);
}

}  // namespace

BenchTable automata_peterson_table() {
  BenchTable table{
      "automata-peterson", "Peterson's algorithm on TSO (Linden and Wolper, section 5)", {}, make};
  for (const Row& row : kRows) table.rows.push_back(row.program);
  return table;
}

}  // namespace fenceline::tables
