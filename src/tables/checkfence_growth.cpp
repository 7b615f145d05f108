// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far does it go? The non-blocking queue of CheckFence (PLDI 2007) with n enqueues in one thread and n
// dequeues in another, Relaxed, for n = 2, 3, ... until a test is not decided in the time that a cell has.
// The paper's largest is Tpc6: 2060 s and 610 MB, with the bounds of all loops given.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/interrupt.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/data_types.h"
#include "tables/measure.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

constexpr size_t kSmallest = 2, kLargest = 16;  // as many as the reference can hold
constexpr std::array<std::string_view, kLargest - kSmallest + 1> kRows = {
    "Tpc2",  "Tpc3",  "Tpc4",  "Tpc5",  "Tpc6",  "Tpc7",  "Tpc8", "Tpc9",
    "Tpc10", "Tpc11", "Tpc12", "Tpc13", "Tpc14", "Tpc15", "Tpc16"};
constexpr size_t kLastOfSuite = 6;
constexpr std::array kPaperSeconds = {2.0, 11.9, 90.4, 497.0, 2060.0};  // from kSmallest

std::string test_text(size_t n) {
  std::string enqueues, dequeues;
  for (size_t i = 0; i < n; ++i) {
    enqueues += "e ";
    dequeues += "d ";
  }
  return fmt::format("test Tpc{} = ( {}| {})\n", n, enqueues, dequeues);
}

std::string make(const BenchContext& context) {
  report::Table table({"test", "verdict", "loads", "stores", "variables", "clauses", "formulas",
                       "deepest loop", "observations", "mining s", "all bounds proved s", "paper s"},
                      2);
  std::string end = "All of these tests were decided.\n";
  for (size_t n = kSmallest; n <= kLargest && !app::interrupted(); ++n) {
    const std::string name(kRows[n - kSmallest]);
    if (!context.wants(name) && !context.wants("msn")) continue;
    DataType type(context, "msn", {name}, n > kLastOfSuite ? test_text(n) : "");
    const DataTypeCell cell = data_type_cell(context, type, name, "relaxed", Inclusion::kNotAlone);
    const size_t paper = n - kSmallest;
    table.add({name, verdict_word(cell.result), report::with_commas(cell.figure("loads")),
               report::with_commas(cell.figure("stores")), report::with_commas(cell.figure("variables")),
               report::with_commas(cell.figure("clauses")), report::with_commas(cell.figure("formulas")),
               report::with_commas(cell.figure("deepest_loop")), report::with_commas(cell.observations),
               report::short_number(cell.mining), report::short_number(cell.seconds),
               paper < kPaperSeconds.size() ? fmt::format("{:.1f}", kPaperSeconds[paper]) : ""});
    if (cell.result.verdict() == Verdict::kUnknown) {
      end = fmt::format("{}: {}\n", name, cell.result.reason);
      break;
    }
  }
  return table.text(context.markdown) + "\n" + end;
}

}  // namespace

BenchTable checkfence_growth_table() {
  BenchTable table{
      "checkfence-growth",
      "n enqueues beside n dequeues of the non-blocking queue on Relaxed, until the time of a test is over",
      {"msn"},
      make,
      300};
  table.rows.insert(table.rows.end(), kRows.begin(), kRows.end());
  return table;
}

}  // namespace fenceline::tables
