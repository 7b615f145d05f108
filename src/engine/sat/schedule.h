// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace of a machine for an execution that its axioms allow.
//
// The axioms demand that some relation has no cycle; every linear extension of it is the order of a trace. In
// it, loads, fences, rmws and atomic sections represent themselves; a store that may be pending represents
// its flush. So: take them one after the other; before one that represents itself, execute its thread up to
// it, and before a store is flushed, execute its thread at least past the store. What the order leaves open
// goes to the thread that made the last step, which makes traces easy to read.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "ir/instruction.h"
#include "ir/property.h"
#include "ir/step.h"
#include "model/memory_model.h"
#include "task/execution.h"
#include "task/trace.h"

namespace fenceline::sat {

// An execution, as far as its schedule is concerned.
struct Schedulable {
  struct Event {
    EventKind kind = EventKind::kRead;
    ThreadId thread;       // invalid: an initial write, or an observation of memory
    CellId cell;           // reads, writes
    Value value = 0;       // the same
    FenceKinds fence;      // fences
    bool of_rmw = false;   // of an instruction that reads and writes
    bool at_once = false;  // a write that is never pending: of an rmw or an atomic section
    bool look = false;     // an observation of memory in the middle of an execution, which ends the trace
  };
  struct Step {
    Point point;
    InstrKind kind = InstrKind::kHalt;
    std::vector<size_t> events;   // of this step, in `events`
    std::optional<Value> chosen;  // havoc, choose
  };
  struct Path {
    std::vector<Step> steps;    // that the thread has executed
    std::optional<Step> error;  // the next one, if it fails
  };

  std::vector<Event> events;
  std::vector<Path> paths;  // by thread
  // The order that the model's last `acyclic` demands, with an atomic section as one node.
  std::vector<uint32_t> node_of;               // by event
  std::vector<std::set<uint32_t>> successors;  // by node
};

// The trace ends with the first step that fails if the property is about errors and there is one; where it is about
// states, in one that violates it. Precondition: the model is that of a machine with this buffering, and allows the
// execution.
Trace schedule(const Schedulable& execution, Buffering buffering, PropertyKind kind);

}  // namespace fenceline::sat
