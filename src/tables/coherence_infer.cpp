// SPDX-License-Identifier: GPL-3.0-or-later
//
// Table 2 of Kuperstein, Vechev, Yahav: "Partial-Coherence Abstractions for Relaxed Memory Models": how good
// the fences are that each abstraction leads to, on PSO, and how many states that takes.
//
// The paper explores the unfenced program as a whole and computes from the graph how each error could be
// avoided. Ours does so, too (`graph`, reference/avoid), but by default it verifies one placement after the
// other
// (`lazy`, synth/lazy.cpp); the states of all its queries are added up. The paper's mark for "not optimal"
// and the one for "no fences help" cannot be distinguished in the copy at hand; both are "not best" here. A dash
// is where the copy has one.
#include <fmt/format.h>

#include <array>

#include "engine/portfolio/portfolio.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/infer_cell.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

enum class Mark : uint8_t { kBest, kNotBest, kNoMemory, kNothing };

struct PaperCell {
  Mark mark;
  double thousands = 0;
};

constexpr std::array<std::string_view, 5> kAbstractions = {"fd0", "fd1", "pd0", "pd1", "pd2"};

struct PaperRow {
  std::string_view program, property;
  size_t best;  // fences that the paper's best placement adds
  std::array<PaperCell, kAbstractions.size()> cells;
};

constexpr PaperCell best(double thousands) { return {Mark::kBest, thousands}; }
constexpr PaperCell worse(double thousands) { return {Mark::kNotBest, thousands}; }
constexpr PaperCell kMemory = {Mark::kNoMemory}, kDash = {Mark::kNothing};

constexpr std::array kPaper = {
    PaperRow{"sense0", "count", 1, {worse(57.6), best(58.6), worse(31.9), best(44.3), best(6.1)}},
    PaperRow{"pet0", "mutex", 2, {best(69.2), best(524.5), worse(25.3), worse(244.7), best(1124.2)}},
    PaperRow{"dek0", "mutex", 2, {best(424.2), best(3238.1), worse(16.5), worse(358.1), best(2350.0)}},
    PaperRow{"lam0", "mutex", 2, {kMemory, kMemory, worse(421.0), worse(4045.9), kMemory}},
    PaperRow{"fast0", "mutex", 3, {kMemory, kDash, kMemory, kDash, kMemory}},
    PaperRow{"fast1a", "mutex", 2, {worse(139.0), best(105.2), worse(33.0), best(88.1), best(41.9)}},
    PaperRow{"fast1b", "mutex", 2, {worse(832.9), best(972.3), worse(78.6), worse(501.6), best(878.4)}},
    PaperRow{"fast1c", "mutex", 2, {kMemory, kDash, kMemory, kDash, kMemory}},
    PaperRow{"clh0", "mutex", 2, {kMemory, kDash, kMemory, kDash, kMemory}},
};

std::string word(Mark mark) {
  switch (mark) {
    case Mark::kBest:
      return "best";
    case Mark::kNotBest:
      return "not best";
    case Mark::kNoMemory:
      return "M";
    case Mark::kNothing:
      break;
  }
  return "-";
}

bool found(const InferredCell& cell) { return cell.inference.outcome == Synthesis::Outcome::kFound; }
bool ended(const InferredCell& cell) {
  return cell.inference.outcome != Synthesis::Outcome::kUnknown || cell.too_coarse();
}
std::string thousands(const InferredCell& cell) {
  return fmt::format("{}{:.1f}", ended(cell) ? "" : ">",
                     static_cast<double>(cell.inference.statistics.states) / 1000);
}

// How one method compares with the paper.
struct Score {
  size_t ended = 0;
  size_t kept = 0;      // of the paper's best, those where we have no more fences
  size_t improved = 0;  // of its others, those where we have no more than its best
  size_t fewer = 0;     // less than its best
  double seconds = 0;
  uint64_t states = 0;

  void count(const PaperRow& row, const PaperCell& paper, const InferredCell& ours) {
    ended += fenceline::tables::ended(ours) ? 1 : 0;
    if (found(ours) && ours.fences <= row.best) ++(paper.mark == Mark::kBest ? kept : improved);
    if (found(ours) && ours.fences < row.best) ++fewer;
    seconds += ours.seconds;
    states += ours.inference.statistics.states;
  }
  std::string summary(std::string_view method, size_t paper_best, size_t paper_other) const {
    return fmt::format(
        "{}: {} of {} cells ended. Where the paper has its best placement ({} cells), no more fences in {}; "
        "in its "
        "other {}, no more than its best in {}; fewer than its best in {}. {} states, {} s.\n",
        method, ended, paper_best + paper_other, paper_best, kept, paper_other, improved, fewer,
        report::with_commas(states), report::short_number(seconds));
  }
};

std::string make(const BenchContext& context) {
  const engine::Engine& engine = engine::engine_called("coherence");
  report::Table table({"program", "buffers", "paper", "minimum is", "paper's best", "lazy", "graph", "rounds",
                       "paper k states", "lazy k states", "graph k states", "lazy s", "graph s"},
                      4);
  Score lazily, by_graph;
  size_t paper_best = 0, paper_other = 0, contradictions = 0;
  for (const PaperRow& row : kPaper) {
    if (!context.wants(row.program)) continue;
    const Subject subject = bench_subject(fmt::format("blender/{}", row.program), row.property);
    for (size_t a = 0; a < kAbstractions.size(); ++a) {
      const PaperCell& paper = row.cells[a];
      const InferredCell lazy = infer_cell(context, engine, subject, "pso", kAbstractions[a]);
      const InferredCell graph =
          infer_cell(context, engine, subject, "pso", kAbstractions[a], InferenceMethod::kAvoid);
      table.add({std::string(row.program), std::string(kAbstractions[a]), word(paper.mark),
                 lazy.minimum_word(), fmt::format("{}", row.best), lazy.fences_word(), graph.fences_word(),
                 fmt::format("{}", lazy.inference.statistics.iterations),
                 paper.thousands == 0 ? "" : fmt::format("{:.1f}", paper.thousands), thousands(lazy),
                 thousands(graph), report::short_number(lazy.seconds), report::short_number(graph.seconds)});
      ++(paper.mark == Mark::kBest ? paper_best : paper_other);
      lazily.count(row, paper, lazy);
      by_graph.count(row, paper, graph);
      if (ended(lazy) && ended(graph) && lazy.fences_word() != graph.fences_word()) ++contradictions;
    }
  }
  std::string text = table.text(context.markdown) + "\n";
  text += lazily.summary("Lazy", paper_best, paper_other);
  text += by_graph.summary("Graph", paper_best, paper_other);
  text += fmt::format("Where both end they {}.\n",
                      contradictions == 0 ? "agree" : fmt::format("differ in {} cells", contradictions));
  return text;
}

}  // namespace

BenchTable coherence_infer_table() {
  BenchTable table{
      "coherence-infer", "fences for the unfenced algorithms of BLENDER, PSO (its Table 2)", {}, make};
  for (const PaperRow& row : kPaper) table.rows.push_back(row.program);
  return table;
}

}  // namespace fenceline::tables
