// SPDX-License-Identifier: GPL-3.0-or-later
#include "transform/to_sc/buffer_code.h"

#include "env/errors.h"

namespace fenceline::transform {

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

void BufferCode::flush(const QueueVariables& queue, const std::vector<CellId>& pending) {
  load(count(), queue.count);
  t_.assume(compare(ExprOp::kGt, count(), 0), pos_);
  if (!queue.epochs.empty()) {
    load(other(), queue.epochs.front());
    t_.assume(compare(ExprOp::kEq, other(), 0), pos_);
  }
  write_to_memory(queue, pending);
  shift(queue.values);
  shift(queue.numbers);
  shift(queue.epochs);
  store(queue.count, b_.binary(ExprOp::kSub, b_.reg(count()), b_.constant(1)));
  if (queue.marked.valid()) decrement(queue.marked);
  if (own_.epoch.valid()) renumber_epochs(pending);
}

void BufferCode::write_to_memory(const QueueVariables& queue, const std::vector<CellId>& pending) {
  load(value(), queue.values.front());
  std::vector<CellId> cells;
  for (const CellId cell : pending)
    if (queue.holds(cell)) cells.push_back(cell);
  require(!cells.empty(), "a flush of a buffer in which nothing can be");
  if (cells.size() > 1) load(other(), queue.numbers.front());
  const ThreadBuilder::Label done = t_.label();
  for (const CellId cell : cells) {
    const ThreadBuilder::Label another = t_.label();
    if (cell != cells.back()) {
      const ThreadBuilder::Label this_one = t_.label();
      t_.branch(compare(ExprOp::kEq, other(), BufferVariables::number_of(cell)), this_one, another, pos_);
      t_.bind(this_one);
    }
    t_.store(address_of(cell), b_.reg(value()), pos_);
    t_.jump(done);
    if (cell != cells.back()) t_.bind(another);
  }
  t_.bind(done);
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

// If the oldest epoch has no entry left, the next one is the oldest now; a barrier with no pending store is
// dropped.
void BufferCode::renumber_epochs(const std::vector<CellId>& pending) {
  const Queues queues = own_.holding(pending);
  const ThreadBuilder::Label done = t_.label();
  t_.assign({value()}, b_.constant(0), pos_);  // is anything left?
  for (const QueueVariables* queue : queues) {
    const ThreadBuilder::Label some = t_.label(), younger = t_.label(), none = t_.label();
    load(count(), queue->count);
    t_.branch(compare(ExprOp::kGt, count(), 0), some, none, pos_);
    t_.bind(some);
    load(other(), queue->epochs.front());
    t_.branch(compare(ExprOp::kEq, other(), 0), done, younger, pos_);
    t_.bind(younger);
    t_.assign({value()}, b_.constant(1), pos_);
    t_.bind(none);
  }
  const ThreadBuilder::Label empty = t_.label(), some_left = t_.label();
  t_.branch(compare(ExprOp::kEq, value(), 0), empty, some_left, pos_);
  t_.bind(empty);
  store(own_.barrier, b_.constant(0));
  t_.jump(done);
  t_.bind(some_left);
  decrement(own_.epoch);
  for (const QueueVariables* queue : queues)
    for (const ObjectId epoch : queue->epochs) decrement(epoch);
  t_.bind(done);
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
      t_.bind(here);
      fill(slot);
      t_.jump(filled);
      if (!last) t_.bind(later);
    }
    t_.bind(filled);
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
    t_.bind(newest);
    t_.load(dest, {queue.values[slot], b_.constant(0)}, pos_);
    t_.jump(done);
    t_.bind(older);
  }
}

void BufferCode::barrier(const Queues& queues) {
  const ThreadBuilder::Label some = t_.label(), done = t_.label();
  for (const QueueVariables* queue : queues) {
    const ThreadBuilder::Label none = t_.label();
    load(count(), queue->count);
    t_.branch(compare(ExprOp::kGt, count(), 0), some, none, pos_);
    t_.bind(none);
  }
  t_.jump(done);
  t_.bind(some);
  store(own_.barrier, b_.constant(1));
  t_.bind(done);
}

void BufferCode::mark(const Queues& queues) {
  for (const QueueVariables* queue : queues) {
    load(count(), queue->count);
    store(queue->marked, b_.reg(count()));
  }
}

}  // namespace fenceline::transform
