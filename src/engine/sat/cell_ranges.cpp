// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/cell_ranges.h"

#include <optional>

#include "env/errors.h"
#include "ir/analysis/interval.h"
#include "ir/analysis/ranges.h"

namespace fenceline {
namespace {

class Propagation {
 public:
  Propagation(const Overlay& overlay, const Unfolding& unfolding)
      : overlay_(overlay),
        program_(overlay.program()),
        unfolding_(unfolding),
        states_(unfolding.nodes().size()) {
    for (const Value value : program_.initial_memory()) now_.cells.push_back(Range::single(value));
    for (const Thread& thread : program_.threads) now_.registers.emplace_back(thread.registers.size());
    next_ = now_.cells;
  }

  std::vector<Range> run() {
    size_t stores = 0;
    for (const Unfolding::Node& node : unfolding_.nodes())
      if (!node.beyond) stores += overlay_.at(node.thread, node.point).writes_memory();
    for (size_t round = 0; round <= stores; ++round) {
      for (uint32_t i = 0; i < unfolding_.nodes().size(); ++i) visit(i);
      if (next_ == now_.cells) break;
      now_.cells = next_;
    }
    return now_.cells;
  }

 private:
  void visit(uint32_t index) {
    const Unfolding::Node& node = unfolding_.nodes()[index];
    const size_t thread = node.thread.index();
    std::vector<Range>& registers = now_.registers[thread];
    std::optional<std::vector<Range>> state;
    if (index == unfolding_.entries()[thread]) {
      state.emplace();
      for (const Register& reg : program_.threads[thread].registers)
        state->push_back(Range::single(reg.init));
    }
    for (const Unfolding::Edge& edge : node.in) {
      const std::optional<std::vector<Range>>& before = states_[edge.from];
      if (!before) continue;
      if (!state) {
        state = before;
        continue;
      }
      for (size_t reg = 0; reg < state->size(); ++reg) (*state)[reg] = (*state)[reg].join((*before)[reg]);
    }
    states_[index].reset();
    if (!state || node.beyond) return;
    registers = std::move(*state);
    execute(node.thread, overlay_.at(node.thread, node.point));
    states_[index] = registers;
  }

  Range range(ThreadId thread, ExprId id) { return range_of(program_, now_, thread, id); }

  // The cells that the access can be about.
  template <class F>
  void for_cells(ThreadId thread, const Address& address, const F& f) {
    const Object& object = program_.object(address.object);
    const Range offset = range(thread, address.offset).meet({0, object.size() - 1});
    for (Value i = offset.lo; i <= offset.hi; ++i)
      if (object.admits(i, address.bytes)) f(object.first_cell.index() + static_cast<size_t>(i));
  }

  void write(ThreadId thread, const Address& address, Range value) {
    if (const auto& declared = program_.object(address.object).declared) value = value.meet(*declared);
    if (value.is_empty()) return;
    for_cells(thread, address, [&](size_t cell) { next_[cell] = next_[cell].join(value); });
  }

  void assign(ThreadId thread, const Dest& dest, Range value) {
    if (!dest.valid()) return;
    std::vector<Range>& registers = now_.registers[thread.index()];
    const std::vector<Register>& declared = program_.thread(thread).registers;
    const Range index =
        dest.is_element() ? range(thread, dest.index).meet({0, dest.count - 1}) : Range::single(0);
    for (Value i = index.lo; i <= index.hi; ++i) {
      const size_t reg = dest.reg.index() + static_cast<size_t>(i);
      Range& slot = registers[reg];
      const Range kept = declared[reg].declared ? value.meet(*declared[reg].declared) : value;
      slot = index.lo == index.hi ? kept : slot.join(kept);
    }
  }

  void execute(ThreadId thread, const Instruction& instruction) {
    switch (instruction.kind) {
      case InstrKind::kAssign:
        return assign(thread, instruction.dest, range(thread, instruction.a));
      case InstrKind::kHavoc:
        return assign(thread, instruction.dest, instruction.havoc_range);
      case InstrKind::kStore:
        return write(thread, instruction.address, range(thread, instruction.a));
      case InstrKind::kLoad:
      case InstrKind::kRmw: {
        Range read = Range::empty();
        for_cells(thread, instruction.address, [&](size_t cell) { read = read.join(now_.cells[cell]); });
        if (instruction.kind == InstrKind::kLoad) return assign(thread, instruction.dest, read);
        const Range a = range(thread, instruction.a);
        switch (instruction.rmw) {
          case RmwOp::kCas:
          case RmwOp::kCasValue:
            write(thread, instruction.address, range(thread, instruction.b));
            if (instruction.rmw == RmwOp::kCasValue) break;
            return assign(thread, instruction.dest, {0, 1});
          case RmwOp::kXchg:
            write(thread, instruction.address, a);
            break;
          default:
            write(thread, instruction.address, apply_range(operator_of(instruction.rmw), read, a));
            break;
        }
        return assign(thread, instruction.dest, read);
      }
      default:
        return;
    }
  }

  const Overlay& overlay_;
  const Program& program_;
  const Unfolding& unfolding_;
  Ranges now_;               // the cells of the last round; the registers where we are
  std::vector<Range> next_;  // the cells of this round
  std::vector<std::optional<std::vector<Range>>> states_;  // by node: the registers behind it
};

}  // namespace

std::vector<Range> cell_ranges(const Overlay& overlay, const Unfolding& unfolding) {
  std::vector<Range> ranges = Propagation(overlay, unfolding).run();
  for (const Range& range : ranges)
    if (!range.bounded()) throw Unsupported("a value may leave 64 bits");
  return ranges;
}

}  // namespace fenceline
