// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one step of a program did, as data. The checkers (check/replay, check/axiomatic) fill it in; reports
// render it as text (report/step_printer.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

// A run-time error of the program under test: the text names it, such as "division by zero". Or a limitation
// of Fenceline, which is no error of the program.
struct ProgramError {
  std::string what;
  bool our_limit = false;
  bool assertion = false;  // an assertion whose condition is 0
};

// If `error` is not empty the step failed: the machine has not moved, and the rest is what was known when it
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
  std::string error;
  bool our_limit = false;         // `error` is a limitation of Fenceline, not an error of the program
  bool assertion_failed = false;  // `error` is that of an assertion whose condition is 0

  bool failed() const { return !error.empty(); }
  void fail(ProgramError why) {
    error = std::move(why.what);
    our_limit = why.our_limit;
    assertion_failed = why.assertion;
  }
};

}  // namespace fenceline
