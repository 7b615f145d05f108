// SPDX-License-Identifier: GPL-3.0-or-later
#include "promela_steps.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::bench {
namespace {

constexpr size_t kMaxPaths = 32;  // from one label; beyond, steps are no longer fused
constexpr size_t kMaxHavocValues = 64;

}  // namespace

PromelaTerm ThreadSteps::value(const PromelaPath& path, ExprId id) const {
  return to_term(context_, thread_, id, [&](const Expr& e, uint32_t element) {
    const size_t reg = e.reg.index() + element;
    const auto assigned = path.registers.find(reg);
    return assigned != path.registers.end() ? assigned->second : register_term(context_, thread_, reg);
  });
}

PromelaTerm ThreadSteps::offset(const PromelaPath& path, const Instruction& instruction) const {
  return value(path, instruction.address.offset);
}

void ThreadSteps::assign(PromelaPath& path, const Instruction& instruction, const PromelaTerm& term) const {
  const Dest& dest = instruction.dest;
  if (!dest.valid()) return;
  const PromelaTerm index = dest.is_element() ? value(path, dest.index) : constant_term(0);
  std::map<size_t, PromelaTerm> assigned;
  for (uint32_t i = 0; i < dest.count; ++i) {
    if (index.constant && !index.is(i)) continue;
    const size_t reg = dest.reg.index() + i;
    const auto before = path.registers.find(reg);
    const PromelaTerm old =
        before != path.registers.end() ? before->second : register_term(context_, thread_, reg);
    assigned[reg] = select_term(equal_term(index, constant_term(i)), term, old);
    path.changes_visible = path.changes_visible || visible_register(reg);
  }
  for (auto& [reg, value] : assigned) path.registers[reg] = std::move(value);
}

void ThreadSteps::write(PromelaPath& path, const machine::Operation& op, const PromelaTerm& at,
                        const PromelaTerm& term) const {
  const PromelaTerm cell = binary_term(ExprOp::kAdd, constant_term(op.first_cell), at);
  for (uint32_t i = 0; i < op.cells; ++i)
    if ((!at.constant || at.is(i)) && op.first_cell + i < context_.visible.cells.size() &&
        context_.visible.cells[op.first_cell + i])
      path.changes_visible = true;
  for (PromelaPath::Write& earlier : path.writes) {
    if (!earlier.cell.constant || !cell.constant)
      throw Unsupported("an atomic section that writes twice with an index that is no constant");
    if (earlier.cell.is(*cell.constant)) {
      earlier.value = term;
      return;
    }
  }
  path.writes.push_back({cell, term});
}

PromelaTerm ThreadSteps::read_memory(const PromelaPath& path, size_t point, const machine::Operation& op,
                                     const PromelaTerm& at) const {
  for (const PromelaPath::Write& earlier : path.writes) {
    if (!earlier.cell.constant || !at.constant)
      throw Unsupported("an atomic section that reads after a write with an index that is no constant");
    if (earlier.cell.is(*at.constant + static_cast<Value>(op.first_cell))) return earlier.value;
  }
  return buffer_.load(point, op, at);
}

PromelaTerm ThreadSteps::buffers_empty(const PromelaPath& path) const {
  if (!path.pushes.empty()) return constant_term(0);
  if (path.empty_after_flush) return *path.empty_after_flush;
  return buffer_.empty(path.at);
}

// When is this step an error of the program? Nothing: never.
std::optional<PromelaTerm> ThreadSteps::failure_condition(const PromelaPath& path,
                                                          const Instruction& instruction) const {
  const ThreadId thread(thread_);
  const Program& program = context_.program;
  if (!may_fail(program, context_.ranges, thread, instruction)) return std::nullopt;
  for (const ExprId id : {instruction.a, instruction.b, instruction.address.offset, instruction.dest.index})
    if (id.valid() && may_fail(program, context_.ranges, thread, id))
      throw Unsupported("an expression that may divide by zero, leave its array or shift too far");
  if (instruction.kind == InstrKind::kAssert) return not_term(value(path, instruction.a));
  PromelaTerm fails = constant_term(0);
  // Adds: `id` is outside `allowed`.
  const auto outside = [&](ExprId id, const Range& allowed) {
    if (allowed.contains(range_of(program, context_.ranges, thread, id))) return;
    const PromelaTerm term = value(path, id);
    const PromelaTerm wrong = or_term(binary_term(ExprOp::kLt, term, constant_term(allowed.lo)),
                                      binary_term(ExprOp::kGt, term, constant_term(allowed.hi)));
    fails = fails.is(0) ? wrong : or_term(fails, wrong);
  };
  const auto indices = [](uint32_t count) { return Range{0, static_cast<Value>(count) - 1}; };
  Range loaded = Range::empty();
  if (instruction.is_memory_access()) {
    const Object& object = program.object(instruction.address.object);
    outside(instruction.address.offset, indices(object.size()));
    if (object.declared && instruction.kind == InstrKind::kStore) outside(instruction.a, *object.declared);
    if (object.declared && instruction.kind == InstrKind::kRmw)
      throw Unsupported("an rmw that may leave the declared range of its cell");
    for (uint32_t i = 0; i < object.size(); ++i)
      loaded = loaded.join(context_.ranges.cells[object.first_cell.index() + i]);
  }
  if (instruction.dest.is_element()) outside(instruction.dest.index, indices(instruction.dest.count));
  const std::optional<Range> declared =
      instruction.dest.valid() ? ir_.registers[instruction.dest.reg.index()].declared : std::nullopt;
  if (declared && instruction.kind == InstrKind::kAssign) outside(instruction.a, *declared);
  if (declared && instruction.kind != InstrKind::kAssign && !declared->contains(loaded))
    throw Unsupported("a load that may leave the declared range of its register");
  if (declared && instruction.kind == InstrKind::kHavoc && !declared->contains(instruction.havoc_range))
    throw Unsupported("a havoc that may leave the declared range of its register");
  return fails;
}

