// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one step of a program did, as data. The checkers (check/replay, check/axiomatic) fill it in; reports
// render it as text (report/step_printer.h).
#pragma once

#include <cstddef>
#include <optional>

#include "base/numbers.h"
#include "ir/ids.h"
#include "task/program_error.h"

namespace fenceline {

// If there is an error the step failed: the machine has not moved, and the rest is what was known when it
// did.
struct Effect {
  CellId cell;
  std::optional<Value> value;    // read by a load or rmw, written by a store or flush
  std::optional<Value> written;  // rmw: what it wrote, if it wrote
  std::optional<Value> chosen;   // havoc, choose
  RegId dest;                    // the register that got a result
  Value result = 0;              // what it got; for a branch, assume or assert: the value of the condition
  std::optional<Value> a, b;     // operands of an rmw
  std::optional<size_t> reads_from;  // loads, rmw: the step whose store was read; none: the initial value
  std::optional<size_t> stored_by;   // flush, perform: the step that stored or issued it
  bool from_own_buffer = false;      // a load that was served by the thread's own buffer
  ProgramError error;

  bool failed() const { return !error.none(); }
};

}  // namespace fenceline
