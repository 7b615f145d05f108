// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes a failing program small: tries every edit that makes it smaller, keeps the first after which it still
// fails, and starts again, until no edit is left. The result is minimal in that sense, not the smallest
// program that fails.
#pragma once

#include <functional>

#include "mini_program.h"

namespace fenceline::fuzz {

// Precondition: fails(program). Postcondition: fails(result) and well_formed(result).
MiniProgram shrink(MiniProgram program, const std::function<bool(const MiniProgram&)>& fails);

}  // namespace fenceline::fuzz
