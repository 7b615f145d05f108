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

class ExecutionText {
 public:
  explicit ExecutionText(const Answer& answer)
      : program_(*answer.program),
        execution_(answer.result.execution_counterexample()->execution),
        check_(answer.result.execution_counterexample()->check),
        property_(*answer.property),
        test_(answer.test),
        overlay_(program_, answer.fences != nullptr ? *answer.fences : no_fences_),
        texts_(execution_texts(overlay_, execution_, check_)) {}

  std::vector<std::string> lines() {
    out_ = {"  an execution that violates it, each thread in program order:", ""};
    size_t width = 0;
    for (const std::string& text : texts_.events) width = std::max(width, display_width(text));
    for (size_t thread = 0; thread < program_.threads.size(); ++thread) events_of(ThreadId(thread), width);
    orders_of_stores();
    ends();
    return std::move(out_);
  }

 private:
  std::string store(EventId id) const {
    const Event& event = execution_.events[id.index()];
    if (!event.thread.valid()) return "the initial value";
    const SourcePos pos = check_.events[id.index()].pos;
    return fmt::format("{}'s {} ({}{})", program_.thread(event.thread).name, texts_.events[id.index()],
                       pos.file == 0 ? "line " : "", program_.line_name(pos));
  }

  // Where an operation of a test begins.
  void announce(ThreadId thread, uint32_t& last, uint32_t operation) {
    if (operation == last) return;
    last = operation;
    if (test_ == nullptr) return;
    for (const OperationCall& one : test_->operations)
      if (one.thread == thread && one.number == operation)
        out_.push_back(fmt::format("  {}: {} calls {}", program_.thread(thread).name, one.name, one.call));
  }

  void events_of(ThreadId thread, size_t width) {
    uint32_t operation = 0;
    const std::string name = program_.thread(thread).name;
    for (size_t i = 0; i < execution_.events.size(); ++i) {
      const Event& event = execution_.events[i];
      if (event.thread != thread) continue;
      announce(thread, operation, overlay_.at(thread, event.point).operation);
      std::string line =
          fmt::format("  {:>6} {:>4}  {}", name, program_.line_name(check_.events[i].pos), texts_.events[i]);
      if (event.kind == EventKind::kRead)
        line += fmt::format("{}  from {}", std::string(width - display_width(texts_.events[i]), ' '),
                            store(execution_.reads_from[i]));
      out_.push_back(std::move(line));
    }
    const std::string error = to_string(check_.error);
    if (check_.failing == thread)
      out_.push_back(fmt::format("  {:>6} {:>4}  {}: {}", name, program_.line_name(check_.failing_pos),
                                 texts_.failing_step == error ? "error" : texts_.failing_step, error));
  }

  // Only where there is something to order.
  void orders_of_stores() {
    for (const std::vector<EventId>& writes : execution_.coherence) {
      if (writes.size() < 3) continue;
      std::string line = fmt::format("  stores to {} reach memory in this order: ",
                                     program_.cell_name(execution_.events[writes.front().index()].cell));
      for (size_t i = 1; i < writes.size(); ++i) line += (i > 1 ? ", " : "") + store(writes[i]);
      out_.push_back(line);
    }
  }

  // The violation, in a sentence.
  void ends() {
    out_.push_back("");
    if (check_.failing.valid()) {
      out_.push_back(fmt::format("{} violated: {} fails: {}", property_.name,
                                 program_.thread(check_.failing).name, to_string(check_.error)));
    } else if (property_.kind == PropertyKind::kLiveness) {
      out_.push_back(fmt::format("{} violated: {}", property_.name, waiting_text(program_, check_.waiting)));
    } else if (!check_.flags.empty()) {
      const ExecutionCheck::Flag& flag = check_.flags.front();
      out_.push_back(fmt::format("{} violated: the model raises its flag '{}'", property_.name, flag.name));
      if (flag.first.valid())
        out_.back() += fmt::format(": nothing orders {} and {}", store(flag.first), store(flag.second));
    } else if (test_ != nullptr) {
      out_.push_back(fmt::format("{} violated: {}", property_.name, observed_text(*test_, check_.registers)));
    } else {
      out_.push_back(fmt::format("{} violated: at the end {}", property_.name, final_values()));
    }
  }

  std::string final_values() const {
    std::string values;
    for (size_t cell = 0; cell < check_.memory.size(); ++cell)
      values += fmt::format("{}{} = {}", cell > 0 ? ", " : "", program_.cell_name(CellId(cell)),
                            check_.memory[cell]);
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
  const FenceSet no_fences_;
  const Overlay overlay_;
  const ExecutionTexts texts_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> execution_lines(const Answer& answer) { return ExecutionText(answer).lines(); }

}  // namespace fenceline::report
