// SPDX-License-Identifier: GPL-3.0-or-later
//
// One process per thread, one label per point of its code that is worth one, one transition per path
// (promela_steps.h): a guard, and a d_step of assignments if there is more than one.
//
// The property is checked by an assertion inside exactly the steps that can make it false. Where threads
// stand is known to other threads by one bit per label that the property names.
#include "promela.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

#include "env/errors.h"
#include "ir/eval.h"
#include "machine/store_buffer/growth.h"
#include "promela_context.h"
#include "promela_steps.h"

namespace fenceline::bench {
namespace {

constexpr const char* kLater = "later";  // holds a value during a step

struct Statement {
  std::string target;  // what is assigned to; empty for a block that has to stay together
  std::string key;     // the name under which terms read what it changes
  PromelaTerm value;
  std::vector<std::string> block;
};

class ThreadModel {
 public:
  ThreadModel(const PromelaContext& context, size_t thread)
      : context_(context), thread_(thread), ir_(context.program.threads[thread]), steps_(context, thread) {}

  std::string text();

 private:
  bool live(size_t point, size_t reg) const {
    return context_.liveness.live(ThreadId(thread_), Point(point), RegId(reg));
  }
  std::string transition(size_t label, const PromelaPath& path);
  std::optional<uint32_t> known_entries(size_t label, const PromelaPath& path, size_t index) const;
  std::vector<Statement> assignments(size_t label, const PromelaPath& path) const;
  std::vector<std::string> in_order(std::vector<Statement> statements) const;
  std::string check_after(size_t label, const PromelaPath& path) const;
  std::string label_name(size_t point);  // which is then sure to be written

