// SPDX-License-Identifier: GPL-3.0-or-later
//
// All traces of each thread alone, if its loads may return any value that could be in their cell. These values
// are a fixpoint: at first the initial ones; then all that threads can store when their loads return those; and
// so on. Without out-of-thin-air values, every value is computed in at most as many such iterations as there
// are stores, so the fixpoint stops after that many: a counter that increments itself (x = x + 1 in two threads
// of a model without order of dependencies) would never end. Out-of-thin-air values are included only if these
// iterations produce them.
//
// Traces that do the same with other values (same events, same cells, same dependencies) are one shape.
//
// The iterations execute threads in program order, from their entry to the stores. So they find all values that
// occur in executions only if no store takes effect before an earlier load of its thread, or if no instruction
// between the two can keep the thread from getting to the store. Where that is not known, the caller supplies
// the values (TraceOptions::values).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "check/axiomatic/thread_execution.h"
#include "ir/edit/overlay.h"

namespace fenceline::check {

// Where a trace ends.
enum class TraceEnd : uint8_t {
  kEnded,       // the thread has ended
  kFailed,      // the next step is an error; if it reads and got that far, its read is the last event
  kUnfinished,  // the thread could go on; it is in no atomic section
};

// A thread from its entry on.
struct ThreadTrace {
  std::vector<Value> values;  // by event, of the events of its shape
  std::vector<Value> registers;
  std::vector<Value> choices;
  std::vector<ThreadEvent> events;
  Point location;
};

struct ThreadShape {
  TraceEnd end = TraceEnd::kEnded;
  std::vector<ThreadTrace> traces;  // at least one

  const std::vector<ThreadEvent>& events() const { return traces.front().events; }  // but for the values
};

struct ThreadShapes {
  std::vector<ThreadShape> shapes;
  // Were there executions of the thread (with possible values, not necessarily in an execution) that
  bool stopped = false;    // stopped at an assumption,
  bool failed = false;     // ended with an error,
  bool too_long = false;   // went on beyond the longest allowed,
  bool too_large = false;  // had a value outside of 64 bits?
};

// By cell: what loads of it may return, in ascending order.
using CellValues = std::vector<std::vector<Value>>;

struct TraceOptions {
  size_t longest = 200;     // instructions; longer traces are left out (`too_long`)
  bool unfinished = false;  // also traces that fail, and those that end behind an event or have none
  const CellValues* values = nullptr;  // null: found by iterating as above
};

// One entry per thread. `step` is called before each instruction; it may throw to end this.
std::vector<ThreadShapes> thread_shapes(const Overlay& overlay, const TraceOptions& options,
                                        const std::function<void()>& step);

}  // namespace fenceline::check
