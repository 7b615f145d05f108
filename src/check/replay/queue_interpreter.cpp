// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/replay/queue_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "env/errors.h"

namespace fenceline::check {

QueueInterpreter::QueueInterpreter(const Overlay& overlay, const ReorderTable& table)
    : overlay_(overlay), table_(table) {
  for (const Value value : program().initial_memory()) memory_.push_back({value, std::nullopt});
  for (const Thread& thread : program().threads) {
    ThreadState state;
    state.at = thread.entry;
    for (const Register& reg : thread.registers) state.registers.push_back(known(reg.init));
    threads_.push_back(std::move(state));
  }
}

// ---- Values

QueueInterpreter::FuturePtr QueueInterpreter::known(Value value) {
  auto future = std::make_shared<Future>();
  future->value = value;
  return future;
}

QueueInterpreter::FuturePtr QueueInterpreter::later(ThreadId thread, ExprId expr) const {
  auto future = std::make_shared<Future>();
  future->expr = expr;
  future->operands = threads_[thread.index()].registers;
  return future;
}

void QueueInterpreter::evaluate(Future& future, ThreadId thread) const {
  if (future.value || !future.error.none() || !future.expr.valid()) return;
  try {
    need_operands(future, future.expr, thread);
    future.value = evaluate_checked(
        program(), future.expr,
        [&](const Expr& leaf, size_t index) {
          return value_of(future.operands[leaf.reg.index() + index], thread);
        },
        thread);
  } catch (const NotYet&) {
  } catch (const ProgramError& error) {
    future.error = error;
  }
}

Value QueueInterpreter::value_of(const FuturePtr& future, ThreadId thread) const {
  evaluate(*future, thread);
  if (!future->value) throw NotYet{};
  return *future->value;
}

// Known is what is made of known values: also where && and || would not look at all of them.
void QueueInterpreter::need_operands(const Future& future, ExprId expr, ThreadId thread) const {
  const Expr& e = program().expr(expr);
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid()) need_operands(future, operand, thread);
  if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
  std::optional<Value> index = 0;
  if (e.op == ExprOp::kRegAt) {
    Future part{std::nullopt, e.a, future.operands, {}};
    evaluate(part, thread);
    if (!part.value && part.error.none()) throw NotYet{};
    index = part.value;  // none: it is an error, if the expression looks at it
    if (index && (*index < 0 || *index >= static_cast<Value>(e.count))) index.reset();
  }
  for (size_t i = 0; i < e.count; ++i)
    if (!index || *index == static_cast<Value>(i)) value_of(future.operands[e.reg.index() + i], thread);
}

std::optional<Value> QueueInterpreter::try_value(const FuturePtr& future, ThreadId thread) const {
  evaluate(*future, thread);
  return future->value;
}

QueueInterpreter::FuturePtr QueueInterpreter::now(ThreadId thread, ExprId expr, const char* too_early) const {
  FuturePtr future = later(thread, expr);
  evaluate(*future, thread);
  if (!future->value && future->error.none()) throw Impossible{too_early};
  return future;
}

Value QueueInterpreter::need_value(const FuturePtr& future) {
  if (!future->error.none()) throw ProgramError(future->error);
  return future->value.value();
}

RegId QueueInterpreter::register_of(const Dest& dest, const FuturePtr& index, ThreadId thread) const {
  if (!dest.is_element()) return dest.reg;
  return RegId(dest.reg.index() +
               checked_index(need_value(index), dest.count, local_array_name(program(), thread, dest.reg)));
}

void QueueInterpreter::check_register(ThreadId thread, RegId reg, Value value) const {
  const Register& declaration = program().thread(thread).registers[reg.index()];
  if (declaration.declared && !declaration.declared->contains(value))
    throw outside_range(declaration.name, value, *declaration.declared);
}

void QueueInterpreter::check_cell(CellId cell, Value value) const {
  const Object& object = program().object(program().object_of(cell));
  if (object.declared && !object.declared->contains(value))
    throw outside_range(program().cell_name(cell), value, *object.declared);
}

// ---- What is pending

