// SPDX-License-Identifier: GPL-3.0-or-later
#include "promela_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "env/errors.h"

namespace fenceline::bench {
namespace {

PromelaTerm buffer_term(std::string text) { return {std::move(text), {kBuffer}, std::nullopt}; }

PromelaTerm cell_number(const machine::Operation& op, const PromelaTerm& offset) {
  return op.first_cell == 0
             ? offset
             : binary_term(ExprOp::kAdd, constant_term(static_cast<Value>(op.first_cell)), offset);
}

// Calls f(i) for every offset that the access can have.
template <class F>
void for_each_offset(const machine::Operation& op, const PromelaTerm& offset, const F& f) {
  for (uint32_t i = 0; i < op.cells; ++i)
    if (!offset.constant || offset.is(i)) f(i);
}

}  // namespace

std::string declare(const std::string& name, const Range& range) {
  const auto within = [&range](Value lo, Value hi) { return Range{lo, hi}.contains(range); };
  if (within(0, 1)) return fmt::format("bit {}", name);
  if (within(0, 0xffff))
    return fmt::format("unsigned {} : {}", name, std::bit_width(static_cast<uint64_t>(range.hi)));
  if (within(INT16_MIN, INT16_MAX)) return fmt::format("short {}", name);
  if (within(INT32_MIN, INT32_MAX)) return fmt::format("int {}", name);
  throw Unsupported("values of more than 32 bits");
}

PromelaBuffer::PromelaBuffer(const machine::Code& code, const Ranges& ranges, const BufferBounds& bounds,
                             size_t thread, bool limited)
    : code_(code),
      ranges_(ranges),
      bounds_(bounds),
      thread_(thread),
      limited_(limited),
      per_cell_(code.buffering() == Buffering::kPerCell) {
  for (uint32_t cell = 0; cell < code.program().cell_count; ++cell)
    if (bounds.of_cell(thread, cell) > 0) cells_.push_back(cell);
}

std::string PromelaBuffer::count(uint32_t cell) const { return per_cell_ ? fmt::format("n{}", cell) : "n"; }
std::string PromelaBuffer::value(uint32_t cell, uint32_t slot) const {
  return per_cell_ ? fmt::format("v{}_{}", cell, slot) : fmt::format("v{}", slot);
}
PromelaTerm PromelaBuffer::slot_cell(uint32_t slot) const {
  if (cells_.size() == 1) return constant_term(cells_[0]);
  return buffer_term(fmt::format("c{}", slot));
}
PromelaTerm PromelaBuffer::longer_than(uint32_t cell, uint32_t entries) const {
  return buffer_term(fmt::format("({} > {})", count(cell), entries));
}
uint32_t PromelaBuffer::entries(size_t point, uint32_t cell) const {
  return bounds_.of_cell(thread_, point, cell);
}

std::string PromelaBuffer::declarations() const {
  if (cells_.empty()) return "";
  std::string text;
  const auto add = [&text](const std::string& declaration) { text += "  " + declaration + ";\n"; };
  if (!per_cell_) {
    const uint32_t slots = bounds_.total(thread_);
    Range values = Range::single(0);
    for (const uint32_t cell : cells_) values = values.join(ranges_.cells[cell]);
    add(declare("n", {0, slots}));
    for (uint32_t slot = 0; slot < slots; ++slot) {
      if (cells_.size() > 1) add(declare(slot_cell(slot).text, {0, cells_.back()}));
      add(declare(value(0, slot), values));
    }
    return text;
  }
  for (const uint32_t cell : cells_) {
    const uint32_t slots = bounds_.of_cell(thread_, cell);
    add(declare(count(cell), {0, slots}));
    for (uint32_t slot = 0; slot < slots; ++slot)
      add(declare(value(cell, slot), ranges_.cells[cell].join(Range::single(0))));
  }
  return text;
}

// The newest own entry of the cell, else memory.
PromelaTerm PromelaBuffer::load_cell(size_t point, uint32_t cell) const {
  PromelaTerm result{fmt::format("{}[{}]", kMemory, cell), {kMemory}, std::nullopt};
  const Range& range = ranges_.cells[cell];
  if (range.lo == range.hi) result = constant_term(range.lo);
  if (entries(point, cell) == 0) return result;
  const uint32_t slots = per_cell_ ? entries(point, cell) : bounds_.total(thread_, point);
  for (uint32_t slot = 0; slot < slots; ++slot) {
    PromelaTerm found = longer_than(cell, slot);
    if (!per_cell_) found = and_term(found, equal_term(slot_cell(slot), constant_term(cell)));
    if (!per_cell_ && cells_.size() == 1) found = longer_than(cell, slot);
    result = select_term(found, buffer_term(value(cell, slot)), result);
  }
  return result;
}

PromelaTerm PromelaBuffer::load(size_t point, const machine::Operation& op, const PromelaTerm& offset) const {
  if (offset.constant) return load_cell(point, op.first_cell + static_cast<uint32_t>(*offset.constant));
  const PromelaTerm number = cell_number(op, offset);
  PromelaTerm result = term_over(fmt::format("{}[{}]", kMemory, number.text), {&offset});
  result.reads.insert(kMemory);
  for_each_offset(op, offset, [&](uint32_t i) {
    const uint32_t cell = op.first_cell + i;
    if (entries(point, cell) == 0) return;
    result = select_term(equal_term(offset, constant_term(i)), load_cell(point, cell), result);
  });
  return result;
}

PromelaTerm PromelaBuffer::empty(size_t point) const {
  PromelaTerm all = constant_term(1);
  if (bounds_.total(thread_, point) == 0) return all;
  if (!per_cell_) return buffer_term("(n == 0)");
  std::string text;
  for (const uint32_t cell : cells_)
    if (entries(point, cell) > 0) text += fmt::format("{}{} == 0", text.empty() ? "" : " && ", count(cell));
  return text.empty() ? all : buffer_term("(" + text + ")");
}

PromelaTerm PromelaBuffer::ready_to_write(size_t point, const machine::Operation& op,
                                          const PromelaTerm& offset) const {
  if (!per_cell_) return empty(point);
  PromelaTerm ready = constant_term(1);
  for_each_offset(op, offset, [&](uint32_t i) {
    const uint32_t cell = op.first_cell + i;
    if (entries(point, cell) == 0) return;
    const PromelaTerm waits = and_term(equal_term(offset, constant_term(i)), longer_than(cell, 0));
    ready = ready.is(1) ? not_term(waits) : and_term(ready, not_term(waits));
  });
  return ready;
}

PromelaTerm PromelaBuffer::room(size_t point) const {
  const uint32_t limit = bounds_.total(thread_);
  if (!limited_ || bounds_.total(thread_, point) < limit) return constant_term(1);
  if (!per_cell_) return buffer_term(fmt::format("(n < {})", limit));
  std::string sum;
  for (const uint32_t cell : cells_) sum += fmt::format("{}{}", sum.empty() ? "" : " + ", count(cell));
  return buffer_term(fmt::format("({} < {})", sum, limit));
}

PromelaBuffer::Flush PromelaBuffer::flush_oldest(size_t point) const {
  const uint32_t slots = bounds_.total(thread_, point);
  Flush flush{buffer_term("(n > 0)"), {}, buffer_term("(n == 1)"), cells_};
  flush.statements.push_back(fmt::format("{}[{}] = {}", kMemory, slot_cell(0).text, value(0, 0)));
  for (uint32_t slot = 0; slot < slots; ++slot) {
    const bool last = slot + 1 == slots;
    if (cells_.size() > 1)
      flush.statements.push_back(
          fmt::format("{} = {}", slot_cell(slot).text, last ? "0" : slot_cell(slot + 1).text));
    flush.statements.push_back(fmt::format("{} = {}", value(0, slot), last ? "0" : value(0, slot + 1)));
  }
  flush.statements.push_back(slots == 1 ? "n = 0" : "n = n - 1");
  if (slots == 1) flush.empty_after = constant_term(1);
  return flush;
}

PromelaBuffer::Flush PromelaBuffer::flush_cell(size_t point, uint32_t cell) const {
  const uint32_t slots = entries(point, cell);
  const std::string n = count(cell);
  Flush flush{longer_than(cell, 0), {}, constant_term(1), {cell}};
  flush.statements.push_back(fmt::format("{}[{}] = {}", kMemory, cell, value(cell, 0)));
  for (uint32_t slot = 0; slot < slots; ++slot)
    flush.statements.push_back(
        fmt::format("{} = {}", value(cell, slot), slot + 1 == slots ? "0" : value(cell, slot + 1)));
  flush.statements.push_back(slots == 1 ? n + " = 0" : fmt::format("{} = {} - 1", n, n));
  std::string empty_after;
  for (const uint32_t other : cells_) {
    if (entries(point, other) == 0 || (other == cell && slots == 1)) continue;
    empty_after +=
        fmt::format("{}{} == {}", empty_after.empty() ? "" : " && ", count(other), other == cell ? 1 : 0);
  }
  if (!empty_after.empty()) flush.empty_after = buffer_term("(" + empty_after + ")");
  return flush;
}

std::vector<PromelaBuffer::Flush> PromelaBuffer::flushes(size_t point) const {
  std::vector<Flush> all;
  if (bounds_.total(thread_, point) == 0) return all;
  if (!per_cell_) {
    all.push_back(flush_oldest(point));
    return all;
  }
  for (const uint32_t cell : cells_)
    if (entries(point, cell) > 0) all.push_back(flush_cell(point, cell));
  return all;
}

std::vector<std::string> PromelaBuffer::push(size_t point, const machine::Operation& op,
                                             const PromelaTerm& offset, const PromelaTerm& stored,
                                             std::optional<uint32_t> known) const {
  std::vector<std::string> statements;
  // Puts `text` into the slot that is free, of those that can be.
  const auto put = [&](const std::string& slot_name, uint32_t slot, const std::string& condition,
                       const std::string& text) {
    if (known && slot != *known) return;
    statements.push_back(condition.empty()
                             ? fmt::format("{} = {}", slot_name, text)
                             : fmt::format("{} = ({} -> {} : {})", slot_name, condition, text, slot_name));
  };
  const auto free_slot = [&](const std::string& n, uint32_t slot, uint32_t most) {
    return known || most == 0 ? std::string() : fmt::format("{} == {}", n, slot);
  };
  if (!per_cell_) {
    const uint32_t most = known ? *known : bounds_.total(thread_, point);
    for (uint32_t slot = 0; slot < std::min(most + 1, bounds_.total(thread_)); ++slot) {
      const std::string condition = free_slot("n", slot, most);
      if (cells_.size() > 1) put(slot_cell(slot).text, slot, condition, cell_number(op, offset).text);
      put(value(0, slot), slot, condition, stored.text);
    }
    statements.push_back(most == 0 || known ? fmt::format("n = {}", most + 1) : "n = n + 1");
    return statements;
  }
  for_each_offset(op, offset, [&](uint32_t i) {
    const uint32_t cell = op.first_cell + i;
    const PromelaTerm here = equal_term(offset, constant_term(i));
    const std::string only_if = here.constant ? "" : here.text;
    const uint32_t most = known ? *known : entries(point, cell);
    const std::string n = count(cell);
    for (uint32_t slot = 0; slot < std::min(most + 1, bounds_.of_cell(thread_, cell)); ++slot) {
      const std::string free = free_slot(n, slot, most);
      const char* both = only_if.empty() || free.empty() ? "" : " && ";
      put(value(cell, slot), slot, only_if + both + free, stored.text);
    }
    if (!only_if.empty())
      statements.push_back(fmt::format("{} = {} + {}", n, n, only_if));
    else
      statements.push_back(most == 0 || known ? fmt::format("{} = {}", n, most + 1)
                                              : fmt::format("{} = {} + 1", n, n));
  });
  return statements;
}

}  // namespace fenceline::bench
