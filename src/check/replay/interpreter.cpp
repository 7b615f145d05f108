// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two consequences of docs/semantics.md. A step that is not enabled (an rmw before its buffer is empty) cannot
// fail either. And a step that fails is a step: a thread before a failing assertion is not deadlocked; it
// violates the property `errors`.
#include "check/replay/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"

namespace fenceline::check {

Interpreter::Interpreter(const Overlay& overlay, Buffering buffering)
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

Interpreter::Interpreter(const Overlay& overlay, const std::vector<Value>& memory,
                         const std::vector<Point>& locations,
                         const std::vector<std::vector<Value>>& registers)
    : Interpreter(overlay, Buffering::kUnbuffered) {
  for (size_t cell = 0; cell < memory.size(); ++cell) memory_[CellId(cell)].value = memory[cell];
  for (size_t t = 0; t < threads_.size(); ++t) {
    threads_[t].at = locations[t];
    threads_[t].registers = registers[t];
  }
}

// ---- Steps
// -------------------------------------------------------------------------------------------------

Effect Interpreter::execute(ThreadId thread, std::optional<Value> chosen, size_t step) {
  need_turn(thread);
  Effect effect;
  try {
    run(thread, instruction(thread), chosen, step, effect);
  } catch (ProgramError& error) {
    effect.error = std::move(error);
  }
  return effect;
}

Effect Interpreter::flush(ThreadId thread, CellId cell) {
  if (atomic_) throw Impossible{"no store reaches memory inside an atomic section"};
  auto& pending = threads_[thread.index()].pending;
  auto chosen = pending.end();
  for (auto store = pending.begin(); store != pending.end(); ++store) {
    if (cell.valid() ? store->cell != cell : !may_be_flushed(thread, store)) continue;
    if (chosen != pending.end() && !cell.valid())
      throw Impossible{"several stores could reach memory and the trace does not say which"};
    if (chosen == pending.end()) chosen = store;
  }
  if (chosen == pending.end())
    throw Impossible{cell.valid() ? fmt::format("no store to {} is pending", program().cell_name(cell))
                                  : "no store is pending"};
  if (!may_be_flushed(thread, chosen))
    throw Impossible{
        fmt::format("the store to {} has to wait for an earlier one", program().cell_name(cell))};
  Effect effect;
  effect.cell = chosen->cell;
  effect.value = chosen->value;
  effect.stored_by = chosen->step;
  memory_[chosen->cell] = {chosen->value, chosen->step};
  pending.erase(chosen);
  return effect;
}

// Everything that can be rejected is rejected before anything changes.
void Interpreter::run(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step,
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

void Interpreter::load(ThreadId thread, const Instruction& i, Effect& effect) {
  need_unmarked(thread);
  const CellId cell = cell_at(thread, i.address);
  effect.cell = cell;
  const MemoryCell& in_memory = memory_.at(cell);
  effect.value = in_memory.value;
  effect.reads_from = in_memory.writer;
  for (const PendingStore& store : threads_[thread.index()].pending) {  // the newest is the last
    if (store.cell != cell) continue;
    effect.value = store.value;
    effect.reads_from = store.step;
    effect.from_own_buffer = true;
  }
  assign(thread, i.dest, *effect.value, effect);
}

void Interpreter::store(ThreadId thread, const Instruction& i, size_t step, Effect& effect) {
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
    state.pending.push_back({cell, value, step, state.epoch});
}

void Interpreter::rmw(ThreadId thread, const Instruction& i, size_t step, Effect& effect) {
  need_unmarked(thread);
  need_drained_for_write(thread, std::nullopt);  // whatever the cell: its index may be out of bounds
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

void Interpreter::fence(ThreadId thread, FenceKinds kinds) {
  ThreadState& state = threads_[thread.index()];
  const bool drains =
      buffering_ == Buffering::kPerThread
          ? kinds.has_store_load()
          : buffering_ == Buffering::kPerCell && kinds.has_store_load() && kinds.has_store_store();
  if (drains && !state.pending.empty()) throw Impossible{"the fence needs an empty store buffer"};
  if (drains && kinds.has_process_wide()) need_all_drained();
  if (buffering_ != Buffering::kPerCell || drains) return;
  if (kinds.has_store_store()) ++state.epoch;
  if (kinds.has_store_load())
    for (PendingStore& store : state.pending) store.marked = true;
}

void Interpreter::assign(ThreadId thread, const Dest& dest, Value value, Effect& effect) {
  size_t reg = dest.reg.index();
  if (dest.is_element()) {
    const Value index = value_of(thread, dest.index);
    reg += checked_index(index, dest.count, local_array_name(program(), thread, dest.reg));
  }
  effect.dest = RegId(reg);
  effect.result = value;
  const Register& declaration = program().thread(thread).registers[reg];
  if (declaration.declared && !declaration.declared->contains(value))
    throw outside_range(declaration.name, value, *declaration.declared);
  threads_[thread.index()].registers[reg] = value;
}

void Interpreter::go(ThreadId thread, size_t slot) {
  ThreadState& state = threads_[thread.index()];
  state.at = overlay_->next(thread, state.at, slot);
}

// ---- Conditions
// --------------------------------------------------------------------------------------------

void Interpreter::need_turn(ThreadId thread) const {
  if (atomic_ && *atomic_ != thread)
    throw Impossible{fmt::format("{} is inside an atomic section", program().thread(*atomic_).name)};
}

void Interpreter::need_unmarked(ThreadId thread) const {
  for (const PendingStore& store : threads_[thread.index()].pending)
    if (store.marked)
      throw Impossible{fmt::format("the store to {} before the store-load fence is still in the buffer",
                                   program().cell_name(store.cell))};
}

// What sync needs.
void Interpreter::need_all_drained() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (!threads_[t].pending.empty())
      throw Impossible{
          fmt::format("sync needs all store buffers empty, and the store to {} of {} is still pending",
                      program().cell_name(threads_[t].pending.front().cell), program().threads[t].name)};
}

// What a write that does not go through the buffer needs. Without a cell: what it needs whatever the cell.
void Interpreter::need_drained_for_write(ThreadId thread, std::optional<CellId> cell) const {
  const ThreadState& state = threads_[thread.index()];
  for (const PendingStore& store : state.pending) {
    if (buffering_ == Buffering::kPerThread) throw Impossible{"an atomic access needs an empty store buffer"};
    if (store.epoch < state.epoch)
      throw Impossible{fmt::format("the store to {} before the last store-store fence is still in the buffer",
                                   program().cell_name(store.cell))};
    if (cell && store.cell == *cell)
      throw Impossible{fmt::format("an atomic access needs an empty store buffer for {}",
                                   program().cell_name(store.cell))};
  }
}

void Interpreter::need_in_range(CellId cell, Value value) const {
  const Object& object = program().object(program().object_of(cell));
  if (object.declared && !object.declared->contains(value))
    throw outside_range(program().cell_name(cell), value, *object.declared);
}

bool Interpreter::may_be_flushed(ThreadId thread, std::list<PendingStore>::const_iterator store) const {
  const auto& pending = threads_[thread.index()].pending;
  if (buffering_ == Buffering::kPerThread) return store == pending.begin();
  const bool oldest_of_cell =
      std::none_of(pending.begin(), store, [&](const PendingStore& s) { return s.cell == store->cell; });
  const bool first_epoch = std::none_of(pending.begin(), pending.end(),
                                        [&](const PendingStore& s) { return s.epoch < store->epoch; });
  return oldest_of_cell && first_epoch;
}

// ---- Queries
// ---------------------------------------------------------------------------------------------

bool Interpreter::ended(ThreadId thread) const { return instruction(thread).kind == InstrKind::kHalt; }

bool Interpreter::final() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (!ended(ThreadId(t)) || !threads_[t].pending.empty()) return false;
  return true;
}

std::optional<ThreadId> Interpreter::stopped_by_assume() const {
  for (size_t t = 0; t < threads_.size(); ++t) {
    const Instruction& i = instruction(ThreadId(t));
    if (i.kind == InstrKind::kAssume && value_of(ThreadId(t), i.a) == 0) return ThreadId(t);
  }
  return std::nullopt;
}

std::optional<ThreadId> Interpreter::ended_program() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (ended(ThreadId(t)) && instruction(ThreadId(t)).ends_program) return ThreadId(t);
  return std::nullopt;
}

