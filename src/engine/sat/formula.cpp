// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "engine/sat/cell_ranges.h"
#include "engine/sat/monotone.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/sections.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"
#include "ir/analysis/retried_waits.h"

namespace fenceline::sat {
namespace {

void for_each_leaf(const Program& program, ExprId id, const std::function<void(const Expr&)>& f) {
  const Expr& expr = program.expr(id);
  f(expr);
  for (const ExprId operand : {expr.a, expr.b, expr.c})
    if (operand.valid()) for_each_leaf(program, operand, f);
}

Solver& prepared(Solver& solver, const FormulaOptions& options) {
  if (options.record_proof) solver.record_proof();
  return solver;
}

// The accesses and fences of each atomic section.
std::vector<std::vector<const Instruction*>> events_of_sections(const Overlay& overlay) {
  std::vector<std::vector<const Instruction*>> result;
  for (size_t t = 0; t < overlay.program().threads.size(); ++t)
    for (const std::vector<Point>& section : atomic_sections(overlay, ThreadId(t))) {
      std::vector<const Instruction*>& events = result.emplace_back();
      for (const Point point : section) {
        const Instruction& instruction = overlay.at(ThreadId(t), point);
        if (instruction.is_memory_access() || instruction.kind == InstrKind::kFence)
          events.push_back(&instruction);
      }
    }
  return result;
}

// No execution would be left of such sections, and what they do would be missed.
void reject_sections_without_execution(const Overlay& overlay, const CatModel& model) {
  for (const auto& section : events_of_sections(overlay))
    for (const Instruction* instruction : section)
      if (section.size() > 1 && instruction->kind == InstrKind::kRmw &&
          forbids_rmw_in_section(model, *instruction))
        throw Unsupported(
            fmt::format("a read-modify-write in an atomic section with other accesses (line {}), which {} "
                        "does not define",
                        overlay.program().line_name(instruction->pos), model.name));
}

}  // namespace

bool has_sections_of_several_events(const Overlay& overlay) {
  const auto sections = events_of_sections(overlay);
  return std::any_of(sections.begin(), sections.end(), [](const auto& section) {
    return section.size() > 1 || (!section.empty() && section.front()->kind == InstrKind::kRmw);
  });
}

namespace {

// What blocking operations outside of atomic sections test.
std::set<std::pair<ThreadId, Point>> retried_accesses(const Program& program) {
  const RetriedWaits retried(program);
  std::set<std::pair<ThreadId, Point>> accesses;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t p = 0; p < program.threads[t].code.size(); ++p)
      if (const auto retry = retried.retry(ThreadId(t), Point(p))) accesses.insert({ThreadId(t), *retry});
  return accesses;
}

}  // namespace

std::vector<bool> observed_cells(const Program& program, const Property* property) {
  std::vector<bool> observed(program.cell_count, property == nullptr);
  if (property == nullptr || !property->formula.valid()) return observed;
  for_each_leaf(program, property->formula, [&](const Expr& expr) {
    if (expr.op != ExprOp::kCell) return;
    const Object& object = program.object(expr.object);
    for (size_t i = 0; i < object.size(); ++i) observed[object.first_cell.index() + i] = true;
  });
  return observed;
}

Liveness liveness_for(const Program& program, const Property* property, Reads reads) {
  if (property != nullptr && property->formula.valid()) return Liveness(program, reads, {property->formula});
  if (property != nullptr) return Liveness(program, reads, {});
  // Final states: every register may be observed.
  std::vector<ThreadReg> all;
  for (size_t thread = 0; thread < program.threads.size(); ++thread)
    for (size_t reg = 0; reg < program.threads[thread].registers.size(); ++reg)
      all.push_back({ThreadId(thread), RegId(reg)});
  return Liveness(program, {}, all, reads);
}

bool looks_at_states(const Property& property) {
  return property.kind == PropertyKind::kNever || property.kind == PropertyKind::kAlways;
}

// What the leaves of a property mean at the end of an execution.
class Formula::EndState : public Leaves {
 public:
  EndState(Formula& formula, bool complete)
      : formula_(formula),
        expressions_(formula.overlay_.program(), formula.arithmetic_),
        complete_(complete) {}

  Expressions& expressions() { return expressions_; }

