// SPDX-License-Identifier: GPL-3.0-or-later
#include "semantics/reduce/buffer_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "env/errors.h"
#include "semantics/code.h"

namespace fenceline {
namespace {

bool has_fence(const Overlay& overlay, ThreadId thread, Buffering buffering, FenceEffect effect) {
  for (size_t p = 0; p < overlay.points(thread); ++p) {
    const Instruction& instruction = overlay.at(thread, Point(p));
    if (instruction.kind == InstrKind::kFence && fence_effect(instruction.fence, buffering) == effect)
      return true;
  }
  return false;
}

// What a slot can have in it: values of these cells, or 0 for nothing.
std::optional<Range> slot_range(const Program& program, const std::vector<CellId>& cells) {
  Range range = Range::single(0);
  for (const CellId cell : cells) {
    const std::optional<Range>& declared = program.object(program.object_of(cell)).declared;
    if (!declared) return std::nullopt;
    range = range.join(*declared);
  }
  return range;
}

class Declaration {
 public:
  Declaration(ProgramBuilder& builder, const Overlay& overlay, ThreadId thread, unsigned slots)
      : builder_(builder),
        program_(overlay.program()),
        thread_(program_.thread(thread)),
        slots_(static_cast<Value>(slots)) {}

  QueueVariables for_thread(const std::vector<CellId>& cells) {
    QueueVariables queue = begin(cells, thread_.name);
    const Range numbers{0, BufferVariables::number_of(cells.back())};
    for (Value i = 1; i <= slots_; ++i) {
      queue.values.push_back(
          variable(fmt::format("{}.{}.value", thread_.name, i), slot_range(program_, cells)));
      queue.numbers.push_back(variable(fmt::format("{}.{}.cell", thread_.name, i), numbers));
    }
    return queue;
  }

  // `entries`: how many the thread may have in all.
  QueueVariables for_cell(CellId cell, Value entries, bool barriers, bool marks) {
    const std::string name = fmt::format("{}.{}", program_.cell_name(cell), thread_.name);
    QueueVariables queue = begin({cell}, name);
    for (Value i = 1; i <= slots_; ++i)
      queue.values.push_back(variable(fmt::format("{}.{}", name, i), slot_range(program_, {cell})));
    for (Value i = 1; barriers && i <= slots_; ++i)
      queue.epochs.push_back(variable(fmt::format("{}.{}.epoch", name, i), Range{0, entries - 1}));
    if (marks) queue.marked = variable(name + ".marked", Range{0, slots_});
    return queue;
  }

  ObjectId variable(const std::string& name, std::optional<Range> range) {
    return builder_.object(name, {0}, range, thread_.pos);
  }

 private:
  QueueVariables begin(std::vector<CellId> cells, const std::string& name) {
    QueueVariables queue;
    queue.cells = std::move(cells);
    queue.count = variable(name + ".count", Range{0, slots_});
    return queue;
  }

