// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loops that count: how often can a thread come to the header of a loop before it leaves it? Whatever loads
// return, and on every memory model.
//
// The loop is executed with sets of values (value_sets.h) in place of values, iteration after iteration, all
// paths of one iteration together: a register that is different on two paths has both values behind them, and
// a branch whose condition is known has one way out. When no path leads back to the header any more, the loop
// has ended. The first set of each register is what it has when the loop is entered from anywhere; what a load
// returns, and what a loop inside changes, is any value that the register ever has (ranges.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/loops.h"
#include "ir/analysis/ranges.h"

namespace fenceline {

// By loop: at most so many visits of its header each time that the loop is entered; nothing where that is not
// found, or is more than kMostVisits.
constexpr uint32_t kMostVisits = 4096;
std::vector<std::optional<uint32_t>> most_visits(const Overlay& overlay, ThreadId thread, const Loops& loops,
                                                 const Ranges& ranges);

}  // namespace fenceline