  Number leaf(const Expr& expr, uint32_t element) override {
    switch (leaf_of(expr.op)) {
      case LeafKind::kCell: {
        const CellId cell(formula_.overlay_.program().object(expr.object).first_cell.index() + element);
        return complete_ ? formula_.events_.final_value(cell) : formula_.events_.seen(cell);
      }
      case LeafKind::kRegister:
        if (!expr.thread.valid()) break;
        return register_of(expr.thread, expr.reg.index() + element);
      case LeafKind::kLocation: {
        std::vector<Lit> points;
        for (const Stop& stop : formula_.threads_.stops[expr.thread.index()])
          if (formula_.unfolding_.nodes()[stop.node].point == expr.point) points.push_back(stop.here);
        return expressions_.truth(formula_.circuit_.any(std::move(points)), {});
      }
      case LeafKind::kConst:
      case LeafKind::kNone:
        break;
    }
    throw Bug("a leaf that no property has");
  }

 private:
  Number register_of(ThreadId thread, size_t reg) {
    std::optional<Number> result;
    for (const Stop& stop : formula_.threads_.stops[thread.index()]) {
      if (complete_ && stop.reason != StopReason::kEnded) continue;
      result = result ? expressions_.choose(stop.here, *stop.registers[reg], *result) : *stop.registers[reg];
    }
    return result ? *result : expressions_.constant(0);
  }

  Formula& formula_;
  Expressions expressions_;
  bool complete_;
};

Formula::Formula(const Overlay& overlay, const CatModel& model, const Property* property,
                 const LoopBounds& bounds, const FormulaOptions& options)
    : overlay_(overlay),
      model_(model),
      omits_idle_iterations_(options.omit_idle_iterations && allows_omitting_events(model) &&
                             flags_stay_raised(model)),
      used_(liveness_for(overlay.program(), property, Reads::kUsed)),
      wait_loops_(overlay, used_, observed_cells(overlay.program(), property)),
      unfolding_(overlay, bounds),
      ranges_(cell_ranges(overlay, unfolding_)),
      circuit_(prepared(solver_, options)),
      arithmetic_(circuit_),
      threads_(encode_threads(overlay, unfolding_, ranges_, liveness_for(overlay.program(), property),
                              wait_loops_, thread_options(property, options), arithmetic_)),
      events_(overlay, unfolding_, threads_, looks_of(property), ranges_, arithmetic_),
      relations_(model, events_, circuit_, options.acyclic) {
  reject_sections_without_execution(overlay, model);
  events_.choose(relations_.impossible("rf"), relations_.impossible("co"));
  relations_.update_bounds();
  relations_.require_consistent();
  require_what_is_read_inside();
  std::vector<Lit> ended, failed;
  for (const std::vector<Stop>& stops : threads_.stops) {
    std::vector<Lit> ends;
    for (const Stop& stop : stops) {
      if (stop.reason == StopReason::kEnded) ends.push_back(stop.here);
      if (stop.reason == StopReason::kError) failed.push_back(stop.here);
      if (stop.reason == StopReason::kBeyond)
        beyond_.emplace_back(unfolding_.nodes()[stop.node].loop, stop.here);
    }
    ended.push_back(circuit_.any(std::move(ends)));
  }
  complete_ = circuit_.all(std::move(ended));
  failed_ = circuit_.any(std::move(failed));
  if (property != nullptr) encode_property(*property);
}

// The cells that the property reads in states that need not be final. If it reads none, no observer is
// needed: whatever program counters the threads reach in an execution, some interleaving has them there all
// at once.
std::vector<CellId> Formula::looks_of(const Property* property) const {
  if (property == nullptr || !looks_at_states(*property)) return {};
  std::set<CellId> cells;
  for_each_leaf(overlay_.program(), property->formula, [&](const Expr& expr) {
    if (expr.op != ExprOp::kCell) return;
    const Object& object = overlay_.program().object(expr.object);
    const Expr& offset = overlay_.program().expr(expr.a);
    for (size_t i = 0; i < object.size(); ++i)
      if (offset.op != ExprOp::kConst || offset.imm == static_cast<Value>(i))
        cells.insert(CellId(object.first_cell.index() + i));
  });
  return {cells.begin(), cells.end()};
}

