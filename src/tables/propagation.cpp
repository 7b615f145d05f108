// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables 1 to 4 of Meshman, Dan, Vechev and Yahav: "Synthesis of Memory Fences via Refinement Propagation":
// the fewest fences, and with them the fewest refinements, that three searches have found after one, two and
// four hours (on a Xeon of 2.13 GHz). Beside them the same searches here, and plain descent, twice:
//
//   our layout     what is finite is tracked explicitly. There are no refinements, so that only sets of fences are
//                  searched. The search ends with all minimal sets (descent: with one).
//   paper's layout everything is a dimension of one abstract element per location, refinements are booleans at
//                  flushes. Ended by a sixth of the limit of the cell, which is seconds where the paper had
//                  hours.
//
// Fences are counted as in the paper: all threads together. The programs are ours: the paper names them and
// prints two. Rows without its figures are programs of the corpus that its tables do not show.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "app/interrupt.h"
#include "reference/lattice_strategies.h"
#include "report/display.h"
#include "report/table.h"
#include "tables/lattice_cell.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

struct Found {
  int fences = -1, refinements = -1;  // -1: the paper has no figure
};
using Hours = std::array<Found, 3>;  // 1, 2, 4

constexpr std::array kStrategies = {synth::propagation_strategy, reference::bfs_strategy,
                                    reference::dfs_strategy, reference::descent_strategy};
constexpr size_t kPublished = 3;  // of these

struct PaperRow {
  std::string_view model, program, file;
  std::array<Hours, kPublished> hours;

  bool published() const { return hours[0][0].fences >= 0; }
  size_t best() const {
    int fewest = hours[0][2].fences;
    for (const Hours& one : hours) fewest = std::min(fewest, one[2].fences);
    return static_cast<size_t>(fewest);
  }
};

constexpr Hours each(Found one, Found two, Found four) { return {one, two, four}; }
constexpr Hours all(int f, int r) { return each({f, r}, {f, r}, {f, r}); }
constexpr std::array<Hours, kPublished> kNothing = {};

constexpr std::array kPaper = {
    // Table 1
    PaperRow{"pso", "abp", "abp", {all(0, 0), all(0, 0), all(0, 0)}},
    PaperRow{"pso", "concloop", "concloop", {all(2, 4), each({2, 8}, {2, 4}, {2, 4}), all(2, 4)}},
    PaperRow{"pso", "kessel", "kessels", {all(3, 0), each({5, 2}, {4, 7}, {4, 1}), all(4, 7)}},
    PaperRow{"pso",
             "loop2-TLM",
             "loop2-tlm",
             {all(4, 5), each({5, 2}, {4, 4}, {4, 3}), each({5, 6}, {4, 10}, {4, 10})}},
    PaperRow{"pso", "pc1", "pc1", {each({2, 0}, {2, 0}, {1, 3}), each({9, 2}, {9, 2}, {8, 6}), all(1, 0)}},
    PaperRow{"pso", "pgsql", "pgsql", {all(4, 0), each({8, 2}, {8, 1}, {7, 1}), all(7, 8)}},
    // Table 2
    PaperRow{"pso", "wsq-chase", "wsq-chase", {all(4, 0), all(4, 0), all(4, 0)}},
    PaperRow{"pso",
             "wsq-fifo",
             "wsq-fifo",
             {all(2, 0), each({2, 6}, {2, 5}, {2, 4}), each({2, 6}, {2, 0}, {2, 0})}},
    PaperRow{
        "pso", "wsq-the", "wsq-the", {each({7, 5}, {7, 4}, {7, 0}), each({7, 5}, {7, 4}, {7, 3}), all(7, 7)}},
    // Table 3
    PaperRow{"tso", "abp", "abp", {all(0, 0), all(0, 0), all(0, 0)}},
    PaperRow{"tso", "concloop", "concloop", {all(2, 4), each({2, 8}, {2, 4}, {2, 4}), all(2, 4)}},
    PaperRow{
        "tso", "kessel", "kessels", {each({5, 3}, {4, 0}, {4, 0}), each({5, 3}, {5, 1}, {5, 1}), all(5, 6)}},
    PaperRow{"tso",
             "loop2-TLM",
             "loop2-tlm",
             {each({6, 2}, {5, 8}, {4, 14}), each({5, 8}, {5, 8}, {5, 7}), all(5, 10)}},
    PaperRow{"tso", "pc1", "pc1", {each({3, 3}, {3, 3}, {1, 14}), each({9, 3}, {9, 2}, {8, 6}), all(5, 9)}},
    PaperRow{"tso",
             "peterson",
             "peterson",
             {each({5, 2}, {4, 3}, {4, 3}), each({6, 0}, {5, 5}, {5, 2}), all(4, 7)}},
    PaperRow{"tso", "pgsql", "pgsql", {all(5, 7), each({8, 4}, {8, 3}, {8, 1}), all(8, 8)}},
    // Table 4
    PaperRow{"tso", "queue", "queue", {all(1, 0), all(1, 0), all(1, 0)}},
    PaperRow{"tso", "wsq-chase", "wsq-chase", {all(4, 0), all(4, 0), all(4, 0)}},
    // Not shown there
    PaperRow{"pso", "bakery", "bakery", kNothing},
    PaperRow{"pso", "dekker", "dekker", kNothing},
    PaperRow{"pso", "peterson", "peterson", kNothing},
    PaperRow{"pso", "queue", "queue", kNothing},
    PaperRow{"pso", "szymanski", "szymanski", kNothing},
    PaperRow{"pso", "ticket", "ticket", kNothing},
    PaperRow{"tso", "bakery", "bakery", kNothing},
    PaperRow{"tso", "dekker", "dekker", kNothing},
    PaperRow{"tso", "szymanski", "szymanski", kNothing},
    PaperRow{"tso", "ticket", "ticket", kNothing},
    PaperRow{"tso", "wsq-fifo", "wsq-fifo", kNothing},
    PaperRow{"tso", "wsq-the", "wsq-the", kNothing},
};