  const PromelaContext& context_;
  size_t thread_;
  const Thread& ir_;
  ThreadSteps steps_;
  std::deque<size_t> todo_;
  std::set<size_t> labels_;
};

std::string ThreadModel::label_name(size_t point) {
  if (labels_.insert(point).second) todo_.push_back(point);
  const bool end = ir_.code[point].kind == InstrKind::kHalt;
  return fmt::format("{}{}", end ? "end_" : "L", point);
}

// How many entries lie in the buffer that the path's push number `index` appends to, if that is certain.
std::optional<uint32_t> ThreadModel::known_entries(size_t label, const PromelaPath& path,
                                                   size_t index) const {
  if (context_.code.buffering() == Buffering::kPerThread) {
    if (context_.bounds.total(thread_, label) > 0) return std::nullopt;
    return static_cast<uint32_t>(index);
  }
  const auto cell = [&](const PromelaPath::Push& push) {
    return steps_.operation(push.point).first_cell + static_cast<uint32_t>(*push.offset.constant);
  };
  uint32_t same_cell = 0;
  for (size_t i = 0; i <= index; ++i) {
    if (!path.pushes[i].offset.constant) return std::nullopt;
    if (i < index && cell(path.pushes[i]) == cell(path.pushes[index])) ++same_cell;
  }
  if (context_.bounds.of_cell(thread_, label, cell(path.pushes[index])) > 0) return std::nullopt;
  return same_cell;
}

std::vector<Statement> ThreadModel::assignments(size_t label, const PromelaPath& path) const {
  std::vector<Statement> statements;
  for (size_t reg = 0; reg < ir_.registers.size(); ++reg) {
    const PromelaTerm own = register_term(context_, thread_, reg);
    if (own.constant) continue;
    const auto assigned = path.registers.find(reg);
    if (!live(path.at, reg)) {
      if (live(label, reg)) statements.push_back({own.text, own.text, constant_term(0), {}});
    } else if (assigned != path.registers.end() && assigned->second.text != own.text) {
      statements.push_back({own.text, own.text, assigned->second, {}});
    }
  }
  for (const PromelaPath::Write& write : path.writes) {
    Statement statement{fmt::format("{}[{}]", kMemory, write.cell.text), kMemory, write.value, {}};
    statement.value.reads.insert(write.cell.reads.begin(), write.cell.reads.end());
    statements.push_back(std::move(statement));
  }
  if (!path.pushes.empty()) {
    Statement block{"", kBuffer, constant_term(0), {}};
    for (size_t i = 0; i < path.pushes.size(); ++i) {
      const PromelaPath::Push& push = path.pushes[i];
      const std::optional<uint32_t> known = known_entries(label, path, i);
      for (std::string& text :
           steps_.buffer().push(push.point, steps_.operation(push.point), push.offset, push.value, known))
        block.block.push_back(std::move(text));
      block.value.reads.insert(push.offset.reads.begin(), push.offset.reads.end());
      block.value.reads.insert(push.value.reads.begin(), push.value.reads.end());
    }
    statements.push_back(std::move(block));
  }
  return statements;
}

// All values are in terms of the variables before the step, so nothing may be changed before it was read for
// the last time. Where that goes in a circle, a value waits in a variable that is not part of the state.
std::vector<std::string> ThreadModel::in_order(std::vector<Statement> statements) const {
  std::vector<std::string> lines;
  std::vector<std::string> late;
  const auto emit = [&lines](const Statement& statement) {
    if (statement.target.empty())
      lines.insert(lines.end(), statement.block.begin(), statement.block.end());
    else
      lines.push_back(fmt::format("{} = {}", statement.target, statement.value.text));
  };
  while (!statements.empty()) {
    const auto can_go = [&](const Statement& candidate) {
      return std::none_of(statements.begin(), statements.end(), [&](const Statement& other) {
        return &other != &candidate && other.value.reads.contains(candidate.key);
      });
    };
    auto chosen = std::find_if(statements.begin(), statements.end(), can_go);
    if (chosen != statements.end()) {
      emit(*chosen);
    } else {
      chosen = std::find_if(statements.begin(), statements.end(),
                            [](const Statement& statement) { return !statement.target.empty(); });
      if (chosen == statements.end() || !late.empty())
        throw Unsupported("a step whose assignments read each other in several circles");
      lines.push_back(fmt::format("{} = {}", kLater, chosen->value.text));
      late.push_back(fmt::format("{} = {}", chosen->target, kLater));
    }
    statements.erase(chosen);
  }
  lines.insert(lines.end(), late.begin(), late.end());
  return lines;
}

// The assertion that this step needs, if any. Assignments of the step have happened.
std::string ThreadModel::check_after(size_t label, const PromelaPath& path) const {
  const auto marked = [&](const std::vector<std::vector<bool>>& table, size_t point) {
    return thread_ < table.size() && table[thread_][point];
  };
  if (context_.checks_states()) {
    const bool moved = path.at != label;
    const bool may_break = path.changes_visible || (moved && marked(context_.breaking.arriving, path.at)) ||
                           (moved && marked(context_.breaking.leaving, label));
    if (!may_break) return "";
    const PromelaTerm formula = formula_after(context_, thread_, path.at);
    const PromelaTerm good = context_.checks(PropertyKind::kNever) ? not_term(formula) : formula;
    return good.constant && *good.constant != 0 ? "" : fmt::format("assert({})", good.text);
  }
  if (context_.checks(PropertyKind::kFinally) && ir_.code[path.at].kind == InstrKind::kHalt) {
    const std::string ended = steps_.buffer().empty(path.at).text;
    const PromelaTerm good = formula_after(context_, thread_, path.at);
    return fmt::format("ended = ended + {}; assert(ended < {} || {})", ended, context_.program.threads.size(),
                       good.text);
  }
  return "";
}

std::string ThreadModel::transition(size_t label, const PromelaPath& path) {
  std::string guard;
  for (const PromelaTerm& condition : path.guards)
    guard += fmt::format("{}{}", guard.empty() ? "" : " && ", condition.text);
  if (path.fails) return fmt::format("  :: ({}) -> assert(false); goto {}\n", guard, label_name(label));

  std::vector<std::string> lines = path.flush;
  for (std::string& line : in_order(assignments(label, path))) lines.push_back(std::move(line));
  if (path.at != label && context_.checks_states()) {
    if (context_.labels.contains({thread_, label})) lines.push_back(at_flag(thread_, label) + " = 0");
    if (context_.labels.contains({thread_, path.at})) lines.push_back(at_flag(thread_, path.at) + " = 1");
  }
  if (std::string check = check_after(label, path); !check.empty()) lines.push_back(std::move(check));

  const bool idle = lines.empty() && path.at == label;
  if (idle && context_.options.fuse && !context_.checks(PropertyKind::kNoDeadlock)) return "";
  const std::string target = label_name(path.at);
  if (lines.empty()) return fmt::format("  :: {} -> goto {}\n", guard.empty() ? "true" : guard, target);
  std::string body = guard.empty() ? "" : fmt::format("({}) -> ", guard);
  for (size_t i = 0; i < lines.size(); ++i) body += fmt::format("{}{}", i == 0 ? "" : "; ", lines[i]);
  if (guard.empty() && lines.size() == 1 && lines[0].find(';') == std::string::npos)
    return fmt::format("  :: {}; goto {}\n", body, target);
  return fmt::format("  :: d_step {{ {} }}; goto {}\n", body, target);
}

std::string ThreadModel::text() {
  std::string body;
  label_name(ir_.entry.index());
  std::vector<bool> live_somewhere(ir_.registers.size(), false);
  while (!todo_.empty()) {
    const size_t label = todo_.front();
    todo_.pop_front();
    for (size_t reg = 0; reg < ir_.registers.size(); ++reg)
      if (live(label, reg)) live_somewhere[reg] = true;
    std::string options;
    for (const PromelaPath& path : steps_.moves(label)) options += transition(label, path);
    const std::string name = label_name(label);
    body += options.empty() ? fmt::format("{}: (false);\n", name)
                            : fmt::format("{}: if\n{}  fi;\n", name, options);
  }
  std::string locals;
  for (size_t reg = 0; reg < ir_.registers.size(); ++reg)
    if (live_somewhere[reg] && !steps_.visible_register(reg))
      locals += declare_register(context_, thread_, reg);
  return fmt::format("\nactive proctype thread{}() {{\n{}{}{}}}\n", thread_, locals,
                     steps_.buffer().declarations(), body);
}

std::string memory_text(const PromelaContext& context) {
  Range all = Range::single(0);
  for (const Range& range : context.ranges.cells) all = all.join(range);
  const char* type = Range{0, 255}.contains(all)                 ? "byte"
                     : Range{INT16_MIN, INT16_MAX}.contains(all) ? "short"
                                                                 : "int";
  if (!Range{INT32_MIN, INT32_MAX}.contains(all)) throw Unsupported("values of more than 32 bits");
  std::string values;
  for (const Value init : context.program.initial_memory())
    values += fmt::format("{}{}", values.empty() ? "" : ", ", init);
  return fmt::format("{} {}[{}] = {{ {} }};\n", type, kMemory, context.program.cell_count, values);
}

// The assertions are in steps; a property that is false before the first step would go unseen.
void reject_initial_violation(const PromelaContext& context) {
  if (!context.checks_states()) return;
  const std::vector<Value> memory = context.program.initial_memory();
  const Evaluated formula =
      evaluate(context.program, context.task.property.formula, [&](const Expr& e, Value index) -> Value {
        const auto element = static_cast<size_t>(index);
        if (e.op == ExprOp::kCell)
          return memory[context.program.object(e.object).first_cell.index() + element];
        const Thread& thread = context.program.thread(e.thread);
        if (e.op == ExprOp::kAt) return thread.entry == e.point;
        return thread.registers[e.reg.index() + element].init;
      });
  if (!formula.ok() || (formula.value != 0) == context.checks(PropertyKind::kNever))
    throw Unsupported("a property that the initial state violates");
}

// A state without steps in which a thread is at an assumption that does not hold is no deadlock; SPIN would
// report it.
void reject_assumptions(const PromelaContext& context) {
  for (size_t t = 0; t < context.program.threads.size(); ++t)
    for (size_t p = 0; p < context.program.threads[t].code.size(); ++p)
      if (context.program.threads[t].code[p].kind == InstrKind::kAssume && !context.bounds.in_atomic(t, p))
        throw Unsupported("deadlocks next to assumptions");
}

}  // namespace

bool needs_buffer_limit(const Task& task) {
  const Overlay overlay(task.program, task.fences);
  return machine::find_growth(machine::Code(overlay, task.model)).has_value();
}

std::string to_promela(const Task& task, const PromelaOptions& options) {
  if (!task.fences.empty()) throw Unsupported("fences that are not part of the program");
  const PromelaContext context(task, options);
  reject_initial_violation(context);
  if (task.property.formula.valid() &&
      may_fail(task.program, context.ranges, ThreadId(0), task.property.formula))
    throw Unsupported("a formula that may have no value");
  for (const Thread& thread : task.program.threads) {
    if (thread.at(thread.entry).kind == InstrKind::kHalt) throw Unsupported("a thread without steps");
  }
  if (context.checks(PropertyKind::kNoDeadlock)) reject_assumptions(context);
  if (context.checks(PropertyKind::kFinally) && !context.labels.empty())
    throw Unsupported("labels in a property of final states");
  std::string text;
  if (task.program.cell_count > 0) text += memory_text(context);
  if (context.checks(PropertyKind::kFinally)) text += "byte ended;\n";
  if (context.checks_states())
    for (const auto& [thread, point] : context.labels) {
      const bool initially = task.program.threads[thread].entry.index() == point;
      text += fmt::format("bit {} = {};\n", at_flag(thread, point), initially ? 1 : 0);
    }
  for (const auto& [thread, reg] : context.observed_registers)
    text += declare_register(context, thread.index(), reg.index());
  std::string threads;
  for (size_t t = 0; t < task.program.threads.size(); ++t) threads += ThreadModel(context, t).text();
  // SPIN's breadth-first search does not want to see hidden variables.
  if (threads.find(kLater) != std::string::npos) text += fmt::format("hidden int {};\n", kLater);
  text += threads;
  return text;
}

}  // namespace fenceline::bench