// All alternatives of the instruction at the end of the path; none if it is not enabled.
ThreadSteps::Paths ThreadSteps::step(const PromelaPath& from) const {
  Paths out;
  PromelaPath path = from;
  const Instruction& instruction = ir_.code[from.at];
  path.passed.push_back(from.at);
  if (const std::optional<PromelaTerm> failure = failure_condition(path, instruction)) {
    PromelaPath failing = path;
    failing.fails = true;
    if (failing.require_that(*failure) && context_.checks(PropertyKind::kNoErrors)) out.push_back(failing);
    if (!path.require_that(not_term(*failure))) return out;
  }
  run(std::move(path), instruction, out);
  return out;
}

void ThreadSteps::run(PromelaPath path, const Instruction& instruction, Paths& out) const {
  const size_t point = path.at;
  const machine::Operation& op = operation(point);
  const auto go = [&](PromelaPath taken, size_t slot = 0) {
    taken.at = instruction.next[slot].index();
    out.push_back(std::move(taken));
  };
  switch (instruction.kind) {
    case InstrKind::kLoad:
      assign(path, instruction, read_memory(path, point, op, offset(path, instruction)));
      return go(path);
    case InstrKind::kStore: {
      const PromelaTerm at = offset(path, instruction);
      const PromelaTerm stored = value(path, instruction.a);
      if (context_.code.buffering() == Buffering::kUnbuffered || context_.bounds.in_atomic(thread_, point)) {
        if (!path.require_that(buffer_.ready_to_write(point, op, at))) return;
        write(path, op, at, stored);
      } else {
        if (!path.require_that(buffer_.room(point))) return;
        path.pushes.push_back({point, at, stored});
      }
      return go(path);
    }
    case InstrKind::kRmw:
      return run_rmw(std::move(path), instruction, out);
    case InstrKind::kFence:
      if (op.fence == machine::FenceEffect::kBarrier || op.fence == machine::FenceEffect::kMark)
        throw Unsupported("a partial fence that does not drain");
      if (instruction.fence.has_process_wide()) throw Unsupported("sync, which waits for other threads");
      if (op.fence == machine::FenceEffect::kDrain && !path.require_that(buffers_empty(path))) return;
      return go(path);
    case InstrKind::kAssign:
      assign(path, instruction, value(path, instruction.a));
      return go(path);
    case InstrKind::kBranch: {
      const PromelaTerm condition = value(path, instruction.a);
      PromelaPath otherwise = path;
      if (path.require_that(condition)) go(std::move(path), 0);
      if (otherwise.require_that(not_term(condition))) go(std::move(otherwise), 1);
      return;
    }
    case InstrKind::kChoose:
      for (size_t slot = 0; slot < instruction.next.size(); ++slot) go(path, slot);
      return;
    case InstrKind::kAssume:
      if (path.require_that(value(path, instruction.a))) go(path);
      return;
    case InstrKind::kHavoc: {
      const Range& range = instruction.havoc_range;
      if (range.hi - range.lo >= static_cast<Value>(kMaxHavocValues))
        throw Unsupported("a havoc of many values");
      for (Value chosen = range.lo; chosen <= range.hi; ++chosen) {
        PromelaPath taken = path;
        assign(taken, instruction, constant_term(chosen));
        go(std::move(taken));
      }
      return;
    }
    case InstrKind::kAssert:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      return go(path);
    case InstrKind::kHalt:
      return;
  }
}