std::string word(const Found& found) {
  return found.fences < 0 ? "" : fmt::format("{},{}", found.fences, found.refinements);
}

// The summary at the end.
struct Score {
  struct Search {
    uint64_t calls = 0;
    double seconds = 0;
    size_t complete = 0, fewer_calls = 0, as_many_calls = 0;  // than prop has
    size_t quicker = 0;
  };
  std::array<Search, kStrategies.size()> searches;
  size_t rows = 0, published = 0, fewer = 0, equal = 0, more = 0, contradictions = 0;
  size_t proofs = 0, checked = 0;
  size_t full_fences = 0, only_unrefined = 0, no_end = 0;         // rows that the paper's layout verifies
  size_t paper_proofs = 0, paper_checked = 0, paper_reached = 0;  // of its best points

  std::string summary(double limit) const;
};

std::string Score::summary(double limit) const {
  std::string text =
      fmt::format("Each search has {} s, and so has each check; in the paper's layout {} s.\n\nOur layout:\n",
                  limit, report::short_number(limit * LatticeSubject::kPartForPaper));
  for (size_t s = 0; s < kStrategies.size(); ++s) {
    const Search& one = searches[s];
    text +=
        fmt::format("- {}: {} of {} rows complete, {} calls, {} s", reference::name_of(kStrategies[s]),
                    one.complete, rows, report::with_commas(one.calls), report::short_number(one.seconds));
    if (kStrategies[s] != synth::propagation_strategy)
      text += fmt::format("; fewer calls than prop in {} rows, as many in {}; less time in {}",
                          one.fewer_calls, one.as_many_calls, one.quicker);
    text += ".\n";
  }
  text += fmt::format(
      "- Beside the paper's best after four hours ({} rows): fewer fences in {}, as many in {}, more in {}.\n"
      "- The complete searches of a row {}.\n",
      published, fewer, equal, more,
      contradictions == 0 ? "have the same minimal sets"
                          : fmt::format("differ in their minimal sets in {} rows", contradictions));
  text += fmt::format("- Minimal sets: {} were verified again, and {} proofs of them were checked.\n", proofs,
                      checked == proofs ? fmt::format("all {}", checked) : fmt::format("{}", checked));
  text += fmt::format(
      "\nPaper's layout: full fences are verified in {} of {} rows, in {} of them only without refinements "
      "within the limit; in {} the limit ended it (with all refinements or with none), in the others not "
      "even "
      "they are verified. The paper's best is reached in {} of {}. Of the {} best points, {} proofs (of the "
      "reduced programs) were checked.\n",
      full_fences, rows, only_unrefined, no_end, paper_reached, published, paper_proofs, paper_checked);
  return text;
}

