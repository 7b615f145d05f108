// SPDX-License-Identifier: GPL-3.0-or-later
//
// Are there rationals for which all of these forms are at least zero?
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "witness/linear_solver.h"

namespace fenceline {

// Such numbers, one for each dimension that occurs; none if there are none. Throws DoesNotFit.
std::optional<std::map<Dimension, Rational>> satisfying_point(const std::vector<const LinearForm*>& forms);

}  // namespace fenceline