AccessKind QueueInterpreter::kind_of(const Item& item, ThreadId thread) const {
  const InstrKind kind = instruction(item, thread).kind;
  return kind == InstrKind::kLoad    ? AccessKind::kLoad
         : kind == InstrKind::kStore ? AccessKind::kStore
                                     : AccessKind::kRmw;
}

void QueueInterpreter::need_none(ThreadId thread, AccessKind kind, const char* who) const {
  for (const Item& item : threads_[thread.index()].items) {
    if (item.kind != Item::kAccess || !item.error.none()) continue;
    const AccessKind access = kind_of(item, thread);
    if (access == kind || access == AccessKind::kRmw)
      throw Impossible{fmt::format("{} waits for an access that was issued before", who)};
  }
}

void QueueInterpreter::need_end(ThreadId thread) const {
  need_none(thread, AccessKind::kStore, "the end of a transaction");
  for (const Item& item : threads_[thread.index()].items)
    if (item.kind == Item::kAccess && item.error.none() && transactional_variable(program(), item.cell))
      throw Impossible{"the end of a transaction waits for a load of its variables"};
}

// A guess, or an assertion, whose condition is pending.
bool QueueInterpreter::undecided(ThreadId thread, const Item& item) const {
  return (item.kind == Item::kGuess || item.kind == Item::kAssert) && item.error.none() &&
         !try_value(item.a, thread);
}

bool QueueInterpreter::open(ThreadId thread) const {
  const std::list<Item>& items = threads_[thread.index()].items;
  return std::any_of(items.begin(), items.end(),
                     [&](const Item& item) { return !item.error.none() || undecided(thread, item); });
}

bool QueueInterpreter::failed_guess() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    for (const Item& item : threads_[t].items) {
      if (item.kind != Item::kGuess) continue;
      const std::optional<Value> condition = try_value(item.a, ThreadId(t));
      if (condition && (*condition != 0) != item.expected) return true;
    }
  return false;
}

// ---- Errors

void QueueInterpreter::fail(ThreadId thread, const ProgramError& error) {
  Item item;
  item.kind = Item::kStep;
  item.point = threads_[thread.index()].at;
  item.error = error;
  threads_[thread.index()].items.push_back(std::move(item));
}

// In program order, so that what fails is no longer the value of any register when later entries are looked
// at.
void QueueInterpreter::settle(ThreadId thread) {
  for (Item& item : threads_[thread.index()].items) {
    if (!item.error.none()) continue;
    try {
      settle(thread, item);
    } catch (const ProgramError& error) {
      item.error = error;
      if (!item.result) continue;
      item.result->value.reset();
      item.result->error = error;
    }
  }
}

void QueueInterpreter::settle(ThreadId thread, Item& item) const {
  const auto look_at = [&](const FuturePtr& future) -> std::optional<Value> {
    if (!future) return std::nullopt;
    evaluate(*future, thread);
    if (!future->error.none()) throw ProgramError(future->error);
    return future->value;
  };
  switch (item.kind) {
    case Item::kGuess:
      look_at(item.a);
      return;
    case Item::kAssert: {
      const Instruction& assertion = instruction(item, thread);
      if (look_at(item.a) == Value{0}) throw failed_assertion(assertion);
      return;
    }
    case Item::kAssign:
      if (const std::optional<Value> value = look_at(item.result)) check_register(thread, item.dest, *value);
      return;
    case Item::kAccess: {
      // The operands of an rmw are known together, and then none of them may be an error.
      const AccessKind kind = kind_of(item, thread);
      if (kind == AccessKind::kLoad) return;
      for (const FuturePtr& operand : {item.a, item.b}) {
        if (operand) evaluate(*operand, thread);
        if (operand && !operand->value && operand->error.none()) return;
      }
      const std::optional<Value> a = look_at(item.a);
      look_at(item.b);
      if (kind == AccessKind::kStore) check_cell(item.cell, a.value());
      return;
    }
    case Item::kFence:
    case Item::kStep:
      return;
  }
}

// That of the first entry which fails, unless it is open whether the thread gets there.
ProgramError QueueInterpreter::error_of(ThreadId thread) const {
  for (const Item& item : threads_[thread.index()].items) {
    if (undecided(thread, item)) return {};
    if (!item.error.none()) return item.error;
  }
  return {};
}

