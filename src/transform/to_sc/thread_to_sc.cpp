// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each point becomes, if stores may be pending there,
//
//   choice:  choose -> flush, on
//   flush:   atomic { one of the buffers: its oldest entry to memory, the others move up } -> choice
//   on:      the instruction
//
// and else just the instruction. Instructions that concern buffers are atomic sections; a section that has to
// wait (assume) is not enabled until it need not. A buffer that is empty for sure is not read.
#include "transform/to_sc/thread_to_sc.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"
#include "machine/code.h"

namespace fenceline::transform {

ExprId ExprCopy::operator()(ExprId id) {
  if (!id.valid()) return id;
  if (const auto found = done_.find(id); found != done_.end()) return found->second;
  const Expr& e = source_.expr(id);
  const ExprId a = (*this)(e.a), b = (*this)(e.b), c = (*this)(e.c);
  const auto copy = [&] {
    switch (shape_of(e.op)) {
      case ExprShape::kConst:
        return b_.constant(e.imm);
      case ExprShape::kReg:
        return b_.reg(e.reg);
      case ExprShape::kRegAt:
        return b_.reg_at(e.reg, e.count, a);
      case ExprShape::kWrap:
        return b_.wrap(a, static_cast<int>(e.imm));
      case ExprShape::kSelect:
        return b_.select(a, b, c);
      case ExprShape::kUnary:
      case ExprShape::kBinary:
      case ExprShape::kLazy:
      case ExprShape::kCell:
      case ExprShape::kThreadReg:
      case ExprShape::kThreadRegAt:
      case ExprShape::kAt:
        break;
    }
    require(!only_in_properties(e.op), "an instruction looks at what only properties may see");
    return arity(e.op) == 1 ? b_.unary(e.op, a) : b_.binary(e.op, a, b);
  };
  return done_[id] = copy();
}

ThreadToSc::ThreadToSc(const ReductionToSc& all, ThreadId id, ThreadBuilder& thread)
    : all_(all),
      id_(id),
      b_(all.builder),
      t_(thread),
      own_(all.buffers[id.index()]),
      code_(all.overlay.program(), all.builder, thread, own_),
      inside_(inside_atomic(all.overlay, id)),
      reached_(all.overlay.points(id), false),
      starts_(all.overlay.points(id)),
      locations_(all.overlay.points(id)) {}

void ThreadToSc::run() {
  find_reached();
  t_.jump(starts_[all_.overlay.program().thread(id_).entry.index()]);
  for (size_t p = 0; p < starts_.size(); ++p)
    if (reached_[p]) translate(Point(p));
}

void ThreadToSc::find_reached() {
  std::vector<Point> todo{all_.overlay.program().thread(id_).entry};
  reached_[todo.back().index()] = true;
  while (!todo.empty()) {
    const Point point = todo.back();
    todo.pop_back();
    for (size_t slot = 0; slot < all_.overlay.at(id_, point).next.size(); ++slot) {
      const Point next = all_.overlay.next(id_, point, slot);
      if (reached_[next.index()]) continue;
      reached_[next.index()] = true;
      todo.push_back(next);
    }
  }
  for (size_t p = 0; p < starts_.size(); ++p)
    if (reached_[p]) starts_[p] = t_.label();
}

void ThreadToSc::add_location(Point point) {
  const Label here = t_.label();
  t_.bind(here);
  locations_[point.index()].push_back(here);
}

void ThreadToSc::translate(Point point) {
  const Instruction& in = all_.overlay.at(id_, point);
  t_.operation(in.operation);
  t_.role(in.role);
  code_.at(in.pos);
  t_.bind(starts_[point.index()]);
  if (!inside_[point.index()]) {
    if (!pending(point).empty()) flush_loop(point);
    add_location(point);
  }
  instruction(point, in);
}

void ThreadToSc::flush_loop(Point point) {
  const SourcePos pos = all_.overlay.at(id_, point).pos;
  const Queues full = queues(point);
  const auto remembered = all_.remembered.find({id_, point});
  const Label flush = t_.label(), on = t_.label(), flushed = t_.label();
  add_location(point);
  t_.choose({flush, on}, pos);

  t_.bind(flush);
  add_location(point);
  t_.atomic_begin(pos);
  std::vector<Label> each;
  for (size_t i = 0; i < full.size(); ++i) each.push_back(t_.label());
  if (each.size() > 1) t_.choose(each, pos);
  for (size_t i = 0; i < full.size(); ++i) {
    t_.bind(each[i]);
    code_.flush(*full[i], pending(point));
    t_.jump(flushed);
  }
  t_.bind(flushed);
  if (remembered != all_.remembered.end()) code_.store(remembered->second, b_.constant(1));
  t_.atomic_end(pos);
  t_.jump(starts_[point.index()]);

  t_.bind(on);
  if (remembered == all_.remembered.end()) return;
  add_location(point);
  code_.store(remembered->second, b_.constant(0));
}

void ThreadToSc::begin_section(Point point, const Instruction& in) {
  if (!inside_[point.index()]) t_.atomic_begin(in.pos);
}

void ThreadToSc::end_section(Point point, const Instruction& in) {
  if (!inside_[point.index()]) t_.atomic_end(in.pos);
}

void ThreadToSc::instruction(Point point, const Instruction& in) {
  const auto target = [&](size_t slot) { return starts_[all_.overlay.next(id_, point, slot).index()]; };
  switch (in.kind) {
    case InstrKind::kBranch:
      return t_.branch(all_.copy(in.a), target(0), target(1), in.pos);
    case InstrKind::kChoose: {
      std::vector<Label> targets;
      for (size_t slot = 0; slot < in.next.size(); ++slot) targets.push_back(target(slot));
      return t_.choose(targets, in.pos);
    }
    case InstrKind::kHalt:
      return halt(point, in);
    case InstrKind::kLoad:
      load(point, in);
      break;
    case InstrKind::kStore:
      if (inside_[point.index()] || all_.buffering == Buffering::kUnbuffered)
        store_in_section(point, in);
      else
        buffered_store(point, in);
      break;
    case InstrKind::kRmw:
      rmw(point, in);
      break;
    case InstrKind::kFence:
      fence(point, in);
      break;
    case InstrKind::kAssign:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kHavoc:
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kMark:
      unchanged(in);
  }
  t_.jump(target(0));
}

// Where buffers are empty, or a fence does nothing on this model, a step is left that does nothing.
void ThreadToSc::fence(Point point, const Instruction& in) {
  const machine::FenceEffect effect = machine::fence_effect(in.fence, all_.buffering);
  Queues full = queues(point);
  if (effect == machine::FenceEffect::kDrainAll)
    for (size_t t = 0; t < all_.buffers.size(); ++t)
      if (t != id_.index())
        for (const QueueVariables& queue : all_.buffers[t].queues) full.push_back(&queue);
  if (effect == machine::FenceEffect::kNothing || effect == machine::FenceEffect::kMonitor || full.empty()) {
    t_.mark("", in.pos);
    return;
  }
  begin_section(point, in);
  if (effect == machine::FenceEffect::kBarrier)
    code_.barrier(full);
  else if (effect == machine::FenceEffect::kMark)
    code_.mark(full);
  else
    code_.wait_until_empty(full);
  end_section(point, in);
}

void ThreadToSc::halt(Point point, const Instruction& in) {
  if (const Queues full = queues(point); !full.empty()) {
    t_.atomic_begin(in.pos);
    code_.wait_until_empty(full);
    t_.atomic_end(in.pos);
    add_location(point);
  }
  t_.halt(in.pos);
}

std::vector<CellId> ThreadToSc::pending_among(Point point, const std::vector<CellId>& cells) const {
  std::vector<CellId> found;
  for (const CellId cell : cells)
    if (all_.empty.may_be_pending(id_, point, cell)) found.push_back(cell);
  return found;
}

// Emits something for each of the cells that the access may be to; it must fall through or go to `done`.
// `all`: the access is to one of them; else, if it is to another one, control falls through to what follows.
template <class F>
void ThreadToSc::for_each_case(const Instruction& in, const std::vector<CellId>& cells, bool all, Label done,
                               const F& emit) {
  const auto first = static_cast<Value>(all_.overlay.program().object(in.address.object).first_cell.index());
  for (const CellId cell : cells) {
    const Label this_one = t_.label(), another = t_.label();
    const bool tested = !(all && cell == cells.back());
    if (tested) {
      const ExprId offset = b_.constant(static_cast<Value>(cell.index()) - first);
      const ExprId is_it = b_.binary(ExprOp::kEq, all_.copy(in.address.offset), offset);
      t_.branch(is_it, this_one, another, in.pos);
      t_.bind(this_one);
    }
    emit(cell);
    t_.jump(done);
    if (tested) t_.bind(another);
  }
}

void ThreadToSc::load(Point point, const Instruction& in) {
  const AccessedCells::Access access = all_.accessed.of(id_, in);
  const std::vector<CellId> cells = pending_among(point, access.cells);
  const bool marks = own_.marks && !pending(point).empty();
  if (cells.empty() && !marks) return unchanged(in);
  const Label done = t_.label();
  begin_section(point, in);
  code_.wait_for_marked(queues(point));
  if (per_thread()) {
    check_address(in, access);
    code_.forward(own_.queues.front(), number_of(in), dest_of(in), done);
  } else {
    const Label memory = t_.label();
    for_each_case(in, cells, access.constant, memory,
                  [&](CellId cell) { code_.forward(*own_.of(cell), ExprId(), dest_of(in), done); });
    t_.bind(memory);
  }
  unchanged(in);
  t_.bind(done);
  end_section(point, in);
}

void ThreadToSc::buffered_store(Point point, const Instruction& in) {
  const AccessedCells::Access access = all_.accessed.of(id_, in);
  const Label done = t_.label(), full = t_.label();
  bool may_be_full = false;
  t_.atomic_begin(in.pos);
  check_address(in, access);
  if (access.cells.empty()) {
    t_.assume(b_.constant(0), in.pos);  // unreachable
  } else if (const ExprId value = stored_value(in); per_thread()) {
    may_be_full = !pending(point).empty();
    code_.append(own_.queues.front(), number_of(in), value, !may_be_full, full);
  } else {
    for_each_case(in, access.cells, true, done, [&](CellId cell) {
      const bool empty = !all_.empty.may_be_pending(id_, point, cell);
      may_be_full = may_be_full || !empty;
      code_.append(*own_.of(cell), ExprId(), value, empty, full);
    });
  }
  t_.bind(done);
  t_.atomic_end(in.pos);
  if (!may_be_full) return;

  const Label next = t_.label(), stuck = t_.label();
  t_.jump(next);
  t_.bind(full);
  code_.store(all_.overflow, b_.constant(1));
  t_.atomic_end(in.pos);
  t_.bind(stuck);
  add_location(point);
  t_.assume(b_.constant(0), in.pos);
  t_.jump(stuck);
  t_.bind(next);
}

// A store that goes to memory at once.
void ThreadToSc::store_in_section(Point point, const Instruction& in) {
  wait_for_cell(point, in);
  unchanged(in);
}

void ThreadToSc::rmw(Point point, const Instruction& in) {
  const bool any = per_thread() || own_.marks || own_.epoch.valid();
  const bool must_wait =
      any ? !pending(point).empty() : !pending_among(point, all_.accessed.of(id_, in).cells).empty();
  if (!must_wait) return unchanged(in);
  begin_section(point, in);
  code_.wait_for_marked(queues(point));
  wait_for_cell(point, in);
  unchanged(in);
  end_section(point, in);
}

// What a write that goes straight to memory has to wait for.
void ThreadToSc::wait_for_cell(Point point, const Instruction& in) {
  if (pending(point).empty()) return;
  if (per_thread()) return code_.wait_until_empty(queues(point));
  code_.wait_for_barriers();
  const AccessedCells::Access access = all_.accessed.of(id_, in);
  const Label done = t_.label();
  for_each_case(in, pending_among(point, access.cells), access.constant, done,
                [&](CellId cell) { code_.wait_until_empty(*own_.of(cell)); });
  t_.bind(done);
}

// An access that is an error fails here: memory is read just for that.
void ThreadToSc::check_address(const Instruction& in, const AccessedCells::Access& access) {
  if (!access.sure) t_.load({code_.other()}, address_of(in), in.pos);
}

// What is computed is computed once, and checked now, not when it reaches memory.
ExprId ThreadToSc::stored_value(const Instruction& in) {
  const ExprOp op = all_.overlay.program().expr(in.a).op;
  ExprId value = all_.copy(in.a);
  if (op != ExprOp::kConst && op != ExprOp::kReg) {
    t_.assign({code_.value()}, value, in.pos);
    value = b_.reg(code_.value());
  }
  if (!all_.accessed.may_exceed_range(id_, in)) return value;
  const Object& object = all_.overlay.program().object(in.address.object);
  const ExprId low = b_.binary(ExprOp::kGe, value, b_.constant(object.declared->lo));
  const ExprId high = b_.binary(ExprOp::kLe, value, b_.constant(object.declared->hi));
  t_.check(
      b_.binary(ExprOp::kAnd, low, high), in.pos,
      fmt::format("{} gets a value outside {}..{}", object.name, object.declared->lo, object.declared->hi));
  return value;
}

// Precondition: the address has been checked, or it is sure.
ExprId ThreadToSc::number_of(const Instruction& in) {
  const Value first = BufferVariables::number_of(all_.overlay.program().object(in.address.object).first_cell);
  return b_.binary(ExprOp::kAdd, all_.copy(in.address.offset), b_.constant(first));
}

Dest ThreadToSc::dest_of(const Instruction& in) {
  return {in.dest.reg, in.dest.count, all_.copy(in.dest.index)};
}

Address ThreadToSc::address_of(const Instruction& in) {
  return {in.address.object, all_.copy(in.address.offset), in.address.bytes};
}

void ThreadToSc::unchanged(const Instruction& in) {
  switch (in.kind) {
    case InstrKind::kLoad:
      t_.load(dest_of(in), address_of(in), in.pos, in.order);
      break;
    case InstrKind::kStore:
      t_.store(address_of(in), all_.copy(in.a), in.pos, in.order);
      break;
    case InstrKind::kRmw:
      t_.rmw(in.rmw, dest_of(in), address_of(in), all_.copy(in.a), all_.copy(in.b), in.pos, in.order);
      if (in.wrap != 0) t_.wrap_fetched(in.wrap);
      break;
    case InstrKind::kAssign:
      t_.assign(dest_of(in), all_.copy(in.a), in.pos);
      break;
    case InstrKind::kAssume:
      t_.assume(all_.copy(in.a), in.pos);
      break;
    case InstrKind::kAssert:
      t_.check(all_.copy(in.a), in.pos, in.label);
      break;
    case InstrKind::kHavoc:
      t_.havoc(dest_of(in), in.havoc_range, in.pos);
      break;
    case InstrKind::kAtomicBegin:
      t_.atomic_begin(in.pos);
      break;
    case InstrKind::kAtomicEnd:
      t_.atomic_end(in.pos);
      break;
    case InstrKind::kMark:
      t_.mark(in.label, in.pos);
      break;
    case InstrKind::kFence:
    case InstrKind::kBranch:
    case InstrKind::kChoose:
    case InstrKind::kHalt:
      throw Bug("an instruction that does not stay what it is");
  }
  if (in.is_memory_access() && !(in.tags.empty() && in.write_tags.empty())) t_.tag(in.tags, in.write_tags);
}

}  // namespace fenceline::transform
