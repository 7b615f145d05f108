// SPDX-License-Identifier: GPL-3.0-or-later
#include "witness/queue_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"

namespace fenceline {

QueueMachine::QueueMachine(const Overlay& overlay, const ReorderTable& table)
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

QueueMachine::FuturePtr QueueMachine::known(Value value) {
  auto future = std::make_shared<Future>();
  future->value = value;
  return future;
}

QueueMachine::FuturePtr QueueMachine::later(ThreadId thread, ExprId expr) const {
  auto future = std::make_shared<Future>();
  future->expr = expr;
  future->operands = threads_[thread.index()].registers;
  return future;
}

Value QueueMachine::value_of(const FuturePtr& future, ThreadId thread) const {
  if (!future->value) {
    if (!future->expr.valid()) throw NotYet{};
    need_operands(*future, future->expr, thread);
    future->value = calculate(
        program(), future->expr,
        [&](const Expr& leaf, size_t index) {
          return value_of(future->operands[leaf.reg.index() + index], thread);
        },
        thread);
  }
  return *future->value;
}

// Known is what is made of known values: also where && and || would not look at all of them.
void QueueMachine::need_operands(const Future& future, ExprId expr, ThreadId thread) const {
  const Expr& e = program().expr(expr);
  for (const ExprId operand : {e.a, e.b, e.c})
    if (operand.valid()) need_operands(future, operand, thread);
  if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
  std::optional<Value> index = 0;
  if (e.op == ExprOp::kRegAt) {
    const auto part = std::make_shared<Future>(Future{std::nullopt, e.a, future.operands});
    try {
      index = value_of(part, thread);
    } catch (const ProgramError&) {  // perhaps nobody looks at it
    }
    if (index && (*index < 0 || *index >= static_cast<Value>(e.count))) index.reset();
  }
  for (size_t i = 0; i < e.count; ++i)
    if (!index || *index == static_cast<Value>(i)) value_of(future.operands[e.reg.index() + i], thread);
}

std::optional<Value> QueueMachine::try_value(const FuturePtr& future, ThreadId thread) const {
  try {
    return value_of(future, thread);
  } catch (const NotYet&) {
    return std::nullopt;
  }
}

RegId QueueMachine::register_of(ThreadId thread, const Dest& dest) const {
  if (!dest.is_element()) return dest.reg;
  const std::optional<Value> index = try_value(later(thread, dest.index), thread);
  if (!index) throw Impossible{"the index of its result is not known yet"};
  return RegId(dest.reg.index() +
               checked_index(*index, dest.count, local_array_name(program(), thread, dest.reg)));
}

void QueueMachine::check_register(ThreadId thread, RegId reg, Value value) const {
  const Register& declaration = program().thread(thread).registers[reg.index()];
  if (declaration.declared && !declaration.declared->contains(value))
    throw ProgramError{fmt::format("{} = {} is outside its range {}..{}", declaration.name, value,
                                   declaration.declared->lo, declaration.declared->hi)};
}

void QueueMachine::check_cell(CellId cell, Value value) const {
  const Object& object = program().object(program().object_of(cell));
  if (object.declared && !object.declared->contains(value))
    throw ProgramError{fmt::format("{} = {} is outside its range {}..{}", program().cell_name(cell), value,
                                   object.declared->lo, object.declared->hi)};
}

// ---- What waits

AccessKind QueueMachine::kind_of(const Item& item, ThreadId thread) const {
  const InstrKind kind = instruction(item, thread).kind;
  return kind == InstrKind::kLoad    ? AccessKind::kLoad
         : kind == InstrKind::kStore ? AccessKind::kStore
                                     : AccessKind::kRmw;
}

void QueueMachine::need_none(ThreadId thread, AccessKind kind, const char* who) const {
  for (const Item& item : threads_[thread.index()].items) {
    if (item.kind != Item::kAccess) continue;
    const AccessKind access = kind_of(item, thread);
    if (access == kind || access == AccessKind::kRmw)
      throw Impossible{fmt::format("{} waits for an access that was issued before", who)};
  }
}

void QueueMachine::need_end(ThreadId thread) const {
  need_none(thread, AccessKind::kStore, "the end of a transaction");
  for (const Item& item : threads_[thread.index()].items)
    if (item.kind == Item::kAccess && transactional_variable(program(), item.cell))
      throw Impossible{"the end of a transaction waits for a load of its variables"};
}

bool QueueMachine::guesses_open(ThreadId thread) const {
  const std::list<Item>& items = threads_[thread.index()].items;
  return std::any_of(items.begin(), items.end(), [&](const Item& item) {
    return item.kind == Item::kGuess && !try_value(item.a, thread);
  });
}

bool QueueMachine::wrong_guess() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    for (const Item& item : threads_[t].items) {
      if (item.kind != Item::kGuess) continue;
      const std::optional<Value> condition = try_value(item.a, ThreadId(t));
      if (condition && (*condition != 0) != item.expected) return true;
    }
  return false;
}

