// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an allocation is for, and the cells behind a pointer. A variable has a type; an allocation has the
// structure that its uses imply. That gives names to its cells, and cells to what nothing accesses (cells.h).
#pragma once

#include <optional>
#include <vector>

#include "frontend/c/cells.h"
#include "frontend/c/memory.h"
#include "frontend/c/points_to.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {

struct Shape {
  std::vector<Leaf> cells;
  llvm::Type* type;  // of what it is taken for, one or several in a row
};
Shape shape_of_allocation(const llvm::CallBase& call, uint64_t size, Unit& unit, Memory& memory,
                          const Cells& cells);

// The cells in so many bytes behind a pointer, by their distance from it; none if that is not known, or if
// they are not the same wherever it may point.
std::optional<std::vector<Leaf>> cells_behind(const llvm::Value& pointer, uint64_t size, Unit& unit,
                                              Memory& memory, const PointsTo& points_to, const Cells& cells);

}  // namespace fenceline::frontend::c