ThreadOptions Formula::thread_options(const Property* property, const FormulaOptions& options) const {
  ThreadOptions result;
  result.dependencies = model_.uses("addr") || model_.uses("data") || model_.uses("ctrl");
  result.omit_idle_iterations = omits_idle_iterations_;
  result.omit_dead_writes = allows_omitting_writes(model_) && reads_own_last_write(model_);
  const bool sections = has_sections_of_several_events(overlay_);
  result.same_value = [this, sections,
                       known = std::map<const Instruction*, SameValue>()](const Instruction& rmw) mutable {
    if (sections) return SameValue::kCounts;
    const auto [entry, is_new] = known.emplace(&rmw, SameValue::kCounts);
    if (is_new) entry->second = same_value(model_, rmw);
    return entry->second;
  };
  result.keep_one = options.keep_one;
  result.require_kept = options.require_kept;
  result.errors_in_sections = property != nullptr && looks_at_errors(property->kind);
  result.may_stop = [](const Unfolding::Node&) { return false; };
  if (property != nullptr && property->kind == PropertyKind::kLiveness)
    result.may_stop = [this, accesses = retried_accesses(overlay_.program())](const Unfolding::Node& node) {
      return accesses.contains({node.thread, node.point});
    };
  if (property == nullptr || !looks_at_states(*property)) return result;

  // The property is about every state. It is enough to stop before what other threads can observe, before
  // what changes a register that the property reads, and before what leads to or away from a label that it
  // names.
  std::set<std::pair<ThreadId, Point>> points;
  std::set<std::pair<ThreadId, RegId>> registers;
  for_each_leaf(overlay_.program(), property->formula, [&](const Expr& expr) {
    if (expr.op == ExprOp::kAt) points.insert({expr.thread, expr.point});
    if (expr.op == ExprOp::kThreadReg || expr.op == ExprOp::kThreadRegAt)
      for (uint32_t i = 0; i < expr.count; ++i) registers.insert({expr.thread, RegId(expr.reg.index() + i)});
  });
  result.may_stop = [points, registers, this](const Unfolding::Node& node) {
    const Instruction& instruction = overlay_.at(node.thread, node.point);
    if (instruction.is_memory_access() || instruction.kind == InstrKind::kFence) return true;
    if (points.contains({node.thread, node.point})) return true;
    for (size_t slot = 0; slot < instruction.next.size(); ++slot)
      if (points.contains({node.thread, overlay_.next(node.thread, node.point, slot)})) return true;
    for (uint32_t i = 0; instruction.dest.valid() && i < instruction.dest.count; ++i)
      if (registers.contains({node.thread, RegId(instruction.dest.reg.index() + i)})) return true;
    return false;
  };
  return result;
}

void Formula::encode_property(const Property& property) {
  if (property.kind == PropertyKind::kNoErrors) {
    violated_ = failed_;
    return;
  }
  if (property.kind == PropertyKind::kNoDeadlock) {
    violated_ = deadlocked();
    return;
  }
  if (property.kind == PropertyKind::kLiveness) {
    violated_ = all_may_wait();
    return;
  }
  const bool complete = looks_at_end(property.kind);
  EndState state(*this, complete);
  const Expressions::Result formula = state.expressions().evaluate(property.formula, state);
  const Lit considered = complete ? complete_ : kTrue;
  const Lit holds = state.expressions().holds(formula.number);
  undefined_ = circuit_.both(considered, formula.fails);
  violated_ = circuit_.both(circuit_.both(considered, !formula.fails),
                            property.kind == PropertyKind::kNever ? holds : !holds);
  if (looks_at_errors(property.kind)) violated_ = circuit_.either(violated_, failed_);
}

// Every thread has ended or waits before an atomic section, one waits, and none has ended the program. All
// else can go on: stores reach memory in the end, so nothing but an atomic section waits for ever, and an
// execution in which an assumption does not hold does not count.
Lit Formula::deadlocked() {
  std::vector<Number> memory;
  for (size_t cell = 0; cell < overlay_.program().cell_count; ++cell)
    memory.push_back(events_.final_value(CellId(cell)));
  std::vector<Lit> all, some;
  for (const std::vector<Stop>& stops : threads_.stops) {
    std::vector<Lit> still;
    for (const Stop& stop : stops) {
      const Unfolding::Node& node = unfolding_.nodes()[stop.node];
      const Instruction& instruction = overlay_.at(node.thread, node.point);
      if (stop.reason == StopReason::kEnded && !instruction.ends_program) still.push_back(stop.here);
      if (stop.reason != StopReason::kAnywhere || instruction.kind != InstrKind::kAtomicBegin) continue;
      const Lit passes = passable(overlay_, unfolding_, stop.node, stop.registers, memory, arithmetic_);
      still.push_back(circuit_.both(stop.here, !passes));
      some.push_back(still.back());
    }
    all.push_back(circuit_.any(std::move(still)));
  }
  return circuit_.both(circuit_.all(std::move(all)), circuit_.any(std::move(some)));
}

