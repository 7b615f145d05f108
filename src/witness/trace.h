// SPDX-License-Identifier: GPL-3.0-or-later
//
// One trace type for every engine: what happened, step by step. An engine fills in thread, kind, point and,
// where the machine had a choice, what was chosen; and it claims an address and a value for every memory
// access. witness/replay re-executes the steps, refuses any claim that is not so, and works out the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

enum class StepKind : uint8_t {
  kExecute,  // the thread runs the instruction at `point`
  kFlush,    // the oldest store to `cell` that may leave the thread's buffer reaches memory
};

struct TraceStep {
  ThreadId thread;
  StepKind kind = StepKind::kExecute;
  Point point;  // kExecute: the instruction (may be a virtual point of the fence overlay, see ir/edit/overlay.h)

  // Choices: the value of a havoc, or the number of the successor a kChoose took.
  std::optional<Value> chosen;

  // Claims, for memory accesses and flushes. `value` is what a load or rmw read, what a store or flush wrote.
  CellId cell;
  std::optional<Value> value;
  std::optional<Value> written;  // rmw only: what it wrote, if it wrote
};

// Steps inside an atomic section appear one by one, from its kAtomicBegin to its kAtomicEnd, with nothing of
// another thread and no flush in between. A trace of a failed step (assert, range, index, division) ends with
// that step.
struct Trace {
  std::vector<TraceStep> steps;
};

}  // namespace fenceline
