// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/tables.h"

#include <algorithm>
#include <array>

namespace fenceline::tables {

bool BenchContext::wants(std::string_view row) const {
  return only.empty() || std::find(only.begin(), only.end(), row) != only.end();
}

std::span<const BenchTable> bench_tables() {
  static const std::array kTables = {
      coherence_verify_table(),  coherence_infer_table(),   coherence_threads_table(),
      automata_peterson_table(), automata_searches_table(), litmus_suite_table(),
      checkfence_table(),        checkfence_growth_table(), opacity_spec_table(),
      opacity_memories_table(),  propagation_table(),       executions_table(),
  };
  return kTables;
}

}  // namespace fenceline::tables
