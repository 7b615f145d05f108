// SPDX-License-Identifier: GPL-3.0-or-later
//
// What to write where, and how sure it is that less would not do. The claim of minimality is worded with
// care: it is one thing that a run exists which fewer fences do not stop, and another that fewer fences could
// not be proved enough.
#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/display.h"

namespace fenceline {
namespace {

std::string counted(uint64_t count, const char* what) {
  return fmt::format("{} {}{}", with_commas(count), what, count == 1 ? "" : "s");
}

std::string paragraph(const std::string& text, const TextStyle& style) {
  std::string out;
  for (const std::string& line : wrap(printable("  " + text), std::max(style.width, 40u), 2))
    out += line + "\n";
  return out;
}

std::string head(const Advice& advice) {
  switch (advice.verdict) {
    case Verdict::kVerified:
      if (advice.placements.front().empty()) return "no fences are needed";
      return counted(advice.placements.front().size(), "fence") + (advice.exact ? " needed"
                                                                   : advice.placements.front().size() == 1
                                                                       ? " is enough"
                                                                       : " are enough");
    case Verdict::kViolated:
      return "no fences help";
    case Verdict::kUnknown:
      break;
  }
  return "fences unknown";
}

Tone tone(const Advice& advice) {
  return advice.verdict == Verdict::kVerified   ? Tone::kGood
         : advice.verdict == Verdict::kViolated ? Tone::kBad
                                                : Tone::kUnsure;
}

std::string placement_lines(const AdvisedPlacement& placement) {
  std::string out;
  for (const AdvisedFence& fence : placement)
    out += printable(fmt::format("  line {}: {}; after {}  (in {})", fence.pos.line, fence.kind, fence.after,
                                 joined_with_and(fence.threads))) +
           "\n";
  return out;
}

bool searches_lattice(const Advice& advice) {
  return advice.method == "prop" || advice.method == "bfs" || advice.method == "dfs" ||
         advice.method == "descent";
}

std::string how_sure(const Advice& advice) {
  if (advice.placements.front().empty()) return "";
  if (advice.exact)
    return advice.placements.front().size() == 1
               ? "Without any, a run of the machine goes wrong."
               : "Fewer are not enough: with each smaller choice of places, a run of the "
                 "machine goes wrong.";
  if (advice.method == "descent")
    return "Another choice of places may have fewer; from this one, none was found that can be left out.";
  if (!advice.fewest)
    return "Fewer may be enough: each fence stops what the last reordering of some wrong run did, and none "
           "was taken away again.";
  if (advice.method == "avoid")
    return "Fewer may be enough: this method wants fences on every way from a store to an access, even on "
           "ways that no wrong run takes.";
  if (searches_lattice(advice)) return "Fewer may be enough, but could not be proved to be.";
  return "Fewer may be enough, but could not be proved to be: on abstract store buffers" +
         (advice.abstraction.empty() ? std::string() : " (" + advice.abstraction + ")") +
         " a run goes wrong that the machine itself does not have.";
}

std::string all_placements(const Advice& advice) {
  std::string out;
  for (size_t i = 0; i < advice.placements.size(); ++i)
    out += (advice.placements.size() > 1 || !advice.all_listed
                ? fmt::format("  choice {} of {}:\n", i + 1, advice.placements.size())
                : std::string("  the only choice:\n")) +
           placement_lines(advice.placements[i]);
  if (!advice.all_listed) out += "  there may be more\n";
  if (advice.placements.back().size() != advice.placements.front().size())
    out += "  from none of them a fence can be left out, but not all have as few as the first\n";
  return out;
}

std::string quiet_line(const Advice& advice) {
  std::string out = fmt::format("{}: {}: {}", printable(advice.file), advice.model, head(advice));
  if (advice.verdict == Verdict::kVerified)
    for (const AdvisedFence& fence : advice.placements.front())
      out += fmt::format("{} {} after line {}", &fence == &advice.placements.front().front() ? ":" : ",",
                         fence.kind, fence.pos.line);
  return out + "\n";
}

// Not every method learns clauses.
std::string effort_in_detail(const Advice& advice) {
  const std::string effort =
      fmt::format("  engine: {}; {}, {}", advice.engine, counted(advice.candidates, "place"),
                  counted(advice.rounds, "round"));
  if (advice.method == "foil" || searches_lattice(advice)) return effort;
  return effort + fmt::format(", {} ({} from the abstraction only)", counted(advice.clauses, "clause"),
                              advice.spurious_clauses);
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

std::string text_advice(const Advice& advice, const TextStyle& style) {
  if (style.quiet) return quiet_line(advice);
  const Paint paint(style.colour);
  const std::string effort = fmt::format(" ({}: {}, {:.2f} s)", advice.method,
                                         counted(advice.questions, "question"), advice.seconds);
  std::string out = fmt::format("{}: {} on {}{}\n", paint(Tone::kBold, printable(advice.file)),
                                paint(tone(advice), head(advice)), advice.model, paint(Tone::kDim, effort));
  if (advice.verdict == Verdict::kUnknown) {
    out += paragraph(advice.reason, style);
    if (!advice.placements.empty()) {
      const bool everywhere = advice.placements.front().size() == advice.candidates;
      out += paragraph(!advice.written_down ? "These were enough as long as they were not written down:"
                       : everywhere ? "These are enough, but they are all places there are; fewer may do:"
                                    : "These are enough; fewer may do:",
                       style);
      out += placement_lines(advice.placements.front());
    }
  }
  if (advice.verdict == Verdict::kVerified) {
    out += advice.all_asked && !advice.placements.front().empty()
               ? all_placements(advice)
               : placement_lines(advice.placements.front());
    if (const std::string sure = how_sure(advice); !sure.empty()) out += paragraph(sure, style);
  }
  if (style.verbose) {
    out += paint(Tone::kDim, effort_in_detail(advice)) + "\n";
    for (const std::string& lesson : advice.lessons) out += paint(Tone::kDim, "  " + lesson) + "\n";
  }
  if (!advice.change.empty()) out += "\n" + painted(advice.change, paint);
  return out;
}

}  // namespace fenceline
