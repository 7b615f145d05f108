// SPDX-License-Identifier: GPL-3.0-or-later
#include "transform/to_sc/buffer_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "env/errors.h"
#include "machine/code.h"

namespace fenceline::transform {
namespace {

bool has_fence(const Overlay& overlay, ThreadId thread, Buffering buffering, machine::FenceEffect effect) {
  for (size_t p = 0; p < overlay.points(thread); ++p) {
    const Instruction& instruction = overlay.at(thread, Point(p));
    if (instruction.kind == InstrKind::kFence &&
        machine::fence_effect(instruction.fence, buffering) == effect)
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

}  // namespace

bool QueueVariables::holds(CellId cell) const {
  return std::find(cells.begin(), cells.end(), cell) != cells.end();
}

std::vector<const QueueVariables*> BufferVariables::holding(const std::vector<CellId>& cells) const {
  std::vector<const QueueVariables*> found;
  for (const QueueVariables& queue : queues)
    if (std::any_of(cells.begin(), cells.end(), [&](CellId cell) { return queue.holds(cell); }))
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
    stored.insert(empty.pending(thread, Point(p)).begin(), empty.pending(thread, Point(p)).end());
  BufferVariables buffers;
  if (stored.empty()) return buffers;
  Declaration declare(builder, overlay, thread, slots);
  if (buffering == Buffering::kPerThread) {
    buffers.queues.push_back(declare.for_thread({stored.begin(), stored.end()}));
    return buffers;
  }
  const bool barriers = has_fence(overlay, thread, buffering, machine::FenceEffect::kBarrier);
  buffers.marks = has_fence(overlay, thread, buffering, machine::FenceEffect::kMark);
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

}  // namespace fenceline::transform
