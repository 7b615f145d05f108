// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/statespace/certificate_steps.h"

#include <fmt/format.h>

#include "check/replay/evaluator.h"
#include "check/statespace/automata_buffer.h"
#include "check/statespace/coherence_buffer.h"
#include "env/errors.h"

namespace fenceline::check {
namespace {

constexpr const char* kTooLarge = "a value does not fit into 64 bits";
constexpr uint64_t kPollEvery = 256;

}  // namespace

template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::each(const State& state, const Visitor& visitor) {
  bool any = false;
  for (size_t t = 0; t < state.locations.size(); ++t) {
    const ThreadId thread(t);
    for (Flush<Contents>& flush : buffers_.flushes(state.buffers[t])) {
      any = true;
      poll();
      State next = state;
      next.memory[flush.cell] = flush.value;
      next.buffers[t] = std::move(flush.after);
      visitor.reached(next, thread, true);
    }
    any |= execute(state, thread, visitor);
  }
  return any;
}

// Depth first: `open` has the choices not yet made on the path to the current state.
template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::execute(const State& state, ThreadId thread, const Visitor& visitor) {
  const auto start_of = [&](const State& s) { return instruction(s, thread).havoc_range.lo; };
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
      visitor.failed(thread, to_string(error));
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
template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::run(Halfway& now, ThreadId thread, bool atomic,
                                    std::vector<Halfway>& results) {
  State& state = now.state;
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
      return fence(state, thread, i.fence, results);
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
      if (value_of(state, thread, i.a) == 0) throw failed_assertion(i);
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

template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::load(State& state, ThreadId thread, const Instruction& i,
                                     std::vector<Halfway>& results) {
  Contents& buffer = state.buffers[thread.index()];
  if (!buffers_.keep_readable(buffer)) return false;
  const uint32_t cell = cell_at(state, thread, i.address);
  std::optional<ProgramError> error;  // one value may be outside a range, and another not
  for (Reading<Contents>& reading : buffers_.readings(buffer, cell)) {
    State next = state;
    next.buffers[thread.index()] = std::move(reading.when);
    try {
      assign(next, thread, i.dest, reading.own.value_or(state.memory[cell]));
    } catch (ProgramError& failed) {
      error = std::move(failed);
      continue;
    }
    go(next, thread);
    results.push_back({std::move(next)});
  }
  if (error) throw ProgramError(std::move(*error));
  return true;
}

template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::store(State& state, ThreadId thread, const Instruction& i, bool atomic) {
  Contents& buffer = state.buffers[thread.index()];
  if (atomic && !buffers_.keep_drained_for_write(buffer)) return false;
  const uint32_t cell = cell_at(state, thread, i.address);
  if (atomic && !buffers_.keep_drained_for_write(buffer, cell)) return false;
  const Value value = value_of(state, thread, i.a);
  need_in_range(cell, value);
  if (atomic || buffering_ == Buffering::kUnbuffered)
    state.memory[cell] = value;
  else
    buffers_.store(buffer, cell, value);
  return true;
}

template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::rmw(State& state, ThreadId thread, const Instruction& i) {
  Contents& buffer = state.buffers[thread.index()];
  if (!buffers_.keep_readable(buffer) || !buffers_.keep_drained_for_write(buffer)) return false;
  const uint32_t cell = cell_at(state, thread, i.address);
  if (!buffers_.keep_drained_for_write(buffer, cell)) return false;
  const Value old = state.memory[cell], a = value_of(state, thread, i.a);
  std::optional<Value> written;
  Value result = old;
  switch (i.rmw) {
    case RmwOp::kCas:
    case RmwOp::kCasValue: {
      const Value replacement = value_of(state, thread, i.b);  // also if it is not needed: it may fail
      if (i.rmw == RmwOp::kCas) result = old == a ? 1 : 0;
      if (old == a) written = replacement;
      break;
    }
    case RmwOp::kXchg:
      written = a;
      break;
    case RmwOp::kFetchAdd:
    case RmwOp::kFetchAnd:
    case RmwOp::kFetchOr:
    case RmwOp::kFetchXor:
      written = fetched(i, old, a);
      break;
  }
  if (written) need_in_range(cell, *written);
  if (i.dest.valid()) assign(state, thread, i.dest, result);
  if (written) state.memory[cell] = *written;
  return true;
}

template <BufferAlgebra Buffers>
void CertificateSteps<Buffers>::assign(State& state, ThreadId thread, const Dest& dest, Value value) const {
  size_t reg = dest.reg.index();
  if (dest.is_element())
    reg += checked_index(value_of(state, thread, dest.index), dest.count,
                         local_array_name(program(), thread, dest.reg));
  const Register& declaration = program().thread(thread).registers[reg];
  if (declaration.declared && !declaration.declared->contains(value))
    throw outside_range(declaration.name, value, *declaration.declared);
  state.registers[thread.index()][reg] = value;
}

template <BufferAlgebra Buffers>
void CertificateSteps<Buffers>::go(State& state, ThreadId thread, size_t slot) const {
  Point& at = state.locations[thread.index()];
  at = overlay_.next(thread, at, slot);
}

template <BufferAlgebra Buffers>
void CertificateSteps<Buffers>::need_in_range(uint32_t cell, Value value) const {
  const Object& object = program().object(program().object_of(CellId(cell)));
  if (object.declared && !object.declared->contains(value))
    throw outside_range(program().cell_name(CellId(cell)), value, *object.declared);
}

template <BufferAlgebra Buffers>
uint32_t CertificateSteps<Buffers>::cell_at(const State& state, ThreadId thread,
                                            const Address& address) const {
  const Object& object = program().object(address.object);
  const size_t offset = checked_offset(value_of(state, thread, address.offset), object, address.bytes);
  return CellId(object.first_cell.index() + offset).value();
}

template <BufferAlgebra Buffers>
bool CertificateSteps<Buffers>::fence(State& state, ThreadId thread, FenceKinds kinds,
                                      std::vector<Halfway>& results) {
  if (kinds.has_process_wide())
    for (Contents& buffer : state.buffers)
      if (!buffers_.keep_empty(buffer)) return false;
  for (Contents& after : buffers_.after_fence(state.buffers[thread.index()], kinds)) {
    results.push_back({state});
    State& next = results.back().state;
    next.buffers[thread.index()] = std::move(after);
    go(next, thread);
  }
  return !results.empty();
}

// ---- Values
// ------------------------------------------------------------------------------------------------

template <BufferAlgebra Buffers>
Value CertificateSteps<Buffers>::known(const State& state, ThreadId thread, size_t reg) const {
  const std::optional<Value>& value = state.registers[thread.index()][reg];
  if (value) return *value;
  const Thread& owner = program().thread(thread);
  throw NotProved{
      fmt::format("{}.{} is needed, but its value is not known", owner.name, owner.registers[reg].name)};
}

template <BufferAlgebra Buffers>
Value CertificateSteps<Buffers>::value_of(const State& state, ThreadId thread, ExprId expr) const {
  const auto leaf = [&](const Expr& e, size_t index) -> Value {
    require(e.op == ExprOp::kReg || e.op == ExprOp::kRegAt,
            "an instruction that reads more than its registers");
    return known(state, thread, e.reg.index() + index);
  };
  return evaluate_checked(program(), expr, leaf, thread);
}

template <BufferAlgebra Buffers>
Value CertificateSteps<Buffers>::formula(const State& state, ExprId expr) const {
  try {
    return evaluate_formula(program(), expr,
                            {[&](CellId cell) { return state.memory[cell.index()]; },
                             [&](ThreadId thread, RegId reg) { return known(state, thread, reg.index()); },
                             [&](ThreadId thread) { return state.locations[thread.index()]; }});
  } catch (const ProgramError& error) {
    throw NotProved{"the formula has no value: " + to_string(error)};
  } catch (const ValueTooLarge&) {
    throw NotProved{std::string("the formula has no value: ") + kTooLarge};
  }
}

template <BufferAlgebra Buffers>
void CertificateSteps<Buffers>::poll() {
  if (++polls_ % kPollEvery == 0 && limits_.poll() != LimitReached::kNone) throw OutOfLimits{};
}

void run_check(const std::function<void()>& check, const std::string& context, Limits& limits,
               CertificateCheck& result) {
  try {
    check();
    result.ok = true;
  } catch (const NotProved& not_proved) {
    result.why_not = context + not_proved.why;
  } catch (const OutOfLimits&) {
    result.gave_up = true;
    result.why_not = limits.describe(limits.poll());
  }
}

std::vector<bool> inside_sections_of(const Overlay& overlay, ThreadId thread) {
  std::vector<bool> inside(overlay.points(thread), false);
  std::vector<Point> open;
  const auto enter = [&](Point from) {
    for (size_t slot = 0; slot < overlay.at(thread, from).next.size(); ++slot) {
      const Point next = overlay.next(thread, from, slot);
      if (!inside[next.index()]) open.push_back(next);
      inside[next.index()] = true;
    }
  };
  for (size_t p = 0; p < inside.size(); ++p)
    if (overlay.at(thread, Point(p)).kind == InstrKind::kAtomicBegin) enter(Point(p));
  while (!open.empty()) {
    const Point point = open.back();
    open.pop_back();
    if (overlay.at(thread, point).kind != InstrKind::kAtomicEnd) enter(point);
  }
  return inside;
}

template class CertificateSteps<AutomataBuffer>;
template class CertificateSteps<CoherenceBuffer>;

}  // namespace fenceline::check