bool Interpreter::any_step_possible() const {
  for (size_t t = 0; t < threads_.size(); ++t) {
    const auto& pending = threads_[t].pending;
    for (auto store = pending.begin(); store != pending.end(); ++store)
      if (may_be_flushed(ThreadId(t), store)) return true;
    if (can_execute(ThreadId(t))) return true;
  }
  return false;
}

bool Interpreter::can_execute(ThreadId thread) const {
  size_t budget =
      std::min<size_t>(100'000, 50'000'000 / (memory_.size() + 1));  // each alternative copies the memory
  if (instruction(thread).kind == InstrKind::kAtomicBegin) return can_finish_section(*this, thread, budget);
  if (choices(thread).lo != choices(thread).hi) return true;
  Interpreter copy = *this;
  try {
    copy.execute(thread, std::nullopt, 0);
    return true;
  } catch (const Impossible&) {
    return false;
  }
}

Range Interpreter::choices(ThreadId thread) const {
  const Instruction& i = instruction(thread);
  if (i.kind == InstrKind::kChoose) return {0, static_cast<Value>(i.next.size()) - 1};
  return i.kind == InstrKind::kHavoc ? i.havoc_range : Range::single(0);
}

// Is there a path through the section to its end, or to an error? Sections have no loops, so this ends.
bool Interpreter::can_finish_section(Interpreter machine, ThreadId thread, size_t& budget) {
  try {
    while (machine.choices(thread).lo == machine.choices(thread).hi) {
      const Effect effect = machine.execute(thread, std::nullopt, 0);
      if (!effect.error.none() || !machine.atomic_) return true;
    }
  } catch (const Impossible&) {
    return false;
  }
  const Range choices = machine.choices(thread);
  for (Value choice = choices.lo;; ++choice) {
    if (budget-- == 0) throw TooManyAlternatives{};
    Interpreter copy = machine;
    if (!copy.execute(thread, choice, 0).error.none()) return true;  // to choose is always possible
    if (can_finish_section(std::move(copy), thread, budget)) return true;
    if (choice == choices.hi) return false;
  }
}

Value Interpreter::formula(ExprId id) const {
  return evaluate_formula(program(), id,
                          {[this](CellId cell) { return memory_.at(cell).value; },
                           [this](ThreadId thread, RegId reg) { return registers(thread)[reg.index()]; },
                           [this](ThreadId thread) { return location(thread); }});
}

const Instruction& Interpreter::instruction(ThreadId thread) const {
  return overlay_->at(thread, threads_[thread.index()].at);
}

Value Interpreter::value_of(ThreadId thread, ExprId expr) const {
  const auto leaf = [&](const Expr& e, size_t index) -> Value {
    require(e.op == ExprOp::kReg || e.op == ExprOp::kRegAt, "an instruction that looks beyond its registers");
    return registers(thread)[e.reg.index() + index];
  };
  return evaluate_checked(program(), expr, leaf, thread);
}

CellId Interpreter::cell_at(ThreadId thread, const Address& address) const {
  const Object& object = program().object(address.object);
  const size_t offset = checked_offset(value_of(thread, address.offset), object, address.bytes);
  return CellId(object.first_cell.index() + offset);
}

std::vector<BufferedStore> Interpreter::buffer(ThreadId thread) const {
  std::vector<BufferedStore> entries;
  for (const PendingStore& store : threads_[thread.index()].pending)
    entries.push_back({store.cell, store.value, store.step});
  return entries;
}

std::vector<Value> Interpreter::memory() const {
  std::vector<Value> values;
  for (const auto& [cell, content] : memory_) values.push_back(content.value);
  return values;
}

}  // namespace fenceline::check
