// SPDX-License-Identifier: GPL-3.0-or-later
//
// The published tables, one file each. A new one is a function here, a file beside this one and a line in
// tables.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/options.h"
#include "env/progress.h"

namespace fenceline::tables {

// What a table needs to be made.
struct BenchContext {
  const Options& options;  // the limits of each cell
  const std::vector<std::string>& only;
  const std::vector<std::string>& models;  // of --model; empty: those of the table
  bool markdown = false;
  Progress& progress;

  bool wants(std::string_view row) const;  // does --only select it? Without --only, all rows are.
};

struct BenchTable {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> rows;
  std::string (*make)(const BenchContext&);
  double seconds_per_cell = 5;        // unless --timeout is given
  bool any_model_and_engine = false;  // it takes --model and --engine; the others are about fixed ones
};

BenchTable coherence_verify_table();
BenchTable coherence_infer_table();
BenchTable coherence_threads_table();
BenchTable automata_searches_table();
BenchTable automata_peterson_table();
BenchTable litmus_suite_table();
BenchTable checkfence_table();
BenchTable checkfence_growth_table();
BenchTable opacity_spec_table();
BenchTable opacity_memories_table();
BenchTable propagation_table();
BenchTable executions_table();

std::span<const BenchTable> bench_tables();

}  // namespace fenceline::tables
