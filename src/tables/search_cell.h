// SPDX-License-Identifier: GPL-3.0-or-later
//
// One search of the automata engine, by itself: no trace is made of what it finds, and no certificate.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/automata/symbolic_search.h"
#include "tables/measure.h"

namespace fenceline::tables {

// Of this process so far. Cells are short, and other work on the machine would be the larger part of the time
// that passes.
double cpu_seconds();

enum class SearchOrder : uint8_t { kBreadthFirst, kDepthFirst };

struct SearchCell {
  bool ended = false;  // within the limits of the cell
  bool violated = false;
  uint64_t states = 0, largest = 0, languages = 0;
  double seconds = 0;  // of the processor
};
SearchCell search_cell(const BenchContext& context, const Subject& subject, std::string_view model,
                       SearchOrder order, const automata::SymbolicSearchOptions& options);

}  // namespace fenceline::tables
