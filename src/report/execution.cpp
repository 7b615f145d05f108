// SPDX-License-Identifier: GPL-3.0-or-later
//
// An execution of a model without a machine has no global order of steps. What it has is the program order of
// each thread, and the store that each load reads from.
#include "report/execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/edit/overlay.h"
#include "report/display.h"
#include "report/explain.h"
#include "report/step_printer.h"

namespace fenceline::report {
namespace {

// What one event is in the text.
struct Row {
  std::string line;    // of the source
  std::string text;    // "ready is 1 (acquire)"
  std::string from;    // of a read: the store
  bool whole = false;  // `text` is all there is: an operation begins
};

bool same(const Row& x, const Row& y) {
  return x.line == y.line && x.text == y.text && x.from == y.from && !x.whole && !y.whole;
}

constexpr size_t kWidestText = 48;  // the stores that are read from stand in one column up to that
constexpr size_t kLongestLoop = 64;

// How many rows from `i` on are repeated right behind themselves; 0: none are.
size_t loop_length(const std::vector<Row>& rows, size_t i) {
  for (size_t length = 1; length <= kLongestLoop && i + 2 * length <= rows.size(); ++length)
    if (std::equal(rows.begin() + static_cast<ptrdiff_t>(i),
                   rows.begin() + static_cast<ptrdiff_t>(i + length),
                   rows.begin() + static_cast<ptrdiff_t>(i + length), same))
      return length;
  return 0;
}

// Rows that read something, and are repeated, once; and how often.
std::vector<Row> folded(const std::vector<Row>& rows) {
  std::vector<Row> result;
  for (size_t i = 0; i < rows.size();) {
    const size_t length = loop_length(rows, i);
    bool reads = false;
    for (size_t k = i; k < i + length; ++k) reads |= !rows[k].from.empty();
    if (length == 0 || !reads) {
      result.push_back(rows[i++]);
      continue;
    }
    size_t end = i + length;
    while (end < rows.size() && same(rows[end - length], rows[end])) ++end;
    const size_t times = (end - i) / length - 1;
    for (size_t k = i; k < i + length; ++k) result.push_back(rows[k]);
    const std::string again = times == 1 ? "once more" : fmt::format("{} more times", times);
    result.push_back(
        {"", fmt::format("  {}: {}", length == 1 ? "the same" : fmt::format("these {}", length), again), "",
         false});
    i += (times + 1) * length;
  }
  return result;
}

class ExecutionText {
 public:
  ExecutionText(const Answer& answer, const TextStyle& style)
      : program_(*answer.program),
        execution_(answer.result.execution_counterexample()->execution),
        check_(answer.result.execution_counterexample()->check),
        property_(*answer.property),
        test_(answer.test),
        verbose_(style.verbose),
        width_(std::max(style.width, 40u)),
        overlay_(program_, answer.fences != nullptr ? *answer.fences : no_fences_),
        texts_(execution_texts(overlay_, execution_, check_)) {}

  std::string text() {
    out_ = "  an execution that violates it, each thread in program order:\n\n";
    std::vector<std::vector<Row>> rows;
    for (size_t thread = 0; thread < program_.threads.size(); ++thread) {
      rows.push_back(rows_of(ThreadId(thread)));
      if (!verbose_) rows.back() = folded(rows.back());
      if (!rows.back().empty()) name_width_ = std::max(name_width_, display_width(name(ThreadId(thread))));
      for (const Row& row : rows.back()) {
        line_width_ = std::max(line_width_, display_width(row.line));
        if (!row.from.empty())
          text_width_ = std::max(text_width_, std::min(kWidestText, display_width(row.text)));
      }
    }
    for (size_t thread = 0; thread < rows.size(); ++thread)
      for (const Row& row : rows[thread]) print(ThreadId(thread), row);
    orders_of_stores();
    ends();
    return std::move(out_);
  }

 private:
  std::string name(ThreadId thread) const { return printable(program_.thread(thread).name); }
  const Instruction& instruction(const Event& event) const { return overlay_.at(event.thread, event.point); }

  std::string store(EventId id) const {
    const Event& event = execution_.events[id.index()];
    if (!event.thread.valid()) return "the initial value";
    const SourcePos pos = check_.events[id.index()].pos;
    const std::string line =
        pos.known() ? fmt::format(" ({}{})", pos.file == 0 ? "line " : "", program_.line_name(pos)) : "";
    return fmt::format("{}'s {}{}", name(event.thread), texts_.events[id.index()], line);
  }

  void paragraph(const std::string& text, size_t hanging) {
    for (const std::string& line : wrap(printable(text), width_, hanging)) out_ += line + "\n";
  }

  static std::string padded(const std::string& text, size_t width) {
    return text + std::string(width - std::min(width, display_width(text)), ' ');
  }

  void print(ThreadId thread, const Row& row) {
    if (row.whole) return paragraph(row.text, 4);
    const std::string left = std::string(line_width_ - display_width(row.line), ' ') + row.line;
    std::string line = fmt::format("  {} {}  {}", padded(name(thread), name_width_), left, row.text);
    const size_t column = 2 + name_width_ + 1 + line_width_ + 2;
    if (!row.from.empty()) line = padded(line, column + text_width_) + "  from " + row.from;
    // Runs of blanks are part of the layout.
    const size_t hanging = column + 4 <= width_ / 2 ? column + 4 : 6;
    for (const std::string& part : wrap(with_fixed_blanks(printable(line)), width_, hanging))
      out_ += part + "\n";
  }

