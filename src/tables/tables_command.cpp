// SPDX-License-Identifier: GPL-3.0-or-later
//
#include "tables/tables_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "app/exit_status.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "app/supervised.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

// The table of this name; if there is none, all tables of an engine: `coherence` denotes all that begin with
// "coherence-".
std::vector<const BenchTable*> tables_named(const std::string& name) {
  std::vector<const BenchTable*> named;
  std::string known;
  for (const BenchTable& table : bench_tables()) {
    if (table.name == name) return {&table};
    if (table.name.starts_with(name + "-")) named.push_back(&table);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", table.name);
  }
  if (named.empty()) throw UsageError(fmt::format("unknown table '{}'; known tables: {}", name, known));
  return named;
}

// A row that no table has is a usage error.
void require_rows(const std::vector<const BenchTable*>& tables, const std::vector<std::string>& only) {
  for (const std::string& row : only) {
    std::string known;
    bool found = false;
    for (const BenchTable* table : tables) {
      found = found || std::find(table->rows.begin(), table->rows.end(), row) != table->rows.end();
      known += fmt::format("{}{}", known.empty() ? "" : ", ", fmt::join(table->rows, ", "));
    }
    if (!found) throw UsageError(fmt::format("--only: no program '{}'; there are {}", row, known));
  }
}

// --model and --engine are for the tables that any of them can fill.
void require_fitting_options(const std::vector<const BenchTable*>& tables, const app::CommandLine& line) {
  for (const BenchTable* table : tables) {
    if (table->any_model_and_engine) continue;
    if (line.model_given || line.options.engine != Options().engine)
      throw UsageError(fmt::format("{}: the models and engines of the table {} are fixed",
                                   line.model_given ? "--model" : "--engine", table->name));
  }
  if (line.model_given)
    for (const std::string& model : line.options.models) memory_model(model);
  engine::require_known_engine(line.options.engine);
}

// Each cell has a limit of its own, which it keeps in a process of its own; see app/supervised.h.
int make_tables(const app::CommandLine& line, const std::vector<const BenchTable*>& tables) {
  Progress progress(isatty(STDERR_FILENO) != 0);
  const std::vector<std::string> models = line.model_given ? line.options.models : std::vector<std::string>();
  for (const BenchTable* table : tables) {
    if (app::interrupted()) break;
    Options options = line.options;
    if (options.timeout == 0) options.timeout = table->seconds_per_cell;
    const BenchContext context{options, line.bench_only, models, line.bench_markdown, progress};
    if (table != tables.front()) app::print("\n");
    app::print(fmt::format("{}: {}\n\n{}", table->name, table->summary, table->make(context)));
  }
  return app::kExitVerified;
}

}  // namespace

int tables_command(const app::CommandLine& line) {
  if (line.files.empty()) {
    for (const BenchTable& table : bench_tables())
      app::print(fmt::format("{:<20}{}\n", table.name, table.summary));
    return app::kExitVerified;
  }
  std::vector<const BenchTable*> tables;
  for (const std::string& name : line.files)
    for (const BenchTable* table : tables_named(name)) tables.push_back(table);
  require_rows(tables, line.bench_only);
  require_fitting_options(tables, line);

  app::WorkerFailure failure;
  int status = app::kExitVerified;
  Supervision supervision = app::supervision_of(line.options);
  supervision.memory_bytes = 0;  // that of the cells is limited one by one
  supervision.work = [&](WorkerChannel& channel) {
    return app::in_worker(channel, [&] { return make_tables(line, tables); });
  };
  supervision.on_message = [&](std::string_view message) { failure.hear(message); };
  supervision.on_end = [&](const WorkerReport& report) {
    if (report.end != WorkerEnd::kFinished) app::clear_progress(line.options);
    const auto reason = app::limit_of(report, line.options);
    status = reason ? failure.give_up(*reason) : failure.status_of(report);
    return false;
  };
  supervise(supervision);
  return app::interrupted() ? app::status_of_interruption() : status;
}

}  // namespace fenceline::tables
