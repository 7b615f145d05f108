// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/code.h"

#include <set>

#include "env/errors.h"

namespace fenceline::machine {

FenceEffect fence_effect(FenceKinds kinds, Buffering buffering) {
  switch (buffering) {
    case Buffering::kUnbuffered:
      return FenceEffect::kNothing;
    case Buffering::kPerThread:
      if (kinds.has_process_wide()) return FenceEffect::kDrainAll;
      return kinds.has_store_load() ? FenceEffect::kDrain : FenceEffect::kNothing;
    case Buffering::kPerCell:
      if (kinds.has_process_wide()) return FenceEffect::kDrainAll;
      if (kinds.has_store_load() && kinds.has_store_store()) return FenceEffect::kDrain;
      if (kinds.has_store_store()) return FenceEffect::kBarrier;
      return kinds.has_store_load() ? FenceEffect::kMark : FenceEffect::kNothing;
    case Buffering::kNoMachine:
      break;
  }
  throw Bug("a store-buffer machine for a model without store buffers");
}

Code::Code(const Overlay& overlay, const MemoryModel& model)
    : overlay_(overlay), buffering_(model.buffering) {
  uint32_t registers = 0;
  for (const Thread& thread : program().threads) {
    first_register_.push_back(registers);
    registers += static_cast<uint32_t>(thread.registers.size());
  }
  first_register_.push_back(registers);
  for (size_t t = 0; t < program().threads.size(); ++t) {
    std::vector<Operation> operations;
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p) operations.push_back(compile(t, Point(p)));
    operations_.push_back(std::move(operations));
    for (uint32_t p = 0; p < operations_[t].size(); ++p)
      if (operations_[t][p].kind == InstrKind::kAtomicBegin)
        operations_[t][p].section_only_reads = section_only_reads(t, p);
  }
}

bool Code::section_only_reads(size_t thread, uint32_t begin) const {
  std::vector<uint32_t> todo{begin};
  std::set<uint32_t> seen;
  while (!todo.empty()) {
    const Operation& op = at(thread, todo.back());
    todo.pop_back();
    if (op.kind == InstrKind::kStore || op.kind == InstrKind::kRmw || op.kind == InstrKind::kChoose ||
        op.kind == InstrKind::kHavoc)
      return false;
    if (op.kind == InstrKind::kAtomicEnd) continue;
    for (const Point next : op.next)
      if (seen.insert(next.value()).second) todo.push_back(next.value());
  }
  return true;
}

Operand Code::compile(size_t thread, ExprId expr) const {
  Operand operand;
  if (!expr.valid()) return operand;
  const Expr& e = program().expr(expr);
  if (e.op == ExprOp::kConst) {
    operand.constant = e.imm;
  } else if (e.op == ExprOp::kReg) {
    operand.kind = Operand::Kind::kRegister;
    operand.reg = first_register_[thread] + e.reg.value();
  } else {
    operand.kind = Operand::Kind::kExpression;
    operand.expr = expr;
  }
  return operand;
}

Operation Code::compile(size_t thread, Point point) const {
  const ThreadId id(thread);
  const Instruction& in = overlay_.at(id, point);
  Operation op;
  op.kind = in.kind;
  op.rmw = in.rmw;
  op.wrap = in.wrap;
  if (in.kind == InstrKind::kFence) op.fence = fence_effect(in.fence, buffering_);
  if (in.kind == InstrKind::kFence && in.fence.none() && overlay_.inserted(id, point))
    op.fence = FenceEffect::kMonitor;
  for (size_t slot = 0; slot < in.next.size(); ++slot) op.next.push_back(overlay_.next(id, point, slot));
  op.a = compile(thread, in.a);
  op.b = compile(thread, in.b);
  if (in.is_memory_access()) {
    const Object& object = program().object(in.address.object);
    op.offset = compile(thread, in.address.offset);
    op.first_cell = object.first_cell.value();
    op.cells = object.size();
    if (!object.cell_bytes.empty()) op.cell_bytes = object.cell_bytes.data();
    op.bytes = in.address.bytes;
    op.cell_range = object.declared.value_or(Range::all());
  }
  if (in.dest.valid()) {
    op.has_dest = true;
    op.dest = first_register_[thread] + in.dest.reg.value();
    op.dest_count = in.dest.is_element() ? in.dest.count : 1;
    op.dest_index = compile(thread, in.dest.index);
    op.dest_range = program().thread(id).registers[in.dest.reg.index()].declared.value_or(Range::all());
  }
  op.havoc_range = in.havoc_range;
  op.ends_program = in.ends_program;
  return op;
}

}  // namespace fenceline::machine
