// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/plan.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ir/walk.h"
#include "machine/code.h"
#include "property/properties.h"

namespace fenceline::numeric {
namespace {

constexpr uint64_t kFewValues = 16;  // a variable with at most so many is explicit
constexpr Value kLargestThreshold = 1'000'000;
// Bounds beyond this come from nowhere but the ends of int64. They would give polyhedra coefficients that do
// not fit into a certificate.
constexpr Value kLargestBound = Value{1} << 40;

bool has_few_values(Range range) {
  return range.is_empty() || static_cast<uint64_t>(range.hi) - static_cast<uint64_t>(range.lo) < kFewValues;
}

Range without_large_bounds(Range range) {
  if (has_few_values(range)) return range;
  const Range all = Range::all();
  return {range.lo < -kLargestBound ? all.lo : range.lo, range.hi > kLargestBound ? all.hi : range.hi};
}

Ranges useful_ranges(const Program& program) {
  Ranges ranges = analyze_ranges(program);
  for (Range& range : ranges.cells) range = without_large_bounds(range);
  for (std::vector<Range>& registers : ranges.registers)
    for (Range& range : registers) range = without_large_bounds(range);
  return ranges;
}

Liveness liveness_for(const Task& task) {
  const machine::Observed observed = property::observed_by(task.program, task.property);
  return {task.program, observed.always, observed.at_end};
}

}  // namespace

Plan::Plan(const Task& task, const PlanOptions& options)
    : task_(task),
      overlay_(task.program, task.fences),
      ranges_(useful_ranges(task.program)),
      liveness_(liveness_for(task)),
      smashed_(task.program.objects.size()),
      monitored_(task.program.cell_count, false) {
  for (size_t t = 0; t < threads(); ++t) {
    const size_t points = overlay_.points(ThreadId(t));
    monitored_points_.emplace_back(points, false);
    monitored_registers_.emplace_back(program().threads[t].registers.size(), false);
    cut_points_.emplace_back(points, false);
    heads_.emplace_back(points, false);
    inside_section_.emplace_back(points, false);
  }
  const Property& property = task.property;
  if (property.kind == PropertyKind::kNever || property.kind == PropertyKind::kAlways) {
    for_each_expr(program(), property.formula, [&](const Expr& e) {
      if (e.op == ExprOp::kAt) monitored_points_[e.thread.index()][e.point.index()] = true;
      if (e.op == ExprOp::kThreadReg || e.op == ExprOp::kThreadRegAt)
        for (uint32_t i = 0; i < e.count; ++i)
          monitored_registers_[e.thread.index()][e.reg.index() + i] = true;
      if (e.op != ExprOp::kCell) return;
      const Object& object = program().object(e.object);
      const Expr& offset = program().expr(e.a);
      for (uint32_t i = 0; i < object.size(); ++i)
        if (offset.op != ExprOp::kConst || offset.imm == static_cast<Value>(i))
          monitored_[object.first_cell.index() + i] = true;
    });
  }
  for (size_t t = 0; t < threads(); ++t)
    for (size_t p = 0; p < overlay_.points(ThreadId(t)); ++p) {
      const Instruction& instruction = overlay_.at(ThreadId(t), Point(p));
      marks_loads_ = marks_loads_ ||
                     (instruction.kind == InstrKind::kFence &&
                      machine::fence_effect(instruction.fence, buffering()) == machine::FenceEffect::kMark);
    }
  choose_representation(options);
  smash(options.arrays);
  find_cut_points(options.extra_cut_points);
  find_loop_heads();
  collect_thresholds();
}

bool Plan::live(ThreadId thread, Point point, RegId reg) const {
  // A fence of the overlay has the registers of what comes behind it.
  while (overlay_.inserted(thread, point)) point = overlay_.next(thread, point, 0);
  return liveness_.live(thread, point, reg);
}

void Plan::choose_representation(const PlanOptions& options) {
  for (size_t c = 0; c < program().cell_count; ++c) {
    const ObjectId object = program().object_of(CellId(c));
    const bool named = std::find(options.always_explicit.begin(), options.always_explicit.end(), object) !=
                       options.always_explicit.end();
    explicit_cells_.push_back(named || (!options.everything_numeric && has_few_values(ranges_.cells[c])));
  }
  for (size_t t = 0; t < threads(); ++t) {
    explicit_registers_.emplace_back();
    for (const Range range : ranges_.registers[t])
      explicit_registers_[t].push_back(!options.everything_numeric && has_few_values(range));
  }
}

// Does the expression read a register that is a dimension?
bool Plan::depends_on_dimensions(ThreadId thread, ExprId expr) const {
  bool found = false;
  for_each_expr(program(), expr, [&](const Expr& e) {
    if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
    for (uint32_t i = 0; i < e.count; ++i)
      found = found || !explicit_register(thread, RegId(e.reg.index() + i));
  });
  return found;
}

void Plan::smash(ArrayMode mode) {
  if (mode == ArrayMode::kExpand) return;
  const auto is_monitored = [this](const Object& object) {
    for (uint32_t i = 0; i < object.size(); ++i)
      if (monitored_[object.first_cell.index() + i]) return true;
    return false;
  };
  for (size_t t = 0; t < threads(); ++t)
    for (const Instruction& instruction : program().threads[t].code) {
      if (!instruction.is_memory_access() || smashed_[instruction.address.object.index()]) continue;
      const Object& object = program().object(instruction.address.object);
      if (!object.is_array || !object.cell_bytes.empty()) continue;
      if (mode == ArrayMode::kAuto &&
          (is_monitored(object) || !depends_on_dimensions(ThreadId(t), instruction.address.offset)))
        continue;
      const Range range = ranges_.cells[object.first_cell.index()];
      bool alike = true;
      for (uint32_t i = 1; i < object.size(); ++i)
        alike = alike && ranges_.cells[object.first_cell.index() + i] == range;
      if (alike) smashed_[instruction.address.object.index()] = range;
    }
}

std::vector<CellId> Plan::cells_of(const Address& address) const {
  const Object& object = program().object(address.object);
  const Expr& offset = program().expr(address.offset);
  std::vector<CellId> cells;
  for (uint32_t i = 0; i < object.size(); ++i)
    if (offset.op != ExprOp::kConst || offset.imm == static_cast<Value>(i))
      cells.emplace_back(object.first_cell.index() + i);
  return cells;
}

// Are its cells ones that no other thread can change (a load) or observe (a store on SC)?
bool Plan::private_access(ThreadId thread, const Instruction& instruction) const {
  const std::vector<CellId> mine = cells_of(instruction.address);
  for (size_t t = 0; t < threads(); ++t) {
    if (t == thread.index()) continue;
    for (const Instruction& other : program().threads[t].code) {
      if (!other.is_memory_access() || other.address.object != instruction.address.object) continue;
      if (instruction.kind == InstrKind::kLoad && !other.writes_memory()) continue;
      for (const CellId cell : cells_of(other.address))
        if (std::find(mine.begin(), mine.end(), cell) != mine.end()) return false;
    }
  }
  return true;
}

bool Plan::needs_cut_point(ThreadId thread, Point point) const {
  const Instruction& instruction = overlay_.at(thread, point);
  if (monitored_points_[thread.index()][point.index()]) return true;
  const auto monitors = [this](const std::vector<CellId>& cells) {
    return std::any_of(cells.begin(), cells.end(), [this](CellId c) { return monitored_[c.index()]; });
  };
  switch (instruction.kind) {
    case InstrKind::kLoad:
      if (smashed(instruction.address.object)) return marks_loads_;
      return marks_loads_ || !private_access(thread, instruction);
    case InstrKind::kStore:
      return buffering() == Buffering::kUnbuffered && !smashed(instruction.address.object) &&
             (!private_access(thread, instruction) || monitors(cells_of(instruction.address)));
    case InstrKind::kFence: {
      const machine::FenceEffect effect = machine::fence_effect(instruction.fence, buffering());
      return effect != machine::FenceEffect::kNothing;
    }
    case InstrKind::kRmw:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAssume:
    case InstrKind::kHalt:
      return true;
    case InstrKind::kAssign:
    case InstrKind::kBranch:
    case InstrKind::kChoose:
    case InstrKind::kAssert:
    case InstrKind::kHavoc:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      break;
  }
  return false;
}

void Plan::find_cut_points(const std::set<std::pair<ThreadId, Point>>& extra_cut_points) {
  const machine::Visibility visibility = property::visible_to(program(), task_.property);
  const auto may_end_violation = [&](ThreadId thread, Point point) {  // by arriving at the point
    return !visibility.arriving.empty() && !overlay_.inserted(thread, point) &&
           visibility.arriving[thread.index()][point.index()];
  };
  for (size_t t = 0; t < threads(); ++t) {
    const ThreadId thread(t);
    const size_t points = overlay_.points(thread);
    // No cut points inside atomic sections.
    std::function<void(Point)> enter = [&](Point point) {
      if (inside_section_[t][point.index()]) return;
      inside_section_[t][point.index()] = true;
      const Instruction& instruction = overlay_.at(thread, point);
      if (instruction.kind == InstrKind::kAtomicEnd) return;
      for (size_t i = 0; i < instruction.next.size(); ++i) enter(overlay_.next(thread, point, i));
    };
    for (size_t p = 0; p < points; ++p)
      if (overlay_.at(thread, Point(p)).kind == InstrKind::kAtomicBegin)
        enter(overlay_.next(thread, Point(p), 0));
    for (size_t p = 0; p < points; ++p) {
      if (inside_section_[t][p]) continue;
      const Instruction& instruction = overlay_.at(thread, Point(p));
      if (needs_cut_point(thread, Point(p))) cut_points_[t][p] = true;
      // Before what the property observes changes: the property sees no difference between the states up to
      // there and this one.
      if (instruction.dest.valid())
        for (uint32_t i = 0; i < instruction.dest.count; ++i)
          if (monitored_registers_[t][instruction.dest.reg.index() + i]) cut_points_[t][p] = true;
      for (size_t i = 0; i < instruction.next.size(); ++i) {
        const Point next = overlay_.next(thread, Point(p), i);
        if (may_end_violation(thread, next)) cut_points_[t][p] = true;
      }
    }
  }
  for (const auto& [thread, point] : extra_cut_points) cut_points_[thread.index()][point.index()] = true;
  cut_local_cycles();
}

// A cycle without a cut point gets one: the target of a back edge of a depth-first search.
void Plan::cut_local_cycles() {
  for (size_t t = 0; t < threads(); ++t) {
    const ThreadId thread(t);
    enum class Seen : uint8_t { kNot, kOnPath, kDone };
    std::vector<Seen> seen(overlay_.points(thread), Seen::kNot);
    std::function<void(Point)> walk = [&](Point point) {
      seen[point.index()] = Seen::kOnPath;
      const Instruction& instruction = overlay_.at(thread, point);
      for (size_t i = 0; i < instruction.next.size(); ++i) {
        const Point next = overlay_.next(thread, point, i);
        if (cut_points_[t][next.index()]) continue;
        if (seen[next.index()] == Seen::kOnPath && !inside_section_[t][next.index()])
          cut_points_[t][next.index()] = true;
        else if (seen[next.index()] == Seen::kNot)
          walk(next);
      }
      seen[point.index()] = Seen::kDone;
    };
    for (size_t p = 0; p < seen.size(); ++p)
      if (seen[p] == Seen::kNot) walk(Point(p));
  }
}

// In the graph whose edges lead from cut point to cut point: the targets of back edges of a depth-first
// search.
void Plan::find_loop_heads() {
  for (size_t t = 0; t < threads(); ++t) {
    const ThreadId thread(t);
    const auto cut_points_after = [&](Point from) {
      std::set<Point> found, seen;
      std::vector<Point> todo = {from};
      while (!todo.empty()) {
        const Point point = todo.back();
        todo.pop_back();
        for (size_t i = 0; i < overlay_.at(thread, point).next.size(); ++i) {
          const Point next = overlay_.next(thread, point, i);
          if (cut_points_[t][next.index()])
            found.insert(next);
          else if (seen.insert(next).second)
            todo.push_back(next);
        }
      }
      return found;
    };
    enum class Seen : uint8_t { kNot, kOnPath, kDone };
    std::vector<Seen> seen(overlay_.points(thread), Seen::kNot);
    std::function<void(Point)> walk = [&](Point point) {
      seen[point.index()] = Seen::kOnPath;
      for (const Point next : cut_points_after(point)) {
        if (seen[next.index()] == Seen::kOnPath) heads_[t][next.index()] = true;
        if (seen[next.index()] == Seen::kNot) walk(next);
      }
      seen[point.index()] = Seen::kDone;
    };
    const Point entry = program().threads[t].entry;
    if (cut_points_[t][entry.index()]) walk(entry);
    for (const Point first : cut_points_after(entry))
      if (seen[first.index()] == Seen::kNot) walk(first);
  }
}

void Plan::collect_thresholds() {
  std::set<Value> found = {-1, 0, 1};
  const auto add = [&](Value value) {
    if (value < -kLargestThreshold || value > kLargestThreshold) return;
    for (const Value near : {value - 1, value, value + 1}) found.insert(near), found.insert(-near);
  };
  for (const Expr& e : program().exprs)
    if (e.op == ExprOp::kConst) add(e.imm);
  for (const Object& object : program().objects) {
    for (const Value value : object.init) add(value);
    if (object.declared) add(object.declared->lo), add(object.declared->hi);
  }
  thresholds_.assign(found.begin(), found.end());
}

size_t Plan::numeric_variables() const {
  size_t count = static_cast<size_t>(std::count(explicit_cells_.begin(), explicit_cells_.end(), false));
  for (const std::vector<bool>& registers : explicit_registers_)
    count += static_cast<size_t>(std::count(registers.begin(), registers.end(), false));
  return count;
}

}  // namespace fenceline::numeric
