// SPDX-License-Identifier: GPL-3.0-or-later
#include "witness/coherence_steps.h"

#include <fmt/format.h>

#include "env/errors.h"
#include "witness/calculator.h"

namespace fenceline {
namespace {

constexpr const char* kTooLarge = "a value does not fit into 64 bits";
constexpr uint64_t kPollEvery = 256;
constexpr const char* kAssertion = "the assertion fails";

}  // namespace

bool CoherenceSteps::each(const AbstractState& state, const Visitor& visitor) {
  bool any = false;
  for (size_t t = 0; t < state.where.size(); ++t) {
    const ThreadId thread(t);
    for (CoherenceBuffer::Flush& flush : buffers_.flushes(state.buffers[t])) {
      any = true;
      poll();
      AbstractState next = state;
      next.memory[flush.cell] = flush.value;
      next.buffers[t] = std::move(flush.after);
      visitor.reached(next, thread, true);
    }
    any |= execute(state, thread, visitor);
  }
  return any;
}

// Depth first: what waits in `open` are the choices not yet made on the way to where we are.
bool CoherenceSteps::execute(const AbstractState& state, ThreadId thread, const Visitor& visitor) {
  const auto start_of = [&](const AbstractState& s) { return instruction(s, thread).havoc_range.lo; };
  const bool section = instruction(state, thread).kind == InstrKind::kAtomicBegin;
  bool any = false;
  std::vector<Halfway> open{{state, start_of(state)}}, results;
  while (!open.empty()) {
    poll();
    Halfway now = std::move(open.back());
    open.pop_back();
    const Instruction& i = instruction(now.state, thread);
    if (i.kind == InstrKind::kHavoc && now.choice < i.havoc_range.hi)
      open.push_back({now.state, now.choice + 1});
    results.clear();
    try {
      if (!run(now, thread, section, results)) continue;
    } catch (const ProgramError& error) {  // there may be results nevertheless
      any = true;
      visitor.failed(thread, error.what);
    } catch (const ValueTooLarge&) {
      throw NotProved{fmt::format("{}: {}", program().thread(thread).name, kTooLarge)};
    }
    for (Halfway& result : results) {
      if (section && i.kind != InstrKind::kAtomicEnd) {
        result.choice = start_of(result.state);
        open.push_back(std::move(result));
      } else {
        any = true;
        visitor.reached(result.state, thread, false);
      }
    }
  }
  return any;
}

// One instruction. False: it is not possible. Otherwise the results, of which there may be several.
bool CoherenceSteps::run(Halfway& now, ThreadId thread, bool atomic, std::vector<Halfway>& results) {
  AbstractState& state = now.state;
  const Instruction& i = instruction(state, thread);
  switch (i.kind) {
    case InstrKind::kLoad:
      return load(state, thread, i, results);
    case InstrKind::kStore:
      if (!store(state, thread, i, atomic)) return false;
      break;
    case InstrKind::kRmw:
      if (!rmw(state, thread, i)) return false;
      break;
    case InstrKind::kFence:
      if (!buffers_.fence(state.buffers[thread.index()], i.fence)) return false;
      break;
    case InstrKind::kAssign:
      assign(state, thread, i.dest, value_of(state, thread, i.a));
      break;
    case InstrKind::kHavoc:
      assign(state, thread, i.dest, now.choice);
      break;
    case InstrKind::kBranch:
      go(state, thread, value_of(state, thread, i.a) != 0 ? 0 : 1);
      results.push_back(std::move(now));
      return true;
    case InstrKind::kChoose:
      for (size_t slot = 0; slot < i.next.size(); ++slot) {
        results.push_back({state});
        go(results.back().state, thread, slot);
      }
      return true;
    case InstrKind::kAssume:
      if (value_of(state, thread, i.a) == 0) return false;
      break;
    case InstrKind::kAssert:
      if (value_of(state, thread, i.a) == 0) throw ProgramError{kAssertion};
      break;
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      break;
    case InstrKind::kHalt:
      return false;
  }
  go(state, thread);
  results.push_back(std::move(now));
  return true;
}

// ---- Memory accesses
// ---------------------------------------------------------------------------------------

bool CoherenceSteps::load(AbstractState& state, ThreadId thread, const Instruction& i,
                          std::vector<Halfway>& results) {
  const BufferContents& buffer = state.buffers[thread.index()];
  if (!buffers_.loads_possible(buffer)) return false;
  const uint32_t cell = cell_at(state, thread, i.address);
  const std::vector<Value>* own = CoherenceBuffer::newest(buffer, cell);
  const std::vector<Value> values = own ? *own : std::vector<Value>{state.memory[cell]};
  std::optional<ProgramError> error;  // one value may be outside a range, and another not
  for (const Value value : values) {
    AbstractState next = state;
    if (own) CoherenceBuffer::keep_newest(next.buffers[thread.index()], cell, value);
    try {
      assign(next, thread, i.dest, value);
    } catch (ProgramError& wrong) {
      error = std::move(wrong);
      continue;
    }
    go(next, thread);
    results.push_back({std::move(next)});
  }
  if (error) throw ProgramError(std::move(*error));
  return true;
}

bool CoherenceSteps::store(AbstractState& state, ThreadId thread, const Instruction& i, bool atomic) {
  BufferContents& buffer = state.buffers[thread.index()];
  if (atomic && !buffers_.keep_drained_for_write(buffer)) return false;
  const uint32_t cell = cell_at(state, thread, i.address);
  if (atomic && !buffers_.keep_drained_for_write(buffer, cell)) return false;
  const Value value = value_of(state, thread, i.a);
  need_in_range(cell, value);
  if (atomic || buffering_ == Buffering::kNone)
    state.memory[cell] = value;
  else
    buffers_.store(buffer, cell, value);
  return true;
}

bool CoherenceSteps::rmw(AbstractState& state, ThreadId thread, const Instruction& i) {
  BufferContents& buffer = state.buffers[thread.index()];
  if (!buffers_.loads_possible(buffer) || !buffers_.keep_drained_for_write(buffer)) return false;
  const uint32_t cell = cell_at(state, thread, i.address);
  if (!buffers_.keep_drained_for_write(buffer, cell)) return false;
  const Value old = state.memory[cell], a = value_of(state, thread, i.a);
  std::optional<Value> written;
  Value result = old;
  switch (i.rmw) {
    case RmwOp::kCas: {
      const Value replacement = value_of(state, thread, i.b);  // also if it is not needed: it may fail
      result = old == a ? 1 : 0;
      if (old == a) written = replacement;
      break;
    }
    case RmwOp::kXchg:
      written = a;
      break;
    case RmwOp::kFetchAdd:
      written = add_exactly(old, a);
      break;
  }
  if (written) need_in_range(cell, *written);
  if (i.dest.valid()) assign(state, thread, i.dest, result);
  if (written) state.memory[cell] = *written;
  return true;
}

void CoherenceSteps::assign(AbstractState& state, ThreadId thread, const Dest& dest, Value value) const {
  size_t reg = dest.reg.index();
  if (dest.is_element())
    reg += checked_index(value_of(state, thread, dest.index), dest.count,
                         local_array_name(program(), thread, dest.reg));
  const Register& declaration = program().thread(thread).registers[reg];
  if (declaration.declared && !declaration.declared->contains(value))
    throw ProgramError{fmt::format("{} = {} is outside its range", declaration.name, value)};
  state.registers[thread.index()][reg] = value;
}

void CoherenceSteps::go(AbstractState& state, ThreadId thread, size_t slot) const {
  Point& at = state.where[thread.index()];
  at = overlay_.next(thread, at, slot);
}

void CoherenceSteps::need_in_range(uint32_t cell, Value value) const {
  const Object& object = program().object(program().object_of(CellId(cell)));
  if (object.declared && !object.declared->contains(value))
    throw ProgramError{fmt::format("{} = {} is outside its range", program().cell_name(CellId(cell)), value)};
}

uint32_t CoherenceSteps::cell_at(const AbstractState& state, ThreadId thread, const Address& address) const {
  const Object& object = program().object(address.object);
  const size_t offset = checked_index(value_of(state, thread, address.offset), object.size(), object.name);
  return CellId(object.first_cell.index() + offset).value();
}

// ---- Values
// ------------------------------------------------------------------------------------------------

Value CoherenceSteps::known(const AbstractState& state, ThreadId thread, size_t reg) const {
  const std::optional<Value>& value = state.registers[thread.index()][reg];
  if (value) return *value;
  const Thread& owner = program().thread(thread);
  throw NotProved{
      fmt::format("{}.{} is needed, but its value is not known", owner.name, owner.registers[reg].name)};
}

Value CoherenceSteps::value_of(const AbstractState& state, ThreadId thread, ExprId expr) const {
  const auto leaf = [&](const Expr& e, size_t index) -> Value {
    require(e.op == ExprOp::kReg || e.op == ExprOp::kRegAt, "an instruction that looks beyond its registers");
    return known(state, thread, e.reg.index() + index);
  };
  return calculate(program(), expr, leaf, thread);
}

Value CoherenceSteps::formula(const AbstractState& state, ExprId expr) const {
  try {
    return calculate(program(), expr, [&](const Expr& leaf, size_t index) -> Value {
      switch (leaf.op) {
        case ExprOp::kCell:
          return state.memory[program().object(leaf.object).first_cell.index() + index];
        case ExprOp::kThreadReg:
        case ExprOp::kThreadRegAt:
          return known(state, leaf.thread, leaf.reg.index() + index);
        case ExprOp::kAt:
          return state.where[leaf.thread.index()] == leaf.point;
        default:
          throw Bug("a property that reads a register of no thread");
      }
    });
  } catch (const ProgramError& error) {
    throw NotProved{"the formula has no value: " + error.what};
  } catch (const ValueTooLarge&) {
    throw NotProved{std::string("the formula has no value: ") + kTooLarge};
  }
}

void CoherenceSteps::poll() {
  if (++polls_ % kPollEvery == 0 && limits_.poll() != LimitReached::kNone) throw OutOfLimits{};
}

}  // namespace fenceline
