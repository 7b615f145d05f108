// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two readings of docs/semantics.md that the text leaves to the reader. A step that is not possible yet (an
// rmw before its buffer is empty) cannot fail either. And a step that fails is still a step: a thread in
// front of a failing assertion is not deadlocked, the property `errors` speaks about it.
#include "check/replay/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"

namespace fenceline {

PlainMachine::PlainMachine(const Overlay& overlay, Buffering buffering)
    : overlay_(&overlay), buffering_(buffering) {
  require(buffering != Buffering::kNoMachine, "replay on a model that has no store buffers");
  for (const Object& object : program().objects)
    for (size_t i = 0; i < object.size(); ++i)
      memory_[CellId(object.first_cell.index() + i)] = {object.init[i], std::nullopt};
  for (const Thread& thread : program().threads) {
    ThreadState state;
    state.at = thread.entry;
    for (const Register& reg : thread.registers) state.registers.push_back(reg.init);
    threads_.push_back(std::move(state));
  }
}

// ---- Steps
// -------------------------------------------------------------------------------------------------

Effect PlainMachine::execute(ThreadId thread, std::optional<Value> chosen, size_t step) {
  need_turn(thread);
  Effect effect;
  try {
    run(thread, instruction(thread), chosen, step, effect);
  } catch (ProgramError& error) {
    effect.fail(std::move(error));
  }
  return effect;
}

Effect PlainMachine::flush(ThreadId thread, CellId cell) {
  if (atomic_) throw Impossible{"no store reaches memory inside an atomic section"};
  auto& waiting = threads_[thread.index()].waiting;
  auto chosen = waiting.end();
  for (auto store = waiting.begin(); store != waiting.end(); ++store) {
    if (cell.valid() ? store->cell != cell : !may_leave(thread, store)) continue;
    if (chosen != waiting.end() && !cell.valid())
      throw Impossible{"several stores could reach memory and the trace does not say which"};
    if (chosen == waiting.end()) chosen = store;
  }
  if (chosen == waiting.end())
    throw Impossible{cell.valid()
                         ? fmt::format("no store to {} waits in the buffer", program().cell_name(cell))
                         : "no store waits in the buffer"};
  if (!may_leave(thread, chosen))
    throw Impossible{
        fmt::format("the store to {} has to wait for an earlier one", program().cell_name(cell))};
  Effect effect;
  effect.cell = chosen->cell;
  effect.value = chosen->value;
  effect.stored_by = chosen->step;
  memory_[chosen->cell] = {chosen->value, chosen->step};
  waiting.erase(chosen);
  return effect;
}

// Everything that can be refused is refused before anything changes.
void PlainMachine::run(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step,
                       Effect& effect) {
  switch (i.kind) {
    case InstrKind::kLoad:
      load(thread, i, effect);
      return go(thread);
    case InstrKind::kStore:
      store(thread, i, step, effect);
      return go(thread);
    case InstrKind::kRmw:
      rmw(thread, i, step, effect);
      return go(thread);
    case InstrKind::kFence:
      fence(thread, i.fence);
      return go(thread);
    case InstrKind::kAssign:
      assign(thread, i.dest, value_of(thread, i.a), effect);
      return go(thread);
    case InstrKind::kBranch:
      effect.result = value_of(thread, i.a);
      return go(thread, effect.result != 0 ? 0 : 1);
    case InstrKind::kChoose: {
      if (!chosen && i.next.size() > 1) throw Impossible{"the trace does not say which branch is chosen"};
      effect.chosen = chosen.value_or(0);
      if (*effect.chosen < 0 || static_cast<uint64_t>(*effect.chosen) >= i.next.size())
        throw Impossible{fmt::format("there is no branch {} to choose", *effect.chosen)};
      return go(thread, static_cast<size_t>(*effect.chosen));
    }
    case InstrKind::kHavoc:
      if (!chosen && i.havoc_range.lo != i.havoc_range.hi)
        throw Impossible{"the trace does not say which value is chosen"};
      effect.chosen = chosen.value_or(i.havoc_range.lo);
      if (*effect.chosen < i.havoc_range.lo || *effect.chosen > i.havoc_range.hi)
        throw Impossible{fmt::format("{} is not one of the values {}..{}", *effect.chosen, i.havoc_range.lo,
                                     i.havoc_range.hi)};
      assign(thread, i.dest, *effect.chosen, effect);
      return go(thread);
    case InstrKind::kAssume:
      effect.result = value_of(thread, i.a);
      if (effect.result == 0) throw Impossible{"the assumption does not hold"};
      return go(thread);
    case InstrKind::kAssert:
      effect.result = value_of(thread, i.a);
      if (effect.result == 0) throw failed_assertion(i);
      return go(thread);
    case InstrKind::kAtomicBegin:
      if (atomic_) throw Impossible{"an atomic section begins inside another"};
      atomic_ = thread;
      return go(thread);
    case InstrKind::kAtomicEnd:
      if (!atomic_) throw Impossible{"an atomic section ends that has not begun"};
      atomic_.reset();
      return go(thread);
    case InstrKind::kMark:
      return go(thread);
    case InstrKind::kHalt:
      throw Impossible{"the thread has ended"};
  }
  throw Bug("an instruction without a meaning");
}

void PlainMachine::load(ThreadId thread, const Instruction& i, Effect& effect) {
  need_unmarked(thread);
  const CellId cell = cell_at(thread, i.address);
  effect.cell = cell;
  const MemoryCell& in_memory = memory_.at(cell);
  effect.value = in_memory.value;
  effect.reads_from = in_memory.writer;
  for (const WaitingStore& store : threads_[thread.index()].waiting) {  // the newest is the last
    if (store.cell != cell) continue;
    effect.value = store.value;
    effect.reads_from = store.step;
    effect.from_own_buffer = true;
  }
  assign(thread, i.dest, *effect.value, effect);
}

void PlainMachine::store(ThreadId thread, const Instruction& i, size_t step, Effect& effect) {
  if (atomic_) need_drained_for_write(thread, std::nullopt);
  const CellId cell = cell_at(thread, i.address);
  effect.cell = cell;
  if (atomic_) need_drained_for_write(thread, cell);
  const Value value = value_of(thread, i.a);
  effect.value = value;
  need_in_range(cell, value);
  ThreadState& state = threads_[thread.index()];
  if (atomic_ || buffering_ == Buffering::kUnbuffered)
    memory_[cell] = {value, step};
  else
    state.waiting.push_back({cell, value, step, state.epoch});
}

void PlainMachine::rmw(ThreadId thread, const Instruction& i, size_t step, Effect& effect) {
  need_unmarked(thread);
  need_drained_for_write(thread, std::nullopt);  // what does not depend on the cell, whose index may be wrong
  const CellId cell = cell_at(thread, i.address);
  effect.cell = cell;
  need_drained_for_write(thread, cell);
  MemoryCell& in_memory = memory_.at(cell);
  const Value old = in_memory.value;
  effect.value = old;
  effect.reads_from = in_memory.writer;
  const Value a = value_of(thread, i.a), b = is_cas(i.rmw) ? value_of(thread, i.b) : 0;
  effect.a = a;
  effect.b = b;
  Value result = old;
  switch (i.rmw) {
    case RmwOp::kCas:
      result = old == a ? 1 : 0;
      [[fallthrough]];
    case RmwOp::kCasValue:
      if (old == a) effect.written = b;
      break;
    case RmwOp::kXchg:
      effect.written = a;
      break;
    case RmwOp::kFetchAdd:
    case RmwOp::kFetchAnd:
    case RmwOp::kFetchOr:
    case RmwOp::kFetchXor:
      effect.written = fetched(i, old, a);
      break;
  }
  if (effect.written) need_in_range(cell, *effect.written);
  effect.result = result;
  if (i.dest.valid()) assign(thread, i.dest, result, effect);
  if (effect.written) in_memory = {*effect.written, step};
}

void PlainMachine::fence(ThreadId thread, FenceKinds kinds) {
  ThreadState& state = threads_[thread.index()];
  const bool drains =
      buffering_ == Buffering::kPerThread
          ? kinds.has_store_load()
          : buffering_ == Buffering::kPerCell && kinds.has_store_load() && kinds.has_store_store();
  if (drains && !state.waiting.empty()) throw Impossible{"the fence needs an empty store buffer"};
  if (drains && kinds.has_everybody()) need_all_drained();
  if (buffering_ != Buffering::kPerCell || drains) return;
  if (kinds.has_store_store()) ++state.epoch;
  if (kinds.has_store_load())
    for (WaitingStore& store : state.waiting) store.marked = true;
}

void PlainMachine::assign(ThreadId thread, const Dest& dest, Value value, Effect& effect) {
  size_t reg = dest.reg.index();
  if (dest.is_element()) {
    const Value index = value_of(thread, dest.index);
    reg += checked_index(index, dest.count, local_array_name(program(), thread, dest.reg));
  }
  effect.dest = RegId(reg);
  effect.result = value;
  const Register& declaration = program().thread(thread).registers[reg];
  if (declaration.declared && !declaration.declared->contains(value))
    throw ProgramError{fmt::format("{} = {} is outside its range {}..{}", declaration.name, value,
                                   declaration.declared->lo, declaration.declared->hi)};
  threads_[thread.index()].registers[reg] = value;
}

void PlainMachine::go(ThreadId thread, size_t slot) {
  ThreadState& state = threads_[thread.index()];
  state.at = overlay_->next(thread, state.at, slot);
}

// ---- Conditions
// --------------------------------------------------------------------------------------------

void PlainMachine::need_turn(ThreadId thread) const {
  if (atomic_ && *atomic_ != thread)
    throw Impossible{fmt::format("{} is inside an atomic section", program().thread(*atomic_).name)};
}

void PlainMachine::need_unmarked(ThreadId thread) const {
  for (const WaitingStore& store : threads_[thread.index()].waiting)
    if (store.marked)
      throw Impossible{fmt::format("the store to {} before the store-load fence is still in the buffer",
                                   program().cell_name(store.cell))};
}

// What sync needs.
void PlainMachine::need_all_drained() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (!threads_[t].waiting.empty())
      throw Impossible{
          fmt::format("sync needs all store buffers empty, and the store to {} of {} still waits",
                      program().cell_name(threads_[t].waiting.front().cell), program().threads[t].name)};
}

