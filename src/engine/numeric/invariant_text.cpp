// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/invariant_text.h"

#include <fmt/format.h>

namespace fenceline::numeric {
namespace {

std::string location(const Plan& plan, ThreadId thread, Point point) {
  const Overlay& overlay = plan.overlay();
  const Instruction& instruction = overlay.at(thread, point);
  const std::string& name = plan.program().thread(thread).name;
  if (instruction.kind == InstrKind::kHalt) return name + " has ended";
  if (overlay.inserted(thread, point)) {
    const Point before = overlay.inserted_after(thread, point);
    return fmt::format("{} at the fence added after line {}", name,
                       plan.program().thread(thread).at(before).pos.line);
  }
  if (instruction.kind == InstrKind::kMark && !instruction.label.empty())
    return fmt::format("{}@{}", name, instruction.label);
  return fmt::format("{} at line {}", name, instruction.pos.line);
}

class StateText {
 public:
  StateText(const Plan& plan, const AbstractState& state) : plan_(plan), state_(state) {}

  // Also finds the names of dimensions.
  std::string values() {
    std::string text;
    const Program& program = plan_.program();
    for (size_t c = 0; c < state_.memory.size(); ++c)
      if (state_.memory[c]) add(text, program.cell_name(CellId(c)), *state_.memory[c]);
    for (size_t t = 0; t < state_.registers.size(); ++t)
      for (size_t r = 0; r < state_.registers[t].size(); ++r)
        if (state_.registers[t][r]) {
          const Thread& thread = program.threads[t];
          add(text, fmt::format("{}.{}", thread.name, thread.registers[r].name), *state_.registers[t][r]);
        }
    for (size_t t = 0; t < state_.buffers.size(); ++t) {
      const NumericBuffer& buffer = state_.buffers[t];
      const auto name = [&](CellId cell, const std::string& which) {
        return fmt::format("{} {} pending store of {}", which, program.cell_name(cell),
                           program.threads[t].name);
      };
      for (size_t i = 0; i < buffer.entries.size(); ++i)
        add(text,
            fmt::format("[{}'s pending store {}: {}]", program.threads[t].name, i + 1,
                        program.cell_name(buffer.entries[i].cell)),
            buffer.entries[i].value);
      for (const NumericTail& tail : buffer.tail) {
        add(text, fmt::format("[{}]", name(tail.cell, "newest")), tail.newest);
        add(text, fmt::format("[{}]", name(tail.cell, "least")), tail.low);
        add(text, fmt::format("[{}]", name(tail.cell, "largest")), tail.high);
        if (tail.monotone) text += ", ascending but for the newest";
      }
    }
    return text;
  }

  const std::vector<std::string>& dimensions() const { return names_; }

 private:
  void add(std::string& text, const std::string& name, const NumericTerm& term) {
    if (const Value* value = std::get_if<Value>(&term.what)) {
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, *value);
      return;
    }
    const Dimension dimension = std::get<Dimension>(term.what);
    if (names_.size() <= dimension) names_.resize(dimension + 1);
    names_[dimension] = name;
    if (name.front() == '[') text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  }

  const Plan& plan_;
  const AbstractState& state_;
  std::vector<std::string> names_;
};

}  // namespace

std::string invariant_text(const Plan& plan, const Invariant& invariant,
                           const std::function<bool(const AbstractState&)>& is_bad) {
  std::string text;
  for (const Invariant::Node& node : invariant.nodes()) {
    if (node.disjuncts.empty()) continue;
    std::string line;
    for (size_t t = 0; t < node.state.locations.size(); ++t)
      line += (line.empty() ? "" : ", ") + location(plan, ThreadId(t), node.state.locations[t]);
    StateText state(plan, node.state);
    const std::string values = state.values();
    text += line + (values.empty() ? "\n" : fmt::format("\n  {}\n", values));
    for (const Invariant::Disjunct& disjunct : node.disjuncts) {
      AbstractState one = node.state;
      one.element = disjunct.element;
      std::string known;
      for (const LinearConstraint& constraint : disjunct.element.constraints())
        known += (known.empty() ? "" : ", ") + to_string(constraint, state.dimensions());
      if (!known.empty()) text += fmt::format("  {}{}\n", node.disjuncts.size() > 1 ? "or " : "", known);
      if (is_bad(one)) text += "  not excluded: a violation\n";
    }
  }
  return text;
}

}  // namespace fenceline::numeric