bool QueueInterpreter::final() const {
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (overlay_.at(ThreadId(t), threads_[t].at).kind != InstrKind::kHalt || open(ThreadId(t))) return false;
    for (const Item& item : threads_[t].items)
      if (item.kind == Item::kAccess) return false;
  }
  return true;
}

// ---- Steps

void QueueInterpreter::go(ThreadId thread, size_t slot) {
  ThreadState& state = threads_[thread.index()];
  state.at = overlay_.next(thread, state.at, slot);
}

Effect QueueInterpreter::execute(ThreadId thread, std::optional<Value> chosen, size_t step) {
  const Instruction& i = overlay_.at(thread, threads_[thread.index()].at);
  Effect effect;
  try {
    run(thread, i, chosen, step, effect);
  } catch (const ProgramError& error) {
    fail(thread, error);
    go(thread);
  }
  settle(thread);
  effect.error = error_of(thread);
  return effect;
}

void QueueInterpreter::fence(ThreadId thread, FenceKinds kinds) {
  if (kinds.has_process_wide()) throw Impossible{"a queue has no `sync`"};
  if (kinds.includes(FenceKinds::full())) {
    need_none(thread, AccessKind::kLoad, "the fence");
    need_none(thread, AccessKind::kStore, "the fence");
    return;
  }
  Item item;
  item.kind = Item::kFence;
  item.point = threads_[thread.index()].at;
  threads_[thread.index()].items.push_back(std::move(item));
}

void QueueInterpreter::branch_or_assume(ThreadId thread, const Instruction& i, std::optional<Value> chosen,
                                        size_t step) {
  const FuturePtr condition = later(thread, i.a);
  evaluate(*condition, thread);
  const bool branch = i.kind == InstrKind::kBranch;
  if (!condition->value && condition->error.none()) {
    guess(thread, i, branch ? chosen : 1, step);
    return go(thread, branch && *chosen == 0 ? 1 : 0);
  }
  const bool holds = need_value(condition) != 0;
  if (!branch && !holds) throw Impossible{"the assumption does not hold"};
  go(thread, holds ? 0 : 1);
}

// Throws ProgramError before it changes anything.
void QueueInterpreter::run(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step,
                           Effect& effect) {
  ThreadState& state = threads_[thread.index()];
  const auto index_of = [&](const Dest& dest) {
    return dest.is_element() ? now(thread, dest.index, "the index of its result is not known yet") : nullptr;
  };
  switch (i.kind) {
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kRmw:
      issue(thread, i, step, effect);
      break;
    case InstrKind::kFence:
      fence(thread, i.fence);
      break;
    case InstrKind::kAssign: {
      Item item;
      item.kind = Item::kAssign;
      item.point = state.at;
      item.dest = register_of(i.dest, index_of(i.dest), thread);
      item.result = later(thread, i.a);
      state.registers[item.dest.index()] = item.result;
      state.items.push_back(std::move(item));
      break;
    }
    case InstrKind::kBranch:
    case InstrKind::kAssume:
      return branch_or_assume(thread, i, chosen, step);
    case InstrKind::kAssert: {
      Item item;
      item.kind = Item::kAssert;
      item.point = state.at;
      item.a = later(thread, i.a);
      state.items.push_back(std::move(item));
      break;
    }
    case InstrKind::kChoose:
      if (!chosen || *chosen < 0 || static_cast<uint64_t>(*chosen) >= i.next.size())
        throw Impossible{"the trace does not say which branch is chosen"};
      effect.chosen = chosen;
      return go(thread, static_cast<size_t>(*chosen));
    case InstrKind::kHavoc: {
      const RegId reg = register_of(i.dest, index_of(i.dest), thread);
      if (!chosen || !i.havoc_range.contains(*chosen))
        throw Impossible{"the trace does not say which value is chosen"};
      effect.chosen = chosen;
      check_register(thread, reg, *chosen);
      state.registers[reg.index()] = known(*chosen);
      break;
    }
    case InstrKind::kMark:
      if (!i.history) break;
      if (*i.history == HistoryOp::kRfin)
        need_none(thread, AccessKind::kLoad, "the end of a read");
      else
        need_end(thread);
      if (open(thread)) throw Impossible{"it is not known yet whether the thread gets here"};
      break;
    case InstrKind::kAtomicBegin:
      need_one_load(thread);
      break;
    case InstrKind::kAtomicEnd:
      break;
    case InstrKind::kHalt:
      throw Impossible{"the thread has ended"};
  }
  go(thread);
}

