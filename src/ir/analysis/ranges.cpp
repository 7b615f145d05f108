// SPDX-License-Identifier: GPL-3.0-or-later
//
// A flow-insensitive interval analysis. Every instruction that writes is a function from ranges to ranges;
// we start from the initial values and apply these functions until nothing grows. An instruction is looked
// at again only when something it reads has grown.
//
// Growth must end: a location that has grown a few times jumps to the next threshold (the constants of the
// program and their neighbours, and the declared bounds, which is where most loops stop), and one that has
// used up its thresholds jumps to "no bound known". Since such jumps may overshoot, two more passes compute
// every location afresh from the ranges found. That is sound whatever the ranges: if they contain all values
// that occur, so does what the instructions make of them.
//
// A declared range clamps what is written, and a bad index writes nothing: the failing step has no successor.
#include "ir/analysis/ranges.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "ir/analysis/interval.h"

namespace fenceline {
namespace {

constexpr Value kMin = std::numeric_limits<Value>::min();
constexpr Value kMax = std::numeric_limits<Value>::max();
constexpr unsigned kPlainSteps = 4;       // times a location may grow freely
constexpr unsigned kThresholdSteps = 40;  // and then from threshold to threshold

// Offsets of `index` that stay inside an array of `size`.
Range in_bounds(Range index, size_t size) { return index.meet({0, static_cast<Value>(size) - 1}); }

Range clamp(Range value, const std::optional<Range>& declared) {
  return declared ? value.meet(*declared) : value;
}

Range join_of(const std::vector<Range>& ranges, size_t first, Range offsets) {
  Range result = Range::empty();
  for (Value i = offsets.lo; i <= offsets.hi; ++i)
    result = result.join(ranges[first + static_cast<size_t>(i)]);
  return result;
}

// The cells an address can name, and the registers a destination can name, as offsets from the first.
Range offsets_of(const Program& program, const Ranges& ranges, ThreadId thread, const Address& address) {
  return in_bounds(range_of(program, ranges, thread, address.offset), program.object(address.object).size());
}
Range offsets_of(const Program& program, const Ranges& ranges, ThreadId thread, const Dest& dest) {
  if (!dest.is_element()) return Range::single(0);
  return in_bounds(range_of(program, ranges, thread, dest.index), dest.count);
}

Range memory_at(const Program& program, const Ranges& ranges, const Address& address, Range offsets) {
  const Object& object = program.object(address.object);
  Range result = Range::empty();
  for (Value i = offsets.lo; i <= offsets.hi; ++i)
    if (object.admits(i, address.bytes))
      result = result.join(ranges.cells[object.first_cell.index() + static_cast<size_t>(i)]);
  return result;
}

// What an instruction writes, before declared ranges cut it.
struct Effect {
  Range to_memory = Range::empty();
  Range to_dest = Range::empty();
};

// `memory` is the range of the cells that the instruction accesses.
Effect effect_of(const Program& program, const Ranges& ranges, ThreadId thread,
                 const Instruction& instruction, Range memory) {
  const auto value = [&](ExprId id) { return range_of(program, ranges, thread, id); };
  switch (instruction.kind) {
    case InstrKind::kLoad:
      return {Range::empty(), memory};
    case InstrKind::kStore:
      return {value(instruction.a), Range::empty()};
    case InstrKind::kAssign:
      return {Range::empty(), value(instruction.a)};
    case InstrKind::kHavoc:
      return {Range::empty(), instruction.havoc_range};
    case InstrKind::kRmw:
      break;
    case InstrKind::kFence:
    case InstrKind::kBranch:
    case InstrKind::kChoose:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
    case InstrKind::kHalt:
      return {};
  }
  const Range a = value(instruction.a);
  if (a.is_empty() || memory.is_empty()) return {};
  switch (instruction.rmw) {
    case RmwOp::kCas:
    case RmwOp::kCasValue: {
      const Range b = value(instruction.b);
      if (b.is_empty()) return {};
      const Range equal = apply_range(ExprOp::kEq, memory, a);
      return {equal.contains(1) ? b : Range::empty(), instruction.rmw == RmwOp::kCas ? equal : memory};
    }
    case RmwOp::kXchg:
      return {a, memory};
    case RmwOp::kFetchAdd:
    case RmwOp::kFetchAnd:
    case RmwOp::kFetchOr:
    case RmwOp::kFetchXor:
      break;
  }
  return {fetch_range(instruction.rmw, memory, a, instruction.wrap), memory};
}

class Analysis {
 public:
  explicit Analysis(const Program& program) : program_(program) {
    ranges_ = initial();
    cell_steps_.resize(ranges_.cells.size(), 0);
    for (const auto& registers : ranges_.registers) register_steps_.emplace_back(registers.size(), 0u);
    collect_thresholds();
    collect_readers();
  }

