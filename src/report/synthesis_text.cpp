// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which fences to put where, and what is known about their being minimal. These claims differ: that every
// smaller set of fences has a counterexample, and that no smaller set could be proved sufficient.
#include "report/synthesis_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "report/display.h"
#include "report/patch.h"

namespace fenceline::report {
namespace {

std::string paragraph(const std::string& text, const TextStyle& style) {
  std::string out;
  for (const std::string& line : wrap(printable("  " + text), std::max(style.width, 40u), 2))
    out += line + "\n";
  return out;
}

const Placement& first_placement(const SynthesisReport& report) {
  return report.synthesis->placements.front();
}

std::string head(const SynthesisReport& report) {
  switch (report.synthesis->outcome) {
    case Synthesis::Outcome::kFound: {
      const size_t fences = first_placement(report).size();
      if (fences == 0) return "no fences are needed";
      return with_noun(fences, "fence") + (report.synthesis->minimal() ? " needed"
                                           : fences == 1               ? " is enough"
                                                                       : " are enough");
    }
    case Synthesis::Outcome::kImpossible:
      return "no fences help";
    case Synthesis::Outcome::kUnknown:
      break;
  }
  return "fences unknown";
}

Tone tone(const SynthesisReport& report) {
  switch (report.synthesis->outcome) {
    case Synthesis::Outcome::kFound:
      return Tone::kGood;
    case Synthesis::Outcome::kImpossible:
      return Tone::kBad;
    case Synthesis::Outcome::kUnknown:
      break;
  }
  return Tone::kUnsure;
}

std::string placement_lines(const SynthesisReport& report, const Placement& placement) {
  std::string out;
  for (const PlacedFence& fence : placement) {
    const CandidatePosition& candidate = report.candidate(fence);
    out += printable(fmt::format("  line {}: {}; after {}  (in {})", candidate.statement.begin.line,
                                 to_string(fence.kinds), candidate.after,
                                 joined_with_and(threads_of(*report.program, candidate)))) +
           "\n";
  }
  return out;
}

bool searches_lattice(const SynthesisReport& report) {
  return report.method == "prop" || report.method == "bfs" || report.method == "dfs" ||
         report.method == "descent";
}

std::string minimality_text(const SynthesisReport& report) {
  if (first_placement(report).empty()) return "";
  if (report.synthesis->minimal())
    return first_placement(report).size() == 1
               ? "This is minimal: without a fence there is a counterexample."
               : "This is minimal: every smaller set of fences has a counterexample.";
  if (report.method == "descent")
    return "None of these fences was proved redundant, but another set of fences may be smaller.";
  if (report.synthesis->minimality == Minimality::kNotClaimed)
    return "Fewer may be enough: each fence prevents the last reordering of a counterexample, and none was "
           "removed again.";
  if (report.method == "avoid")
    return "Fewer may be enough: this method requires a fence on every path from a store to an access, even "
           "on "
           "paths that no counterexample takes.";
  if (searches_lattice(report)) return "Fewer may be enough, but no smaller set could be proved sufficient.";
  const std::string abstraction = report.synthesis->abstraction();
  return "Fewer may be enough, but no smaller set could be proved sufficient: with abstract store buffers" +
         (abstraction.empty() ? std::string() : " (" + abstraction + ")") +
         " there is a spurious counterexample.";
}

std::string all_placements(const SynthesisReport& report) {
  const Synthesis& synthesis = *report.synthesis;
  std::string out;
  for (size_t i = 0; i < synthesis.placements.size(); ++i)
    out += (synthesis.placements.size() > 1 || !synthesis.all_listed
                ? fmt::format("  placement {} of {}:\n", i + 1, synthesis.placements.size())
                : std::string("  the only placement:\n")) +
           placement_lines(report, synthesis.placements[i]);
  if (!synthesis.all_listed) out += "  there may be more\n";
  if (synthesis.placements.back().size() != synthesis.placements.front().size())
    out += "  no fence can be removed from any of them, but some have more fences than the first\n";
  return out;
}

std::string quiet_line(const SynthesisReport& report) {
  std::string out = fmt::format("{}: {}: {}", printable(report.file), report.model, head(report));
  const char* separator = ":";
  if (report.synthesis->outcome == Synthesis::Outcome::kFound)
    for (const PlacedFence& fence : first_placement(report)) {
      out += fmt::format("{} {} after line {}", separator, to_string(fence.kinds),
                         report.candidate(fence).statement.begin.line);
      separator = ",";
    }
  return out + "\n";
}

// Not every method learns clauses.
std::string effort_in_detail(const SynthesisReport& report) {
  const Synthesis::Statistics& statistics = report.synthesis->statistics;
  const std::string effort = fmt::format("  engine: {}; {}, {}", report.engine,
                                         with_noun(report.candidate_count(), "candidate position"),
                                         with_noun(statistics.iterations, "iteration"));
  if (report.method == "foil" || searches_lattice(report)) return effort;
  return effort + fmt::format(", {} ({} from spurious counterexamples)",
                              with_noun(statistics.clauses, "clause"), statistics.spurious_clauses);
}

// "lines 3, 7"
std::string lines_text(const SynthesisReport& report, const std::vector<size_t>& positions) {
  std::vector<uint32_t> lines;
  for (const size_t position : positions)
    lines.push_back((*report.candidates)[position].statement.begin.line);
  return fmt::format("{} {}", noun(lines.size(), "line"), fmt::join(lines, ", "));
}

std::string learned_text(const SynthesisReport& report, const LearnedClause& clause) {
  switch (clause.kind) {
    case LearnedClause::Kind::kViolatedOrderings:
      return fmt::format("a {}counterexample passes {} with pending stores",
                         clause.spurious ? "spurious " : "", lines_text(report, clause.positions));
    case LearnedClause::Kind::kInsufficient: {
      const char* how = clause.spurious ? "not proved sufficient" : "insufficient";
      return clause.positions.empty()
                 ? fmt::format("{}: no fences", how)
                 : fmt::format("{}: fences after {}", how, lines_text(report, clause.positions));
    }
    case LearnedClause::Kind::kReordering:
      break;
  }
  const auto& [thread, first, second] = clause.reordering;
  const StatementEnd& statement = (*report.candidates)[clause.positions.front()].statement;
  return fmt::format("last reordering of a counterexample: {} does {} before {}; {} after {}",
                     report.program->thread(thread).name, report.program->step_name(thread, first),
                     report.program->step_name(thread, second), to_string(clause.kinds),
                     statement.name.empty() ? fmt::format("line {}", statement.begin.line) : statement.name);
}

// The lines of the text that the first placement changes.
std::string change(const SynthesisReport& report) {
  const SourceFile& source = report.program->source;
  return changed_lines(source.text,
                       patched_text(source, fence_texts(*report.candidates, first_placement(report))));
}

// The change with its signs in colour.
std::string painted(const std::string& change, const Paint& paint) {
  std::string out;
  for (size_t begin = 0; begin < change.size();) {
    const size_t end = std::min(change.find('\n', begin), change.size());
    const std::string line = change.substr(begin, end - begin);
    const char sign = line.empty() ? ' ' : line.front();
    const Tone tone = sign == '+'   ? Tone::kGood
                      : sign == '-' ? Tone::kBad
                      : sign == '@' ? Tone::kDim
                                    : Tone::kPlain;
    out += paint(tone, printable(line)) + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string synthesis_text(const SynthesisReport& report, const TextStyle& style) {
  if (style.quiet) return quiet_line(report);
  const Synthesis& synthesis = *report.synthesis;
  const Paint paint(style.colour);
  const std::string effort = fmt::format(" ({}: {}, {:.2f} s)", report.method,
                                         with_noun(synthesis.statistics.queries, "query"), report.seconds);
  std::string out = fmt::format("{}: {} on {}{}\n", paint(Tone::kBold, printable(report.file)),
                                paint(tone(report), head(report)), report.model, paint(Tone::kDim, effort));
  const bool found = synthesis.outcome == Synthesis::Outcome::kFound;
  if (synthesis.outcome == Synthesis::Outcome::kUnknown) {
    out += paragraph(synthesis.reason, style);
    if (!synthesis.placements.empty()) {
      const bool everywhere = first_placement(report).size() == report.candidate_count();
      out += paragraph(
          synthesis.patch_unverified ? "These were verified, but not the text that contains them:"
          : everywhere ? "These are sufficient, but they are at all candidate positions; fewer may be enough:"
                       : "These are sufficient; fewer may be enough:",
          style);
      out += placement_lines(report, first_placement(report));
    }
  }
  if (found) {
    out += report.all_requested && !first_placement(report).empty()
               ? all_placements(report)
               : placement_lines(report, first_placement(report));
    if (const std::string text = minimality_text(report); !text.empty()) out += paragraph(text, style);
  }
  if (style.verbose) {
    out += paint(Tone::kDim, effort_in_detail(report)) + "\n";
    for (const LearnedClause& clause : synthesis.learned)
      out += paint(Tone::kDim, "  " + learned_text(report, clause)) + "\n";
  }
  if (found)
    if (const std::string changed = change(report); !changed.empty()) out += "\n" + painted(changed, paint);
  return out;
}

}  // namespace fenceline::report
