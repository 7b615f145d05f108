// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/por/awaits.h"

#include "ir/walk.h"

namespace fenceline::machine {

Awaits::Awaits(const Code& code, const SharedCells& cells) : initial_(code.program().initial_memory()) {
  for (size_t t = 0; t < code.threads(); ++t) {
    std::vector<uint32_t>& numbers = number_.emplace_back(code.points(t), 0);
    for (uint32_t p = 0; p < code.points(t); ++p) {
      const std::optional<Await> await = find(code, cells, t, p);
      if (!await) continue;
      all_.push_back(*await);
      numbers[p] = static_cast<uint32_t>(all_.size());
    }
  }
  find_closed(code, cells);
}

std::optional<Await> Awaits::find(const Code& code, const SharedCells& cells, size_t thread,
                                  uint32_t begin) const {
  if (code.at(thread, begin).kind != InstrKind::kAtomicBegin) return std::nullopt;
  const uint32_t load = code.at(thread, begin).next.front().value();
  const Operation& loads = code.at(thread, load);
  if (loads.kind != InstrKind::kLoad || cells.cells(thread, load).size() != 1 || !loads.has_dest ||
      code.overlay().at(ThreadId(thread), Point(load)).dest.is_element())
    return std::nullopt;
  const Operation& waits = code.at(thread, loads.next.front().value());
  if (waits.kind != InstrKind::kAssume ||
      code.at(thread, waits.next.front().value()).kind != InstrKind::kAtomicEnd)
    return std::nullopt;

  const Instruction& condition = code.overlay().at(ThreadId(thread), loads.next.front());
  bool on_loaded_value = true;
  for_each_expr(code.program(), condition.a, [&](const Expr& e) {
    const bool leaf = e.op != ExprOp::kConst && arity(e.op) == 0;
    const bool loaded = e.op == ExprOp::kReg && code.first_register(thread) + e.reg.value() == loads.dest;
    const bool element = e.op == ExprOp::kRegAt || e.op == ExprOp::kThreadRegAt || e.op == ExprOp::kCell;
    if ((leaf && !loaded) || element) on_loaded_value = false;
  });
  if (!on_loaded_value) return std::nullopt;

  Await await;
  cells.cells(thread, load).for_each([&](size_t cell) { await.cell = static_cast<uint32_t>(cell); });
  await.writer = cells.writer(await.cell);
  await.condition = condition.a;
  const Evaluated first =
      evaluate(code.program(), await.condition, [&](const Expr&, Value) { return initial_[await.cell]; });
  await.fails_at_first =
      first.ok() && first.value == 0 && loads.dest_range.contains(initial_[await.cell]);  // and is no error
  return await;
}

bool Awaits::holds(const Code& code, const Await& await, Value loaded) const {
  const Evaluated value =
      evaluate(code.program(), await.condition, [loaded](const Expr&, Value) { return loaded; });
  return value.ok() && value.value != 0;
}

void Awaits::find_closed(const Code& code, const SharedCells& cells) {
  closed_.resize(initial_.size());
  for (uint32_t cell = 0; cell < closed_.size(); ++cell)
    closed_[cell] = cells.writer(cell) != SharedCells::kNone && cells.writer(cell) != SharedCells::kSeveral;
  for (size_t t = 0; t < code.threads(); ++t) {
    std::vector<bool> awaited(code.points(t), false);  // loads of awaits that fail at first
    for (uint32_t p = 0; p < code.points(t); ++p)
      if (const Await* await = at(t, p); await != nullptr && await->fails_at_first)
        awaited[code.at(t, p).next.front().index()] = true;
    for (uint32_t p = 0; p < code.points(t); ++p)
      if (!awaited[p])
        cells.cells(t, p).for_each([&](size_t cell) {
          if (cells.writer(static_cast<uint32_t>(cell)) != t) closed_[cell] = false;
        });
  }
}

}  // namespace fenceline::machine