  ProgramBuilder& builder_;
  const Program& program_;
  const Thread& thread_;
  const Value slots_;
};

bool holds(const QueueVariables& queue, CellId cell) {
  return std::find(queue.cells.begin(), queue.cells.end(), cell) != queue.cells.end();
}

}  // namespace

std::vector<const QueueVariables*> BufferVariables::holding(const std::vector<CellId>& cells) const {
  std::vector<const QueueVariables*> found;
  for (const QueueVariables& queue : queues)
    if (std::any_of(cells.begin(), cells.end(), [&](CellId cell) { return holds(queue, cell); }))
      found.push_back(&queue);
  return found;
}

const QueueVariables* BufferVariables::of(CellId cell) const {
  const std::vector<const QueueVariables*> found = holding({cell});
  return found.empty() ? nullptr : found.front();
}

BufferVariables declare_buffers(ProgramBuilder& builder, const Overlay& overlay, const EmptyBuffers& empty,
                                Buffering buffering, ThreadId thread, unsigned slots) {
  require(slots > 0, "a store buffer without slots");
  std::set<CellId> stored;
  for (size_t p = 0; p < overlay.points(thread); ++p)
    stored.insert(empty.waiting(thread, Point(p)).begin(), empty.waiting(thread, Point(p)).end());
  BufferVariables buffers;
  if (stored.empty()) return buffers;
  Declaration declare(builder, overlay, thread, slots);
  if (buffering == Buffering::kPerThread) {
    buffers.queues.push_back(declare.for_thread({stored.begin(), stored.end()}));
    return buffers;
  }
  const bool barriers = has_fence(overlay, thread, buffering, FenceEffect::kBarrier);
  buffers.marks = has_fence(overlay, thread, buffering, FenceEffect::kMark);
  const auto entries = static_cast<Value>(stored.size() * slots);
  for (const CellId cell : stored)
    buffers.queues.push_back(declare.for_cell(cell, entries, barriers, buffers.marks));
  if (barriers) {
    const std::string& name = overlay.program().thread(thread).name;
    buffers.epoch = declare.variable(name + ".epoch", Range{0, entries - 1});
    buffers.barrier = declare.variable(name + ".barrier", Range{0, 1});
  }
  return buffers;
}

// ------------------------------------------------------------------------------------------- BufferCode

Address BufferCode::address_of(CellId cell) {
  const ObjectId object = source_.object_of(cell);
  const size_t offset = cell.index() - source_.object(object).first_cell.index();
  return {object, b_.constant(static_cast<Value>(offset))};
}

RegId BufferCode::temporary(RegId& reg, const char* name) {
  if (!reg.valid()) {
    reg = t_.temp();
    temporaries_.emplace_back(name);
  }
  return reg;
}

void BufferCode::wait_until_empty(const QueueVariables& queue) {
  load(count(), queue.count);
  t_.assume(compare(ExprOp::kEq, count(), 0), pos_);
}

void BufferCode::wait_for_marked(const Queues& queues) {
  if (!own_.marks) return;
  for (const QueueVariables* queue : queues) {
    load(count(), queue->marked);
    t_.assume(compare(ExprOp::kEq, count(), 0), pos_);
  }
}

void BufferCode::wait_for_barriers() {
  if (!own_.epoch.valid()) return;
  for (const ObjectId variable : {own_.epoch, own_.barrier}) {
    load(count(), variable);
    t_.assume(compare(ExprOp::kEq, count(), 0), pos_);
  }
}

void BufferCode::flush(const QueueVariables& queue, const std::vector<CellId>& waiting) {
  load(count(), queue.count);
  t_.assume(compare(ExprOp::kGt, count(), 0), pos_);
  if (!queue.epochs.empty()) {
    load(other(), queue.epochs.front());
    t_.assume(compare(ExprOp::kEq, other(), 0), pos_);
  }
  write_to_memory(queue, waiting);
  shift(queue.values);
  shift(queue.numbers);
  shift(queue.epochs);
  store(queue.count, b_.binary(ExprOp::kSub, b_.reg(count()), b_.constant(1)));
  if (queue.marked.valid()) decrement(queue.marked);
  if (own_.epoch.valid()) renumber_epochs(waiting);
}

void BufferCode::write_to_memory(const QueueVariables& queue, const std::vector<CellId>& waiting) {
  load(value(), queue.values.front());
  std::vector<CellId> cells;
  for (const CellId cell : waiting)
    if (holds(queue, cell)) cells.push_back(cell);
  require(!cells.empty(), "a flush of a buffer in which nothing can be");
  if (cells.size() > 1) load(other(), queue.numbers.front());
  const ThreadBuilder::Label done = t_.label();
  for (const CellId cell : cells) {
    const ThreadBuilder::Label another = t_.label();
    if (cell != cells.back()) {
      const ThreadBuilder::Label this_one = t_.label();
      t_.branch(compare(ExprOp::kEq, other(), BufferVariables::number_of(cell)), this_one, another, pos_);
      t_.place(this_one);
    }
    t_.store(address_of(cell), b_.reg(value()), pos_);
    t_.jump(done);
    if (cell != cells.back()) t_.place(another);
  }
  t_.place(done);
}

void BufferCode::shift(const std::vector<ObjectId>& slots) {
  if (slots.empty()) return;
  for (size_t i = 0; i + 1 < slots.size(); ++i) {
    load(value(), slots[i + 1]);
    store(slots[i], b_.reg(value()));
  }
  store(slots.back(), b_.constant(0));
}

void BufferCode::decrement(ObjectId variable) {
  load(value(), variable);
  store(variable, b_.binary(ExprOp::kSub, b_.reg(value()), compare(ExprOp::kGt, value(), 0)));
}

// If the oldest epoch has no entry left, the next one is the oldest now; and a barrier behind which nothing
// waits is forgotten.
void BufferCode::renumber_epochs(const std::vector<CellId>& waiting) {
  const Queues queues = own_.holding(waiting);
  const ThreadBuilder::Label done = t_.label();
  t_.assign({value()}, b_.constant(0), pos_);  // is anything left?
  for (const QueueVariables* queue : queues) {
    const ThreadBuilder::Label some = t_.label(), younger = t_.label(), none = t_.label();
    load(count(), queue->count);
    t_.branch(compare(ExprOp::kGt, count(), 0), some, none, pos_);
    t_.place(some);
    load(other(), queue->epochs.front());
    t_.branch(compare(ExprOp::kEq, other(), 0), done, younger, pos_);
    t_.place(younger);
    t_.assign({value()}, b_.constant(1), pos_);
    t_.place(none);
  }
  const ThreadBuilder::Label empty = t_.label(), some_left = t_.label();
  t_.branch(compare(ExprOp::kEq, value(), 0), empty, some_left, pos_);
  t_.place(empty);
  store(own_.barrier, b_.constant(0));
  t_.jump(done);
  t_.place(some_left);
  decrement(own_.epoch);
  for (const QueueVariables* queue : queues)
    for (const ObjectId epoch : queue->epochs) decrement(epoch);
  t_.place(done);
}

void BufferCode::append(const QueueVariables& queue, ExprId number, ExprId value, bool known_empty,
                        ThreadBuilder::Label full) {
  const auto fill = [&](size_t slot) {
    store(queue.values[slot], value);
    if (!queue.numbers.empty()) store(queue.numbers[slot], number);
    if (!queue.epochs.empty()) store(queue.epochs[slot], b_.reg(other()));
  };
  if (!queue.epochs.empty()) {
    load(other(), own_.epoch);
    load(count(), own_.barrier);
    t_.assign({other()}, b_.binary(ExprOp::kAdd, b_.reg(other()), b_.reg(count())), pos_);
  }
  if (known_empty) {
    fill(0);
    store(queue.count, b_.constant(1));
  } else {
    const ThreadBuilder::Label filled = t_.label();
    load(count(), queue.count);
    for (size_t slot = 0; slot < queue.values.size(); ++slot) {
      const ThreadBuilder::Label here = t_.label(), later = t_.label();
      const bool last = slot + 1 == queue.values.size();
      t_.branch(compare(ExprOp::kEq, count(), static_cast<Value>(slot)), here, last ? full : later, pos_);
      t_.place(here);
      fill(slot);
      t_.jump(filled);
      if (!last) t_.place(later);
    }
    t_.place(filled);
    store(queue.count, b_.binary(ExprOp::kAdd, b_.reg(count()), b_.constant(1)));
  }
  if (queue.epochs.empty()) return;
  store(own_.epoch, b_.reg(other()));
  store(own_.barrier, b_.constant(0));
}

void BufferCode::forward(const QueueVariables& queue, ExprId number, const Dest& dest,
                         ThreadBuilder::Label done) {
  if (queue.numbers.empty()) load(count(), queue.count);
  for (size_t slot = queue.values.size(); slot-- > 0;) {
    const ThreadBuilder::Label newest = t_.label(), older = t_.label();
    if (queue.numbers.empty()) {
      t_.branch(compare(ExprOp::kEq, count(), static_cast<Value>(slot) + 1), newest, older, pos_);
    } else {
      load(other(), queue.numbers[slot]);
      t_.branch(b_.binary(ExprOp::kEq, b_.reg(other()), number), newest, older, pos_);
    }
    t_.place(newest);
    t_.load(dest, {queue.values[slot], b_.constant(0)}, pos_);
    t_.jump(done);
    t_.place(older);
  }
}

void BufferCode::barrier(const Queues& queues) {
  const ThreadBuilder::Label some = t_.label(), done = t_.label();
  for (const QueueVariables* queue : queues) {
    const ThreadBuilder::Label none = t_.label();
    load(count(), queue->count);
    t_.branch(compare(ExprOp::kGt, count(), 0), some, none, pos_);
    t_.place(none);
  }
  t_.jump(done);
  t_.place(some);
  store(own_.barrier, b_.constant(1));
  t_.place(done);
}

void BufferCode::mark(const Queues& queues) {
  for (const QueueVariables* queue : queues) {
    load(count(), queue->count);
    store(queue->marked, b_.reg(count()));
  }
}

}  // namespace fenceline
