// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports for reading. A counterexample is a table: time runs downwards, each thread has a column, and each
// step is in the column of its thread, so that reorderings are visible. With too many threads for that, it is
// a list with names.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/display.h"
#include "report/execution.h"
#include "report/explain.h"
#include "report/report.h"
#include "report/trace_printer.h"

namespace fenceline::report {
namespace {

constexpr size_t kMostColumns = 4;
constexpr size_t kNarrowestColumn = 18;
constexpr size_t kGutter = 6;     // "step ", and a blank behind the line
constexpr size_t kSeparator = 3;  // " │ "
constexpr const char* kVertical = "│";
constexpr size_t kWidestLanguage = 200;  // JSON has more of it

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kVerified:
      return Tone::kGood;
    case Verdict::kViolated:
      return Tone::kBad;
    case Verdict::kUnknown:
      return Tone::kUnsure;
  }
  return Tone::kPlain;
}

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string padded(const std::string& text, size_t width) {
  const size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

void strip_trailing_blanks(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

std::string paragraph(const std::string& text, const TextStyle& style) {
  std::string out;
  for (const std::string& line : wrap(printable(text), std::max(style.width, 40u), 2)) out += line + "\n";
  return out;
}

// ---- The table of a trace
// ------------------------------------------------------------------------------------

class TraceTable {
 public:
  TraceTable(const Answer& answer, const TextStyle& style)
      : program_(*answer.program),
        trace_(print_trace(answer, style.verbose)),
        paint_(style.colour),
        width_(std::max(style.width, 40u)) {
    choose_columns();
  }

  std::string text() const;
  size_t hidden() const { return trace_.hidden; }
  size_t internal() const { return trace_.internal; }

 private:
  void choose_columns();
  size_t natural_width(size_t column) const;
  size_t column_of(const TraceLine& line) const;
  std::string line_text(const TraceLine& line) const {
    return printable(line.note.empty() ? line.text : line.text + " " + line.note);
  }
  std::string row(const TraceLine& line) const;
  std::string cell_text(const TraceLine& line, const std::string& part, size_t notes_from) const;
  const std::string& name(ThreadId thread) const { return program_.thread(thread).name; }

  const Program& program_;
  const PrintedTrace trace_;
  const Paint paint_;
  const size_t width_;
  bool list_ = false;           // one column for all threads, with their names before it
  size_t line_width_ = 0;       // of the lines of the source
  size_t name_width_ = 0;       // of the names in a list
  std::vector<size_t> widths_;  // of the columns
};

size_t TraceTable::column_of(const TraceLine& line) const {
  if (list_) return 0;
  const auto found = std::find(trace_.threads.begin(), trace_.threads.end(), line.thread);
  return static_cast<size_t>(found - trace_.threads.begin());
}

size_t TraceTable::natural_width(size_t column) const {
  size_t width = list_ ? 0 : display_width(name(trace_.threads[column]));
  for (const TraceLine& line : trace_.lines)
    if (column_of(line) == column) width = std::max(width, display_width(line_text(line)));
  return width;
}

// Every column as wide as its contents, if that fits; else the wide ones share what the others leave.
void TraceTable::choose_columns() {
  const size_t columns = trace_.threads.size();
  line_width_ = display_width("line");
  for (const TraceLine& line : trace_.lines)
    line_width_ = std::max(line_width_, display_width(printable(line.line)));
  line_width_ = std::min(line_width_, width_ / 4);
  const size_t gutter = kGutter + line_width_;
  size_t room = width_ - gutter - kSeparator * columns;
  list_ = columns > kMostColumns || width_ < gutter + columns * (kSeparator + kNarrowestColumn);
  if (list_) {
    name_width_ = display_width("thread");
    for (const ThreadId thread : trace_.threads)
      name_width_ = std::max(name_width_, std::min(display_width(name(thread)), width_ / 4));
    room = width_ - gutter - 2 * kSeparator - name_width_;
    widths_ = {std::min(room, natural_width(0))};
    return;
  }
  std::vector<std::pair<size_t, size_t>> wanted;  // width, column
  for (size_t c = 0; c < columns; ++c) wanted.emplace_back(natural_width(c), c);
  std::sort(wanted.begin(), wanted.end());
  widths_.resize(columns);
  for (size_t i = 0; i < columns; ++i) {
    const auto& [width, column] = wanted[i];
    widths_[column] = std::min(width, room / (columns - i));
    room -= widths_[column];
  }
}

// The note of a line, from the byte `notes_from` of `part` on, is printed dimly.
std::string TraceTable::cell_text(const TraceLine& line, const std::string& part, size_t notes_from) const {
  if (notes_from >= part.size()) return paint_(line.tone, part);
  return paint_(line.tone, part.substr(0, notes_from)) + paint_(Tone::kDim, part.substr(notes_from));
}

std::string TraceTable::row(const TraceLine& line) const {
  const size_t column = column_of(line);
  const size_t hanging = line.text.starts_with("  ") ? 4 : 2;
  const std::string text = line_text(line);
  size_t note_begins = line.note.empty() ? text.size() : text.size() - printable(line.note).size();
  std::string out;
  bool first = true;
  for (const std::string& part : wrap(text, widths_[column], hanging)) {
    const std::string location = cut(printable(first ? line.line : ""), line_width_);
    std::string gutter = fmt::format("{:>4} {}{} ", first && line.step ? fmt::format("{}", *line.step) : "",
                                     std::string(line_width_ - display_width(location), ' '), location);
    std::string rest = paint_(Tone::kDim, kVertical) + " ";
    if (list_)
      rest += padded(first && line.step ? name(line.thread) : "", name_width_) + " " +
              paint_(Tone::kDim, kVertical) + " ";
    for (size_t c = 0; c < widths_.size(); ++c) {
      const std::string content = c == column ? part : "";
      const size_t padding = widths_[c] - std::min(widths_[c], display_width(content));
      rest += cell_text(line, content, note_begins) + std::string(padding, ' ');
      if (c + 1 < widths_.size()) rest += " " + paint_(Tone::kDim, kVertical) + " ";
    }
    strip_trailing_blanks(rest);
    out += paint_(Tone::kDim, gutter) + rest + "\n";
    const size_t consumed = first ? part.size() + 1 : part.size() - hanging + 1;
    note_begins = note_begins > consumed ? note_begins - consumed + hanging : hanging;
    first = false;
  }
  return out;
}

std::string TraceTable::text() const {
  std::string head = "step " + std::string(line_width_ - display_width("line"), ' ') + "line ",
              rule = repeated("─", kGutter + line_width_);
  if (list_) {
    head += fmt::format("{} {} {} what it does", kVertical, padded("thread", name_width_), kVertical);
    rule += "┼" + repeated("─", name_width_ + 2) + "┼" + repeated("─", widths_[0] + 1);
  } else {
    for (size_t c = 0; c < widths_.size(); ++c) {
      head += std::string(kVertical) + " " + padded(name(trace_.threads[c]), widths_[c]) + " ";
      rule += "┼" + repeated("─", widths_[c] + (c + 1 < widths_.size() ? 2 : 1));
    }
  }
  strip_trailing_blanks(head);
  std::string out = paint_(Tone::kBold, head) + "\n" + paint_(Tone::kDim, rule) + "\n";
  for (const TraceLine& line : trace_.lines) out += row(line);
  return out;
}

// ---- One answer
// --------------------------------------------------------------------------------------------

std::string effort(const Answer& answer) {
  const Result& result = answer.result;
  if (answer.engine.empty()) return "";
  const double seconds = answer.seconds.value_or(result.statistics.seconds);
  // Engines that use a solver explore no states.
  if (result.statistics.states == 0) return fmt::format(" ({}: {:.2f} s)", answer.engine, seconds);
  return fmt::format(" ({}: {}, {:.2f} s)", answer.engine, with_noun(result.statistics.states, "state"),
                     seconds);
}

// "; explicit: stopped after 0.52 s": the engines that ran beside the one that answered.
std::string others(const Answer& answer) {
  std::string text;
  for (const EngineRun& run : answer.engine_runs)
    if (run.engine != answer.engine && run.seconds > 0)
      text += fmt::format("; {}: {} after {:.2f} s", run.engine,
                          run.outcome == "stopped" ? "stopped" : "no answer", run.seconds);
  return text;
}

std::string details(const Answer& answer, const Paint& paint) {
  std::string out;
  const auto line = [&](const std::string& text) { out += paint(Tone::kDim, "  " + printable(text)) + "\n"; };
  if (!answer.engine.empty())
    line(fmt::format("engine: {} ({}){}", answer.engine, answer.why_engine, others(answer)));
  line(fmt::format(
      "states: {}, transitions: {}, peak memory: {} MiB", with_commas(answer.result.statistics.states),
      with_commas(answer.result.statistics.transitions), with_commas(answer.peak_rss_kb / 1024)));
  if (const Certificate* certificate = answer.result.certificate()) {
    const std::string_view units = certificate->unit;  // "states"
    line(fmt::format("certificate: {}, {}, {}", certificate->kind,
                     with_noun(certificate->size, units.substr(0, units.size() - 1)),
                     certificate->checked ? "checked" : "not checked"));
  }
  for (const auto& [name, value] : answer.result.statistics.figures)
    line(fmt::format("{}: {:g}", name, value));
  return out;
}

// What came up in store buffers, a line for each set of contents.
std::string buffers(const Answer& answer, const TextStyle& style) {
  const std::vector<BufferLanguage>& seen = answer.result.buffers;
  if (seen.empty()) return "";
  std::string out = answer.result.verdict() == Verdict::kUnknown
                        ? "  store buffer contents that kept growing:\n"
                        : "  store buffers that grow without bound:\n";
  for (const BufferLanguage& buffer : seen) {
    const std::string location = buffer.line == 0 ? "" : fmt::format(" at line {}", buffer.line);
    const std::string text = fmt::format("    {}{}: {}", answer.program->thread(buffer.thread).name, location,
                                         cut(printable(buffer.language), kWidestLanguage));
    for (const std::string& line : wrap(printable(text), std::max(style.width, 40u), 6)) out += line + "\n";
  }
  return out;
}

std::string violation(const Answer& answer, const TextStyle& style) {
  const Paint paint(style.colour);
  const TraceTable table(answer, style);
  const std::string head = fmt::format("{} violated", printable(answer.property->name));
  std::string state = paragraph(head + ": " + violated_state(answer), style);
  if (state.starts_with(head))
    state.replace(0, head.size(), paint(Tone::kBad, head));  // not if it was wrapped
  const size_t steps = answer.result.replay()->steps.size();
  std::string out = "  the initial state violates it\n\n";
  if (steps > 0)
    out = paragraph(
              (answer.result.shortest() ? "  the shortest counterexample has " : "  a counterexample with ") +
                  with_noun(steps, "step") + ":",
              style) +
          "\n" + table.text() + "\n";
  out += state;
  const std::string why = late_stores(answer);
  if (!why.empty()) out += paragraph("why: " + why, style);
  if (table.hidden() > 0)
    out +=
        paint(Tone::kDim, fmt::format("({} {} not shown; --verbose shows all)",
                                      with_noun(table.hidden(), table.internal() > 0 ? "step" : "local step"),
                                      table.hidden() == 1 ? "is" : "are")) +
        "\n";
  return out;
}

}  // namespace

std::string vacuity_text(const Answer& answer) {
  const Vacuity& vacuity = answer.vacuity.value();
  std::string text, stuck;
  const auto join = [](std::string& to, const char* between, const std::string& more) {
    to += (to.empty() ? "" : between) + more;
  };
  for (const Vacuity::Stuck& one : vacuity.stuck) {
    const char* what = one.how == Vacuity::How::kWaits     ? "waits"
                       : one.how == Vacuity::How::kAssumes ? "is stopped by an assumption"
                                                           : "does not terminate";
    const std::string location =
        one.pos.known() ? fmt::format(" in line {}", answer.program->line_name(one.pos)) : "";
    join(stuck, ", ", fmt::format("{} {}{}", answer.program->thread(one.thread).name, what, location));
  }
  if (vacuity.no_end) text = "no execution ends";
  for (const SourcePos assertion : vacuity.unreached)
    join(text, "; ",
         fmt::format("no execution reaches the assertion in line {}", answer.program->line_name(assertion)));
  if (!stuck.empty()) text += fmt::format(" (for example: {})", stuck);
  return text;
}

std::string text_report(const Answer& answer, const TextStyle& style) {
  const Paint paint(style.colour);
  const Result& result = answer.result;
  const std::string file = printable(answer.subject()), property = printable(answer.property->name);
  const Tone tone = answer.vacuity ? Tone::kUnsure : tone_of(result.verdict());
  const std::string verdict =
      paint(tone, std::string(to_string(result.verdict())) + (answer.vacuity ? " (vacuous)" : ""));
  if (style.quiet) return fmt::format("{}: {}: {}: {}\n", file, answer.model, property, verdict);

  std::string out = fmt::format("{}: {} {} on {}{}\n", paint(Tone::kBold, file), property, verdict,
                                answer.model, paint(Tone::kDim, effort(answer)));
  if (result.verdict() == Verdict::kUnknown && !result.reason.empty())
    out += paragraph("  " + result.reason, style);
  if (const Proof* proof = result.proof(); proof != nullptr && !proof->not_covered.empty())
    out += paragraph("  not covered: " + proof->not_covered, style);
  if (answer.vacuity) out += paragraph("  vacuous: " + vacuity_text(answer), style);
  if (!answer.note.empty()) out += paragraph("  note: " + answer.note, style);
  if (style.verbose) out += details(answer, paint);
  if (style.verbose || result.verdict() == Verdict::kUnknown) out += buffers(answer, style);
  if (result.replay() != nullptr) out += violation(answer, style);
  if (result.execution_counterexample() != nullptr) out += execution_text(answer, style);
  return out;
}

}  // namespace fenceline::report
