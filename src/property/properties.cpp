// SPDX-License-Identifier: GPL-3.0-or-later
#include "property/properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"
#include "ir/analysis/ranges.h"
#include "ir/analysis/retried_waits.h"
#include "ir/eval.h"
#include "ir/walk.h"
#include "transform/to_sc/empty_buffers.h"

namespace fenceline::property {
namespace {

// An assertion is always checked, even one that the ranges prove, so that it is reported.
bool may_have_errors(const Program& program) {
  const Ranges ranges = analyze_ranges(program);
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const Instruction& instruction : program.threads[t].code)
      if (instruction.kind == InstrKind::kAssert || may_fail(program, ranges, ThreadId(t), instruction))
        return true;
  return false;
}

// The polarity of a sub-expression: does increasing it (for a truth value: to true) lead towards the bad
// state, away from it, or can it do either?
enum class Direction { kTowards, kAway, kEither };

Direction opposite(Direction d) {
  return d == Direction::kTowards ? Direction::kAway : d == Direction::kAway ? Direction::kTowards : d;
}

bool is_truth_value(ExprOp op) {
  return op == ExprOp::kAt || op == ExprOp::kNot || shape_of(op) == ExprShape::kLazy || is_comparison(op);
}

class LabelVisibility {
 public:
  LabelVisibility(const Program& program, machine::Visibility& visibility)
      : program_(program), visibility_(visibility) {}

  // `id` is used for its truth: zero or not.
  void truth(ExprId id, Direction direction) {
    number(id, is_truth_value(program_.expr(id).op) ? direction : Direction::kEither);
  }

 private:
  void number(ExprId id, Direction direction) {
    const Expr& e = program_.expr(id);
    if (e.op == ExprOp::kAt) {
      // Arriving makes it true, leaving makes it false; what can lead away from the bad state is visible.
      if (direction != Direction::kTowards) visibility_.arriving[e.thread.index()][e.point.index()] = true;
      if (direction != Direction::kAway) visibility_.leaving[e.thread.index()][e.point.index()] = true;
      return;
    }
    switch (class_of(e.op)) {
      case OperatorClass::kNot:
        return truth(e.a, opposite(direction));
      case OperatorClass::kLazy:
        return truth(e.a, direction), truth(e.b, direction);
      case OperatorClass::kAdd:
        return number(e.a, direction), number(e.b, direction);
      case OperatorClass::kSub:
      case OperatorClass::kGreater:
        return number(e.a, direction), number(e.b, opposite(direction));
      case OperatorClass::kLess:
        return number(e.a, opposite(direction)), number(e.b, direction);
      case OperatorClass::kLeaf:
      case OperatorClass::kNeg:
      case OperatorClass::kBitNot:
      case OperatorClass::kWrap:
      case OperatorClass::kMul:
      case OperatorClass::kDivide:
      case OperatorClass::kEqual:
      case OperatorClass::kUnsignedLess:
      case OperatorClass::kBitwise:
      case OperatorClass::kModular:
      case OperatorClass::kShift:
      case OperatorClass::kSelect:
        for (const ExprId operand : Operands(e)) number(operand, Direction::kEither);
    }
  }

  const Program& program_;
  machine::Visibility& visibility_;
};

}  // namespace

std::vector<Property> properties_to_check(const Program& program, const Options& options) {
  std::vector<Property> chosen;
  const auto wanted = [&](const std::string& name) {
    return std::find(options.properties.begin(), options.properties.end(), name) != options.properties.end();
  };
  std::string known;
  for (const Property& property : program.properties) {
    if (options.properties.empty() || wanted(property.name)) chosen.push_back(property);
    known += property.name + ", ";
  }
  known += fmt::format("{}, {}, {}", kErrorsProperty, kDeadlockProperty, kLivenessProperty);
  for (const std::string& name : options.properties) {
    const bool found =
        name == kErrorsProperty || name == kDeadlockProperty || name == kLivenessProperty ||
        std::any_of(chosen.begin(), chosen.end(), [&](const Property& p) { return p.name == name; });
    if (!found)
      throw UsageError(fmt::format("{}: no property '{}'; there are: {}", program.source.name, name, known));
  }
  const bool deadlock = options.deadlock || wanted(kDeadlockProperty);
  const bool liveness = options.liveness || wanted(kLivenessProperty);
  const bool looks_at_errors_anyway =
      std::any_of(chosen.begin(), chosen.end(), [](const Property& p) { return looks_at_errors(p.kind); });
  if (wanted(kErrorsProperty) || (!looks_at_errors_anyway && may_have_errors(program)) ||
      (chosen.empty() && !deadlock && !liveness))
    chosen.push_back({kErrorsProperty, PropertyKind::kNoErrors, ExprId(), SourcePos()});
  const auto is_missing = [&](PropertyKind kind) {
    return std::none_of(chosen.begin(), chosen.end(), [&](const Property& p) { return p.kind == kind; });
  };
  if (deadlock && is_missing(PropertyKind::kNoDeadlock))
    chosen.push_back({kDeadlockProperty, PropertyKind::kNoDeadlock, ExprId(), SourcePos()});
  if (liveness && is_missing(PropertyKind::kLiveness))
    chosen.push_back({kLivenessProperty, PropertyKind::kLiveness, ExprId(), SourcePos()});
  return chosen;
}