// What a write that does not go through the buffer needs. Without a cell: what it needs whatever the cell.
void PlainMachine::need_drained_for_write(ThreadId thread, std::optional<CellId> cell) const {
  const ThreadState& state = threads_[thread.index()];
  for (const WaitingStore& store : state.waiting) {
    if (buffering_ == Buffering::kPerThread) throw Impossible{"an atomic access needs an empty store buffer"};
    if (store.epoch < state.epoch)
      throw Impossible{fmt::format("the store to {} before the last store-store fence is still in the buffer",
                                   program().cell_name(store.cell))};
    if (cell && store.cell == *cell)
      throw Impossible{fmt::format("an atomic access needs an empty store buffer for {}",
                                   program().cell_name(store.cell))};
  }
}

void PlainMachine::need_in_range(CellId cell, Value value) const {
  const Object& object = program().object(program().object_of(cell));
  if (object.declared && !object.declared->contains(value))
    throw ProgramError{fmt::format("{} = {} is outside its range {}..{}", program().cell_name(cell), value,
                                   object.declared->lo, object.declared->hi)};
}

bool PlainMachine::may_leave(ThreadId thread, std::list<WaitingStore>::const_iterator store) const {
  const auto& waiting = threads_[thread.index()].waiting;
  if (buffering_ == Buffering::kPerThread) return store == waiting.begin();
  const bool oldest_of_cell =
      std::none_of(waiting.begin(), store, [&](const WaitingStore& s) { return s.cell == store->cell; });
  const bool first_epoch = std::none_of(waiting.begin(), waiting.end(),
                                        [&](const WaitingStore& s) { return s.epoch < store->epoch; });
  return oldest_of_cell && first_epoch;
}

