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
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "check/axiomatic/thread_execution.h"
#include "ir/edit/overlay.h"

namespace fenceline {

// A thread from its entry to its end.
struct ThreadTrace {
  std::vector<Value> values;  // by event, of the events of its shape
  std::vector<Value> registers;
  std::vector<Value> choices;
  std::vector<ThreadEvent> events;
  Point location;
};

struct ThreadShape {
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

// One entry per thread. `step` is called before each instruction; it may throw to end this.
std::vector<ThreadShapes> thread_shapes(const Overlay& overlay, size_t longest,
                                        const std::function<void()>& step);

}  // namespace fenceline
