// SPDX-License-Identifier: GPL-3.0-or-later
//
// Table 1 of Kuperstein, Vechev, Yahav: "Partial-Coherence Abstractions for Relaxed Memory Models": which
// abstractions of store buffers prove the fenced algorithms right on PSO, and how many states that takes.
//
// The paper does not say which local computations are steps of their own, nor whether registers that are dead
// distinguish states. Its figures are nearer to ours when all do than when none does; so every cell
// is run like that, and once more with everything that makes the engine fast. Where the answer is an abstract
// counterexample, the number of states depends on when each program stops, and the figures are not
// comparable.
#include <fmt/format.h>

#include <array>

#include "engine/coherence/options.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/measure.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

struct PaperCell {
  bool proved;
  double thousands;  // of states; 0: its memory ran out
};

constexpr std::array<std::string_view, 3> kAbstractions = {"set", "fd0", "fd1"};

struct PaperRow {
  std::string_view program, property;
  std::array<PaperCell, kAbstractions.size()> cells;
};

constexpr std::array kPaper = {
    PaperRow{"sense1", "count", {{{true, 0.6}, {true, 1.7}, {true, 0.8}}}},
    PaperRow{"pet2", "mutex", {{{false, 7.7}, {true, 2.4}, {true, 1.8}}}},
    PaperRow{"dek2", "mutex", {{{false, 9.7}, {true, 4.5}, {true, 3.1}}}},
    PaperRow{"lam2", "mutex", {{{false, 41.2}, {true, 22.2}, {true, 9.0}}}},
    PaperRow{"fast3", "mutex", {{{false, 22.2}, {false, 16.4}, {true, 11.1}}}},
    PaperRow{"clh2", "mutex", {{{false, 0}, {false, 0}, {true, 68.8}}}},
};

// Why ours is not the paper's answer, where it is known.
struct Difference {
  std::string_view program, abstraction, why;
};
constexpr std::array<Difference, 0> kDifferences = {};

std::string_view why_different(std::string_view program, std::string_view abstraction) {
  for (const Difference& difference : kDifferences)
    if (difference.program == program && difference.abstraction == abstraction) return difference.why;
  return "not explained";
}

std::string in_thousands(double thousands) { return thousands == 0 ? "M" : fmt::format("{:.1f}", thousands); }

// As near to the paper as possible: no step is fused, every register counts.
Options every_step(const Options& limits, std::string_view abstraction) {
  Options options = limits;
  options.of<coherence::CoherenceOptions>().abstraction = coherence::parse_chosen_abstraction(abstraction);
  options.certify = Certify::kNever;
  auto& states = options.of<engine::StateSpaceOptions>();
  states.reduction = states.fusing = states.liveness = false;
  return options;
}

Options at_its_best(const Options& limits, std::string_view abstraction) {
  Options options = limits;
  options.of<coherence::CoherenceOptions>().abstraction = coherence::parse_chosen_abstraction(abstraction);
  options.certify = Certify::kNever;
  return options;
}

std::string make(const BenchContext& context) {
  const engine::Engine& engine = engine::engine_called("coherence");
  report::Table table({"program", "buffers", "paper", "ours", "paper k states", "ours k states", "ours/paper",
                       "s", "reduced states", "reduced s"},
                      4);
  size_t cells = 0, equal = 0;
  double seconds = 0, reduced_seconds = 0;
  std::string notes;
  for (const PaperRow& row : kPaper) {
    if (!context.wants(row.program)) continue;
    const Subject subject = bench_subject(fmt::format("blender/{}", row.program), row.property);
    for (size_t a = 0; a < kAbstractions.size(); ++a) {
      const PaperCell& paper = row.cells[a];
      const Result ours =
          measure(context, engine, subject, "pso", every_step(context.options, kAbstractions[a]));
      const Result reduced =
          measure(context, engine, subject, "pso", at_its_best(context.options, kAbstractions[a]));
      const std::string paper_word = paper.proved ? "verified" : "spurious", word = verdict_word(ours);
      const double thousands = static_cast<double>(ours.statistics.states) / 1000;
      table.add({std::string(row.program), std::string(kAbstractions[a]), paper_word, word,
                 in_thousands(paper.thousands), fmt::format("{:.1f}", thousands),
                 paper.thousands == 0 ? "" : report::short_number(thousands / paper.thousands),
                 report::short_number(ours.statistics.seconds),
                 report::with_commas(reduced.statistics.states),
                 report::short_number(reduced.statistics.seconds)});
      ++cells;
      seconds += ours.statistics.seconds;
      reduced_seconds += reduced.statistics.seconds;
      if (word == paper_word)
        ++equal;
      else
        notes += fmt::format("- {} with {}: {} in the paper, {} here: {}\n", row.program, kAbstractions[a],
                             paper_word, word,
                             ours.verdict() == Verdict::kUnknown && !ours.spurious()
                                 ? std::string_view(ours.reason)
                                 : why_different(row.program, kAbstractions[a]));
      if (verdict_word(reduced) != word)
        notes += fmt::format("- {} with {}: {} when reduced\n", row.program, kAbstractions[a],
                             verdict_word(reduced));
    }
  }
  return fmt::format("{}\n{} of {} verdicts are the paper's.\n{}All {} runs: {} s; reduced: {} s.\n",
                     table.text(context.markdown), equal, cells, notes, cells, report::short_number(seconds),
                     report::short_number(reduced_seconds));
}

}  // namespace

BenchTable coherence_verify_table() {
  BenchTable table{"coherence-verify",
                   "abstract store buffers on the fenced algorithms of BLENDER, PSO (its Table 1)",
                   {},
                   make};
  for (const PaperRow& row : kPaper) table.rows.push_back(row.program);
  return table;
}

}  // namespace fenceline::tables
