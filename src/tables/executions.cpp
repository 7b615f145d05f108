// SPDX-License-Identifier: GPL-3.0-or-later
//
// The C programs of bench/programs/executions, with three parameters each, on models with a machine and without one:
// the verdict, the number of executions if the engine that decided counts them, processor time and memory, beside the
// checkers of others that are installed. All are started on the same files as their users would start them, so the
// compiler is part of all figures.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/interrupt.h"
#include "frontend/c/process.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/checkers.h"
#include "tables/programs.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

struct Row {
  std::string_view program;
  std::array<int, 3> parameters;
  bool frees = false;

  std::string name_with(int parameter) const { return fmt::format("{}/{}", program, parameter); }
};

constexpr std::array kRows = {
    Row{"test_and_set", {2, 3, 4}},  Row{"ttas", {2, 3, 4}},         Row{"ttas_exponential", {2, 3, 4}},
    Row{"ticket", {2, 3, 4}},        Row{"twa", {2, 3, 4}},          Row{"mcs", {2, 3, 4}},
    Row{"clh", {2, 3, 4}},           Row{"hemlock", {2, 3, 4}},      Row{"rwlock", {2, 3, 4}},
    Row{"rwlock_bias", {2, 3, 4}},   Row{"seqlock", {1, 2, 3}},      Row{"lamport", {2, 3, 4}},
    Row{"szymanski", {2, 3, 4}},     Row{"mpmc", {1, 2, 3}},         Row{"spsc", {2, 4, 6}},
    Row{"spsc_slots", {10, 20, 40}}, Row{"chase_lev", {1, 2, 3}},    Row{"ms_queue", {1, 2, 3}},
    Row{"treiber", {1, 2, 3}},       Row{"hazard", {2, 3, 4}, true}, Row{"fib", {3, 4, 5}},
    Row{"indexer", {12, 13, 14}},    Row{"last_zero", {4, 8, 12}},   Row{"writers", {4, 5, 6}},
    Row{"readers", {4, 8, 12}},      Row{"cas_rotation", {4, 6, 8}}, Row{"cas_counter", {2, 3, 4}},
};

constexpr std::array<std::string_view, 4> kModels = {"sc", "tso", "armv8", "rc11"};

std::string or_dash(const std::optional<double>& figure) {
  return figure ? report::short_number(*figure) : "-";
}
std::string or_dash(const std::optional<uint64_t>& figure) {
  return figure ? report::with_commas(*figure) : "-";
}

class ExecutionsTable {
 public:
  explicit ExecutionsTable(const BenchContext& context)
      : context_(context), checkers_(installed_checkers()), table_(heads(), 5) {}

  // One line: ours, then those of the others.
  void add(const Row& row, int parameter, std::string_view model, const std::string& folder) {
    const std::string name = row.name_with(parameter);
    context_.progress.set_task(fmt::format("{}: {}: ", name, model));
    const CheckedFile file{fmt::format("{}/{}.c", folder, row.program), fmt::format("N={}", parameter),
                           row.frees};
    const CheckerCell ours = check_by_fenceline(file, model, context_.options);
    std::vector<std::string> cells = {std::string(row.program), std::to_string(parameter), std::string(model),
                                      ours.verdict, ours.engine.empty() ? "-" : ours.engine};
    add_figures(ours, cells);
    for (const Checker& checker : checkers_) {
      const CheckerCell theirs = check_by(checker, file, model, context_.options.timeout);
      cells.push_back(theirs.verdict);
      add_figures(theirs, cells);
    }
    table_.add(std::move(cells));
    if (!ours.note.empty()) notes_ += fmt::format("- {} on {}: {}\n", name, model, ours.note);
    ++rows_;
    if (!ours.verdict.starts_with("-")) ++decided_;
    seconds_ += ours.seconds.value_or(0);
  }

  std::string text() const {
    return fmt::format("{}\n{} of {} were decided, each within {} s; {} s of CPU time together.\n{}",
                       table_.text(context_.markdown), decided_, rows_, context_.options.timeout,
                       report::short_number(seconds_), notes_);
  }

 private:
  std::vector<std::string> heads() const {
    std::vector<std::string> heads = {"program", "N",          "model", "verdict",
                                      "engine",  "executions", "CPU s", "MB"};
    for (const Checker& checker : checkers_)
      for (const char* column : {"", " executions", " CPU s", " MB"})
        heads.push_back(fmt::format("{}{}", checker.name, column));
    return heads;
  }

  static void add_figures(const CheckerCell& cell, std::vector<std::string>& cells) {
    cells.push_back(or_dash(cell.executions));
    cells.push_back(or_dash(cell.seconds));
    cells.push_back(cell.megabytes ? fmt::format("{:.0f}", *cell.megabytes) : "-");
  }

  const BenchContext& context_;
  std::vector<Checker> checkers_;
  report::Table table_;
  std::string notes_;
  size_t rows_ = 0, decided_ = 0;
  double seconds_ = 0;
};

std::string make(const BenchContext& context) {
  const frontend::c::TemporaryFolder folder;
  for (const EmbeddedText& program : execution_programs())
    folder.write(fmt::format("{}.c", program.name), std::string(program.text));
  std::vector<std::string_view> models(kModels.begin(), kModels.end());
  if (!context.models.empty()) models.assign(context.models.begin(), context.models.end());
  ExecutionsTable table(context);
  for (const Row& row : kRows)
    for (const int parameter : row.parameters)
      if (context.wants(row.program) || context.wants(row.name_with(parameter)))
        for (const std::string_view model : models)
          if (!app::interrupted()) table.add(row, parameter, model, folder.path());
  return table.text();
}

// Every program, and every program with a parameter: what --only selects.
const std::vector<std::string>& row_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Row& row : kRows) {
      names.emplace_back(row.program);
      for (const int parameter : row.parameters) names.push_back(row.name_with(parameter));
    }
    return names;
  }();
  return kNames;
}

}  // namespace

BenchTable executions_table() {
  BenchTable table{
      "executions", "C programs with a parameter, on models with a machine and without one", {}, make, 10};
  table.any_model_and_engine = true;
  table.rows.assign(row_names().begin(), row_names().end());
  return table;
}

}  // namespace fenceline::tables
