// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/abstract_machine.h"

#include <algorithm>

#include "env/errors.h"
#include "ir/analysis/interval.h"
#include "ir/eval.h"

namespace fenceline::numeric {
namespace {

constexpr size_t kLongestSection = 100'000;  // steps of all paths through an atomic section

NumericTerm constant_term(Value value) { return {value}; }

bool loads_blocked(const NumericBuffer& buffer) {
  return std::any_of(buffer.entries.begin(), buffer.entries.end(), [](const auto& e) { return e.marked; });
}

bool holds(const NumericBuffer& buffer, CellId cell) {
  return std::any_of(buffer.entries.begin(), buffer.entries.end(),
                     [&](const auto& e) { return e.cell == cell; }) ||
         std::any_of(buffer.tail.begin(), buffer.tail.end(), [&](const auto& r) { return r.cell == cell; });
}

bool empty(const NumericBuffer& buffer) { return buffer.entries.empty() && buffer.tail.empty(); }

// The cells that have pending stores in the buffer.
void add_cells(const NumericBuffer& buffer, std::vector<bool>& cells) {
  for (const NumericEntry& entry : buffer.entries) cells[entry.cell.index()] = true;
  for (const NumericTail& tail : buffer.tail) cells[tail.cell.index()] = true;
}

// What a kFetch... leaves of a and b, where something is known about it.
Linear combined(const Instruction& i, const Linear& a, const Linear& b, AbstractElement& element) {
  const Range type = i.wrap == 0 ? Range::all() : fetch_range(i.rmw, Range::all(), Range::all(), i.wrap);
  if (a.is_constant() && b.is_constant()) {
    const Evaluated known = fetch(i.rmw, a.constant, b.constant, i.wrap);
    if (known.ok()) return Linear::of(known.value);
  } else if (i.rmw == RmwOp::kFetchAdd) {
    const std::optional<Linear> known = sum(a, b);
    // A bound at an end of the 64-bit range means that there is none.
    if (known && (i.wrap == 0 || (element.bounds(*known).bounded() && type.contains(element.bounds(*known)))))
      return *known;
  }
  const Linear any = Linear::dimension(element.add());
  if (i.wrap != 0) element = inside(any, type, std::move(element));
  return any;
}

}  // namespace

void AbstractMachine::initial(const Sink& sink) const {
  const Program& program = plan_.program();
  AbstractState state(domain_);
  const std::vector<Value> memory = program.initial_memory();
  for (size_t c = 0; c < memory.size(); ++c)
    state.memory.push_back(plan_.smashed_cell(CellId(c)) ? std::nullopt
                                                         : std::optional(constant_term(memory[c])));
  for (const Thread& thread : program.threads) {
    state.locations.push_back(thread.entry);
    state.registers.emplace_back();
    for (const Register& reg : thread.registers) state.registers.back().emplace_back(constant_term(reg.init));
  }
  state.buffers.resize(program.threads.size());
  States states = {state};
  for (size_t t = 0; t < program.threads.size(); ++t) {
    States next;
    run_to_cut_points(std::move(states), ThreadId(t), sink, next);
    states = std::move(next);
  }
  for (AbstractState& one : states) normalized(std::move(one), sink);
}

void AbstractMachine::successors(const AbstractState& state, const Sink& sink) const {
  for (size_t t = 0; t < plan_.threads(); ++t) {
    const ThreadId thread(t);
    States after, stopped;
    step(state, thread, after, sink);
    run_to_cut_points(std::move(after), thread, sink, stopped);
    for (AbstractState& one : stopped) normalized(std::move(one), sink);
  }
}

// All local steps, up to the next cut points.
void AbstractMachine::run_to_cut_points(States&& states, ThreadId thread, const Sink& sink,
                                        States& out) const {
  while (!states.empty()) {
    AbstractState state = std::move(states.back());
    states.pop_back();
    if (plan_.is_cut_point(thread, state.locations[thread.index()]))
      out.push_back(std::move(state));
    else
      execute(state, thread, false, states, sink);
  }
}

AbstractState AbstractMachine::advanced(const AbstractState& state, ThreadId thread, size_t slot) const {
  AbstractState result = state;
  Point& point = result.locations[thread.index()];
  point = plan_.overlay().next(thread, point, slot);
  return result;
}

// What a thread does at a cut point, after those flushes of any thread that it can observe.
void AbstractMachine::step(const AbstractState& state, ThreadId thread, States& out, const Sink& sink) const {
  const Instruction& i = plan_.overlay().at(thread, state.locations[thread.index()]);
  const NumericBuffer& own = state.buffers[thread.index()];
  std::vector<bool> observed = no_cells();
  const auto observe_blocking = [&] {  // what blocks loads and writes of this thread
    for (const NumericEntry& entry : own.entries)
      if (entry.marked || entry.epoch < own.epoch || plan_.buffering() == Buffering::kPerThread)
        observed[entry.cell.index()] = true;
    if (plan_.buffering() == Buffering::kPerThread) add_cells(own, observed);
  };
  switch (class_of(i.kind)) {
    case InstrClass::kLoad:
      return at_each_cell(state, thread, i.address, sink, [&](const AbstractState& here, CellId cell) {
        observed = no_cells();
        observed[cell.index()] =
            !plan_.smashed(i.address.object);  // but the load has to wait for marked stores, too
        for (const NumericEntry& entry : own.entries)
          if (entry.marked) observed[entry.cell.index()] = true;
        const bool forwarded = holds(own, cell);
        bool first = true;
        for (const AbstractState& flushed : with_flushes(here, observed)) {
          // While its own store to the cell is pending, the thread does not observe flushes of others. But if
          // it has to wait for marked stores, these may be flushed alone.
          if (first || !forwarded || loads_blocked(own) || !holds(flushed.buffers[thread.index()], cell))
            load(flushed, thread, i, cell, out, sink);
          first = false;
        }
      });
    case InstrClass::kRmw:
      return at_each_cell(state, thread, i.address, sink, [&](const AbstractState& here, CellId cell) {
        observed = no_cells();
        observed[cell.index()] = true;
        observe_blocking();
        for (const AbstractState& flushed : with_flushes(here, observed))
          rmw(flushed, thread, i, cell, out, sink);
      });
    case InstrClass::kFence:
      if (machine::fence_effect(i.fence, plan_.buffering()) != machine::FenceEffect::kDrain)
        return execute(state, thread, false, out, sink);
      add_cells(own, observed);
      for (const AbstractState& flushed : with_flushes(state, observed))
        if (empty(flushed.buffers[thread.index()])) out.push_back(advanced(flushed, thread));
      return;
    case InstrClass::kAtomicBegin: {
      add_cells(own, observed);
      std::set<Point> seen;
      std::vector<Point> todo = {state.locations[thread.index()]};
      while (!todo.empty()) {
        const Point point = todo.back();
        todo.pop_back();
        const Instruction& inner = plan_.overlay().at(thread, point);
        if (inner.is_memory_access())
          for (const CellId cell : plan_.cells_of(inner.address)) observed[cell.index()] = true;
        if (inner.kind == InstrKind::kAtomicEnd) continue;
        for (size_t slot = 0; slot < inner.next.size(); ++slot)
          if (const Point next = plan_.overlay().next(thread, point, slot); seen.insert(next).second)
            todo.push_back(next);
      }
      for (const AbstractState& flushed : with_flushes(state, observed)) section(flushed, thread, out, sink);
      return;
    }
    case InstrClass::kStore:
    case InstrClass::kLocal:
    case InstrClass::kAtomicEnd:
    case InstrClass::kHalt:
      break;
  }
  return execute(state, thread, false, out, sink);
}

// One instruction, with memory and buffers as they are.
void AbstractMachine::execute(const AbstractState& state, ThreadId thread, bool in_section, States& out,
                              const Sink& sink) const {
  const Instruction& i = plan_.overlay().at(thread, state.locations[thread.index()]);
  const Evaluator evaluator(plan_, state, thread);
  const auto with = [&](AbstractElement&& element, size_t slot) {
    AbstractState next = advanced(state, thread, slot);
    next.element = std::move(element);
    return next;
  };
  switch (i.kind) {
    case InstrKind::kLoad:
      return at_each_cell(state, thread, i.address, sink, [&](const AbstractState& here, CellId cell) {
        load(here, thread, i, cell, out, sink);
      });
    case InstrKind::kStore:
      return at_each_cell(state, thread, i.address, sink, [&](const AbstractState& here, CellId cell) {
        store(here, thread, i, cell, in_section, out, sink);
      });
    case InstrKind::kRmw:
      return at_each_cell(state, thread, i.address, sink, [&](const AbstractState& here, CellId cell) {
        rmw(here, thread, i, cell, out, sink);
      });
    case InstrKind::kFence:
      return fence(state, thread, i, out);
    case InstrKind::kAssign:
      for (Evaluator::ValueCase& value : evaluator.values(i.a, state.element)) {
        if (value.failed) {
          sink.failed(state, thread);
          continue;
        }
        AbstractState next = state;
        next.element = std::move(value.element);
        assign(std::move(next), thread, i.dest, value.value, out, sink);
      }
      return;
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
      for (Evaluator::TruthCase& condition : evaluator.truths(i.a, state.element)) {
        if (condition.failed || (!condition.truth && i.kind == InstrKind::kAssert))
          sink.failed(state, thread);
        else if (condition.truth || i.kind == InstrKind::kBranch)
          out.push_back(
              with(std::move(condition.element), i.kind == InstrKind::kBranch && !condition.truth ? 1 : 0));
      }
      return;
    case InstrKind::kChoose:
      for (size_t slot = 0; slot < i.next.size(); ++slot) out.push_back(advanced(state, thread, slot));
      return;
    case InstrKind::kHavoc: {
      AbstractState next = state;
      const Linear any = Linear::dimension(next.element.add());
      next.element = inside(any, i.havoc_range, std::move(next.element));
      if (!next.element.empty()) assign(std::move(next), thread, i.dest, any, out, sink);
      return;
    }
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      out.push_back(advanced(state, thread));
      return;
    case InstrKind::kHalt:
      return;
  }
}

void AbstractMachine::fence(const AbstractState& state, ThreadId thread, const Instruction& i,
                            States& out) const {
  AbstractState next = advanced(state, thread);
  NumericBuffer& buffer = next.buffers[thread.index()];
  switch (machine::fence_effect(i.fence, plan_.buffering())) {
    case machine::FenceEffect::kDrain:
      if (!empty(buffer)) return;
      break;
    case machine::FenceEffect::kBarrier:
      if (!buffer.entries.empty()) buffer.epoch = buffer.entries.back().epoch + 1;
      break;
    case machine::FenceEffect::kMark:
      for (NumericEntry& entry : buffer.entries) entry.marked = true;
      break;
    case machine::FenceEffect::kDrainAll:
      throw Bug("the numeric engine was given a sync");
    default:
      break;
  }
  out.push_back(std::move(next));
}

// From begin to end, along every path.
void AbstractMachine::section(const AbstractState& begin, ThreadId thread, States& out,
                              const Sink& sink) const {
  States todo = {advanced(begin, thread)};
  for (size_t steps = 0; !todo.empty(); ++steps) {
    if (steps > kLongestSection) throw Unsupported("an atomic section of that many steps");
    const AbstractState state = std::move(todo.back());
    todo.pop_back();
    if (plan_.overlay().at(thread, state.locations[thread.index()]).kind == InstrKind::kAtomicEnd)
      out.push_back(advanced(state, thread));
    else
      execute(state, thread, true, todo, sink);
  }
}

template <class F>
void AbstractMachine::at_each_cell(const AbstractState& state, ThreadId thread, const Address& address,
                                   const Sink& sink, const F& f) const {
  const Object& object = plan_.program().object(address.object);
  const Range offsets{0, static_cast<Value>(object.size()) - 1};
  for (Evaluator::ValueCase& offset : Evaluator(plan_, state, thread).values(address.offset, state.element)) {
    if (offset.failed || !outside(offset.value, offsets, offset.element).empty()) sink.failed(state, thread);
    if (offset.failed) continue;
    AbstractState here = state;
    if (plan_.smashed(address.object)) {
      here.element = inside(offset.value, offsets, std::move(offset.element));
      if (!here.element.empty()) f(here, object.first_cell);
      continue;
    }
    for (ConstantCase& one : constants(offset.value, offsets, offset.element)) {
      here.element = std::move(one.element);
      if (object.admits(one.value, address.bytes))
        f(here, CellId(object.first_cell.index() + static_cast<size_t>(one.value)));
      else
        sink.failed(here, thread);
    }
  }
}

Linear AbstractMachine::read(AbstractState& state, ThreadId thread, CellId cell) const {
  const ObjectId object = plan_.program().object_of(cell);
  if (const std::optional<Range>& any = plan_.smashed(object)) {
    state.exact = false;
    Linear value = Linear::dimension(state.element.add());
    state.element = inside(value, *any, std::move(state.element));
    return value;
  }
  const NumericBuffer& own = state.buffers[thread.index()];
  for (const NumericTail& tail : own.tail)
    if (tail.cell == cell) return linear_of(tail.newest);
  for (size_t i = own.entries.size(); i-- > 0;)
    if (own.entries[i].cell == cell) return linear_of(own.entries[i].value);
  return linear_of(*state.memory[cell.index()]);
}

void AbstractMachine::load(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell,
                           States& out, const Sink& sink) const {
  if (loads_blocked(state.buffers[thread.index()])) return;
  AbstractState next = state;
  const Linear value = read(next, thread, cell);
  if (!next.element.empty()) assign(std::move(next), thread, i.dest, value, out, sink);
}

void AbstractMachine::store(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell,
                            bool in_section, States& out, const Sink& sink) const {
  const Object& object = plan_.program().object(i.address.object);
  const bool smashed = plan_.smashed(i.address.object).has_value();
  if (in_section && !may_write(state.buffers[thread.index()], cell)) return;
  for (Evaluator::ValueCase& value : Evaluator(plan_, state, thread).values(i.a, state.element)) {
    if (value.failed) {
      sink.failed(state, thread);
      continue;
    }
    if (object.declared) {
      if (!outside(value.value, *object.declared, value.element).empty()) sink.failed(state, thread);
      value.element = inside(value.value, *object.declared, std::move(value.element));
      if (value.element.empty()) continue;
    }
    AbstractState next = advanced(state, thread);
    next.element = std::move(value.element);
    if (smashed) {
      out.push_back(std::move(next));
      continue;
    }
    const NumericTerm term = term_of(value.value, next.element);
    if (in_section || plan_.buffering() == Buffering::kUnbuffered) {
      next.memory[cell.index()] = term;
      out.push_back(std::move(next));
    } else {
      append(next, thread, cell, term, out);
    }
  }
}

void AbstractMachine::rmw(const AbstractState& state, ThreadId thread, const Instruction& i, CellId cell,
                          States& out, const Sink& sink) const {
  const NumericBuffer& own = state.buffers[thread.index()];
  if (loads_blocked(own) || !may_write(own, cell)) return;
  const Object& object = plan_.program().object(i.address.object);
  const Evaluator evaluator(plan_, state, thread);
  AbstractState begin = state;
  const Linear old = read(begin, thread, cell);

  const auto finish = [&](AbstractElement element, const Linear& result,
                          const std::optional<Linear>& written) {
    AbstractState next = begin;
    if (written && object.declared) {
      if (!outside(*written, *object.declared, element).empty()) sink.failed(state, thread);
      element = inside(*written, *object.declared, std::move(element));
    }
    if (element.empty()) return;
    next.element = std::move(element);
    if (written && next.memory[cell.index()]) next.memory[cell.index()] = term_of(*written, next.element);
    assign(std::move(next), thread, i.dest, result, out, sink);
  };
  for (Evaluator::ValueCase& a : evaluator.values(i.a, begin.element)) {
    if (a.failed) {
      sink.failed(state, thread);
      continue;
    }
    if (!is_cas(i.rmw)) {
      AbstractElement element = std::move(a.element);
      const Linear written = i.rmw == RmwOp::kXchg ? a.value : combined(i, old, a.value, element);
      finish(std::move(element), old, written);
      continue;
    }
    for (Evaluator::ValueCase& b : evaluator.values(i.b, a.element)) {
      if (b.failed) {
        sink.failed(state, thread);
        continue;
      }
      const std::optional<Linear> gap = difference(old, a.value);
      const bool returns_success = i.rmw == RmwOp::kCas;
      AbstractElement same = b.element;
      if (gap) same.assume_zero(*gap);
      if (!same.empty()) finish(std::move(same), returns_success ? Linear::of(1) : old, b.value);
      const std::vector<AbstractElement> different =
          gap ? outside(*gap, Range::single(0), b.element) : std::vector<AbstractElement>{b.element};
      for (const AbstractElement& one : different)
        finish(one, returns_success ? Linear::of(0) : old, std::nullopt);
    }
  }
}

void AbstractMachine::assign(AbstractState state, ThreadId thread, const Dest& dest, const Linear& value,
                             States& out, const Sink& sink) const {
  if (!dest.valid()) {
    out.push_back(advanced(state, thread));
    return;
  }
  const std::optional<Range>& declared = plan_.program().thread(thread).registers[dest.reg.index()].declared;
  if (declared) {
    if (!outside(value, *declared, state.element).empty()) sink.failed(state, thread);
    state.element = inside(value, *declared, std::move(state.element));
    if (state.element.empty()) return;
  }
  const auto set = [&](AbstractState&& to, size_t element) {
    AbstractState next = advanced(to, thread);
    next.registers[thread.index()][dest.reg.index() + element] = term_of(value, next.element);
    out.push_back(std::move(next));
  };
  if (!dest.is_element()) return set(std::move(state), 0);
  const Range elements{0, static_cast<Value>(dest.count) - 1};
  for (Evaluator::ValueCase& index : Evaluator(plan_, state, thread).values(dest.index, state.element)) {
    if (index.failed || !outside(index.value, elements, index.element).empty()) sink.failed(state, thread);
    if (index.failed) continue;
    for (ConstantCase& one : constants(index.value, elements, index.element)) {
      AbstractState here = state;
      here.element = std::move(one.element);
      set(std::move(here), static_cast<size_t>(one.value));
    }
  }
}

}  // namespace fenceline::numeric
