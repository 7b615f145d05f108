// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/private_cells.h"

#include "ir/analysis/accessed_cells.h"

namespace fenceline {

PrivateCells::PrivateCells(const Program& program, const std::vector<bool>& observed)
    : owner_(program.cell_count), live_(program.threads.size()) {
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  const AccessedCells accessed(overlay, AccessedCells::OwnStores::kIgnored);
  std::vector<bool> shared = observed;
  shared.resize(program.cell_count);
  std::vector<std::vector<BitSet>> cells(program.threads.size());
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t p = 0; p < program.threads[t].code.size(); ++p) {
      cells[t].push_back(accessed.at(ThreadId(t), Point(p)));
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
