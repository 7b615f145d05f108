// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counterexamples after they have been checked: a trace with what replaying it showed (check/replay), or an
// execution with what checking it against the axioms showed (check/axiomatic).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "env/source.h"
#include "ir/history.h"
#include "ir/ids.h"
#include "task/effect.h"
#include "task/execution.h"
#include "task/trace.h"

namespace fenceline {

// One pending store of a buffer, as reports show it.
struct BufferedStore {
  CellId cell;
  Value value = 0;
  size_t step = 0;  // the index of the trace step that stored it
};

// A trace step with everything that reports need.
struct ReplayedStep {
  TraceStep step;                     // the claims completed where the engine left them open
  Effect effect;                      // steps are named by their indices in Replay::steps
  std::vector<BufferedStore> buffer;  // of the step's thread, oldest first, after the step
  SourcePos pos;                      // of the instruction; of a flush: of the store that reaches memory
  Point after;                        // the thread's program counter after the step
  // Deferral-queue machine: the steps that issued accesses which this one has overtaken, and what the step
  // is in the history of transactions.
  std::vector<size_t> overtaken;
  std::optional<HistoryStep> history;
};

// A thread that waits for ever, at the end of a counterexample to liveness.
struct WaitingThread {
  ThreadId thread;
  SourcePos pos;      // of the head of the loop, or of the operation that is not enabled
  bool loop = false;  // it waits in a loop, and not at a blocking operation
  struct Read {
    CellId cell;
    Value value = 0;
    friend bool operator==(const Read&, const Read&) = default;
  };
  std::vector<Read> reads;  // what it reads of shared memory in each iteration, in the order of one of them
};

struct Replay {
  bool ok = false;      // every step was possible, every claim true, and the end violates the property
  std::string why_not;  // if !ok: the first thing that was not so
  std::vector<ReplayedStep> steps;
  std::vector<Value> memory;                  // at the end
  std::vector<std::vector<Value>> registers;  // at the end, by thread
  std::vector<Point> locations;               // at the end, by thread
  bool queues = false;                        // a trace of the deferral-queue machine
  std::string history_error;                  // why its history is incorrect, in a sentence
  std::vector<WaitingThread> waiting;         // liveness: those that have not ended
};

// An event with what reports need.
struct CheckedEvent {
  SourcePos pos;       // of the instruction; of an initial write: of the declaration
  EventId reads_from;  // reads only
};

// A step of a thread that has an event, fails, or gives a temporary register its value.
struct ExecutedStep {
  Point point;
  Effect effect;
  EventId first_event;  // of those that the step has; invalid: it has none
};

struct ExecutionCheck {
  bool ok = false;                               // all claims are true, and the end violates the property
  std::string why_not;                           // if !ok: the first thing that was not so
  std::vector<CheckedEvent> events;              // by EventId; as many as were looked at
  std::vector<std::vector<ExecutedStep>> steps;  // by thread, in program order
  std::vector<Value> memory;                     // at the end: the last write of each cell
  std::vector<std::vector<Value>> registers;     // at the end, by thread
  ThreadId failing;                              // for errors: the thread that fails; its last step does
  ProgramError error;                            // the error of that step
  SourcePos failing_pos;
  // What raises a flag of the model (a data race): the name, and two events it is about, if it is about
  // two.
  struct Flag {
    std::string name;
    EventId first, second;
  };
  std::vector<Flag> flags;
  std::vector<WaitingThread> waiting;  // liveness: those that have not ended
};

}  // namespace fenceline
