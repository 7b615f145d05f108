// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/private_cells.h"

#include "ir/analysis/ranges.h"

namespace fenceline {
namespace {

// The cells that the instruction can access.
BitSet cells_of(const Program& program, const Ranges& ranges, ThreadId thread,
                const Instruction& instruction) {
  BitSet cells;
  if (!instruction.is_memory_access()) return cells;
  const Object& object = program.object(instruction.address.object);
  const Range inside{0, static_cast<Value>(object.size()) - 1};
  const Range offset = range_of(program, ranges, thread, instruction.address.offset).meet(inside);
  for (Value i = offset.lo; i <= offset.hi; ++i)
    if (object.admits(i, instruction.address.bytes))
      cells.add(object.first_cell.index() + static_cast<size_t>(i));
  return cells;
}

}  // namespace

PrivateCells::PrivateCells(const Program& program, const std::vector<bool>& observed)
    : owner_(program.cell_count), live_(program.threads.size()) {
  const Ranges ranges = analyze_ranges(program);
  std::vector<bool> shared = observed;
  shared.resize(program.cell_count);
  std::vector<std::vector<BitSet>> cells(program.threads.size());
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const Instruction& instruction : program.threads[t].code) {
      cells[t].push_back(cells_of(program, ranges, ThreadId(t), instruction));
      cells[t].back().for_each([&](size_t cell) {
        if (owner_[cell].valid() && owner_[cell] != ThreadId(t)) shared[cell] = true;
        owner_[cell] = ThreadId(t);
      });
    }
  for (size_t cell = 0; cell < owner_.size(); ++cell)
    if (shared[cell]) owner_[cell] = ThreadId();

  for (size_t t = 0; t < program.threads.size(); ++t) {
    const std::vector<Instruction>& code = program.threads[t].code;
    std::vector<BitSet>& live = live_[t];
    live.resize(code.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t point = code.size(); point-- > 0;) {
        BitSet before;
        for (const Point next : code[point].next) before |= live[next.index()];
        size_t only = 0, count = 0;
        cells[t][point].for_each([&](size_t cell) { only = cell, ++count; });
        if (code[point].kind == InstrKind::kStore && count == 1) before.remove(only);
        if (code[point].reads_memory())
          cells[t][point].for_each([&](size_t cell) {
            if (owner_[cell] == ThreadId(t)) before.add(cell);
          });
        if (before.subset_of(live[point])) continue;
        live[point] |= before;
        changed = true;
      }
    }
  }
}

}  // namespace fenceline
