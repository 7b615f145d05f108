// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks that a history is bad. It examines the whole word at once, by the definition (docs/stm.md), and shares
// nothing with the automata that find such histories step by step.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/history.h"
#include "ir/program.h"

namespace fenceline::check {

struct HistoryCheck {
  bool bad = false;                // however it goes on
  std::string why;                 // if bad: "t1 loads v1 before t2 stores it, and t2 loads v2 before ..."
  std::vector<size_t> operations;  // if bad: those it is about, as positions in the history, in order
};

// Precondition: looks_at_history(property). The time is quadratic in the length.
HistoryCheck check_history(std::span<const HistoryStep> history, PropertyKind property);

}  // namespace fenceline::check