bool asks_for_progress(const Options& options) {
  return options.deadlock || options.liveness ||
         std::any_of(options.properties.begin(), options.properties.end(), [](const std::string& name) {
           return name == kDeadlockProperty || name == kLivenessProperty;
         });
}

std::string deadlocks_undecided(const Program& program) {
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const std::vector<bool> inside = transform::inside_atomic(overlay, ThreadId(t));
    for (size_t point = 0; point < inside.size(); ++point)
      if (const Instruction& i = program.threads[t].code[point]; i.blocking && !inside[point])
        return fmt::format(
            "{} waits in line {} for a condition that is evaluated once, so it is not known whether it waits "
            "for "
            "ever (an atomic section evaluates it again)",
            program.threads[t].name, program.line_name(i.pos));
  }
  return "";
}

std::string liveness_undecided(const Program& program) {
  const std::optional<RetriedWaits::Unknown> unknown = RetriedWaits(program).unknown();
  if (!unknown) return "";
  const Thread& thread = program.thread(unknown->thread);
  return fmt::format(
      "{} waits in line {} for a condition with several accesses that is evaluated once, so it is not known "
      "whether it waits for ever (a loop, or an atomic section, evaluates it again)",
      thread.name, program.line_name(thread.at(unknown->point).pos));
}

machine::Observed observed_by(const Program& program, const Property& property) {
  machine::Observed observed;
  if (!has_formula(property.kind)) return observed;
  auto& registers = looks_at_end(property.kind) ? observed.at_end : observed.always;
  for_each_expr(program, property.formula, [&](const Expr& e) {
    if (e.op != ExprOp::kThreadReg && e.op != ExprOp::kThreadRegAt) return;
    for (uint32_t i = 0; i < e.count; ++i) registers.push_back({e.thread, RegId(e.reg.index() + i)});
  });
  return observed;
}

machine::Visibility visible_to(const Program& program, const Property& property) {
  machine::Visibility visibility;
  // A final condition looks at final states only; errors are steps of one thread; a deadlock is a state
  // without steps; what violates liveness is never left again (property/solo_waits.h). Ample sets keep all of these
  // without any step being visible.
  if (property.kind != PropertyKind::kNever && property.kind != PropertyKind::kAlways) return visibility;
  visibility.cells.assign(program.cell_count, false);
  std::vector<size_t> first_register;
  size_t registers = 0;
  for (const Thread& thread : program.threads) {
    visibility.arriving.emplace_back(thread.code.size(), false);
    visibility.leaving.emplace_back(thread.code.size(), false);
    first_register.push_back(registers);
    registers += thread.registers.size();
  }
  visibility.registers.assign(registers, false);
  for_each_expr(program, property.formula, [&](const Expr& e) {
    if (e.op == ExprOp::kCell) {
      const Object& object = program.object(e.object);
      for (uint32_t i = 0; i < object.size(); ++i) visibility.cells[object.first_cell.index() + i] = true;
    } else if (e.op == ExprOp::kThreadReg || e.op == ExprOp::kThreadRegAt) {
      for (uint32_t i = 0; i < e.count; ++i)
        visibility.registers[first_register[e.thread.index()] + e.reg.index() + i] = true;
    }
  });
  const bool never = property.kind == PropertyKind::kNever;
  LabelVisibility(program, visibility)
      .truth(property.formula, never ? Direction::kTowards : Direction::kAway);
  return visibility;
}

machine::System system_for(const Task& task, const machine::SystemOptions& options) {
  return machine::System(task.program, task.fences, task.model, observed_by(task.program, task.property),
                         visible_to(task.program, task.property), options);
}

Monitor::Finding Monitor::look(const machine::StateView& view) const {
  if (!has_formula(property_.kind)) return Finding::kFine;
  if (looks_at_end(property_.kind) && !view.final_state) return Finding::kFine;
  const Evaluated formula =
      evaluate(program_, property_.formula, [&](const Expr& leaf, Value index) -> Value {
        const auto offset = static_cast<size_t>(index);
        switch (leaf_of(leaf.op)) {
          case LeafKind::kCell:
            return view.memory[program_.object(leaf.object).first_cell.index() + offset];
          case LeafKind::kLocation:
            return view.locations[leaf.thread.index()] == leaf.point.value();
          case LeafKind::kRegister:
            if (!leaf.thread.valid()) break;
            return view.registers[view.first_register[leaf.thread.index()] + leaf.reg.index() + offset];
          case LeafKind::kConst:
          case LeafKind::kNone:
            break;
        }
        throw Bug("a property looks at something that belongs to no thread");
      });
  if (!formula.ok()) return Finding::kUndefined;
  const bool bad = (formula.value != 0) == (property_.kind == PropertyKind::kNever);
  return bad ? Finding::kViolated : Finding::kFine;
}

}  // namespace fenceline::property
