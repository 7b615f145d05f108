// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the parts of the automata engine are worth: the same programs on TSO with each of its searches, all
// states explored, also behind the first violation. But for one variant no language is widened, so that every
// search is exact; the price is that some do not terminate.
//
// Linden and Wolper ("An Automata-Based Symbolic Approach for Verifying Programs on Relaxed Memory Models")
// print no table. The figures beside ours are those of a prototype of both searches, theirs and
// breadth-first, which had no reductions; so every search is run without them, too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/automata/options.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/search_cell.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

struct Variant {
  std::string_view name;
  SearchOrder order;
  bool accelerate, library, sleep_sets;
  bool widen;
};
constexpr std::array kVariants = {
    Variant{"bfs", SearchOrder::kBreadthFirst, true, true, true, false},
    Variant{"bfs, widening", SearchOrder::kBreadthFirst, true, true, true, true},  // as the engine has it
    Variant{"bfs, no library", SearchOrder::kBreadthFirst, true, false, true, false},
    Variant{"bfs, no acceleration", SearchOrder::kBreadthFirst, false, true, true, false},
    Variant{"dfs", SearchOrder::kDepthFirst, true, true, true, false},
    Variant{"dfs, no sleep sets", SearchOrder::kDepthFirst, true, true, false, false},
};

// Of the prototype: states, those of them that no other subsumes, seconds.
struct Prototype {
  std::string_view states, largest, seconds;
};
constexpr Prototype kNothing = {}, kNoEnd = {"no end", "", ""};

struct Row {
  std::string_view program, folder, property;
  bool grows;  // does a loop fill a buffer? Else there is nothing to accelerate, and all bfs are one.
  Prototype breadth_first, depth_first;
};
constexpr std::array kRows = {
    Row{"pet0", "blender", "mutex", true, {"1,611", "", "<0.01"}, {"3,138", "", "0.03"}},
    Row{"pet2", "blender", "mutex", false, kNothing, kNothing},
    Row{"dek0", "blender", "mutex", true, {"2,947", "", "0.01"}, {"6,683", "", "0.06"}},
    Row{"lam0", "blender", "mutex", true, {"137,578", "6,660", "0.6"}, kNoEnd},
    Row{"fast0", "blender", "mutex", true, {"36,083", "9,682", "0.15"}, kNoEnd},
    Row{"clh0", "blender", "mutex", false, {"<=3,134", "", "0.01"}, {"<=3,134", "", "0.01"}},
    Row{"sense0", "blender", "count", false, {"<=3,134", "", "0.01"}, {"<=3,134", "", "0.01"}},
    Row{"two_processes", "automata", "own", true, kNothing, kNothing},
    Row{"unlocking", "automata", "passed", true, kNothing, kNothing},
    Row{"fenced_cycle", "automata", "two", false, kNothing, kNothing},
    Row{"commit_in_cycle", "automata", "two", false, kNothing, kNothing},
    Row{"forwarding", "automata", "both", false, kNothing, kNothing},
    Row{"peterson_once", "automata", "mutex", false, kNothing, kNothing},
    Row{"peterson_once.fenced", "automata", "mutex", false, kNothing, kNothing},
    Row{"peterson.sync", "automata", "mutex", false, kNothing, kNothing},
};

// These two are large, and the search is meant to have them all in less than two seconds.
constexpr std::array<std::string_view, 2> kLarge = {"lam0", "fast0"};
constexpr double kLargeSeconds = 2;

const Prototype& prototype_of(const Row& row, const Variant& variant) {
  if (variant.name == "bfs") return row.breadth_first;
  if (variant.name == "dfs") return row.depth_first;
  return kNothing;
}

std::string count(const SearchCell& cell, uint64_t number) {
  return fmt::format("{}{}", cell.ended ? "" : ">", report::with_commas(number));
}
std::string seconds(const SearchCell& cell) {
  return cell.ended ? report::short_number(cell.seconds) : "no end";
}

std::string note_on_large(std::string_view program, const SearchCell& reduced, const SearchCell& plain) {
  const auto fast = [](const SearchCell& cell) { return cell.ended && cell.seconds < kLargeSeconds; };
  const auto took = [](const SearchCell& cell) { return seconds(cell) + (cell.ended ? " s" : ""); };
  return fmt::format("- {}, all states: {}, without reductions {}; {} than {} s.\n", program, took(reduced),
                     took(plain), fast(reduced) && fast(plain) ? "both less" : "not both less",
                     kLargeSeconds);
}

std::string make(const BenchContext& context) {
  report::Table table({"program", "search", "states", "largest", "languages", "CPU s", "unreduced states",
                       "largest", "languages", "CPU s", "prototype states", "largest", "s"},
                      2);
  std::string notes;
  for (const Row& row : kRows) {
    if (!context.wants(row.program)) continue;
    const Subject subject = bench_subject(fmt::format("{}/{}", row.folder, row.program), row.property);
    std::optional<bool> violated;
    for (const Variant& variant : kVariants) {
      if (!row.grows && variant.order == SearchOrder::kBreadthFirst && variant.name != "bfs") continue;
      automata::SymbolicSearchOptions options{
          .accelerate = variant.accelerate,
          .library = variant.library,
          .sleep_sets = variant.sleep_sets,
          .explore_on = true,
          .widen_above = variant.widen ? automata::AutomataOptions().widen_above : 0};
      const SearchCell reduced = search_cell(context, subject, "tso", variant.order, options);
      options.fuse = options.reduce = false;
      const SearchCell plain = search_cell(context, subject, "tso", variant.order, options);
      const Prototype& prototype = prototype_of(row, variant);
      table.add({std::string(row.program), std::string(variant.name), count(reduced, reduced.states),
                 count(reduced, reduced.largest), count(reduced, reduced.languages), seconds(reduced),
                 count(plain, plain.states), count(plain, plain.largest), count(plain, plain.languages),
                 seconds(plain), std::string(prototype.states), std::string(prototype.largest),
                 std::string(prototype.seconds)});
      for (const SearchCell* cell : {&reduced, &plain}) {
        if (!cell->ended) continue;
        if (violated && *violated != cell->violated)
          notes += fmt::format("- {}, {}: the searches contradict each other.\n", row.program, variant.name);
        violated = cell->violated;
      }
      if (variant.name == "bfs" && std::find(kLarge.begin(), kLarge.end(), row.program) != kLarge.end())
        notes += note_on_large(row.program, reduced, plain);
    }
  }
  return fmt::format("{}{}{}", table.text(context.markdown), notes.empty() ? "" : "\n", notes);
}

}  // namespace

BenchTable automata_searches_table() {
  BenchTable table{
      "automata-searches", "all states on TSO with each search of the automata engine", {}, make};
  for (const Row& row : kRows) table.rows.push_back(row.program);
  return table;
}

}  // namespace fenceline::tables
