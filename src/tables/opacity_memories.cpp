// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables 2 and 3 of Guerraoui, Henzinger, Singh: Verification of STM on relaxed memory models (FMSD 2011):
// the three transactional memories for two threads and two variables. The paper explores all states on
// sequential consistency only; on the weaker models FOIL explores only what its fences allow. Here all
// states are explored everywhere, with the fences of the `-fenced` files where some are needed. The paper's
// seconds are those for making all states, on a PC of 2.8 GHz with 2 GB.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/interrupt.h"
#include "engine/portfolio/portfolio.h"
#include "engine/queue/options.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/measure.h"
#include "tables/search_cell.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

struct Row {
  std::string_view memory;
  uint64_t paper_states;
  double paper_seconds;
};
constexpr std::array kRows = {Row{"tl2", 1'888'674, 581}, Row{"dstm", 3'060'158, 1327},
                              Row{"mcrt", 479'234, 265}};

struct Model {
  std::string_view name, suffix;  // of the file
};
constexpr std::array kModels = {Model{"sc", ""}, Model{"tso", ""}, Model{"pso", "-fenced"},
                                Model{"rmo-ctrl", "-fenced"}};

std::string make(const BenchContext& context) {
  const engine::Engine& engine = engine::engine_called("queue");
  report::Table table({"memory", "model", "answer", "states", "CPU s", "all states", "CPU s", "paper states",
                       "paper s", "paper/ours"},
                      3);
  for (const Row& row : kRows)
    for (const Model& model : kModels) {
      if (!context.wants(row.memory) || app::interrupted()) continue;
      const Subject subject = bench_subject(fmt::format("stm/{}{}", row.memory, model.suffix), "opaque");
      const auto verify_with = [&](bool symmetry, double& seconds) {
        Options options = context.options;
        options.of<engine::QueueOptions>().symmetry = symmetry;
        const double start = cpu_seconds();
        Result result = measure(context, engine, subject, model.name, options);
        seconds = cpu_seconds() - start;
        return result;
      };
      double seconds = 0, seconds_of_all = 0;
      const Result result = verify_with(true, seconds);
      const Result all = verify_with(false, seconds_of_all);
      const bool sc = model.name == "sc";
      table.add({fmt::format("{}{}", row.memory, model.suffix), std::string(model.name), verdict_word(result),
                 report::with_commas(result.statistics.states), report::short_number(seconds),
                 report::with_commas(all.statistics.states), report::short_number(seconds_of_all),
                 sc ? report::with_commas(row.paper_states) : "",
                 sc ? report::short_number(row.paper_seconds) : "",
                 sc ? report::with_commas(static_cast<uint64_t>(row.paper_seconds / std::max(seconds, 1e-6)))
                    : ""});
    }
  return table.text(context.markdown) +
         "\nStates represent those in which the threads are permuted; all states are those without "
         "that.\n";
}

}  // namespace

BenchTable opacity_memories_table() {
  BenchTable table{"opacity-memories", "transactional memories, all states (FOIL, Tables 2 and 3)", {}, make};
  for (const Row& row : kRows) table.rows.push_back(row.memory);
  table.seconds_per_cell = 60;
  return table;
}

}  // namespace fenceline::tables
