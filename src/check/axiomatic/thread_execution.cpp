// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/axiomatic/thread_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"
#include "ir/analysis/constructs.h"
#include "ir/walk.h"

namespace fenceline::check {

bool ThreadEvent::same_shape(const ThreadEvent& other) const {
  return kind == other.kind && point == other.point && cell == other.cell && section == other.section &&
         addr == other.addr && data == other.data && ctrl == other.ctrl;
}

void check_declared_range(const Program& program, CellId cell, Value value) {
  const Object& object = program.object(program.object_of(cell));
  if (object.declared && !object.declared->contains(value))
    throw outside_range(program.cell_name(cell), value, *object.declared);
}

ThreadExecution::ThreadExecution(const Overlay& overlay, ThreadId thread)
    : overlay_(&overlay), thread_(thread), location_(overlay.program().thread(thread).entry) {
  for (const Register& reg : overlay.program().thread(thread).registers) registers_.push_back(reg.init);
  depends_on_.resize(registers_.size());
}

ThreadExecution::Outcome ThreadExecution::step(std::optional<Value> input, Effect& effect) {
  try {
    return run(next(), input, effect);
  } catch (ProgramError& error) {
    effect.error = std::move(error);
    return Outcome::kFailed;
  }
}

CellId ThreadExecution::cell() const { return cell_at(next().address); }

// Everything that can fail fails before anything changes, except that a read has happened by then.
ThreadExecution::Outcome ThreadExecution::run(const Instruction& i, std::optional<Value> input,
                                              Effect& effect) {
  switch (i.kind) {
    case InstrKind::kLoad: {
      const size_t number = events_.size();
      read(i, input, effect);
      const size_t reg = target(i.dest);
      if (!input) return Outcome::kNeedsInput;
      BitSet itself;
      itself.add(number);
      assign(i.dest, reg, *input, std::move(itself), effect);
      return go();
    }
    case InstrKind::kStore: {
      const CellId cell = cell_at(i.address);
      effect.cell = cell;
      const Value value = value_of(i.a);
      effect.value = value;
      check_declared_range(overlay_->program(), cell, value);
      BitSet data = dependencies(i.a);
      // What it reads itself is no dependency of a read-modify-write.
      if (inside_wide_rmw_)
        for (size_t e = 0; e < events_.size(); ++e)
          if (events_[e].section == sections_) data.remove(e);
      push(EventKind::kWrite, i, cell, value).data = std::move(data);
      return go();
    }
    case InstrKind::kRmw:
      return rmw(i, input, effect);
    case InstrKind::kFence:
      push(EventKind::kFence, i, CellId(), 0);
      return go();
    case InstrKind::kAssign: {
      const Value value = value_of(i.a);
      assign(i.dest, target(i.dest), value, dependencies(i.a), effect);
      return go();
    }
    case InstrKind::kBranch:
      effect.result = value_of(i.a);
      collect(i.a, ctrl_);
      return go(effect.result != 0 ? 0 : 1);
    case InstrKind::kChoose:
      if (!input) return Outcome::kNeedsInput;
      effect.chosen = input;
      return go(static_cast<size_t>(*input));
    case InstrKind::kHavoc: {
      const size_t reg = target(i.dest);
      if (!input) return Outcome::kNeedsInput;
      effect.chosen = input;
      assign(i.dest, reg, *input, {}, effect);
      return go();
    }
    case InstrKind::kAssume:
      effect.result = value_of(i.a);
      if (effect.result == 0) return Outcome::kStopped;
      if (i.branches) collect(i.a, ctrl_);
      return go();
    case InstrKind::kAssert:
      effect.result = value_of(i.a);
      if (effect.result == 0) throw failed_assertion(i);
      return go();
    case InstrKind::kAtomicBegin:
      inside_section_ = true;
      inside_wide_access_ = i.one_access;
      inside_wide_rmw_ = i.one_access && parts_of_access(*overlay_, thread_, location_).is_rmw();
      ++sections_;
      return go();
    case InstrKind::kAtomicEnd:
      inside_section_ = inside_wide_access_ = inside_wide_rmw_ = false;
      return go();
    case InstrKind::kMark:
      return go();
    case InstrKind::kHalt:
      return Outcome::kStopped;
  }
  throw Bug("an instruction without a meaning");
}

CellId ThreadExecution::read(const Instruction& i, std::optional<Value> input, Effect& effect) {
  const CellId cell = cell_at(i.address);
  effect.cell = cell;
  effect.value = input;
  if (input) push(EventKind::kRead, i, cell, *input);
  return cell;
}

ThreadExecution::Outcome ThreadExecution::rmw(const Instruction& i, std::optional<Value> input,
                                              Effect& effect) {
  const size_t number = events_.size();
  const CellId cell = read(i, input, effect);
  const bool compares = is_cas(i.rmw);
  const Value a = value_of(i.a), b = compares ? value_of(i.b) : 0;
  effect.a = a;
  effect.b = b;
  const size_t reg = i.dest.valid() ? target(i.dest) : 0;
  if (!input) return Outcome::kNeedsInput;
  if (!compares)
    effect.written = i.rmw == RmwOp::kXchg ? a : fetched(i, *input, a);
  else if (*input == a)
    effect.written = b;
  if (effect.written) check_declared_range(overlay_->program(), cell, *effect.written);
  BitSet data = dependencies(i.a);
  if (compares) data |= dependencies(i.b);

  BitSet itself;
  itself.add(number);
  if (i.rmw == RmwOp::kCas) itself |= dependencies(i.a);  // it says whether the two are equal
  effect.result = i.rmw == RmwOp::kCas ? *input == a : *input;
  if (i.dest.valid()) assign(i.dest, reg, effect.result, std::move(itself), effect);
  if (effect.written) {
    ThreadEvent& write = push(EventKind::kWrite, i, cell, *effect.written);
    write.addr = events_[number].addr;  // the address was computed before the result was assigned
    write.data = std::move(data);
  }
  return go();
}

ThreadExecution::Outcome ThreadExecution::go(size_t slot) {
  location_ = overlay_->next(thread_, location_, slot);
  ++position_;
  return Outcome::kMoved;
}

Value ThreadExecution::value_of(ExprId expr) const {
  const auto leaf = [this](const Expr& e, size_t index) -> Value {
    require(e.op == ExprOp::kReg || e.op == ExprOp::kRegAt, "an instruction that looks beyond its registers");
    return registers_[e.reg.index() + index];
  };
  return evaluate_checked(overlay_->program(), expr, leaf, thread_);
}

CellId ThreadExecution::cell_at(const Address& address) const {
  const Object& object = overlay_->program().object(address.object);
  const size_t offset = checked_offset(value_of(address.offset), object, address.bytes);
  return CellId(object.first_cell.index() + offset);
}

// The register that the result goes to.
size_t ThreadExecution::target(const Dest& dest) const {
  if (!dest.is_element()) return dest.reg.index();
  const Value index = value_of(dest.index);
  return dest.reg.index() +
         checked_index(index, dest.count, local_array_name(overlay_->program(), thread_, dest.reg));
}

void ThreadExecution::assign(const Dest& dest, size_t reg, Value value, BitSet depends_on, Effect& effect) {
  effect.dest = RegId(reg);
  effect.result = value;
  const Register& declaration = overlay_->program().thread(thread_).registers[reg];
  if (declaration.declared && !declaration.declared->contains(value))
    throw outside_range(declaration.name, value, *declaration.declared);
  registers_[reg] = value;
  if (!dest.is_element()) {
    depends_on_[reg] = std::move(depends_on);
    return;
  }
  collect(dest.index, depends_on);
  for (size_t i = 0; i < dest.count; ++i) depends_on_[dest.reg.index() + i] |= depends_on;
}

void ThreadExecution::collect(ExprId expr, BitSet& into) const {
  for_each_expr(overlay_->program(), expr, [&](const Expr& e) {
    if (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt)
      for (size_t i = 0; i < (e.op == ExprOp::kReg ? 1 : e.count); ++i)
        into |= depends_on_[e.reg.index() + i];
  });
}

BitSet ThreadExecution::dependencies(ExprId expr) const {
  BitSet found;
  collect(expr, found);
  return found;
}

ThreadEvent& ThreadExecution::push(EventKind kind, const Instruction& i, CellId cell, Value value) {
  ThreadEvent event{kind,
                    location_,
                    position_,
                    cell,
                    value,
                    &i,
                    inside_section_ ? sections_ : 0,
                    inside_wide_access_,
                    inside_wide_rmw_,
                    cell.valid() ? dependencies(i.address.offset) : BitSet(),
                    {},
                    ctrl_};
  return events_.emplace_back(std::move(event));
}

}  // namespace fenceline::check