class Row {
 public:
  Row(const BenchContext& context, const PaperRow& paper, Score& score)
      : paper_(paper), score_(score), subject_(context, fmt::format("numeric/{}", paper.file), paper.model) {}

  void run(report::Table& table) {
    ++score_.rows;
    top_ = subject_.top();
    const synth::ProofAnswer refined = subject_.verified_as_in_paper(top_, false);
    const synth::SearchPoint unrefined{top_.fences, {}};
    const synth::ProofAnswer plain = subject_.verified_as_in_paper(unrefined, false);
    refined_ = refined == synth::ProofAnswer::kVerified;
    unrefined_ = plain == synth::ProofAnswer::kVerified;
    no_end_ = refined == synth::ProofAnswer::kOutOfLimits || plain == synth::ProofAnswer::kOutOfLimits;
    score_.no_end += !refined_ && !unrefined_ && no_end_ ? 1 : 0;
    score_.full_fences += refined_ || unrefined_ ? 1 : 0;
    score_.only_unrefined += unrefined_ && !refined_ ? 1 : 0;
    if (unrefined_ && !refined_) best_points_.insert(unrefined);
    for (size_t s = 0; s < kStrategies.size() && !app::interrupted(); ++s) add(table, s);
    compare();
    check_proofs();
  }

 private:
  void add(report::Table& table, size_t s) {
    std::vector<std::string> row = {std::string(paper_.model), std::string(paper_.program),
                                    std::string(reference::name_of(kStrategies[s]))};
    for (size_t hour = 0; hour < 3; ++hour) row.push_back(s < kPublished ? word(paper_.hours[s][hour]) : "");
    for (std::string& word : our_words(s)) row.push_back(std::move(word));
    for (std::string& word : paper_layout_words(s)) row.push_back(std::move(word));
    table.add(std::move(row));
  }

  // Descent looks for one set only, and is never complete in the sense of the others.
  static bool complete(const LatticeSubject::Cell& cell, size_t s) {
    return kStrategies[s] == reference::descent_strategy ? !cell.limited : cell.found.complete;
  }

  std::vector<std::string> our_words(size_t s) {
    const LatticeSubject::Cell& cell = cells_.emplace_back(subject_.search(kStrategies[s]));
    const synth::PropagationResult& found = cell.found;
    const bool one_only = kStrategies[s] == reference::descent_strategy;
    const bool limited = !complete(cell, s);
    const std::optional<double> reached =
        paper_.published() ? cell.seconds_to(paper_.best()) : std::optional<double>();
    return {found.minimal.empty()
                ? "none"
                : fmt::format("{}", subject_.fences_in_all_threads(found.minimal.front().fences)),
            one_only ? "" : fmt::format("{}{}", limited ? ">=" : "", found.minimal.size()),
            report::with_commas(found.calls), limited ? "no end" : report::short_number(cell.seconds),
            reached              ? report::short_number(*reached)
            : paper_.published() ? "never"
                                 : ""};
  }

  std::vector<std::string> paper_layout_words(size_t s) {
    const size_t full = subject_.fences_in_all_threads(top_.fences);
    if (!refined_ && unrefined_) return {fmt::format("{},0", full), "", ""};
    if (!refined_) return {no_end_ ? "full fences: no end" : "not even full fences", "", ""};
    const LatticeSubject::Cell cell = subject_.search_as_in_paper(kStrategies[s]);
    const synth::SearchPoint& best = cell.found.minimal.empty() ? top_ : cell.found.minimal.front();
    best_points_.insert(best);
    return {fmt::format("{},{}", subject_.fences_in_all_threads(best.fences), best.refinements.size()),
            report::with_commas(cell.found.calls),
            cell.found.complete ? report::short_number(cell.seconds)
                                : fmt::format(">{}", report::short_number(cell.seconds))};
  }