// An atomic section takes effect at once, and the accesses of a queue do so one by one: the two agree only on
// sections in which one load at most is executed.
void QueueInterpreter::need_one_load(ThreadId thread) const {
  const std::function<void(Point, bool)> visit = [&](Point point, bool loaded) {  // sections have no loops
    const Instruction& i = overlay_.at(thread, point);
    if (i.kind == InstrKind::kAtomicEnd) return;
    if (i.writes_memory() || i.kind == InstrKind::kFence || (loaded && i.reads_memory()))
      throw Impossible{"a queue has no atomic sections with more than a load in them"};
    for (size_t slot = 0; slot < i.next.size(); ++slot)
      visit(overlay_.next(thread, point, slot), loaded || i.reads_memory());
  };
  visit(overlay_.next(thread, threads_[thread.index()].at, 0), false);
}

// Needs the address and the index of its result before it reports an error in one of them.
void QueueInterpreter::issue(ThreadId thread, const Instruction& i, size_t step, Effect& effect) {
  ThreadState& state = threads_[thread.index()];
  const Object& object = program().object(i.address.object);
  const FuturePtr offset = now(thread, i.address.offset, "its address is not known yet");
  FuturePtr index;
  if (i.dest.valid() && i.dest.is_element())
    index = now(thread, i.dest.index, "the index of its result is not known yet");
  Item item;
  item.step = step;
  item.point = state.at;
  item.cell = CellId(object.first_cell.index() + checked_offset(need_value(offset), object, i.address.bytes));
  if (i.dest.valid()) item.dest = register_of(i.dest, index, thread);
  if (i.a.valid()) item.a = later(thread, i.a);
  if (i.b.valid()) item.b = later(thread, i.b);
  if (i.dest.valid()) {
    item.result = std::make_shared<Future>();
    state.registers[item.dest.index()] = item.result;
  }
  effect.cell = item.cell;
  state.items.push_back(std::move(item));
}

void QueueInterpreter::guess(ThreadId thread, const Instruction& i, std::optional<Value> chosen,
                             size_t step) {
  if (!table_.guesses_branches || !chosen) throw Impossible{"its operands have not been loaded yet"};
  Item item;
  item.kind = Item::kGuess;
  item.step = step;
  item.point = threads_[thread.index()].at;
  item.a = later(thread, i.a);
  item.expected = *chosen != 0;
  threads_[thread.index()].items.push_back(std::move(item));
}

Effect QueueInterpreter::perform(ThreadId thread, Point point, size_t older, size_t step, Passing& passing) {
  std::list<Item>& items = threads_[thread.index()].items;
  auto chosen = items.begin();
  for (;; ++chosen) {
    if (chosen == items.end()) throw Impossible{"no such access is pending"};
    if (chosen->kind == Item::kAccess && chosen->point == point && older-- == 0) break;
  }
  const AccessKind kind = kind_of(*chosen, thread);
  const auto is = [](AccessKind access, AccessKind wanted) {
    return access == wanted || access == AccessKind::kRmw;
  };
  const Item* source = nullptr;
  std::vector<AccessKind> before;  // the kinds of what is still pending
  for (auto item = items.begin(); item != chosen; ++item) {
    if (!item->error.none()) throw Impossible{"a step before it has failed"};
    if (item->kind == Item::kGuess) {
      if (kind != AccessKind::kLoad && undecided(thread, *item))
        throw Impossible{"it is not known yet whether the thread gets here"};
    } else if (item->kind == Item::kFence) {
      const FenceKinds fence = instruction(*item, thread).fence;
      for (const AccessKind earlier : before) {
        const bool loads = is(earlier, AccessKind::kLoad), stores = is(earlier, AccessKind::kStore);
        const bool load = is(kind, AccessKind::kLoad), store = is(kind, AccessKind::kStore);
        if ((loads && load && fence.has_load_load()) || (loads && store && fence.has_load_store()) ||
            (stores && load && fence.has_store_load()) || (stores && store && fence.has_store_store()))
          throw Impossible{"a fence keeps it behind an access that is still pending"};
      }
    } else if (item->kind == Item::kAccess) {
      const AccessKind earlier = kind_of(*item, thread);
      before.push_back(earlier);
      const Reorder reorder = table_.at(earlier, kind, item->cell == chosen->cell);
      if (reorder == Reorder::kKeep)
        throw Impossible{"the model keeps it behind an access that is still pending"};
      if (reorder == Reorder::kForward) source = &*item;
      passing.overtaken.push_back(item->step);
    }
  }
  if (!chosen->error.none()) throw Impossible{"it has failed"};
  Effect effect;
  effect.cell = chosen->cell;
  effect.stored_by = passing.issued_by = chosen->step;
  effect.dest = chosen->dest;
  try {
    take_effect(thread, *chosen, source, step, effect);
    if (chosen->kind == Item::kAccess) items.erase(chosen);
  } catch (const ProgramError& error) {
    chosen->error = error;
    if (chosen->result) chosen->result->error = error;
  }
  settle(thread);
  effect.error = error_of(thread);
  return effect;
}