void ThreadSteps::run_rmw(PromelaPath path, const Instruction& instruction, Paths& out) const {
  const size_t point = path.at;
  const machine::Operation& op = operation(point);
  const PromelaTerm at = offset(path, instruction);
  if (!path.require_that(buffer_.ready_to_write(point, op, at))) return;
  // With no entry of its cell in the buffer, a load reads memory.
  const PromelaTerm old = read_memory(path, point, op, at);
  const PromelaTerm a = value(path, instruction.a);
  path.at = instruction.next[0].index();
  if (instruction.rmw == RmwOp::kCas) {
    const PromelaTerm b = value(path, instruction.b);
    PromelaPath fails = path;
    if (path.require_that(equal_term(old, a))) {
      write(path, op, at, b);
      assign(path, instruction, constant_term(1));
      out.push_back(std::move(path));
    }
    if (fails.require_that(binary_term(ExprOp::kNe, old, a))) {
      assign(fails, instruction, constant_term(0));
      out.push_back(std::move(fails));
    }
    return;
  }
  write(path, op, at, instruction.rmw == RmwOp::kXchg ? a : binary_term(ExprOp::kAdd, old, a));
  assign(path, instruction, old);
  out.push_back(std::move(path));
}

// One step of the machine: an instruction, or everything from kAtomicBegin to kAtomicEnd.
ThreadSteps::Paths ThreadSteps::whole_step(const PromelaPath& from) const {
  Paths done;
  Paths open = step(from);
  while (!open.empty()) {
    PromelaPath path = std::move(open.back());
    open.pop_back();
    if (path.fails || !context_.bounds.in_atomic(thread_, path.at)) {
      done.push_back(std::move(path));
      continue;
    }
    for (PromelaPath& next : step(path)) open.push_back(std::move(next));
  }
  return done;
}

bool ThreadSteps::fusible(const PromelaPath& path) const {
  if (!context_.options.fuse || path.fails) return false;
  if (std::find(path.passed.begin(), path.passed.end(), path.at) != path.passed.end()) return false;
  if (context_.labels.contains({thread_, path.at})) return false;
  const Instruction& instruction = ir_.code[path.at];
  for (const Point next : instruction.next)
    if (thread_ < context_.visible.arriving.size() && context_.visible.arriving[thread_][next.index()])
      return false;
  if (instruction.dest.valid())
    for (uint32_t i = 0; i < instruction.dest.count; ++i)
      if (context_.checks_states() && visible_register(instruction.dest.reg.index() + i)) return false;
  switch (instruction.kind) {
    case InstrKind::kFence:
    case InstrKind::kAssign:
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kMark:
      return true;
    case InstrKind::kStore:
      return context_.code.buffering() != Buffering::kUnbuffered && !context_.limited;
    case InstrKind::kLoad:
    case InstrKind::kRmw:
    case InstrKind::kChoose:
    case InstrKind::kHavoc:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kHalt:
      break;
  }
  return false;
}

// Goes on with what touches the thread alone, as far as it is possible; where it is not, the path ends.
void ThreadSteps::extend(const PromelaPath& path, Paths& out) const {
  if (!fusible(path) || out.size() >= kMaxPaths) {
    out.push_back(path);
    return;
  }
  const Instruction& instruction = ir_.code[path.at];
  std::optional<PromelaTerm> possible;
  if (instruction.kind == InstrKind::kAssume) possible = value(path, instruction.a);
  if (instruction.kind == InstrKind::kFence && operation(path.at).fence == machine::FenceEffect::kDrain)
    possible = buffers_empty(path);
  if (possible) {
    PromelaPath stays = path;
    if (stays.require_that(not_term(*possible))) out.push_back(std::move(stays));
  }
  for (const PromelaPath& next : step(path)) extend(next, out);
}

ThreadSteps::Paths ThreadSteps::moves(size_t label) const {
  Paths all;
  PromelaPath start;
  start.at = label;
  for (const PromelaPath& path : whole_step(start)) extend(path, all);
  for (const PromelaBuffer::Flush& flush : buffer_.flushes(label)) {
    PromelaPath path = start;
    path.guards.push_back(flush.possible);
    path.flush = flush.statements;
    path.empty_after_flush = flush.empty_after;
    for (const uint32_t cell : flush.cells)
      if (cell < context_.visible.cells.size() && context_.visible.cells[cell]) path.changes_visible = true;
    // A fence that waited for this flush goes on at once.
    if (ir_.code[label].kind == InstrKind::kFence)
      extend(path, all);
    else
      all.push_back(std::move(path));
  }
  return all;
}

}  // namespace fenceline::bench