// Every thread has ended or has stopped where it might wait, one has stopped, and none has ended the program. Whether they
// do wait there is for StuckThreads to find out.
Lit Formula::all_may_wait() {
  for (size_t cell = 0; cell < overlay_.program().cell_count; ++cell)
    final_memory_.push_back(events_.final_value(CellId(cell)));
  std::vector<Lit> all, some;
  for (const std::vector<Stop>& stops : threads_.stops) {
    std::vector<Lit> still;
    for (const Stop& stop : stops) {
      const Unfolding::Node& node = unfolding_.nodes()[stop.node];
      if (stop.reason == StopReason::kEnded && !overlay_.at(node.thread, node.point).ends_program)
        still.push_back(stop.here);
      if (stop.reason != StopReason::kAnywhere) continue;
      still.push_back(stop.here);
      some.push_back(stop.here);
    }
    all.push_back(circuit_.any(std::move(still)));
  }
  return circuit_.both(circuit_.all(std::move(all)), circuit_.any(std::move(some)));
}

// The literals of threads_.read_inside, now that rf is known.
void Formula::require_what_is_read_inside() {
  const size_t first = events_.first_of_threads();
  const auto is_inside = [&](size_t event, uint32_t iteration) {
    uint32_t around = unfolding_.nodes()[events_.all()[event].node].iteration;
    while (around != Unfolding::kNone && around != iteration) around = unfolding_.iterations()[around].outer;
    return around == iteration;
  };
  const auto counts_as_own = [&](size_t write, const ReadInside& inside) {
    const SymbolicEvent& source = events_.all()[write];
    if (source.thread != events_.all()[inside.read + first].thread) return false;
    switch (inside.same) {
      case SameValue::kCounts:
      case SameValue::kOwnSourceCounts:
        return true;
      case SameValue::kOwnStoreCounts:
        return source.read_part == Unfolding::kNone;
      case SameValue::kDoesNotCount:
        break;
    }
    return false;
  };
  for (const ReadInside& inside : threads_.read_inside) {
    const size_t read = inside.read + first;
    std::vector<Lit> sources{!inside.holds};
    for (size_t write = first; write < events_.first_look(); ++write)
      if (events_.reads_from(write, read) != kFalse &&
          (is_inside(write, inside.iteration) || counts_as_own(write, inside)))
        sources.push_back(events_.reads_from(write, read));
    circuit_.require(std::move(sources));
  }
}

std::string Formula::why_not_idle(const LoopInstance& loop) {
  if (!omits_idle_iterations_)
    return fmt::format("iterations that only wait count on {}: its axioms may depend on them", model_.name);
  const auto beyond = std::find_if(unfolding_.nodes().begin(), unfolding_.nodes().end(),
                                   [&](const auto& node) { return node.beyond && node.loop == loop; });
  if (beyond == unfolding_.nodes().end()) return "";
  const Unfolding::Iteration& next = unfolding_.iterations()[beyond->iteration];
  const Program& program = overlay_.program();
  for (const Effect& effect : threads_.effects) {
    const Unfolding::Iteration& iteration = unfolding_.iterations()[effect.iteration];
    // Loops are numbered by thread.
    if (iteration.header == Unfolding::kNone || unfolding_.nodes()[iteration.header].thread != beyond->thread)
      continue;
    if (iteration.loop != next.loop || iteration.outer != next.outer || iteration.number + 1 != next.number ||
        !solver_.value(effect.holds))
      continue;
    if (effect.write) {
      const SymbolicEvent& write = threads_.events[*effect.write];
      for (const auto& [cell, here] : write.cells)
        if (solver_.value(here)) return fmt::format("it stores to '{}' each time", program.cell_name(cell));
    } else if (effect.reg) {
      const Register& reg = program.thread(beyond->thread).registers[effect.reg->index()];
      return reg.temporary ? "it changes a local variable each time"
                           : fmt::format("it changes '{}' each time", reg.name);
    }
  }
  return "";
}

LoopSet Formula::loops_with_flags() const {
  LoopSet loops;
  if (!omits_idle_iterations_) return loops;
  for (const Constraint& constraint : model_.constraints) {
    if (!constraint.flag) continue;
    const std::vector<bool> raises = relations_.may_raise(constraint);
    for (size_t event = events_.first_of_threads(); event < events_.first_look(); ++event) {
      const SymbolicEvent& symbolic = events_.all()[event];
      if (!raises[event] || symbolic.executed == kFalse) continue;
      for (uint32_t iteration = unfolding_.nodes()[symbolic.node].iteration; iteration != Unfolding::kNone;
           iteration = unfolding_.iterations()[iteration].outer)
        loops.insert({symbolic.thread, unfolding_.iterations()[iteration].loop});
    }
  }
  return loops;
}

Number Formula::final_value(ExprId id) {
  EndState state(*this, true);
  Expressions::Result result = state.expressions().evaluate(id, state);
  if (result.fails != kFalse) throw Unsupported("a final value that is not defined in every execution");
  return std::move(result.number);
}

}  // namespace fenceline::sat