// Throws ProgramError for an assertion that is known to fail.
void QueueMachine::check_assertions(ThreadId thread) const {
  for (const Item& item : threads_[thread.index()].items) {
    if (item.kind == Item::kGuess && !try_value(item.a, thread)) return;
    if (item.kind != Item::kAssert) continue;
    const std::optional<Value> condition = try_value(item.a, thread);
    if (condition && *condition == 0) {
      const Instruction& assertion = instruction(item, thread);
      throw ProgramError{assertion.label.empty() ? kAssertionFails : assertion.label};
    }
  }
}

bool QueueMachine::final() const {
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (overlay_.at(ThreadId(t), threads_[t].at).kind != InstrKind::kHalt) return false;
    for (const Item& item : threads_[t].items)
      if (item.kind == Item::kAccess) return false;
  }
  return true;
}

// ---- Steps

void QueueMachine::go(ThreadId thread, size_t slot) {
  ThreadState& state = threads_[thread.index()];
  state.at = overlay_.next(thread, state.at, slot);
}

Effect QueueMachine::execute(ThreadId thread, std::optional<Value> chosen, size_t step) {
  ThreadState& state = threads_[thread.index()];
  const Instruction& i = overlay_.at(thread, state.at);
  Effect effect;
  switch (i.kind) {
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kRmw:
      issue(thread, i, step, effect);
      break;
    case InstrKind::kFence:
      if (i.fence.has_everybody()) throw Impossible{"a queue has no `sync`"};
      if (i.fence.includes(FenceKinds::full())) {
        need_none(thread, AccessKind::kLoad, "the fence");
        need_none(thread, AccessKind::kStore, "the fence");
      } else {
        Item item;
        item.kind = Item::kFence;
        item.point = state.at;
        state.items.push_back(std::move(item));
      }
      break;
    case InstrKind::kAssign: {
      const RegId reg = register_of(thread, i.dest);
      const FuturePtr value = later(thread, i.a);
      if (const std::optional<Value> now = try_value(value, thread)) check_register(thread, reg, *now);
      state.registers[reg.index()] = value;
      break;
    }
    case InstrKind::kBranch: {
      const std::optional<Value> condition = try_value(later(thread, i.a), thread);
      if (!condition) guess(thread, i, chosen, step);
      return go(thread, (condition ? *condition : *chosen) != 0 ? 0 : 1), effect;
    }
    case InstrKind::kAssume: {
      const std::optional<Value> condition = try_value(later(thread, i.a), thread);
      if (!condition) guess(thread, i, 1, step);
      if (condition && *condition == 0) throw Impossible{"the assumption does not hold"};
      break;
    }
    case InstrKind::kAssert: {
      Item item;
      item.kind = Item::kAssert;
      item.point = state.at;
      item.a = later(thread, i.a);
      state.items.push_back(std::move(item));
      check_assertions(thread);
      break;
    }
    case InstrKind::kChoose:
      if (!chosen || *chosen < 0 || static_cast<uint64_t>(*chosen) >= i.next.size())
        throw Impossible{"the trace does not say which branch is chosen"};
      effect.chosen = chosen;
      return go(thread, static_cast<size_t>(*chosen)), effect;
    case InstrKind::kHavoc: {
      if (!chosen || !i.havoc_range.contains(*chosen))
        throw Impossible{"the trace does not say which value is chosen"};
      effect.chosen = chosen;
      const RegId reg = register_of(thread, i.dest);
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
      if (guesses_open(thread)) throw Impossible{"it is not known yet whether the thread gets here"};
      break;
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
      throw Impossible{"a queue has no atomic sections"};
    case InstrKind::kHalt:
      throw Impossible{"the thread has ended"};
  }
  go(thread);
  return effect;
}

void QueueMachine::issue(ThreadId thread, const Instruction& i, size_t step, Effect& effect) {
  ThreadState& state = threads_[thread.index()];
  const Object& object = program().object(i.address.object);
  const std::optional<Value> offset = try_value(later(thread, i.address.offset), thread);
  if (!offset) throw Impossible{"its address is not known yet"};
  Item item;
  item.step = step;
  item.point = state.at;
  item.cell = CellId(object.first_cell.index() + checked_offset(*offset, object, i.address.bytes));
  if (i.a.valid()) item.a = later(thread, i.a);
  if (i.b.valid()) item.b = later(thread, i.b);
  if (i.dest.valid()) {
    item.dest = register_of(thread, i.dest);
    item.result = std::make_shared<Future>();
    state.registers[item.dest.index()] = item.result;
  }
  if (i.kind == InstrKind::kStore)
    if (const std::optional<Value> value = try_value(item.a, thread)) check_cell(item.cell, *value);
  effect.cell = item.cell;
  state.items.push_back(std::move(item));
}

void QueueMachine::guess(ThreadId thread, const Instruction& i, std::optional<Value> chosen, size_t step) {
  if (!table_.guesses_branches || !chosen) throw Impossible{"what it looks at has not been loaded yet"};
  Item item;
  item.kind = Item::kGuess;
  item.step = step;
  item.point = threads_[thread.index()].at;
  item.a = later(thread, i.a);
  item.expected = *chosen != 0;
  threads_[thread.index()].items.push_back(std::move(item));
}

Effect QueueMachine::perform(ThreadId thread, Point point, size_t older, size_t step, Passing& passing) {
  std::list<Item>& items = threads_[thread.index()].items;
  auto chosen = items.begin();
  for (;; ++chosen) {
    if (chosen == items.end()) throw Impossible{"no such access waits"};
    if (chosen->kind == Item::kAccess && chosen->point == point && older-- == 0) break;
  }
  const AccessKind kind = kind_of(*chosen, thread);
  const auto is = [](AccessKind access, AccessKind wanted) {
    return access == wanted || access == AccessKind::kRmw;
  };
  const Item* source = nullptr;
  std::vector<AccessKind> before;  // the kinds of what still waits
  for (auto item = items.begin(); item != chosen; ++item) {
    if (item->kind == Item::kGuess) {
      if (kind != AccessKind::kLoad && !try_value(item->a, thread))
        throw Impossible{"it is not known yet whether the thread gets here"};
    } else if (item->kind == Item::kFence) {
      const FenceKinds fence = instruction(*item, thread).fence;
      for (const AccessKind earlier : before) {
        const bool loads = is(earlier, AccessKind::kLoad), stores = is(earlier, AccessKind::kStore);
        const bool load = is(kind, AccessKind::kLoad), store = is(kind, AccessKind::kStore);
        if ((loads && load && fence.has_load_load()) || (loads && store && fence.has_load_store()) ||
            (stores && load && fence.has_store_load()) || (stores && store && fence.has_store_store()))
          throw Impossible{"a fence keeps it behind an access that still waits"};
      }
    } else if (item->kind == Item::kAccess) {
      const AccessKind earlier = kind_of(*item, thread);
      before.push_back(earlier);
      const Reorder reorder = table_.at(earlier, kind, item->cell == chosen->cell);
      if (reorder == Reorder::kKeep) throw Impossible{"the model keeps it behind an access that still waits"};
      if (reorder == Reorder::kForward) source = &*item;
      passing.overtaken.push_back(item->step);
    }
  }
  const Instruction& i = instruction(*chosen, thread);
  Effect effect;
  effect.cell = chosen->cell;
  effect.stored_by = passing.issued_by = chosen->step;
  effect.dest = chosen->dest;
  MemoryCell& memory = memory_[chosen->cell.index()];
  const auto need = [&](const FuturePtr& future) {
    const std::optional<Value> value = try_value(future, thread);
    if (!value) throw Impossible{"its value is not known yet"};
    return *value;
  };
  const auto give = [&](Value value) {
    effect.result = value;
    if (!chosen->result) return;
    check_register(thread, chosen->dest, value);
    chosen->result->value = value;
  };
  if (kind == AccessKind::kLoad && source != nullptr) {
    effect.from_own_buffer = true;
    effect.reads_from = source->step;
    const std::optional<Value> value = try_value(source->a, thread);
    if (value) {
      effect.value = value;
      give(*value);
    } else if (chosen->result) {
      chosen->result->expr = source->a->expr;
      chosen->result->operands = source->a->operands;
    }
  } else if (kind == AccessKind::kLoad) {
    effect.value = memory.value;
    effect.reads_from = memory.writer;
    give(memory.value);
  } else if (kind == AccessKind::kStore) {
    effect.value = need(chosen->a);
    check_cell(chosen->cell, *effect.value);
    memory = {*effect.value, step};
  } else {
    const Value old = memory.value, a = need(chosen->a), b = chosen->b ? need(chosen->b) : 0;
    effect.value = old;
    effect.a = a;
    effect.b = b;
    effect.reads_from = memory.writer;
    Value result = old;
    if (is_cas(i.rmw)) {
      if (i.rmw == RmwOp::kCas) result = old == a ? 1 : 0;
      if (old == a) effect.written = b;
    } else {
      effect.written = i.rmw == RmwOp::kXchg ? a : fetched(i.rmw, old, a);
    }
    if (effect.written) {
      check_cell(chosen->cell, *effect.written);
      memory = {*effect.written, step};
    }
    give(result);
  }
  items.erase(chosen);
  check_assertions(thread);
  return effect;
}

// ---- At the end

Value QueueMachine::formula(ExprId id) const {
  return calculate(program(), id, [&](const Expr& leaf, size_t index) -> Value {
    switch (leaf.op) {
      case ExprOp::kCell:
        return memory_[program().object(leaf.object).first_cell.index() + index].value;
      case ExprOp::kThreadReg:
      case ExprOp::kThreadRegAt:
        return registers(leaf.thread)[leaf.reg.index() + index];
      case ExprOp::kAt:
        return where(leaf.thread) == leaf.point;
      default:
        throw Bug("a property that reads a register of no thread");
    }
  });
}

std::vector<Value> QueueMachine::memory() const {
  std::vector<Value> values;
  for (const MemoryCell& cell : memory_) values.push_back(cell.value);
  return values;
}

std::vector<Value> QueueMachine::registers(ThreadId thread) const {
  std::vector<Value> values;
  for (const FuturePtr& reg : threads_[thread.index()].registers)
    values.push_back(try_value(reg, thread).value_or(0));
  return values;
}

}  // namespace fenceline
