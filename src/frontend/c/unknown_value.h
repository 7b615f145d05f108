// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why a value is no constant, in the words of the program: for messages about sizes and bounds that have to be
// constants.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Value.h>

#include <string>

#include "frontend/c/unit.h"

namespace fenceline::frontend::c {

// "'config.n'", "what fl_nondet() returns": what the value is computed from that is not known. Precondition: it is
// no constant.
std::string what_is_unknown(const llvm::Value& value, Unit& unit);

// ": it depends on 'n'", about the conditions for leaving the loop; empty if these are no values of the program's.
std::string what_bounds(const llvm::Loop& loop, Unit& unit);

// The remedy: when a variable is a constant.
inline constexpr const char* kConstantHint =
    "a variable is a constant if it is set before the first thread starts, to what is constant itself, and "
    "nothing writes it afterwards";

}  // namespace fenceline::frontend::c
