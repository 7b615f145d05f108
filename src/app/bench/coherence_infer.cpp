// SPDX-License-Identifier: GPL-3.0-or-later
//
// Table 2 of Kuperstein, Vechev, Yahav: "Partial-Coherence Abstractions for Relaxed Memory Models": how good
// the fences are that each abstraction leads to, on PSO, and how many states that takes.
//
// The paper explores the unfenced program as a whole and computes from the graph how each error could be
// avoided. So does one of our two tables; the other asks about one placement after the other
// (synth/lazy.cpp), and adds up the states of all questions. The paper's mark for "not optimal" and the one
// for "no fences help" cannot be told apart in the copy at hand; both are "not best" here. A dash is where
// the copy has one.
#include <fmt/format.h>

#include <array>

#include "app/bench/infer_cell.h"
#include "app/bench/tables.h"
#include "report/display.h"
#include "report/table.h"

namespace fenceline {
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

// How our cells compare with the paper's.
struct Score {
  size_t cells = 0;
  size_t paper_best = 0, kept = 0;     // of the paper's best, those where we have no more fences
  size_t paper_other = 0, mended = 0;  // of its others, those where we have no more than its best
  size_t fewer = 0;
  double seconds = 0;
  uint64_t states = 0;

  void count(const PaperRow& row, const PaperCell& paper, const InferredCell& ours) {
    const bool found = ours.inference.outcome == Inference::Outcome::kFound;
    const bool good = found && ours.fences <= row.best;
    ++cells;
    ++(paper.mark == Mark::kBest ? paper_best : paper_other);
    if (good) ++(paper.mark == Mark::kBest ? kept : mended);
    if (found && ours.fences < row.best) ++fewer;
    seconds += ours.seconds;
    states += ours.inference.states;
  }
};

std::string make(const BenchContext& context, InferenceMethod method) {
  const Engine& engine = bench_engine(context, "coherence");
  Table table({"program", "buffers", "paper", "minimum is", "paper's best", "ours", "rounds",
               "paper k states", "ours k states", "ours/paper", "s"},
              4);
  Score score;
  std::string notes;
  for (const PaperRow& row : kPaper) {
    if (!context.wants(row.program)) continue;
    const Subject subject = bench_subject(fmt::format("blender/{}", row.program), row.property);
    for (size_t a = 0; a < kAbstractions.size(); ++a) {
      const PaperCell& paper = row.cells[a];
      const InferredCell ours = infer_cell(context, engine, subject, "pso", kAbstractions[a], method);
      const bool ended = ours.inference.outcome != Inference::Outcome::kUnknown || ours.too_coarse();
      const double thousands = static_cast<double>(ours.inference.states) / 1000;
      table.add({std::string(row.program), std::string(kAbstractions[a]), word(paper.mark),
                 ours.minimum_word(), fmt::format("{}", row.best), ours.fences_word(),
                 fmt::format("{}", ours.inference.rounds),
                 paper.thousands == 0 ? "" : fmt::format("{:.1f}", paper.thousands),
                 fmt::format("{}{:.1f}", ended ? "" : ">", thousands),
                 paper.thousands == 0 || !ended ? "" : short_number(thousands / paper.thousands),
                 short_number(ours.seconds)});
      score.count(row, paper, ours);
      if (ours.inference.outcome == Inference::Outcome::kUnknown && !ours.too_coarse())
        notes += fmt::format("- {} with {}: {}\n", row.program, kAbstractions[a], ours.inference.reason);
    }
  }
  std::string text = table.text(context.markdown);
  text += fmt::format("\nThe paper's best placements ({} cells): ours has no more fences in {}.\n",
                      score.paper_best, score.kept);
  text += fmt::format(
      "Its other cells ({}: worse, none, no memory, a dash): ours is as good as its best in {}.\n",
      score.paper_other, score.mended);
  text += fmt::format("Fewer fences than its best: {} cells.\n{}", score.fewer, notes);
  text += fmt::format("All {} cells: {} states, {} s.\n", score.cells, with_commas(score.states),
                      short_number(score.seconds));
  return text;
}

std::string make_lazy(const BenchContext& context) { return make(context, InferenceMethod::kLazy); }
std::string make_avoid(const BenchContext& context) { return make(context, InferenceMethod::kAvoid); }

BenchTable table_of(std::string_view name, std::string_view summary,
                    std::string (*make)(const BenchContext&)) {
  BenchTable table{name, summary, {}, make};
  for (const PaperRow& row : kPaper) table.rows.push_back(row.program);
  return table;
}

}  // namespace

BenchTable coherence_infer_table() {
  return table_of("coherence-infer", "fences for the unfenced algorithms of BLENDER, PSO (its Table 2)",
                  make_lazy);
}

BenchTable coherence_avoid_table() {
  return table_of("coherence-avoid",
                  "the same by the paper's method, from all states of the unfenced program", make_avoid);
}

}  // namespace fenceline
