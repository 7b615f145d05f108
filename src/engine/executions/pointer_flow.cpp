// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/pointer_flow.h"

#include <utility>

#include "ir/walk.h"

namespace fenceline::executions {

PointerFlow::PointerFlow(const Overlay& overlay, const AccessedCells& accessed, BitSet cells)
    : overlay_(overlay),
      program_(overlay.program()),
      accessed_(accessed),
      cells_(std::move(cells)),
      registers_(program_.threads.size()) {}

void PointerFlow::run(const std::vector<BitSet>& corresponding) {
  do {
    changed_ = false;
    for (size_t t = 0; t < program_.threads.size(); ++t)
      for (size_t p = 0; p < overlay_.points(ThreadId(t)); ++p) follow(ThreadId(t), Point(p));
    for (const BitSet& cells : corresponding)
      if (cells.meets(cells_)) add_cells(cells);
  } while (changed_);
}

bool PointerFlow::is_pointer(ThreadId thread, ExprId id) const {
  bool found = false;
  for_each_source(id, [&](const Expr& e) {
    for (uint32_t r = 0; r < e.count && e.op != ExprOp::kConst; ++r)
      found = found || registers(thread).has(e.reg.index() + r);
  });
  return found;
}

void PointerFlow::follow(ThreadId thread, Point point) {
  const Instruction& i = overlay_.at(thread, point);
  for (const ExprId id : {i.a, i.b, i.address.offset, i.dest.index})
    if (id.valid())
      for_each_expr(program_, id, [&](const Expr& e) {
        if (e.op == ExprOp::kEq || e.op == ExprOp::kNe)
          unite(thread, {.cells = {}, .values = {e.a, e.b}, .dest = {}});
      });
  Same same;
  if (i.is_memory_access()) same.cells = accessed_.at(thread, point);
  if (i.is_memory_access() || i.kind == InstrKind::kAssign)
    for (const ExprId id : {i.a, i.b})
      if (id.valid()) same.values.push_back(id);
  const bool gets_flag = i.kind == InstrKind::kRmw && i.rmw == RmwOp::kCas;
  if (!gets_flag) same.dest = i.dest;
  unite(thread, same);
}

void PointerFlow::unite(ThreadId thread, const Same& same) {
  bool pointers = same.cells.meets(cells_);
  for (const ExprId id : same.values) pointers = pointers || is_pointer(thread, id);
  for (uint32_t r = 0; same.dest.valid() && r < same.dest.count; ++r)
    pointers = pointers || registers(thread).has(same.dest.reg.index() + r);
  if (!pointers) return;
  add_cells(same.cells);
  for (uint32_t r = 0; same.dest.valid() && r < same.dest.count; ++r)
    add_register(thread, same.dest.reg.index() + r);
  for (const ExprId id : same.values)
    for_each_source(id, [&](const Expr& e) {
      for (uint32_t r = 0; r < e.count && e.op != ExprOp::kConst; ++r)
        add_register(thread, e.reg.index() + r);
    });
}

void PointerFlow::add_cells(const BitSet& cells) {
  changed_ = changed_ || !cells.subset_of(cells_);
  cells_ |= cells;
}

void PointerFlow::add_register(ThreadId thread, size_t reg) {
  changed_ = changed_ || !registers(thread).has(reg);
  registers_[thread.index()].add(reg);
}

}  // namespace fenceline::executions