  void compare() {
    if (cells_.empty() || cells_.front().found.minimal.empty()) return;
    const auto sets = [](const LatticeSubject::Cell& cell) {
      std::set<synth::FenceMask> all;
      for (const synth::SearchPoint& point : cell.found.minimal) all.insert(point.fences);
      return all;
    };
    const LatticeSubject::Cell& prop = cells_.front();
    bool differ = false;
    for (size_t s = 0; s < cells_.size(); ++s) {
      const LatticeSubject::Cell& cell = cells_[s];
      const bool descent = kStrategies[s] == reference::descent_strategy;
      Score::Search& score = score_.searches[s];
      score.calls += cell.found.calls;
      score.seconds += cell.seconds;
      score.complete += complete(cell, s) ? 1 : 0;
      score.fewer_calls += cell.found.calls < prop.found.calls ? 1 : 0;
      score.as_many_calls += cell.found.calls == prop.found.calls ? 1 : 0;
      score.quicker += cell.seconds < prop.seconds ? 1 : 0;
      differ = differ || (!descent && cell.found.complete && prop.found.complete && sets(cell) != sets(prop));
      for (const synth::FenceMask& set : sets(cell)) minimal_.insert(set);
    }
    score_.contradictions += differ ? 1 : 0;
    if (!paper_.published()) return;
    ++score_.published;
    const size_t ours = subject_.fences_in_all_threads(prop.found.minimal.front().fences);
    ++(ours < paper_.best() ? score_.fewer : ours == paper_.best() ? score_.equal : score_.more);
  }

  void check_proofs() {
    for (const synth::FenceMask& set : minimal_) {
      if (app::interrupted()) return;
      ++score_.proofs;
      score_.checked += subject_.proof_is_checked(set) ? 1 : 0;
    }
    bool reached = false;
    for (const synth::SearchPoint& point : best_points_) {
      if (app::interrupted()) return;
      ++score_.paper_proofs;
      score_.paper_checked +=
          subject_.verified_as_in_paper(point, true) == synth::ProofAnswer::kVerified ? 1 : 0;
      reached =
          reached || (paper_.published() && subject_.fences_in_all_threads(point.fences) <= paper_.best());
    }
    score_.paper_reached += reached ? 1 : 0;
  }

  const PaperRow& paper_;
  Score& score_;
  LatticeSubject subject_;
  synth::SearchPoint top_;                    // all fences, all refinements
  bool no_end_ = false;                       // all fences in the paper's layout
  bool refined_ = false, unrefined_ = false;  // all fences verified in the paper's layout?
  std::vector<LatticeSubject::Cell> cells_;   // our layout, by strategy
  std::set<synth::FenceMask> minimal_;        // of all of them
  std::set<synth::SearchPoint> best_points_;  // the paper's layout
};

std::string make(const BenchContext& context) {
  report::Table table({"model", "program", "search", "paper 1 h f,r", "2 h", "4 h", "fences", "minimal sets",
                       "calls", "s", "s to paper's best", "paper's layout f,r", "calls", "s"},
                      3);
  Score score;
  for (const PaperRow& paper : kPaper)
    if (context.wants(paper.program) && !app::interrupted()) Row(context, paper, score).run(table);
  return fmt::format("{}\n{}", table.text(context.markdown), score.summary(context.options.timeout));
}

}  // namespace

BenchTable propagation_table() {
  BenchTable table{"propagation",
                   "fences by search with propagation, TSO and PSO (Meshman et al., Tables 1 to 4)",
                   {},
                   make,
                   30};
  for (const PaperRow& row : kPaper)
    if (row.model == "pso") table.rows.push_back(row.program);
  return table;
}

}  // namespace fenceline::tables
