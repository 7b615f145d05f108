// SPDX-License-Identifier: GPL-3.0-or-later
//
// An execution has no time: a model without a machine does not say what happens when. So there is nothing to
// tell as a story. What there is: the threads' own orders, and who read whose store.
#include "report/execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/display.h"

namespace fenceline {
namespace {

class ExecutionText {
 public:
  explicit ExecutionText(const Answer& answer)
      : program_(*answer.program),
        execution_(*answer.result.execution),
        check_(*answer.result.execution_check),
        property_(*answer.property) {}

  std::vector<std::string> lines() {
    out_ = {"  an execution that shows it, each thread in its own order:", ""};
    size_t width = 0;
    for (const CheckedEvent& event : check_.events) width = std::max(width, display_width(event.text));
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
    return fmt::format("{}'s {} ({}{})", program_.thread(event.thread).name, check_.events[id.index()].text,
                       pos.file == 0 ? "line " : "", program_.line_name(pos));
  }

  void events_of(ThreadId thread, size_t width) {
    const std::string name = program_.thread(thread).name;
    for (size_t i = 0; i < execution_.events.size(); ++i) {
      const Event& event = execution_.events[i];
      if (event.thread != thread) continue;
      std::string line = fmt::format("  {:>6} {:>4}  {}", name, program_.line_name(check_.events[i].pos),
                                     check_.events[i].text);
      if (event.kind == EventKind::kRead)
        line += fmt::format("{}  from {}", std::string(width - display_width(check_.events[i].text), ' '),
                            store(execution_.reads_from[i]));
      out_.push_back(std::move(line));
    }
    if (check_.failing == thread)
      out_.push_back(fmt::format("  {:>6} {:>4}  {}: {}", name, program_.line_name(check_.failing_pos),
                                 check_.failing_step == check_.error ? "error" : check_.failing_step,
                                 check_.error));
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

  void ends() {
    std::string values;
    for (size_t cell = 0; cell < check_.memory.size(); ++cell) {
      const CellId id(cell);
      // Of what is taken apart into cells of its own, only what was written is worth the room.
      const bool apart = !program_.object(program_.object_of(id)).cell_bytes.empty();
      if (apart && execution_.coherence[cell].size() < 2) continue;
      values +=
          fmt::format("{}{} = {}", values.empty() ? "" : ", ", program_.cell_name(id), check_.memory[cell]);
    }
    std::string registers;
    for (size_t thread = 0; thread < program_.threads.size(); ++thread)
      for (size_t reg = 0; reg < program_.threads[thread].registers.size(); ++reg)
        if (const Register& declared = program_.threads[thread].registers[reg]; !declared.temporary)
          registers += fmt::format(", {}.{} = {}", program_.threads[thread].name, declared.name,
                                   check_.registers[thread][reg]);
    out_.push_back("");
    out_.push_back(fmt::format("{} violated: at the end {}{}", property_.name, values, registers));
  }

  const Program& program_;
  const Execution& execution_;
  const ExecutionCheck& check_;
  const Property& property_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> execution_lines(const Answer& answer) { return ExecutionText(answer).lines(); }

}  // namespace fenceline
