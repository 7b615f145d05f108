// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/por/shared_cells.h"

#include <map>
#include <optional>
#include <utility>

#include "ir/analysis/accessed_cells.h"

namespace fenceline::machine {
namespace {

bool is_access(const Operation& op) {
  return op.kind == InstrKind::kLoad || op.kind == InstrKind::kStore || op.kind == InstrKind::kRmw;
}

bool has_computed_address(const Code& code) {
  for (size_t t = 0; t < code.threads(); ++t)
    for (uint32_t p = 0; p < code.points(t); ++p)
      if (is_access(code.at(t, p)) && code.at(t, p).offset.kind != Operand::Kind::kConstant) return true;
  return false;
}

}  // namespace

SharedCells::SharedCells(const Code& code) {
  find_accessed(code);
  number_cells(code);
}

void SharedCells::find_accessed(const Code& code) {
  std::optional<AccessedCells> analysis;
  if (has_computed_address(code)) analysis.emplace(code.overlay());
  for (size_t t = 0; t < code.threads(); ++t) {
    std::vector<BitSet>& of_thread = cells_.emplace_back(code.points(t));
    for (uint32_t p = 0; p < code.points(t); ++p) {
      const Operation& op = code.at(t, p);
      if (!is_access(op)) continue;
      const Value constant = op.offset.constant;
      if (op.offset.kind != Operand::Kind::kConstant)
        of_thread[p] = analysis->at(ThreadId(t), Point(p));
      else if (constant >= 0 && constant < static_cast<Value>(op.cells))
        of_thread[p].add(op.first_cell + static_cast<size_t>(constant));
    }
  }
}

void SharedCells::number_cells(const Code& code) {
  struct Use {
    std::vector<std::pair<size_t, uint32_t>> accesses;  // by thread and point
    bool by_several = false;
  };
  std::vector<Use> uses(code.program().cell_count);
  writer_.assign(uses.size(), kNone);
  for (size_t t = 0; t < code.threads(); ++t)
    for (uint32_t p = 0; p < code.points(t); ++p)
      cells_[t][p].for_each([&](size_t cell) {
        Use& use = uses[cell];
        use.by_several = use.by_several || (!use.accesses.empty() && use.accesses.front().first != t);
        use.accesses.emplace_back(t, p);
        if (code.at(t, p).kind == InstrKind::kLoad) return;
        const auto thread = static_cast<uint32_t>(t);
        writer_[cell] = writer_[cell] == kNone || writer_[cell] == thread ? thread : kSeveral;
      });
  bits_.assign(uses.size(), 0);
  std::map<std::vector<std::pair<size_t, uint32_t>>, CellMask> numbered;
  for (size_t cell = 0; cell < uses.size(); ++cell)
    if (uses[cell].by_several && writer_[cell] != kNone)
      bits_[cell] =
          numbered.try_emplace(std::move(uses[cell].accesses), CellMask{1} << (numbered.size() % 64))
              .first->second;
  for (size_t t = 0; t < code.threads(); ++t) {
    std::vector<CellMask>& of_thread = accessed_.emplace_back(code.points(t), 0);
    for (uint32_t p = 0; p < code.points(t); ++p)
      cells_[t][p].for_each([&](size_t cell) { of_thread[p] |= bits_[cell]; });
  }
}

}  // namespace fenceline::machine
