// SPDX-License-Identifier: GPL-3.0-or-later
//
// The normal form of abstract states: dead registers are projected out, explicit variables have values, all
// others have a dimension of their own, numbered in a fixed order. Then states of the same partition have the
// same terms, and their abstract elements can be compared and joined.
#include "engine/numeric/abstract_machine.h"
#include "env/errors.h"

namespace fenceline::numeric {
namespace {

void put(std::string& partition, uint64_t number) {
  partition.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

// Every term of the state, with whether it has to be a value and what is known of it from the start.
template <class F>
void AbstractMachine::for_each_term(AbstractState& state, const F& f) const {
  const auto about = [&](CellId cell, NumericTerm& term) {
    f(term, plan_.explicit_cell(cell), plan_.cell_range(cell));
  };
  for (size_t c = 0; c < state.memory.size(); ++c)
    if (state.memory[c]) about(CellId(c), *state.memory[c]);
  for (size_t t = 0; t < state.registers.size(); ++t)
    for (size_t r = 0; r < state.registers[t].size(); ++r)
      if (state.registers[t][r])
        f(*state.registers[t][r], plan_.explicit_register(ThreadId(t), RegId(r)),
          plan_.register_range(ThreadId(t), RegId(r)));
  for (NumericBuffer& buffer : state.buffers) {
    for (NumericEntry& entry : buffer.entries) about(entry.cell, entry.value);
    for (NumericTail& tail : buffer.tail) {
      about(tail.cell, tail.newest);
      about(tail.cell, tail.low);
      about(tail.cell, tail.high);
    }
  }
}

void AbstractMachine::normalized(AbstractState state, const Sink& sink) const {
  for (size_t t = 0; t < plan_.threads(); ++t)
    for (size_t r = 0; r < state.registers[t].size(); ++r)
      if (!plan_.live(ThreadId(t), state.locations[t], RegId(r))) state.registers[t][r].reset();
  States split;
  split_explicit(std::move(state), split);
  for (AbstractState& one : split) {
    order_dimensions(one);
    std::string partition = partition_of(one);
    if (!one.element.empty()) sink.reached({std::move(partition), std::move(one)});
  }
}

// What has to be a value and is a dimension becomes each of its values.
void AbstractMachine::split_explicit(AbstractState state, States& out) const {
  States todo;
  todo.push_back(std::move(state));
  while (!todo.empty()) {
    AbstractState now = std::move(todo.back());
    todo.pop_back();
    std::optional<Dimension> unsettled;
    Range range;
    for_each_term(now, [&](NumericTerm& term, bool is_explicit, Range known) {
      if (unsettled || !is_explicit || std::holds_alternative<Value>(term.what)) return;
      unsettled = std::get<Dimension>(term.what);
      range = known;
    });
    if (!unsettled) {
      out.push_back(std::move(now));
      continue;
    }
    for (ConstantCase& one : constants(Linear::dimension(*unsettled), range, now.element)) {
      AbstractState next = now;
      next.element = std::move(one.element);
      for_each_term(next, [&](NumericTerm& term, bool, Range) {
        if (term == NumericTerm{*unsettled}) term = NumericTerm{one.value};
      });
      todo.push_back(std::move(next));
    }
  }
}

AbstractElement AbstractMachine::within_ranges(AbstractState state, AbstractElement element) const {
  for_each_term(state, [&](NumericTerm& term, bool, Range range) {
    if (std::holds_alternative<Dimension>(term.what))
      element = inside(linear_of(term), range, std::move(element));
  });
  return element;
}

void AbstractMachine::order_dimensions(AbstractState& state) const {
  std::vector<Dimension> order;
  std::vector<bool> taken(state.element.dimensions(), false);
  for_each_term(state, [&](NumericTerm& term, bool is_explicit, Range range) {
    if (is_explicit) return;
    const Linear value = linear_of(term);
    state.element = inside(value, range, std::move(state.element));
    const Dimension* own = std::get_if<Dimension>(&term.what);
    if (own != nullptr && !taken[*own]) {
      taken[*own] = true;
      order.push_back(*own);
    } else {
      const Dimension fresh = state.element.add();
      if (const std::optional<Linear> equal = difference(value, Linear::dimension(fresh)))
        state.element.assume_zero(*equal);
      order.push_back(fresh);
    }
    term = NumericTerm{static_cast<Dimension>(order.size() - 1)};
  });
  state.element.keep(order);
}

std::string AbstractMachine::partition_of(const AbstractState& state) const {
  std::string partition;
  const auto put_term = [&](const NumericTerm& term) {
    if (const Value* value = std::get_if<Value>(&term.what)) put(partition, static_cast<uint64_t>(*value));
  };
  for (const Point point : state.locations) put(partition, point.value());
  for (const auto& term : state.memory)
    if (term) put_term(*term);
  for (const auto& registers : state.registers)
    for (const auto& term : registers)
      if (term) put_term(*term);
  for (const NumericBuffer& buffer : state.buffers) {
    put(partition, buffer.entries.size() << 32 | buffer.epoch);
    for (const NumericEntry& entry : buffer.entries) {
      put(partition, uint64_t{entry.cell.value()} << 32 | entry.epoch << 1 | (entry.marked ? 1 : 0));
      put_term(entry.value);
    }
    put(partition, buffer.tail.size());
    for (const NumericTail& tail : buffer.tail) {
      put(partition, uint64_t{tail.cell.value()} << 1 | (tail.monotone ? 1 : 0));
      put_term(tail.newest);
      put_term(tail.low);
      put_term(tail.high);
    }
  }
  return partition;
}

}  // namespace fenceline::numeric