  Ranges run() {
    for (size_t i = 0; i < sites_.size(); ++i) enqueue(i);
    while (!queue_.empty()) {
      const size_t site = queue_.front();
      queue_.pop_front();
      queued_[site] = false;
      const ThreadId thread = sites_[site].thread;
      apply(
          *sites_[site].instruction, thread, ranges_,
          [&](ObjectId object, size_t cell, Range value) {
            if (grow(ranges_.cells[cell], cell_steps_[cell], value, program_.object(object).declared))
              for (const size_t reader : cell_readers_[object.index()]) enqueue(reader);
          },
          [&](size_t reg, Range value) {
            if (grow(ranges_.registers[thread.index()][reg], register_steps_[thread.index()][reg], value,
                     program_.thread(thread).registers[reg].declared))
              for (const size_t reader : register_readers_[thread.index()][reg]) enqueue(reader);
          });
    }
    recompute();
    recompute();
    return ranges_;
  }

 private:
  struct Site {
    ThreadId thread;
    const Instruction* instruction;
  };

  Ranges initial() const {
    Ranges ranges;
    for (const Value value : program_.initial_memory()) ranges.cells.push_back(Range::single(value));
    for (const Thread& thread : program_.threads) {
      std::vector<Range>& registers = ranges.registers.emplace_back();
      for (const Register& reg : thread.registers) registers.push_back(Range::single(reg.init));
    }
    return ranges;
  }

  void collect_thresholds() {
    const auto around = [&](Value v) {
      for (const Value near : {v > kMin ? v - 1 : v, v, v < kMax ? v + 1 : v}) thresholds_.push_back(near);
    };
    const auto bounds = [&](const Range& range) {
      thresholds_.push_back(range.lo);
      thresholds_.push_back(range.hi);
    };
    around(0);
    for (const Expr& e : program_.exprs)
      if (e.op == ExprOp::kConst) around(e.imm);
    for (const Object& object : program_.objects)
      if (object.declared) bounds(*object.declared);
    for (const Thread& thread : program_.threads) {
      for (const Register& reg : thread.registers)
        if (reg.declared) bounds(*reg.declared);
      for (const Instruction& instruction : thread.code)
        if (instruction.kind == InstrKind::kHavoc) bounds(instruction.havoc_range);
    }
    std::sort(thresholds_.begin(), thresholds_.end());
    thresholds_.erase(std::unique(thresholds_.begin(), thresholds_.end()), thresholds_.end());
  }

  // Memory readers are kept per object, not per cell: an offset that grows can reach any of them.
  void collect_readers() {
    cell_readers_.resize(program_.objects.size());
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const Thread& thread = program_.threads[t];
      register_readers_.emplace_back(thread.registers.size());
      for (const Instruction& instruction : thread.code) {
        if (!instruction.dest.valid() && !instruction.writes_memory()) continue;
        const size_t site = sites_.size();
        sites_.push_back({ThreadId(t), &instruction});
        if (instruction.reads_memory()) cell_readers_[instruction.address.object.index()].push_back(site);
        for (const ExprId operand :
             {instruction.a, instruction.b, instruction.address.offset, instruction.dest.index})
          if (operand.valid()) collect_register_readers(operand, register_readers_.back(), site);
      }
    }
    queued_.resize(sites_.size(), false);
  }

  void collect_register_readers(ExprId id, std::vector<std::vector<size_t>>& readers, size_t site) {
    const Expr& e = program_.expr(id);
    if (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt)
      for (size_t i = 0; i < (e.op == ExprOp::kReg ? 1 : e.count); ++i) {
        std::vector<size_t>& list = readers[e.reg.index() + i];
        if (list.empty() || list.back() != site) list.push_back(site);
      }
    for (const ExprId operand : {e.a, e.b, e.c})
      if (operand.valid()) collect_register_readers(operand, readers, site);
  }

