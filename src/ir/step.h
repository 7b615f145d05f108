// SPDX-License-Identifier: GPL-3.0-or-later
//
// One step of an execution, in terms of the program: the label that machines put on their transitions and the
// element of every trace.
#pragma once

#include <cstdint>
#include <optional>

#include "base/numbers.h"
#include "ir/ids.h"

namespace fenceline {

enum class StepKind : uint8_t {
  kExecute,  // the thread executes the instruction at `point`
  kFlush,    // the oldest store to `cell` that may be flushed reaches memory
  kPerform,  // deferral-queue machine: the access issued at `point` takes effect; `chosen` says which one, if
             // several from there wait: 0 is the oldest
};

struct TraceStep {
  ThreadId thread;
  StepKind kind = StepKind::kExecute;
  Point point;  // kExecute: the instruction (may be a virtual point of the overlay, see ir/edit/overlay.h)

  // Choices: the value of a havoc, or the number of the successor a kChoose took.
  std::optional<Value> chosen;

  // Claims, for memory accesses and flushes. `value` is what a load or rmw read, what a store or flush wrote.
  CellId cell;
  std::optional<Value> value;
  std::optional<Value> written;  // rmw only: what it wrote, if it wrote
};

}  // namespace fenceline