  // Blanks beside blanks are no places to break a line at.
  static std::string with_fixed_blanks(const std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool beside = text[i] == ' ' && i + 1 < text.size() && text[i + 1] == ' ';
      out += beside ? kNoBreakSpace : text.substr(i, 1);
    }
    return out;
  }

  // Where an operation of a test begins.
  void announce(ThreadId thread, uint32_t& last, uint32_t operation, std::vector<Row>& rows) const {
    if (operation == last) return;
    last = operation;
    if (test_ == nullptr) return;
    for (const OperationCall& one : test_->operations)
      if (one.thread == thread && one.number == operation)
        rows.push_back({"", fmt::format("  {}: {} calls {}", name(thread), one.name, one.call), "", true});
  }

  std::vector<Row> rows_of(ThreadId thread) const {
    std::vector<Row> rows;
    uint32_t operation = 0;
    for (size_t i = 0; i < execution_.events.size(); ++i) {
      const Event& event = execution_.events[i];
      if (event.thread != thread) continue;
      const Instruction& step = instruction(event);
      announce(thread, operation, step.operation, rows);
      if (is_internal(step) && !verbose_) continue;
      const SourcePos pos = check_.events[i].pos;
      const bool second = step.kind == InstrKind::kRmw && event.kind == EventKind::kWrite;
      Row row{pos.known() ? program_.line_name(pos) : "", texts_.events[i], "", false};
      if (!second) row.text += order_suffix(step);
      if (event.kind == EventKind::kRead && step.role != StepRole::kJoin)
        row.from = store(execution_.reads_from[i]);
      rows.push_back(std::move(row));
    }
    const std::string error = to_string(check_.error);
    if (check_.failing == thread)
      rows.push_back(
          {check_.failing_pos.known() ? program_.line_name(check_.failing_pos) : "",
           fmt::format("{}: {}", texts_.failing_step == error ? "error" : texts_.failing_step, error), "",
           false});
    return rows;
  }

  // Only where there is something to order: the stores of one thread reach memory in program order.
  bool has_several_writers(const std::vector<EventId>& writes) const {
    return std::any_of(writes.begin(), writes.end(), [&](EventId write) {
      const ThreadId thread = execution_.events[write.index()].thread;
      return thread.valid() && thread != execution_.events[writes.back().index()].thread;
    });
  }

  void orders_of_stores() {
    for (const std::vector<EventId>& writes : execution_.coherence) {
      if (writes.size() < 3 || (!has_several_writers(writes) && !verbose_)) continue;
      std::string line = fmt::format("  stores to {} reach memory in this order: ",
                                     program_.cell_name(execution_.events[writes.front().index()].cell));
      for (size_t i = 1; i < writes.size(); ++i) line += (i > 1 ? ", " : "") + store(writes[i]);
      paragraph(line, 4);
    }
  }

  // The violation, in a sentence.
  void ends() {
    out_ += "\n";
    paragraph(fmt::format("{} violated: {}", property_.name, violation()), 2);
  }

  std::string violation() const {
    if (check_.failing.valid())
      return fmt::format("{} fails: {}", program_.thread(check_.failing).name, to_string(check_.error));
    if (property_.kind == PropertyKind::kLiveness) return waiting_text(program_, check_.waiting);
    if (!check_.flags.empty()) {
      const ExecutionCheck::Flag& flag = check_.flags.front();
      return fmt::format("the model raises its flag '{}'", flag.name) +
             (flag.first.valid()
                  ? fmt::format(": nothing orders {} and {}", store(flag.first), store(flag.second))
                  : "");
    }
    if (test_ != nullptr) return observed_text(*test_, check_.registers);
    return fmt::format("at the end {}", final_values());
  }

  // A memory of bytes has many cells: those that were written say enough.
  bool is_listed(CellId cell) const {
    if (program_.object(program_.object_of(cell)).cell_bytes.empty()) return true;
    if (program_.thread_cells.contains(cell)) return false;
    return std::any_of(execution_.events.begin(), execution_.events.end(), [&](const Event& event) {
      return event.thread.valid() && event.kind == EventKind::kWrite && event.cell == cell &&
             !is_internal(instruction(event));
    });
  }

  std::string final_values() const {
    std::string values;
    for (size_t cell = 0; cell < check_.memory.size(); ++cell)
      if (is_listed(CellId(cell)))
        values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", program_.cell_name(CellId(cell)),
                              program_.value_text(CellId(cell), check_.memory[cell]));
    for (size_t thread = 0; thread < program_.threads.size(); ++thread)
      for (size_t reg = 0; reg < program_.threads[thread].registers.size(); ++reg)
        if (const Register& declared = program_.threads[thread].registers[reg]; !declared.temporary)
          values += fmt::format(", {}.{} = {}", program_.threads[thread].name, declared.name,
                                check_.registers[thread][reg]);
    return values;
  }

  const Program& program_;
  const Execution& execution_;
  const ExecutionCheck& check_;
  const Property& property_;
  const TestNotes* test_;
  const bool verbose_;
  const size_t width_;
  const FenceSet no_fences_;
  const Overlay overlay_;
  const ExecutionTexts texts_;
  size_t name_width_ = 0, line_width_ = 0, text_width_ = 0;  // of the columns
  std::string out_;
};

}  // namespace

std::string execution_text(const Answer& answer, const TextStyle& style) {
  return ExecutionText(answer, style).text();
}

}  // namespace fenceline::report
