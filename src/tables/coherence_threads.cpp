// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the tables of "Partial-Coherence Abstractions for Relaxed Memory Models" leave out: TSO, of which the
// paper says in one sentence that Peterson's algorithm gets its best fences only from k = 2 on, and three
// threads, which it does not try.
#include <fmt/format.h>

#include <array>

#include "engine/portfolio/portfolio.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/infer_cell.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

struct Row {
  std::string_view program;  // its name in the table; without `blender/` or `mutex/`
  std::string_view folder, property, model;
  std::string_view abstractions;  // separated by blanks
};

constexpr std::array kRows = {
    Row{"pet0", "blender", "mutex", "tso", "fd0 fd1 fd2"},
    Row{"dek0", "blender", "mutex", "tso", "fd0 fd1 fd2"},
    Row{"lam0", "blender", "mutex", "tso", "fd0 fd1 fd2"},
    Row{"fast0", "blender", "mutex", "tso", "fd0 fd1 fd2"},
    Row{"clh0", "blender", "mutex", "tso", "fd0 fd1 fd2"},
    Row{"sense0", "blender", "count", "tso", "fd0 fd1 fd2"},
    Row{"fast.3", "mutex", "mutex", "tso", "fd1 fd2"},
    Row{"fast.3", "mutex", "mutex", "pso", "fd1 pd1"},
    Row{"bakery.3", "mutex", "mutex", "tso", "fd1 fd2"},
    Row{"bakery.3", "mutex", "mutex", "pso", "fd1 pd1"},
    Row{"clh.3", "mutex", "mutex", "tso", "fd1 fd2"},
    Row{"clh.3", "mutex", "mutex", "pso", "fd1 pd1"},
    Row{"mcs.3", "mutex", "live", "tso", "fd1 fd2"},
    Row{"mcs.3", "mutex", "live", "pso", "fd1 pd1"},
    Row{"ticket.3", "mutex", "mutex", "tso", "fd1 fd2"},
    Row{"ticket.3", "mutex", "mutex", "pso", "fd1 pd1"},
};

std::string make(const BenchContext& context) {
  const engine::Engine& engine = engine::engine_called("coherence");
  report::Table table({"program", "model", "buffers", "minimum is", "fences", "rounds", "k states", "s"}, 4);
  std::string notes;
  for (const Row& row : kRows) {
    if (!context.wants(row.program)) continue;
    const Subject subject = bench_subject(fmt::format("{}/{}", row.folder, row.program), row.property);
    for (std::string_view rest = row.abstractions; !rest.empty();) {
      const std::string_view abstraction = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), abstraction.size() + 1));
      const InferredCell ours = infer_cell(context, engine, subject, row.model, abstraction);
      table.add({std::string(row.program), std::string(row.model), std::string(abstraction),
                 ours.minimum_word(), ours.fences_word(),
                 fmt::format("{}", ours.inference.statistics.iterations),
                 fmt::format("{:.1f}", static_cast<double>(ours.inference.statistics.states) / 1000),
                 report::short_number(ours.seconds)});
      if (ours.inference.outcome == Synthesis::Outcome::kUnknown && !ours.too_coarse())
        notes += fmt::format("- {} on {} with {}: {}\n", row.program, row.model, abstraction,
                             ours.inference.reason);
    }
  }
  return fmt::format("{}{}{}", table.text(context.markdown), notes.empty() ? "" : "\n", notes);
}

}  // namespace

BenchTable coherence_threads_table() {
  BenchTable table{
      "coherence-threads", "fences on TSO with more or less order kept, and for three threads", {}, make};
  for (const Row& row : kRows)
    if (table.rows.empty() || table.rows.back() != row.program) table.rows.push_back(row.program);
  return table;
}

}  // namespace fenceline::tables
