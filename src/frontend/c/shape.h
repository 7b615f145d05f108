// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which cells an object has. A variable has those of its type, an allocation those of the structure that its
// uses imply; unless all accesses that may target it (points_to.h) agree on another layout: an array of
// characters that is used as one of words, memory whose only pointer is in a structure, a structure that is
// only accessed as a whole. Where accesses of different sizes meet in the same bytes there are no cells that
// fit them all; accesses that do not fit are errors when they execute.
#pragma once

#include <optional>
#include <vector>

#include "frontend/c/memory.h"
#include "frontend/c/points_to.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {

std::vector<Leaf> shape_of_allocation(const llvm::CallBase& call, uint64_t size, Unit& unit, Memory& memory,
                                      const PointsTo& points_to);

// `declared` are the scalars of its type.
std::vector<Leaf> shape_of_variable(const llvm::Value& variable, uint64_t size, std::vector<Leaf> declared,
                                    const PointsTo& points_to);

// The cells in so many bytes behind a pointer, by their distance from it; none if that is not known, or if
// they are not the same wherever it may point.
std::optional<std::vector<Leaf>> cells_behind(const llvm::Value& pointer, uint64_t size, Unit& unit,
                                              Memory& memory, const PointsTo& points_to);

}  // namespace fenceline::frontend::c