// Throws ProgramError before it changes anything. A load that is answered by a store whose value is not known
// becomes an assignment.
void QueueInterpreter::take_effect(ThreadId thread, Item& item, const Item* source, size_t step,
                                   Effect& effect) {
  const Instruction& i = instruction(item, thread);
  MemoryCell& memory = memory_[item.cell.index()];
  const auto need = [&](const FuturePtr& future) {
    const std::optional<Value> value = try_value(future, thread);
    if (!value) throw Impossible{"its value is not known yet"};
    return *value;
  };
  const auto give = [&](Value value) {
    effect.result = value;
    if (!item.result) return;
    check_register(thread, item.dest, value);
    item.result->value = value;
  };
  switch (kind_of(item, thread)) {
    case AccessKind::kLoad:
      if (source == nullptr) {
        effect.value = memory.value;
        effect.reads_from = memory.writer;
        return give(memory.value);
      }
      effect.from_own_buffer = true;
      effect.reads_from = source->step;
      effect.value = try_value(source->a, thread);
      if (effect.value) return give(*effect.value);
      if (!item.result) return;
      item.kind = Item::kAssign;
      item.result->expr = source->a->expr;
      item.result->operands = source->a->operands;
      return;
    case AccessKind::kStore:
      effect.value = need(item.a);
      memory = {*effect.value, step};
      return;
    case AccessKind::kRmw:
      break;
  }
  const Value old = memory.value, a = need(item.a), b = item.b ? need(item.b) : 0;
  effect.value = old;
  effect.a = a;
  effect.b = b;
  effect.reads_from = memory.writer;
  Value result = old;
  if (is_cas(i.rmw)) {
    if (i.rmw == RmwOp::kCas) result = old == a ? 1 : 0;
    if (old == a) effect.written = b;
  } else {
    effect.written = i.rmw == RmwOp::kXchg ? a : fetched(i, old, a);
  }
  if (effect.written) check_cell(item.cell, *effect.written);
  give(result);
  if (effect.written) memory = {*effect.written, step};
}

// ---- At the end

Value QueueInterpreter::formula(ExprId id) const {
  return evaluate_formula(program(), id,
                          {[this](CellId cell) { return memory_[cell.index()].value; },
                           [this](ThreadId thread, RegId reg) { return registers(thread)[reg.index()]; },
                           [this](ThreadId thread) { return location(thread); }});
}

std::vector<Value> QueueInterpreter::memory() const {
  std::vector<Value> values;
  for (const MemoryCell& cell : memory_) values.push_back(cell.value);
  return values;
}

std::vector<Value> QueueInterpreter::registers(ThreadId thread) const {
  std::vector<Value> values;
  for (const FuturePtr& reg : threads_[thread.index()].registers)
    values.push_back(try_value(reg, thread).value_or(0));
  return values;
}

}  // namespace fenceline::check
