// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/ir/step.h"

#include <optional>

namespace fenceline {
namespace {

struct Stop {
  SingleThread::Outcome outcome;
};

Value eval(const SingleThread& m, ExprId id) {
  const Evaluated value = evaluate(m.program, id, [&](const Expr& e, Value index) {
    return m.registers[e.reg.index() + static_cast<size_t>(index)];
  });
  if (value.status == EvalStatus::kOverflow) throw Stop{SingleThread::Outcome::kOverflow};
  if (!value.ok()) throw Stop{SingleThread::Outcome::kError};
  return value.value;
}

size_t index_in(const SingleThread& m, ExprId id, size_t size) {
  const Value index = eval(m, id);
  if (index < 0 || index >= static_cast<Value>(size)) throw Stop{SingleThread::Outcome::kError};
  return static_cast<size_t>(index);
}

void in_range(Value value, const std::optional<Range>& declared) {
  if (declared && !declared->contains(value)) throw Stop{SingleThread::Outcome::kError};
}

SingleThread::Outcome run(SingleThread& m) {
  using enum InstrKind;
  const Thread& thread = m.program.thread(m.thread);
  const Instruction& i = thread.at(m.point);
  size_t slot = 0;
  std::optional<Value> result, stored;
  CellId cell;
  if (i.is_memory_access()) {
    const Object& object = m.program.object(i.address.object);
    const size_t offset = index_in(m, i.address.offset, object.size());
    if (!object.admits(static_cast<Value>(offset), i.address.bytes))
      throw Stop{SingleThread::Outcome::kError};
    cell = CellId(object.first_cell.index() + offset);
  }
  switch (i.kind) {
    case kLoad:
      result = m.read(cell);
      break;
    case kStore:
      stored = eval(m, i.a);
      break;
    case kAssign:
      result = eval(m, i.a);
      break;
    case kHavoc:
      result = m.rng.between(i.havoc_range.lo, i.havoc_range.hi);
      break;
    case kBranch:
      slot = eval(m, i.a) != 0 ? 0 : 1;
      break;
    case kChoose:
      slot = m.rng.below(i.next.size());
      break;
    case kAssume:
      if (eval(m, i.a) == 0) throw Stop{SingleThread::Outcome::kBlocked};
      break;
    case kAssert:
      if (eval(m, i.a) == 0) throw Stop{SingleThread::Outcome::kError};
      break;
    case kRmw: {
      const Value old = m.read(cell), a = eval(m, i.a);
      if (is_cas(i.rmw)) {
        const Value b = eval(m, i.b);
        if (old == a) stored = b;
        result = i.rmw == RmwOp::kCas ? old == a : old;
      } else {
        const Evaluated combined = i.rmw == RmwOp::kXchg ? Evaluated{a} : fetch(i.rmw, old, a, i.wrap);
        if (!combined.ok()) throw Stop{SingleThread::Outcome::kOverflow};
        stored = combined.value;
        result = old;
      }
      break;
    }
    case kHalt:
      return SingleThread::Outcome::kEnded;
    case kFence:
    case kAtomicBegin:
    case kAtomicEnd:
    case kMark:
      break;
  }
  std::optional<size_t> target;
  if (i.dest.valid()) {
    target = i.dest.reg.index() + (i.dest.is_element() ? index_in(m, i.dest.index, i.dest.count) : 0);
    in_range(*result, thread.registers[*target].declared);
  }
  if (stored) {
    in_range(*stored, m.program.object(i.address.object).declared);
    m.write(cell, *stored);
  }
  if (target) m.registers[*target] = *result;
  m.point = i.next[slot];
  return SingleThread::Outcome::kMoved;
}

}  // namespace

SingleThread::Outcome SingleThread::step() {
  try {
    return run(*this);
  } catch (const Stop& stop) {
    return stop.outcome;
  }
}

}  // namespace fenceline