  void enqueue(size_t site) {
    if (queued_[site]) return;
    queued_[site] = true;
    queue_.push_back(site);
  }

  // Hands each location that the instruction can write, with the range it can write there, to the sinks.
  template <class CellSink, class RegSink>
  void apply(const Instruction& instruction, ThreadId thread, const Ranges& from, const CellSink& to_cell,
             const RegSink& to_reg) const {
    Range cells = Range::empty(), memory = Range::empty();
    if (instruction.is_memory_access()) {
      cells = offsets_of(program_, from, thread, instruction.address);
      memory = memory_at(program_, from, instruction.address, cells);
      if (cells.is_empty()) return;
    }
    const Effect effect = effect_of(program_, from, thread, instruction, memory);
    if (!effect.to_memory.is_empty()) {
      const ObjectId id = instruction.address.object;
      const Object& object = program_.object(id);
      const size_t first = object.first_cell.index();
      for (Value i = cells.lo; i <= cells.hi; ++i)
        if (object.admits(i, instruction.address.bytes))
          to_cell(id, first + static_cast<size_t>(i), effect.to_memory);
    }
    if (instruction.dest.valid() && !effect.to_dest.is_empty()) {
      const Range elements = offsets_of(program_, from, thread, instruction.dest);
      for (Value i = elements.lo; i <= elements.hi; ++i)
        to_reg(instruction.dest.reg.index() + static_cast<size_t>(i), effect.to_dest);
    }
  }

  bool grow(Range& location, unsigned& steps, Range value, const std::optional<Range>& declared) const {
    value = clamp(value, declared);
    if (location.contains(value)) return false;
    Range grown = location.join(value);
    if (++steps > kPlainSteps) {
      const bool give_up = steps > kPlainSteps + kThresholdSteps;
      if (grown.lo < location.lo) grown.lo = give_up ? kMin : threshold_below(grown.lo);
      if (grown.hi > location.hi) grown.hi = give_up ? kMax : threshold_above(grown.hi);
      grown = clamp(grown, declared);
    }
    location = grown;
    return true;
  }

  Value threshold_below(Value v) const {
    const auto above = std::upper_bound(thresholds_.begin(), thresholds_.end(), v);
    return above == thresholds_.begin() ? kMin : *(above - 1);
  }
  Value threshold_above(Value v) const {
    const auto found = std::lower_bound(thresholds_.begin(), thresholds_.end(), v);
    return found == thresholds_.end() ? kMax : *found;
  }

  void recompute() {
    Ranges fresh = initial();
    for (const Site& site : sites_)
      apply(
          *site.instruction, site.thread, ranges_,
          [&](ObjectId object, size_t cell, Range value) {
            fresh.cells[cell] = fresh.cells[cell].join(clamp(value, program_.object(object).declared));
          },
          [&](size_t reg, Range value) {
            Range& location = fresh.registers[site.thread.index()][reg];
            location = location.join(clamp(value, program_.thread(site.thread).registers[reg].declared));
          });
    ranges_ = std::move(fresh);
  }

  const Program& program_;
  Ranges ranges_;
  std::vector<unsigned> cell_steps_;  // how often each location has grown
  std::vector<std::vector<unsigned>> register_steps_;
  std::vector<Value> thresholds_;                                   // sorted
  std::vector<Site> sites_;                                         // the instructions that write something
  std::vector<std::vector<size_t>> cell_readers_;                   // by ObjectId: sites
  std::vector<std::vector<std::vector<size_t>>> register_readers_;  // by ThreadId, RegId: sites
  std::deque<size_t> queue_;
  std::vector<bool> queued_;
};

}  // namespace

Ranges analyze_ranges(const Program& program) { return Analysis(program).run(); }