// ---- Questions
// ---------------------------------------------------------------------------------------------

bool PlainMachine::ended(ThreadId thread) const { return instruction(thread).kind == InstrKind::kHalt; }

bool PlainMachine::final() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (!ended(ThreadId(t)) || !threads_[t].waiting.empty()) return false;
  return true;
}

std::optional<ThreadId> PlainMachine::stopped_by_assume() const {
  for (size_t t = 0; t < threads_.size(); ++t) {
    const Instruction& i = instruction(ThreadId(t));
    if (i.kind == InstrKind::kAssume && value_of(ThreadId(t), i.a) == 0) return ThreadId(t);
  }
  return std::nullopt;
}

std::optional<ThreadId> PlainMachine::ended_program() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (ended(ThreadId(t)) && instruction(ThreadId(t)).ends_program) return ThreadId(t);
  return std::nullopt;
}

bool PlainMachine::any_step_possible() const {
  for (size_t t = 0; t < threads_.size(); ++t) {
    const auto& waiting = threads_[t].waiting;
    for (auto store = waiting.begin(); store != waiting.end(); ++store)
      if (may_leave(ThreadId(t), store)) return true;
    if (can_execute(ThreadId(t))) return true;
  }
  return false;
}

bool PlainMachine::can_execute(ThreadId thread) const {
  size_t budget = std::min<size_t>(100'000, 50'000'000 / (memory_.size() + 1));  // each way copies the memory
  if (instruction(thread).kind == InstrKind::kAtomicBegin) return can_finish_section(*this, thread, budget);
  if (choices(thread).lo != choices(thread).hi) return true;
  PlainMachine copy = *this;
  try {
    copy.execute(thread, std::nullopt, 0);
    return true;
  } catch (const Impossible&) {
    return false;
  }
}

// What the thread may choose from now; one value if there is nothing to choose.
Range PlainMachine::choices(ThreadId thread) const {
  const Instruction& i = instruction(thread);
  if (i.kind == InstrKind::kChoose) return {0, static_cast<Value>(i.next.size()) - 1};
  return i.kind == InstrKind::kHavoc ? i.havoc_range : Range::single(0);
}

// Is there a way through the section to its end, or to an error? Sections have no loops, so this ends.
bool PlainMachine::can_finish_section(PlainMachine machine, ThreadId thread, size_t& budget) {
  try {
    while (machine.choices(thread).lo == machine.choices(thread).hi) {
      const Effect effect = machine.execute(thread, std::nullopt, 0);
      if (!effect.error.empty() || !machine.atomic_) return true;
    }
  } catch (const Impossible&) {
    return false;
  }
  const Range choices = machine.choices(thread);
  for (Value choice = choices.lo;; ++choice) {
    if (budget-- == 0) throw TooManyWays{};
    PlainMachine copy = machine;
    if (!copy.execute(thread, choice, 0).error.empty()) return true;  // to choose is always possible
    if (can_finish_section(std::move(copy), thread, budget)) return true;
    if (choice == choices.hi) return false;
  }
}

Value PlainMachine::formula(ExprId id) const {
  return calculate(program(), id, [&](const Expr& leaf, size_t index) -> Value {
    switch (shape_of(leaf.op)) {
      case ExprShape::kCell:
        return memory_.at(CellId(program().object(leaf.object).first_cell.index() + index)).value;
      case ExprShape::kThreadReg:
        return registers(leaf.thread)[leaf.reg.index()];
      case ExprShape::kThreadRegAt:
        return registers(leaf.thread)[leaf.reg.index() + index];
      case ExprShape::kAt:
        return where(leaf.thread) == leaf.point;
      case ExprShape::kConst:
      case ExprShape::kReg:
      case ExprShape::kRegAt:
      case ExprShape::kUnary:
      case ExprShape::kWrap:
      case ExprShape::kBinary:
      case ExprShape::kLazy:
      case ExprShape::kSelect:
        break;
    }
    throw Bug("a property that reads a register of no thread");
  });
}

const Instruction& PlainMachine::instruction(ThreadId thread) const {
  return overlay_->at(thread, threads_[thread.index()].at);
}

Value PlainMachine::value_of(ThreadId thread, ExprId expr) const {
  const auto leaf = [&](const Expr& e, size_t index) -> Value {
    require(e.op == ExprOp::kReg || e.op == ExprOp::kRegAt, "an instruction that looks beyond its registers");
    return registers(thread)[e.reg.index() + index];
  };
  return calculate(program(), expr, leaf, thread);
}

CellId PlainMachine::cell_at(ThreadId thread, const Address& address) const {
  const Object& object = program().object(address.object);
  const size_t offset = checked_offset(value_of(thread, address.offset), object, address.bytes);
  return CellId(object.first_cell.index() + offset);
}

std::vector<BufferedStore> PlainMachine::buffer(ThreadId thread) const {
  std::vector<BufferedStore> entries;
  for (const WaitingStore& store : threads_[thread.index()].waiting)
    entries.push_back({store.cell, store.value, store.step});
  return entries;
}

std::vector<Value> PlainMachine::memory() const {
  std::vector<Value> values;
  for (const auto& [cell, content] : memory_) values.push_back(content.value);
  return values;
}

}  // namespace fenceline