Range range_of(const Program& program, const Ranges& ranges, ThreadId thread, ExprId id) {
  const Expr& e = program.expr(id);
  const auto value = [&](ExprId operand) { return range_of(program, ranges, thread, operand); };
  switch (shape_of(e.op)) {
    case ExprShape::kConst:
      return Range::single(e.imm);
    case ExprShape::kAt:
      return {0, 1};
    case ExprShape::kReg:
      return ranges.registers[thread.index()][e.reg.index()];
    case ExprShape::kThreadReg:
      return ranges.registers[e.thread.index()][e.reg.index()];
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt: {
      const ThreadId owner = e.op == ExprOp::kRegAt ? thread : e.thread;
      return join_of(ranges.registers[owner.index()], e.reg.index(), in_bounds(value(e.a), e.count));
    }
    case ExprShape::kCell: {
      const Object& object = program.object(e.object);
      return join_of(ranges.cells, object.first_cell.index(), in_bounds(value(e.a), object.size()));
    }
    case ExprShape::kSelect: {
      const Range condition = truth_of(value(e.a));
      Range result = Range::empty();
      if (condition.contains(1)) result = value(e.b);
      return condition.contains(0) ? result.join(value(e.c)) : result;
    }
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kBinary:
    case ExprShape::kLazy:
      break;
  }
  return apply_range(e.op, value(e.a), arity(e.op) == 2 ? value(e.b) : Range::single(e.imm));
}

bool may_fail(const Program& program, const Ranges& ranges, ThreadId thread, ExprId id) {
  const Expr& e = program.expr(id);
  const auto value = [&](ExprId operand) { return range_of(program, ranges, thread, operand); };
  const auto fails = [&](ExprId operand) { return may_fail(program, ranges, thread, operand); };
  if (arity(e.op) == 0) return false;
  if (fails(e.a)) return true;
  switch (shape_of(e.op)) {
    case ExprShape::kRegAt:
    case ExprShape::kThreadRegAt:
      return !Range{0, static_cast<Value>(e.count) - 1}.contains(value(e.a));
    case ExprShape::kCell:
      return !Range{0, static_cast<Value>(program.object(e.object).size()) - 1}.contains(value(e.a));
    case ExprShape::kLazy:
      return truth_of(value(e.a)).contains(e.op == ExprOp::kAnd ? 1 : 0) && fails(e.b);
    case ExprShape::kSelect: {
      const Range condition = truth_of(value(e.a));
      return (condition.contains(1) && fails(e.b)) || (condition.contains(0) && fails(e.c));
    }
    case ExprShape::kBinary:
      if (fails(e.b)) return true;
      if (!is_partial(e.op)) return false;
      if (class_of(e.op) == OperatorClass::kDivide) return value(e.b).contains(0);
      return !value(e.b).meet({kMin, -1}).is_empty();
    case ExprShape::kConst:
    case ExprShape::kReg:
    case ExprShape::kUnary:
    case ExprShape::kWrap:
    case ExprShape::kThreadReg:
    case ExprShape::kAt:
      break;
  }
  return false;
}

bool may_fail(const Program& program, const Ranges& ranges, ThreadId thread, const Instruction& instruction) {
  for (const ExprId operand :
       {instruction.a, instruction.b, instruction.address.offset, instruction.dest.index})
    if (operand.valid() && may_fail(program, ranges, thread, operand)) return true;
  if (instruction.kind == InstrKind::kAssert)
    return range_of(program, ranges, thread, instruction.a).contains(0);

  Range memory = Range::empty();
  if (instruction.is_memory_access()) {
    const Object& object = program.object(instruction.address.object);
    const Range offset = range_of(program, ranges, thread, instruction.address.offset);
    if (!Range{0, static_cast<Value>(object.size()) - 1}.contains(offset)) return true;
    for (Value i = offset.lo; i <= offset.hi && !object.cell_bytes.empty(); ++i)
      if (!object.admits(i, instruction.address.bytes)) return true;
    memory = memory_at(program, ranges, instruction.address, offset);
  }
  const Effect effect = effect_of(program, ranges, thread, instruction, memory);
  if (instruction.writes_memory()) {
    const auto& declared = program.object(instruction.address.object).declared;
    if (declared && !declared->contains(effect.to_memory)) return true;
  }
  const Dest& dest = instruction.dest;
  if (!dest.valid()) return false;
  if (dest.is_element() &&
      !Range{0, static_cast<Value>(dest.count) - 1}.contains(range_of(program, ranges, thread, dest.index)))
    return true;
  const Range elements = offsets_of(program, ranges, thread, dest);
  for (Value i = elements.lo; i <= elements.hi; ++i) {
    const auto& declared =
        program.thread(thread).registers[dest.reg.index() + static_cast<size_t>(i)].declared;
    if (declared && !declared->contains(effect.to_dest)) return true;
  }
  return false;
}

}  // namespace fenceline
